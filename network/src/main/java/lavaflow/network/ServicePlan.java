package lavaflow.network;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

import lavaflow.network.EndpointChoice.Target;

/**
 * The rules of one service: a function of the service and its endpoints.
 *
 * @param chains rules by the name of their chain
 * @param memories sets that remember which client has which endpoint, by name, with how many seconds they do
 * @param elements what leads to the chains: by {@code map key}, empty values for sets
 * @param datagrams where packets without connections go, by {@code address port}: for forgetting what goes elsewhere
 */
record ServicePlan(
        Map<String, List<String>> chains,
        Map<String, Integer> memories,
        Map<Element, String> elements,
        Map<Target, List<Target>> datagrams) {
    static final ServicePlan NOTHING = new ServicePlan(Map.of(), Map.of(), Map.of(), Map.of());

    /** A place in a map or set. */
    record Element(String map, String key) implements Comparable<Element> {
        @Override
        public int compareTo(Element other) {
            int byMap = map.compareTo(other.map);
            return byMap != 0 ? byMap : key.compareTo(other.key);
        }
    }

    private static final String MASQUERADE = "meta mark set meta mark or " + BaseRules.MARK;
    /** Of a rule's comment the kernel keeps this much. */
    private static final int LONGEST_COMMENT = 120;

    /** Makes the plan of a service; choices are by port. */
    static ServicePlan of(ServiceView service, AddressRange pods, Function<ServiceView.Port, EndpointChoice> choices) {
        Maker maker = new Maker(service, pods);
        for (String address : service.addresses()) {
            maker.elements.put(new Element("cluster_addresses", address), "");
        }
        for (ServiceView.Port port : service.ports()) {
            if (!service.addresses().isEmpty()) {
                maker.port(port, choices.apply(port));
            }
        }
        return new ServicePlan(maker.chains, maker.memories, maker.elements, maker.datagrams);
    }

    private static final class Maker {
        private final ServiceView service;
        private final AddressRange pods;
        private final Map<String, List<String>> chains = new TreeMap<>();
        private final Map<String, Integer> memories = new TreeMap<>();
        private final Map<Element, String> elements = new TreeMap<>();
        private final Map<Target, List<Target>> datagrams = new LinkedHashMap<>();

        Maker(ServiceView service, AddressRange pods) {
            this.service = service;
            this.pods = pods;
        }

        void port(ServiceView.Port port, EndpointChoice choice) {
            String id = hash(service.key() + " " + port.protocol() + " " + port.name());
            String place = port.protocol() + " . " + port.port();
            if (choice.any()) {
                inside(port, choice, id, place);
            }
            outside(port, choice, id, place);
            if (port.protocol().equals("udp")) {
                service.addresses()
                        .forEach(address -> datagrams.put(new Target(address, port.port()), choice.everywhere()));
            }
        }

        private void inside(ServiceView.Port port, EndpointChoice choice, String id, String place) {
            List<String> rules = chain("svc-" + id);
            rules.add("ip saddr != " + pods + " " + MASQUERADE + comment(port));
            rules.addAll(choose(port, choice.everywhere(), id));
            String entry = "svc-" + id;
            if (service.internalLocal()) {
                entry = "int-" + id;
                List<String> local = chain(entry);
                local.add("ip saddr != " + pods + " " + MASQUERADE + comment(port));
                local.addAll(choose(port, choice.here(), id));
            }
            for (String address : service.addresses()) {
                elements.put(new Element("services", address + " . " + place), "goto " + entry);
            }
        }

        private void outside(ServiceView.Port port, EndpointChoice choice, String id, String place) {
            List<String> addresses = new ArrayList<>(service.externalAddresses());
            if (choice.any()) {
                if (!addresses.isEmpty()
                        || port.nodePort() > 0
                        || !service.balancerAddresses().isEmpty()) {
                    chains.put("ext-" + id, external(port, choice, id));
                }
                if (!service.sources().isEmpty() && !service.balancerAddresses().isEmpty()) {
                    chains.put("bal-" + id, balanced(port, id));
                }
            }
            String balanced = service.sources().isEmpty() ? "ext-" : "bal-";
            for (String address : service.balancerAddresses()) {
                lead("services", "refused", address + " . " + place, choice.any(), "goto " + balanced + id);
            }
            for (String address : addresses) {
                lead("services", "refused", address + " . " + place, choice.any(), "goto ext-" + id);
            }
            if (port.nodePort() > 0) {
                String nodePlace = port.protocol() + " . " + port.nodePort();
                lead("node_ports", "refused_ports", nodePlace, choice.any(), "goto ext-" + id);
            }
        }

        private void lead(String map, String refused, String key, boolean any, String verdict) {
            elements.put(new Element(any ? map : refused, key), any ? verdict : "");
        }

        /** With the policy Local clients from outside keep their address and meet pods of this node only. */
        private List<String> external(ServiceView.Port port, EndpointChoice choice, String id) {
            List<String> rules = new ArrayList<>();
            if (service.externalLocal()) {
                rules.add("ip saddr " + pods + " goto svc-" + id + comment(port));
                rules.add("fib saddr type local goto svc-" + id);
                rules.addAll(choose(port, choice.here(), id));
            } else {
                rules.add(MASQUERADE + comment(port));
                rules.add("goto svc-" + id);
            }
            return rules;
        }

        private List<String> balanced(ServiceView.Port port, String id) {
            return List.of(
                    "ip saddr { " + String.join(", ", service.sources()) + " } goto ext-" + id + comment(port),
                    "fib saddr type local goto ext-" + id,
                    "drop");
        }

        private List<String> chain(String name) {
            return chains.computeIfAbsent(name, _ -> new ArrayList<>());
        }

        /** Rules that end with a choice; without anybody to choose, packets go nowhere, since others exist elsewhere. */
        private List<String> choose(ServiceView.Port port, List<Target> targets, String id) {
            if (targets.isEmpty()) {
                return List.of("drop");
            }
            return service.affinitySeconds() > 0 ? remember(port, targets, id) : List.of(balance(port, targets));
        }

        private static String balance(ServiceView.Port port, List<Target> targets) {
            String start = "meta l4proto " + port.protocol() + " dnat ip to ";
            if (targets.size() == 1) {
                return start + targets.getFirst().address() + ":"
                        + targets.getFirst().port();
            }
            StringBuilder map = new StringBuilder();
            for (int i = 0; i < targets.size(); i++) {
                Target target = targets.get(i);
                map.append(i == 0 ? "" : ", ").append(i + " : " + target.address() + " . " + target.port());
            }
            return start + "numgen random mod " + targets.size() + " map { " + map + " }";
        }

        private List<String> remember(ServiceView.Port port, List<Target> targets, String id) {
            List<String> rules = new ArrayList<>();
            StringBuilder choice = new StringBuilder();
            for (int i = 0; i < targets.size(); i++) {
                Target target = targets.get(i);
                String own =
                        id + "-" + hash(target.address() + ":" + target.port()).substring(0, 8);
                // How long a set remembers cannot be changed: another time, another set.
                String memory = "mem-" + own + "-" + service.affinitySeconds();
                memories.put(memory, service.affinitySeconds());
                chains.put(
                        "end-" + own, List.of("update @" + memory + " { ip saddr }", balance(port, List.of(target))));
                rules.add("ip saddr @" + memory + " goto end-" + own);
                choice.append(i == 0 ? "" : ", ")
                        .append(i)
                        .append(" : goto end-")
                        .append(own);
            }
            rules.add("numgen random mod " + targets.size() + " vmap { " + choice + " }");
            return rules;
        }

        private String comment(ServiceView.Port port) {
            String text = service.key() + (port.name().isEmpty() ? "" : ":" + port.name());
            return " comment \"" + text.substring(0, Math.min(text.length(), LONGEST_COMMENT)) + "\"";
        }
    }

    private static String hash(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
