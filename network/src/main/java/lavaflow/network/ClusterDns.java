package lavaflow.network;

import java.util.List;
import java.util.Optional;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * The Service by which everybody looks for a cluster's name server, kube-system/kube-dns, and who stands behind it: this
 * node. A cluster that brings its own name server keeps it.
 */
final class ClusterDns {
    static final String NAMESPACE = "kube-system";
    static final String NAME = "kube-dns";

    private static final String MANAGER = "lavaflow-node";
    private static final String POLICY = "internalTrafficPolicy";

    private ClusterDns() {}

    /** Makes the objects, or corrects the address behind them. */
    static void ensure(KubeApi api, String node, String clusterAddress, String address, int port) {
        Optional<ObjectNode> present = api.find(ClusterView.SERVICES, NAMESPACE, NAME);
        if (present.isEmpty()) {
            api.create(ClusterView.SERVICES, NAMESPACE, service(clusterAddress, port));
        } else if (Json.at(present.get(), "spec", "selector") != null) {
            return;
        } else if (!Json.textAt(present.get(), "spec", POLICY).equals("Local")) {
            Json.ensureObject(present.get(), "spec").put(POLICY, "Local");
            api.update(ClusterView.SERVICES, "", present.get());
        }
        ObjectNode wanted = slice(node, address, port);
        Optional<ObjectNode> behind = api.find(ClusterView.SLICES, NAMESPACE, NAME + "-" + node);
        if (behind.isEmpty()) {
            api.create(ClusterView.SLICES, NAMESPACE, wanted);
        } else if (!behind.get().path("endpoints").equals(wanted.path("endpoints"))
                || !behind.get().path("ports").equals(wanted.path("ports"))) {
            wanted.set("metadata", behind.get().get("metadata"));
            api.update(ClusterView.SLICES, "", wanted);
        }
    }

    /** Whether the Service leads pods of a node to somebody: where every node has its own part, only to one on that node. */
    static boolean answersPodsOf(String node, ServiceView service, List<SliceView> slices) {
        return !service.internalLocal()
                || slices.stream()
                        .flatMap(slice -> slice.endpoints().stream())
                        .anyMatch(endpoint -> endpoint.node().equals(node));
    }

    private static ObjectNode named(String apiVersion, String kind, String name) {
        ObjectNode object = Json.object().put("apiVersion", apiVersion).put("kind", kind);
        object.putObject("metadata").put("name", name).put("namespace", NAMESPACE);
        return object;
    }

    private static ObjectNode service(String clusterAddress, int port) {
        ObjectNode service = named("v1", "Service", NAME);
        Json.ensureObject(service, "metadata", "labels")
                .put("k8s-app", NAME)
                .put("kubernetes.io/cluster-service", "true")
                .put("kubernetes.io/name", "CoreDNS");
        ObjectNode spec = service.putObject("spec");
        // Every node answers its own pods: those of another machine do not reach this one.
        spec.put("type", "ClusterIP").put("clusterIP", clusterAddress).put(POLICY, "Local");
        for (String protocol : List.of("UDP", "TCP")) {
            spec.withArray("ports")
                    .addObject()
                    .put("name", protocol.equals("UDP") ? "dns" : "dns-tcp")
                    .put("protocol", protocol)
                    .put("port", 53)
                    .put("targetPort", port);
        }
        return service;
    }

    private static ObjectNode slice(String node, String address, int port) {
        ObjectNode slice = named("discovery.k8s.io/v1", "EndpointSlice", NAME + "-" + node);
        Json.ensureObject(slice, "metadata", "labels")
                .put("kubernetes.io/service-name", NAME)
                .put("endpointslice.kubernetes.io/managed-by", MANAGER);
        slice.put("addressType", "IPv4");
        ObjectNode endpoint = slice.putArray("endpoints").addObject();
        endpoint.putArray("addresses").add(address);
        endpoint.put("nodeName", node).putObject("conditions").put("ready", true);
        for (String protocol : List.of("UDP", "TCP")) {
            slice.withArray("ports")
                    .addObject()
                    .put("name", protocol.equals("UDP") ? "dns" : "dns-tcp")
                    .put("protocol", protocol)
                    .put("port", port);
        }
        return slice;
    }
}
