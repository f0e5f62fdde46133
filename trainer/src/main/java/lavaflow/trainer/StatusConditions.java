package lavaflow.trainer;

import java.time.Instant;

import lavaflow.kube.GoTime;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** The conditions in a status, each of which stays in its place. */
final class StatusConditions {
    private final ObjectNode status;
    private final Instant now;

    /** @param status which is changed */
    StatusConditions(ObjectNode status, Instant now) {
        this.status = status;
        this.now = now;
    }

    static @Nullable ObjectNode find(@Nullable JsonNode status, String type) {
        for (ObjectNode condition : Trainer.objects(Json.listAt(status, "conditions"))) {
            if (Json.textAt(condition, "type").equals(type)) {
                return condition;
            }
        }
        return null;
    }

    static boolean isTrue(@Nullable JsonNode status, String type) {
        return Json.textAt(find(status, type), "status").equals("True");
    }

    @Nullable
    ObjectNode find(String type) {
        return find(status, type);
    }

    boolean isTrue(String type) {
        return isTrue(status, type);
    }

    /** False if that was said already. */
    boolean set(String type, boolean value, String reason, String message) {
        return set(type, value, reason, message, GoTime.seconds(now));
    }

    /** @param time when it became so, if it is news */
    boolean set(String type, boolean value, String reason, String message, String time) {
        String word = value ? "True" : "False";
        ObjectNode found = find(type);
        if (found == null) {
            found = Trainer.list(status, "conditions").addObject().put("type", type);
        } else if (Json.textAt(found, "status").equals(word)
                && Json.textAt(found, "reason").equals(reason)
                && Json.textAt(found, "message").equals(message)) {
            return false;
        }
        if (!Json.textAt(found, "status").equals(word)) {
            found.put("status", word).put("lastTransitionTime", time);
        }
        found.put("reason", reason).put("message", message);
        return true;
    }

    void remove(String type) {
        ArrayNode conditions = Json.listAt(status, "conditions");
        for (int i = 0; i < conditions.size(); i++) {
            if (Json.textAt(conditions.get(i), "type").equals(type)) {
                conditions.remove(i);
                break;
            }
        }
        if (conditions.isEmpty()) {
            status.remove("conditions");
        }
    }
}
