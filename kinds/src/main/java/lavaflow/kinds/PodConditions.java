package lavaflow.kinds;

import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Conditions in the status of a pod. */
public final class PodConditions {
    private PodConditions() {}

    /** The condition of a type, or null where the pod has none. */
    public static @Nullable ObjectNode find(@Nullable JsonNode pod, String type) {
        for (ObjectNode condition : Nodes.objects(pod, "status", "conditions")) {
            if (Json.textAt(condition, "type").equals(type)) {
                return condition;
            }
        }
        return null;
    }

    public static boolean isTrue(@Nullable JsonNode pod, String type) {
        return Json.textAt(find(pod, type), "status").equals("True");
    }

    /** Sets a condition; the moment of transition changes only with the status. Empty reason and message are left out. */
    public static void set(ObjectNode pod, String type, boolean holds, String reason, String message, String now) {
        ObjectNode condition = Json.object().put("type", type).put("status", holds ? "True" : "False");
        condition.putNull("lastProbeTime");
        condition.put("lastTransitionTime", now);
        if (!reason.isEmpty()) {
            condition.put("reason", reason);
        }
        if (!message.isEmpty()) {
            condition.put("message", message);
        }
        ObjectNode status = Json.ensureObject(pod, "status");
        ArrayNode conditions =
                status.get("conditions") instanceof ArrayNode present ? present : status.putArray("conditions");
        List<ObjectNode> known = Nodes.objects(status, "conditions");
        for (int i = 0; i < known.size(); i++) {
            if (Json.textAt(known.get(i), "type").equals(type)) {
                if (known.get(i).path("status").equals(condition.path("status"))) {
                    KindRules.keep(condition, known.get(i), "lastTransitionTime");
                }
                conditions.set(i, condition);
                return;
            }
        }
        conditions.add(condition);
    }
}
