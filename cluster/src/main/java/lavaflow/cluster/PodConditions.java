package lavaflow.cluster;

import java.time.Instant;

import lavaflow.kube.GoTime;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Conditions that controllers set on pods. */
final class PodConditions {
    private PodConditions() {}

    /** The condition of a type, part of the pod, or null. */
    static @Nullable ObjectNode find(ObjectNode pod, String type) {
        for (JsonNode condition : Json.listAt(pod, "status", "conditions")) {
            if (Json.textAt(condition, "type").equals(type)) {
                return (ObjectNode) condition;
            }
        }
        return null;
    }

    /** Says that somebody other than its owner is about to end a pod; false if it says so already. */
    static boolean setDisruptionTarget(ObjectNode pod, String reason, String message, Instant now) {
        ObjectNode present = find(pod, "DisruptionTarget");
        boolean same = present != null
                && Json.textAt(present, "status").equals("True")
                && Json.textAt(present, "reason").equals(reason)
                && Json.textAt(present, "message").equals(message);
        if (same) {
            return false;
        }
        ObjectNode status = Json.ensureObject(pod, "status");
        ObjectNode condition = present == null ? status.withArray("conditions").addObject() : present;
        boolean wasTrue = Json.textAt(condition, "status").equals("True");
        condition.put("type", "DisruptionTarget");
        long generation = Json.longAt(pod, 0, "metadata", "generation");
        if (generation > 0) {
            condition.put("observedGeneration", generation);
        }
        condition.put("status", "True");
        if (!wasTrue) {
            condition.put("lastTransitionTime", GoTime.seconds(now));
        }
        condition.put("reason", reason).put("message", message);
        return true;
    }
}
