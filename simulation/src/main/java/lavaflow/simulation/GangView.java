package lavaflow.simulation;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.batch.Batch;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What is true of gangs, read from pods and groups. */
final class GangView {
    static final String GROUP_NAME = "scheduling.k8s.io/group-name";

    private GangView() {}

    /** The namespace and name of a pod's group; empty if it has none. */
    static String group(ObjectNode pod) {
        String name = Json.textAt(pod, "metadata", "annotations", GROUP_NAME);
        return name.isEmpty() ? "" : Workspace.namespace(pod) + "/" + name;
    }

    static boolean isBound(ObjectNode pod) {
        return !Json.textAt(pod, "spec", "nodeName").isEmpty();
    }

    /** Has room that is not going to be free soon. */
    static boolean holdsRoom(ObjectNode pod) {
        return isBound(pod) && Observer.isActive(pod);
    }

    /** How many processors a pod asks for. */
    static int cpu(ObjectNode pod) {
        int sum = 0;
        for (JsonNode container : Json.listAt(pod, "spec", "containers")) {
            String cpu = Json.textAt(container, "resources", "requests", "cpu");
            sum += cpu.isEmpty() ? 0 : Integer.parseInt(cpu);
        }
        return sum;
    }

    /** Pods by their groups. */
    static Map<String, List<ObjectNode>> byGroup(Observer observer) {
        Map<String, List<ObjectNode>> pods = new LinkedHashMap<>();
        for (ObjectNode pod : observer.all(Kinds.PODS)) {
            String group = group(pod);
            if (!group.isEmpty()) {
                pods.computeIfAbsent(group, _ -> new ArrayList<>()).add(pod);
            }
        }
        return pods;
    }

    static String queue(ObjectNode group) {
        String queue = Json.textAt(group, "spec", "queue");
        return queue.isEmpty() ? Batch.USUAL_QUEUE : queue;
    }

    static int minMember(ObjectNode group) {
        return (int) Json.longAt(group, 1, "spec", "minMember");
    }

    /** Whether something happened to pods that schedulers answer for: they came to a node, or have to leave it. */
    static boolean isMoved(@Nullable ObjectNode before, @Nullable ObjectNode after) {
        boolean was = before != null && holdsRoom(before);
        boolean is = after != null && holdsRoom(after);
        return was != is;
    }
}
