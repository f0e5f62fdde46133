package lavaflow.network;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import lavaflow.kube.IpAddress;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What rules and names need of a Service. Addresses are IPv4 only.
 *
 * @param addresses its cluster addresses; none for a headless one or a mere name
 * @param externalAddresses others that lead to it, and those of its load balancer
 * @param sources who may reach it at a load balancer's address; empty for everybody
 * @param affinitySeconds how long a client stays with an endpoint; 0 where every connection is on its own
 * @param externalName what it stands for; empty where it stands for pods
 */
record ServiceView(
        String namespace,
        String name,
        List<String> addresses,
        List<String> externalAddresses,
        List<String> balancerAddresses,
        List<String> sources,
        List<Port> ports,
        int affinitySeconds,
        boolean internalLocal,
        boolean externalLocal,
        int healthPort,
        boolean headless,
        boolean notReadyToo,
        String externalName) {
    private static final String NONE = "None";
    private static final int USUAL_AFFINITY_SECONDS = 10_800;

    /** A port; the protocol in lower case as rules name it, the node port 0 where there is none. */
    record Port(String name, String protocol, int port, int nodePort) {}

    String key() {
        return namespace + "/" + name;
    }

    /** Null where another proxy serves it. */
    static @Nullable ServiceView of(ObjectNode service) {
        JsonNode labels = Json.at(service, "metadata", "labels");
        if (labels != null && labels.has("service.kubernetes.io/service-proxy-name")) {
            return null;
        }
        JsonNode spec = Json.at(service, "spec");
        String type = Json.textAt(spec, "type");
        boolean named = type.equals("ExternalName");
        boolean headless = Json.textAt(spec, "clusterIP").equals(NONE);
        boolean affine = Json.textAt(spec, "sessionAffinity").equals("ClientIP");
        long seconds = Json.longAt(spec, USUAL_AFFINITY_SECONDS, "sessionAffinityConfig", "clientIP", "timeoutSeconds");
        return new ServiceView(
                Json.textAt(service, "metadata", "namespace"),
                Json.textAt(service, "metadata", "name"),
                named || headless ? List.of() : addresses(spec),
                four(Json.listAt(spec, "externalIPs")),
                type.equals("LoadBalancer") ? balancers(service) : List.of(),
                ranges(Json.listAt(spec, "loadBalancerSourceRanges")),
                ports(spec),
                affine ? (int) seconds : 0,
                Json.textAt(spec, "internalTrafficPolicy").equals("Local"),
                Json.textAt(spec, "externalTrafficPolicy").equals("Local"),
                (int) Json.longAt(spec, 0, "healthCheckNodePort"),
                headless,
                Json.flagAt(spec, "publishNotReadyAddresses"),
                named ? Json.textAt(spec, "externalName") : "");
    }

    private static List<String> addresses(@Nullable JsonNode spec) {
        List<String> all = four(Json.listAt(spec, "clusterIPs"));
        String first = Json.textAt(spec, "clusterIP");
        return all.isEmpty() && isFour(first) ? List.of(first) : all;
    }

    static boolean isFour(String text) {
        IpAddress address = IpAddress.parse(text);
        return address != null && address.is4() && !address.mapped();
    }

    private static List<String> four(JsonNode list) {
        List<String> addresses = new ArrayList<>();
        for (JsonNode each : list) {
            if (isFour(each.asText())) {
                addresses.add(each.asText());
            }
        }
        return List.copyOf(addresses);
    }

    /** Of those that send packets here unchanged; a balancer that is a proxy does without. */
    private static List<String> balancers(ObjectNode service) {
        List<String> addresses = new ArrayList<>();
        for (JsonNode ingress : Json.listAt(service, "status", "loadBalancer", "ingress")) {
            String address = Json.textAt(ingress, "ip");
            if (isFour(address) && !Json.textAt(ingress, "ipMode").equals("Proxy")) {
                addresses.add(address);
            }
        }
        return List.copyOf(addresses);
    }

    private static List<String> ranges(JsonNode list) {
        List<String> ranges = new ArrayList<>();
        for (JsonNode each : list) {
            String text = each.asText().trim();
            lavaflow.kube.Cidr cidr = lavaflow.kube.Cidr.parse(text);
            if (cidr != null && cidr.address().is4()) {
                ranges.add(cidr.toString());
            }
        }
        return List.copyOf(ranges);
    }

    private static List<Port> ports(@Nullable JsonNode spec) {
        List<Port> ports = new ArrayList<>();
        for (JsonNode port : Json.listAt(spec, "ports")) {
            String protocol = Json.textAt(port, "protocol");
            ports.add(new Port(
                    Json.textAt(port, "name"),
                    protocol.isEmpty() ? "tcp" : protocol.toLowerCase(Locale.ROOT),
                    (int) Json.longAt(port, 0, "port"),
                    (int) Json.longAt(port, 0, "nodePort")));
        }
        return List.copyOf(ports);
    }
}
