package lavaflow.cluster;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What services look at in a pod. Heartbeats and the like leave it equal to itself, so that they cost services nothing.
 *
 * @param node where it runs, maybe empty
 * @param readySince when the Ready condition last changed, null where there is none
 * @param ready whether that condition is true
 * @param finished whether all of it has ended
 * @param ports those with a name, containers first and then init containers that keep running
 */
record PodAddress(
        String namespace,
        String name,
        String uid,
        ObjectNode labels,
        List<String> ips,
        String node,
        String hostname,
        String subdomain,
        @Nullable Instant readySince,
        boolean ready,
        boolean finished,
        boolean deleting,
        List<NamedPort> ports) {

    /** A port of a container that services may call by its name. */
    record NamedPort(String name, String protocol, long number) {}

    static PodAddress of(ObjectNode pod) {
        JsonNode ready = condition(pod);
        String phase = Json.textAt(pod, "status", "phase");
        return new PodAddress(
                Objects.namespace(pod),
                Objects.name(pod),
                Objects.uid(pod),
                Json.at(pod, "metadata", "labels") instanceof ObjectNode map ? map : Json.object(),
                ips(pod),
                Json.textAt(pod, "spec", "nodeName"),
                Json.textAt(pod, "spec", "hostname"),
                Json.textAt(pod, "spec", "subdomain"),
                ready == null ? null : PodState.time(Json.textAt(ready, "lastTransitionTime")),
                ready != null && Json.textAt(ready, "status").equals("True"),
                phase.equals("Succeeded") || phase.equals("Failed"),
                Objects.isDeleting(pod),
                ports(pod));
    }

    private static @Nullable JsonNode condition(ObjectNode pod) {
        for (JsonNode condition : Json.listAt(pod, "status", "conditions")) {
            if (Json.textAt(condition, "type").equals("Ready")) {
                return condition;
            }
        }
        return null;
    }

    private static List<String> ips(ObjectNode pod) {
        List<String> ips = new ArrayList<>(1);
        for (JsonNode each : Json.listAt(pod, "status", "podIPs")) {
            ips.add(Json.textAt(each, "ip"));
        }
        String only = Json.textAt(pod, "status", "podIP");
        return ips.isEmpty() && !only.isEmpty() ? List.of(only) : List.copyOf(ips);
    }

    private static List<NamedPort> ports(ObjectNode pod) {
        List<NamedPort> ports = new ArrayList<>(0);
        for (JsonNode container : Json.listAt(pod, "spec", "containers")) {
            addPorts(container, ports);
        }
        for (JsonNode container : Json.listAt(pod, "spec", "initContainers")) {
            if (Json.textAt(container, "restartPolicy").equals("Always")) {
                addPorts(container, ports);
            }
        }
        return List.copyOf(ports);
    }

    private static void addPorts(JsonNode container, List<NamedPort> ports) {
        for (JsonNode port : Json.listAt(container, "ports")) {
            String name = Json.textAt(port, "name");
            if (!name.isEmpty()) {
                ports.add(new NamedPort(name, Json.textAt(port, "protocol"), Json.longAt(port, 0, "containerPort")));
            }
        }
    }

    /** Whether a service may send anything there at all. */
    boolean isReachable(boolean evenDeleting) {
        return !finished && !ips.isEmpty() && (evenDeleting || !deleting);
    }

    /** The address of a family, or null. */
    @Nullable
    String address(boolean six) {
        for (String ip : ips) {
            if (ip.indexOf(':') >= 0 == six) {
                return ip;
            }
        }
        return null;
    }

    /** Whether DNS knows it by a name of its own below the service. */
    boolean isNamedBelow(ObjectNode service) {
        return !hostname.isEmpty() && subdomain.equals(Objects.name(service));
    }

    /** The number behind a port of a service, or -1 where no container has that name. */
    long number(JsonNode servicePort) {
        JsonNode target = Json.at(servicePort, "targetPort");
        if (target == null) {
            return Json.longAt(servicePort, -1, "port");
        }
        if (target.isNumber()) {
            return target.longValue();
        }
        String protocol = Json.textAt(servicePort, "protocol");
        for (NamedPort port : ports) {
            if (port.name().equals(target.textValue()) && port.protocol().equals(protocol)) {
                return port.number();
            }
        }
        return -1;
    }
}
