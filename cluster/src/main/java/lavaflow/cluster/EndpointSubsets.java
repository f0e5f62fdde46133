package lavaflow.cluster;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Decides the subsets of Endpoints: pods grouped so that all of a group answer at the same ports. */
final class EndpointSubsets {
    /** More addresses than these make an object that is too large for everybody who watches it. */
    static final int CAPACITY = 1000;

    /** A pod as an address; hostname empty for none. */
    record Address(String ip, String hostname, String node, Endpoint.@Nullable Target target, boolean ready) {
        static Address of(JsonNode json, boolean ready) {
            return new Address(
                    Json.textAt(json, "ip"),
                    Json.textAt(json, "hostname"),
                    Json.textAt(json, "nodeName"),
                    Endpoint.Target.of(Json.at(json, "targetRef")),
                    ready);
        }

        ObjectNode json() {
            ObjectNode json = Json.object().put("ip", ip);
            if (!hostname.isEmpty()) {
                json.put("hostname", hostname);
            }
            if (!node.isEmpty()) {
                json.put("nodeName", node);
            }
            if (target != null) {
                json.set("targetRef", target.json());
            }
            return json;
        }

        String uid() {
            return target == null ? "" : target.uid();
        }

        /** As Go prints it for hashing. */
        private String printed() {
            return "{IP:(string)" + ip + " Hostname:(string)" + hostname + " NodeName:(*string)"
                    + (node.isEmpty() ? "<nil>" : node) + " TargetRef:(*v1.ObjectReference)"
                    + (target == null ? "<nil>" : target.printed()) + "}";
        }
    }

    /** Addresses that answer at the same ports. */
    record Subset(List<Address> ready, List<Address> notReady, List<EndpointPort> ports) {
        ObjectNode json() {
            ObjectNode json = Json.object();
            put(json, "addresses", ready);
            put(json, "notReadyAddresses", notReady);
            if (!ports.isEmpty()) {
                json.set("ports", EndpointPort.json(ports));
            }
            return json;
        }

        private static void put(ObjectNode json, String field, List<Address> addresses) {
            if (!addresses.isEmpty()) {
                ArrayNode list = json.putArray(field);
                addresses.forEach(address -> list.add(address.json()));
            }
        }

        /** As Go prints it for hashing. */
        private String printed() {
            return "(v1.EndpointSubset){Addresses:([]v1.EndpointAddress)"
                    + printed(ready.stream().map(Address::printed).toList())
                    + " NotReadyAddresses:([]v1.EndpointAddress)"
                    + printed(notReady.stream().map(Address::printed).toList())
                    + " Ports:([]v1.EndpointPort)"
                    + printed(ports.stream().map(EndpointPort::fieldsInSubsets).toList())
                    + "}";
        }

        private static String printed(List<String> parts) {
            return parts.isEmpty() ? "<nil>" : "[" + String.join(" ", parts) + "]";
        }
    }

    private EndpointSubsets() {}

    static List<Subset> of(ObjectNode service, List<PodAddress> pods) {
        boolean evenUnready = Json.flagAt(service, "spec", "publishNotReadyAddresses");
        boolean six =
                Json.listAt(service, "spec", "ipFamilies").path(0).asText().equals("IPv6");
        ArrayNode servicePorts = Json.listAt(service, "spec", "ports");
        boolean portless = servicePorts.isEmpty()
                && Json.textAt(service, "spec", "clusterIP").equals("None");
        Map<EndpointPort, Set<Address>> byPort = new LinkedHashMap<>();
        Set<Address> withoutPort = new LinkedHashSet<>();
        for (PodAddress pod : pods) {
            String ip = pod.isReachable(evenUnready) ? pod.address(six) : null;
            if (ip == null) {
                continue;
            }
            Address address = address(pod, ip, service, evenUnready || pod.ready());
            if (portless) {
                withoutPort.add(address);
            }
            for (JsonNode port : servicePorts) {
                long number = pod.number(port);
                if (number >= 0) {
                    byPort.computeIfAbsent(subsetPort(port, number), _ -> new LinkedHashSet<>())
                            .add(address);
                }
            }
        }
        return pack(byPort, withoutPort);
    }

    private static EndpointPort subsetPort(JsonNode servicePort, long number) {
        EndpointPort port = EndpointPort.ofService(servicePort, number);
        String name = port.name();
        return new EndpointPort(
                name == null || name.isEmpty() ? null : name, port.protocol(), port.port(), port.appProtocol());
    }

    private static Address address(PodAddress pod, String ip, ObjectNode service, boolean ready) {
        return new Address(
                ip, pod.isNamedBelow(service) ? pod.hostname() : "", pod.node(), Endpoint.Target.ofPod(pod), ready);
    }

    /** Ports with the same addresses share a subset. */
    private static List<Subset> pack(Map<EndpointPort, Set<Address>> byPort, Set<Address> withoutPort) {
        Map<Set<Address>, List<EndpointPort>> byAddresses = new LinkedHashMap<>();
        byPort.forEach((port, addresses) ->
                byAddresses.computeIfAbsent(addresses, _ -> new ArrayList<>()).add(port));
        if (!withoutPort.isEmpty()) {
            byAddresses.putIfAbsent(withoutPort, new ArrayList<>());
        }
        List<Subset> subsets = new ArrayList<>();
        byAddresses.forEach((addresses, ports) -> {
            ports.sort(EndpointPort.IN_SUBSETS);
            List<Address> sorted = addresses.stream()
                    .sorted(Comparator.comparing(Address::ip).thenComparing(Address::uid))
                    .toList();
            subsets.add(new Subset(
                    sorted.stream().filter(Address::ready).toList(),
                    sorted.stream().filter(address -> !address.ready()).toList(),
                    ports));
        });
        if (subsets.size() > 1) {
            subsets.sort(Comparator.comparing(subset -> FnvHash.of(subset.printed())));
        }
        return subsets;
    }

    /** The subsets of Endpoints that somebody wrote, packed as ours would be. */
    static List<Subset> of(ObjectNode endpoints) {
        Map<EndpointPort, Set<Address>> byPort = new LinkedHashMap<>();
        Set<Address> withoutPort = new LinkedHashSet<>();
        for (JsonNode subset : Json.listAt(endpoints, "subsets")) {
            Set<Address> addresses = new LinkedHashSet<>();
            Json.listAt(subset, "addresses").forEach(each -> addresses.add(Address.of(each, true)));
            Json.listAt(subset, "notReadyAddresses").forEach(each -> addresses.add(Address.of(each, false)));
            if (Json.listAt(subset, "ports").isEmpty()) {
                withoutPort.addAll(addresses);
            }
            for (JsonNode port : Json.listAt(subset, "ports")) {
                byPort.computeIfAbsent(EndpointPort.of(port), _ -> new LinkedHashSet<>())
                        .addAll(addresses);
            }
        }
        return pack(byPort, withoutPort);
    }

    /** As many addresses as there is room for, those that are ready first, from all subsets in proportion; null if all fit. */
    static @Nullable List<Subset> truncated(List<Subset> subsets) {
        int ready = subsets.stream().mapToInt(subset -> subset.ready().size()).sum();
        int notReady =
                subsets.stream().mapToInt(subset -> subset.notReady().size()).sum();
        if (ready + notReady <= CAPACITY) {
            return null;
        }
        boolean readyOnly = ready > CAPACITY;
        int room = readyOnly ? CAPACITY : CAPACITY - ready;
        double total = readyOnly ? ready : notReady;
        int left = room;
        List<Subset> truncated = new ArrayList<>();
        for (Subset subset : subsets) {
            List<Address> many = readyOnly ? subset.ready() : subset.notReady();
            int share = Math.min(left, (int) Math.ceil(many.size() / total * room));
            List<Address> kept = many.subList(0, Math.min(share, many.size()));
            left -= kept.size();
            truncated.add(
                    readyOnly
                            ? new Subset(kept, List.of(), subset.ports())
                            : new Subset(subset.ready(), kept, subset.ports()));
        }
        return truncated;
    }

    static ArrayNode json(List<Subset> subsets) {
        ArrayNode list = Json.array();
        subsets.forEach(subset -> list.add(subset.json()));
        return list;
    }
}
