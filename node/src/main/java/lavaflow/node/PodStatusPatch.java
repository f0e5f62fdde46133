package lavaflow.node;

import java.util.Map;
import java.util.Set;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What to send so that a pod's status becomes what the node says; nothing is sent twice. */
public final class PodStatusPatch {
    private static final Set<String> ADDRESSES = Set.of("podIPs", "hostIPs");

    private static final Set<String> PASSING = Set.of("PodResizePending", "PodResizeInProgress");

    private PodStatusPatch() {}

    /** Null if there is nothing to say. Conditions of others are theirs and are left alone. */
    public static @Nullable ObjectNode between(@Nullable ObjectNode before, ObjectNode after) {
        ObjectNode patch = Json.object();
        for (Map.Entry<String, JsonNode> field : after.properties()) {
            JsonNode old = before == null ? null : before.get(field.getKey());
            if (field.getKey().equals("conditions")) {
                ArrayNode changed = changed(old, field.getValue());
                withdraw(old, field.getValue(), changed);
                if (!changed.isEmpty()) {
                    patch.set("conditions", changed);
                }
            } else if (!field.getValue().equals(old)) {
                patch.set(field.getKey(), replacing(field.getKey(), old, field.getValue()));
            }
        }
        if (before != null && before.has("podIP") && !after.has("podIP")) {
            patch.putNull("podIP");
        }
        return patch.isEmpty() ? null : patch;
    }

    /** Lists of addresses are merged by address; those of before must go. */
    private static JsonNode replacing(String field, @Nullable JsonNode before, JsonNode after) {
        if (!ADDRESSES.contains(field) || before == null || before.isEmpty()) {
            return after;
        }
        ArrayNode list = Json.array();
        list.addObject().put("$patch", "replace");
        after.forEach(list::add);
        return list;
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

    /** Conditions that only nodes write, and that are there only while they hold. */
    private static void withdraw(@Nullable JsonNode before, JsonNode after, ArrayNode changed) {
        if (before == null) {
            return;
        }
        for (JsonNode each : before) {
            String type = Json.textAt(each, "type");
            if (PASSING.contains(type) && !has(after, type)) {
                changed.addObject().put("$patch", "delete").put("type", type);
            }
        }
    }

    private static boolean has(JsonNode conditions, String type) {
        for (JsonNode each : conditions) {
            if (Json.textAt(each, "type").equals(type)) {
                return true;
            }
        }
        return false;
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
