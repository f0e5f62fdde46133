package lavaflow.kinds;

import java.util.HashSet;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What a change of type leaves behind.
 *
 * <p>A field is dropped on the user's behalf only if the new type has no use for it, the server may have filled it in,
 * and the user did not change it at the same time (which validation then refuses).
 */
final class ServiceTransitions {
    private ServiceTransitions() {}

    static void dropUnneeded(ObjectNode service, ObjectNode oldService) {
        ObjectNode spec = Json.ensureObject(service, "spec");
        ObjectNode old = Json.ensureObject(oldService.deepCopy(), "spec");
        if (ServiceShape.needsClusterIp(old) && !ServiceShape.needsClusterIp(spec)) {
            dropAddresses(spec, old);
        }
        if (ServiceShape.needsNodePorts(old)
                && !ServiceShape.needsNodePorts(spec)
                && new HashSet<>(ServiceShape.nodePorts(old)).containsAll(ServiceShape.nodePorts(spec))) {
            Nodes.objects(spec, "ports").forEach(port -> port.remove("nodePort"));
        }
        if (ServiceShape.needsHealthCheckPort(old) && !ServiceShape.needsHealthCheckPort(spec)) {
            dropIfSame(spec, old, "healthCheckNodePort");
        }
        if (ServiceShape.is(old, "LoadBalancer") && !ServiceShape.is(spec, "LoadBalancer")) {
            dropIfSame(spec, old, "allocateLoadBalancerNodePorts");
            dropIfSame(spec, old, "loadBalancerClass");
        }
        if (ServiceShape.externallyAccessible(old) && !ServiceShape.externallyAccessible(spec)) {
            dropIfSame(spec, old, "externalTrafficPolicy");
        }
        if (!ServiceShape.is(spec, "LoadBalancer")) {
            Json.ensureObject(service, "status").putObject("loadBalancer");
        }
    }

    private static void dropAddresses(ObjectNode spec, ObjectNode old) {
        if (same(spec, old, "clusterIP") && same(spec, old, "clusterIPs")) {
            spec.remove("clusterIP");
            spec.remove("clusterIPs");
        }
        dropIfSame(spec, old, "ipFamilies");
        dropIfSame(spec, old, "ipFamilyPolicy");
    }

    private static boolean same(ObjectNode spec, ObjectNode old, String field) {
        return java.util.Objects.equals(Json.at(spec, field), Json.at(old, field));
    }

    private static void dropIfSame(ObjectNode spec, ObjectNode old, String field) {
        if (same(spec, old, field)) {
            spec.remove(field);
        }
    }
}
