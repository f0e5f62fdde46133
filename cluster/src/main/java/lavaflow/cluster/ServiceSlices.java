package lavaflow.cluster;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.kube.Json;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Decides which endpoint slices a service should have, for one family of addresses. */
final class ServiceSlices {
    static final String MANAGER = "endpointslice-controller.k8s.io";
    static final int MOST_ENDPOINTS = 100;

    /** What is known of nodes. */
    interface Places {
        /** The zone of a node, empty for none; null for a node that is not there. */
        @Nullable
        String zone(String node);
    }

    /**
     * @param missing pods whose node is not there, for which reason their endpoints are left out
     */
    record Decision(SliceChanges changes, List<PodAddress> missing) {}

    private final ObjectNode service;
    private final String addressType;
    private final ObjectNode labels;
    private final boolean evenUnready;
    private final Places places;
    private final List<PodAddress> missing = new ArrayList<>();

    ServiceSlices(ObjectNode service, String addressType, Places places) {
        this.service = service;
        this.addressType = addressType;
        this.labels = SlicePacking.SliceLabels.of(service, MANAGER);
        this.evenUnready = Json.flagAt(service, "spec", "publishNotReadyAddresses");
        this.places = places;
    }

    /** The families a service has addresses of. */
    static List<String> addressTypes(ObjectNode service) {
        List<String> types = new ArrayList<>();
        Json.listAt(service, "spec", "ipFamilies").forEach(family -> types.add(family.asText()));
        if (!types.isEmpty()) {
            return types;
        }
        String ip = Json.textAt(service, "spec", "clusterIP");
        return SlicePacking.isHeadless(service) ? List.of("IPv4", "IPv6") : List.of(ip.contains(":") ? "IPv6" : "IPv4");
    }

    /**
     * @param pods those the service selects
     * @param existing the slices of this family that were made for a service of this name
     */
    Decision decide(List<PodAddress> pods, List<SliceState> existing) {
        SliceChanges changes = SliceChanges.nothing();
        Map<List<EndpointPort>, List<SliceState>> byPorts = new LinkedHashMap<>();
        for (SliceState slice : existing) {
            if (slice.isControlledBy(Objects.uid(service))) {
                byPorts.computeIfAbsent(slice.ports(), _ -> new ArrayList<>()).add(slice);
            } else {
                // Of a service that had the name before; it may be on its way out by itself.
                changes.delete().add(slice);
            }
        }
        desired(pods).forEach((ports, endpoints) -> {
            List<SliceState> present = byPorts.remove(ports);
            changes.addAll(new SlicePacking(empty(ports), labels, MOST_ENDPOINTS)
                    .pack(present == null ? List.of() : present, endpoints));
        });
        byPorts.values().forEach(changes.delete()::addAll);
        ensureOne(existing, changes);
        return new Decision(changes, missing);
    }

    /** The endpoints there should be, by the ports they answer at: pods may give one name to different numbers. */
    private Map<List<EndpointPort>, Map<Endpoint.Identity, Endpoint>> desired(List<PodAddress> pods) {
        Map<List<EndpointPort>, List<EndpointPort>> ordered = new LinkedHashMap<>();
        Map<List<EndpointPort>, Map<Endpoint.Identity, Endpoint>> desired = new LinkedHashMap<>();
        for (PodAddress pod : pods) {
            if (!pod.isReachable(true)) {
                continue;
            }
            List<EndpointPort> ports = ordered.computeIfAbsent(
                    ports(pod),
                    list -> list.stream().sorted(EndpointPort.IN_SLICES).toList());
            Map<Endpoint.Identity, Endpoint> group = desired.computeIfAbsent(ports, _ -> new LinkedHashMap<>());
            String zone = pod.node().isEmpty() ? null : places.zone(pod.node());
            if (zone == null && !evenUnready) {
                missing.add(pod);
                continue;
            }
            String address = pod.address(addressType.equals("IPv6"));
            if (address != null) {
                Endpoint endpoint = endpoint(pod, address, zone);
                group.put(endpoint.identity(), endpoint);
            }
        }
        return desired;
    }

    private List<EndpointPort> ports(PodAddress pod) {
        List<EndpointPort> ports = new ArrayList<>();
        for (JsonNode port : Json.listAt(service, "spec", "ports")) {
            long number = pod.number(port);
            if (number >= 0) {
                ports.add(EndpointPort.ofService(port, number));
            }
        }
        return ports;
    }

    private Endpoint endpoint(PodAddress pod, String address, @Nullable String zone) {
        boolean ready = evenUnready || (pod.ready() && !pod.deleting());
        return new Endpoint(
                List.of(address),
                new Endpoint.Conditions(ready, pod.ready(), pod.deleting()),
                pod.isNamedBelow(service) ? pod.hostname() : null,
                pod.node().isEmpty() ? null : pod.node(),
                zone == null || zone.isEmpty() ? null : zone,
                Endpoint.Target.ofPod(pod),
                List.of(),
                List.of());
    }

    /** A service without endpoints has one slice without any, so that clients can tell that somebody has looked. */
    private void ensureOne(List<SliceState> existing, SliceChanges changes) {
        if (existing.size() != changes.delete().size() || !changes.create().isEmpty()) {
            return;
        }
        SliceState placeholder = empty(List.of());
        boolean isThere =
                changes.delete().size() == 1 && looksLike(changes.delete().getFirst(), placeholder);
        if (isThere) {
            changes.unchanged().add(changes.delete().removeLast());
        } else {
            changes.create().add(placeholder);
        }
    }

    private boolean looksLike(SliceState slice, SliceState placeholder) {
        return slice.endpoints().isEmpty()
                && slice.ports().isEmpty()
                && slice.isControlledBy(Objects.uid(service))
                && placeholder.metadata().path("labels").equals(Json.at(slice.metadata(), "labels"));
    }

    private SliceState empty(List<EndpointPort> ports) {
        ObjectNode metadata = Json.object();
        metadata.put("generateName", prefix(Objects.name(service)));
        metadata.put("namespace", Objects.namespace(service));
        metadata.set("labels", labels);
        metadata.putArray("ownerReferences").add(ReplicaDecisions.ownerReference(service));
        return new SliceState(metadata, addressType, ports, List.of());
    }

    static String prefix(String name) {
        String prefix = name + "-";
        return Names.SUBDOMAIN.check(prefix, true).isEmpty() ? prefix : name;
    }
}
