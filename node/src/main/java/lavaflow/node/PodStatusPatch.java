package lavaflow.node;

import java.util.Map;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What to send so that a pod's status becomes what the node says; nothing is sent twice. */
final class PodStatusPatch {
    private PodStatusPatch() {}

    /** Null if there is nothing to say. Conditions of others are theirs and are left alone. */
    static @Nullable ObjectNode between(@Nullable ObjectNode before, ObjectNode after) {
        ObjectNode patch = Json.object();
        for (Map.Entry<String, JsonNode> field : after.properties()) {
            JsonNode old = before == null ? null : before.get(field.getKey());
            if (field.getKey().equals("conditions")) {
                ArrayNode changed = changed(old, field.getValue());
                if (!changed.isEmpty()) {
                    patch.set("conditions", changed);
                }
            } else if (!field.getValue().equals(old)) {
                patch.set(field.getKey(), field.getValue());
            }
        }
        if (before != null && before.has("podIP") && !after.has("podIP")) {
            patch.putNull("podIP");
        }
        return patch.isEmpty() ? null : patch;
    }

    private static ArrayNode changed(@Nullable JsonNode before, JsonNode after) {
        ArrayNode changed = Json.array();
        for (JsonNode condition : after) {
            if (!isTold(before, condition)) {
                changed.add(condition);
            }
        }
        return changed;
    }

    private static boolean isTold(@Nullable JsonNode before, JsonNode condition) {
        if (before == null) {
            return false;
        }
        for (JsonNode each : before) {
            if (Json.textAt(each, "type").equals(Json.textAt(condition, "type"))) {
                return condition.properties().stream().allMatch(field -> {
                    JsonNode old = each.get(field.getKey());
                    return field.getValue().isNull()
                            ? old == null || old.isNull()
                            : field.getValue().equals(old);
                });
            }
        }
        return false;
    }
}
