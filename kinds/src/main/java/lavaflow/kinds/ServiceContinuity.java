package lavaflow.kinds;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Keeps what was allocated when a client sends a service without it, as people do who replace what they once created. */
final class ServiceContinuity {
    private ServiceContinuity() {}

    static void patchAllocated(ObjectNode spec, ObjectNode old) {
        if (ServiceShape.needsClusterIp(old) && ServiceShape.needsClusterIp(spec)) {
            if (Json.textAt(spec, "clusterIP").isEmpty()) {
                KindRules.keep(spec, old, "clusterIP");
            }
            if (Nodes.emptyAt(spec, "clusterIPs")) {
                KindRules.keep(spec, old, "clusterIPs");
            }
        }
        if (ServiceShape.needsNodePorts(old) && ServiceShape.needsNodePorts(spec)) {
            patchNodePorts(spec, old);
        }
        if (ServiceShape.needsHealthCheckPort(old)
                && ServiceShape.needsHealthCheckPort(spec)
                && Json.longAt(spec, 0, "healthCheckNodePort") == 0) {
            KindRules.keep(spec, old, "healthCheckNodePort");
        }
    }

    /** Ports are recognised by name; a node port the user moved to another port is not given twice. */
    private static void patchNodePorts(ObjectNode spec, ObjectNode old) {
        Set<Long> taken = new HashSet<>(ServiceShape.nodePorts(spec));
        taken.retainAll(new HashSet<>(ServiceShape.nodePorts(old)));
        Map<String, Long> byName = new HashMap<>();
        for (ObjectNode port : Nodes.objects(old, "ports")) {
            byName.put(Json.textAt(port, "name"), Json.longAt(port, 0, "nodePort"));
        }
        for (ObjectNode port : Nodes.objects(spec, "ports")) {
            long before = byName.getOrDefault(Json.textAt(port, "name"), 0L);
            if (Json.longAt(port, 0, "nodePort") == 0 && before != 0 && !taken.contains(before)) {
                port.put("nodePort", before);
            }
        }
    }

    /** Old clients know {@code clusterIP} only: {@code clusterIPs} follows it as long as they do not touch the latter. */
    static void normalizeClusterIps(ObjectNode spec, @Nullable ObjectNode old) {
        String ip = Json.textAt(spec, "clusterIP");
        if (old == null) {
            if (!ip.isEmpty() && Nodes.emptyAt(spec, "clusterIPs")) {
                spec.putArray("clusterIPs").add(ip);
            }
            return;
        }
        String oldIp = Json.textAt(old, "clusterIP");
        if (ip.equals(oldIp)) {
            if (Nodes.emptyAt(spec, "clusterIPs")) {
                KindRules.keep(spec, old, "clusterIPs");
            }
            return;
        }
        List<String> ips = ServiceShape.clusterIps(spec);
        if (!ips.equals(ServiceShape.clusterIps(old))) {
            return;
        }
        if (ip.isEmpty()) {
            spec.remove("clusterIPs");
        } else {
            spec.putArray("clusterIPs").add(ip);
        }
    }
}
