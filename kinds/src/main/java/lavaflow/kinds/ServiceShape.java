package lavaflow.kinds;

import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** What the spec of a service asks for; the questions that several rules ask. */
final class ServiceShape {
    static final String TOPOLOGY_HINTS = "service.kubernetes.io/topology-aware-hints";
    static final String TOPOLOGY_MODE = "service.kubernetes.io/topology-mode";
    static final String NONE = "None";

    private ServiceShape() {}

    static boolean is(ObjectNode spec, String type) {
        return Json.textAt(spec, "type").equals(type);
    }

    /** Whether it wants a cluster IP; "None" counts as one. */
    static boolean needsClusterIp(ObjectNode spec) {
        return !is(spec, "ExternalName");
    }

    static boolean needsNodePorts(ObjectNode spec) {
        return is(spec, "NodePort") || is(spec, "LoadBalancer");
    }

    static boolean needsHealthCheckPort(ObjectNode spec) {
        return is(spec, "LoadBalancer")
                && Json.textAt(spec, "externalTrafficPolicy").equals("Local");
    }

    /** Whether node ports that are not given are to be allocated. */
    static boolean allocatesNodePorts(ObjectNode spec) {
        return is(spec, "NodePort") || (is(spec, "LoadBalancer") && Json.flagAt(spec, "allocateLoadBalancerNodePorts"));
    }

    static boolean externallyAccessible(ObjectNode spec) {
        return needsNodePorts(spec) || (is(spec, "ClusterIP") && !Nodes.emptyAt(spec, "externalIPs"));
    }

    static boolean headless(ObjectNode spec) {
        return is(spec, "ClusterIP") && Json.textAt(spec, "clusterIP").equals(NONE);
    }

    static List<String> clusterIps(ObjectNode spec) {
        return Nodes.strings(spec, "clusterIPs");
    }

    static List<String> families(ObjectNode spec) {
        return Nodes.strings(spec, "ipFamilies");
    }

    static String familyPolicy(ObjectNode spec) {
        return Json.textAt(spec, "ipFamilyPolicy");
    }

    /** The node ports in use, in the order of the ports. */
    static List<Long> nodePorts(ObjectNode spec) {
        return Nodes.objects(spec, "ports").stream()
                .map(port -> Json.longAt(port, 0, "nodePort"))
                .filter(port -> port != 0)
                .toList();
    }
}
