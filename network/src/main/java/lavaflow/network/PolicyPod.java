package lavaflow.network;

import java.util.Map;
import java.util.TreeMap;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What policies need of a pod that has an address of its own.
 *
 * @param ports by {@code protocol name}
 */
record PolicyPod(String namespace, JsonNode labels, String address, Map<String, Integer> ports) {
    /** Null where no policy concerns it. */
    static @Nullable PolicyPod of(ObjectNode pod) {
        String address = Json.textAt(pod, "status", "podIP");
        String phase = Json.textAt(pod, "status", "phase");
        boolean over = phase.equals("Succeeded") || phase.equals("Failed");
        if (over || Json.flagAt(pod, "spec", "hostNetwork") || !ServiceView.isFour(address)) {
            return null;
        }
        Map<String, Integer> ports = new TreeMap<>();
        for (JsonNode container : Json.listAt(pod, "spec", "containers")) {
            for (JsonNode port : Json.listAt(container, "ports")) {
                String name = Json.textAt(port, "name");
                if (!name.isEmpty()) {
                    ports.putIfAbsent(
                            PolicyView.protocol(port) + " " + name, (int) Json.longAt(port, 0, "containerPort"));
                }
            }
        }
        JsonNode labels = Json.at(pod, "metadata", "labels");
        return new PolicyPod(
                Json.textAt(pod, "metadata", "namespace"), labels == null ? Json.object() : labels, address, ports);
    }
}
