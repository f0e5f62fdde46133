package lavaflow.training;

import java.time.Duration;
import java.time.Instant;

import lavaflow.kube.GoTime;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * The conditions in a job's status. Their order counts: the last one is what people see as the job's state. Nothing changes any more
 * once a job has succeeded or failed.
 */
final class Conditions {
    static final String CREATED = "Created";
    static final String RUNNING = "Running";
    static final String RESTARTING = "Restarting";
    static final String SUCCEEDED = "Succeeded";
    static final String SUSPENDED = "Suspended";
    static final String FAILED = "Failed";

    private final ObjectNode status;
    private final Instant now;

    /** @param status which is changed */
    Conditions(ObjectNode status, Instant now) {
        this.status = status;
        this.now = now;
    }

    private static @Nullable JsonNode find(JsonNode status, String type) {
        for (JsonNode condition : Json.listAt(status, "conditions")) {
            if (Json.textAt(condition, "type").equals(type)) {
                return condition;
            }
        }
        return null;
    }

    static boolean isTrue(JsonNode status, String type) {
        JsonNode found = find(status, type);
        return found != null && Json.textAt(found, "status").equals("True");
    }

    static boolean isFinished(JsonNode status) {
        return isTrue(status, SUCCEEDED) || isTrue(status, FAILED);
    }

    /** What is said beside a condition; empty if it is not there. */
    static String message(JsonNode status, String type) {
        return Json.textAt(find(status, type), "message");
    }

    /** Makes a condition what it is in another status. */
    static void copy(JsonNode from, JsonNode to, String type) {
        if (find(from, type) instanceof ObjectNode source && find(to, type) instanceof ObjectNode target) {
            target.removeAll();
            target.setAll(source.deepCopy());
        }
    }

    boolean has(String type) {
        return find(status, type) != null;
    }

    boolean isTrue(String type) {
        return isTrue(status, type);
    }

    boolean isFinished() {
        return isFinished(status);
    }

    /** Says that something is so; false if that was said already, or it does not matter any more. */
    boolean become(String type, String reason, String message) {
        return set(type, true, reason, message);
    }

    boolean set(String type, boolean value, String reason, String message) {
        if (isFinished()) {
            return false;
        }
        JsonNode before = find(status, type);
        String word = value ? "True" : "False";
        boolean same = before != null && Json.textAt(before, "status").equals(word);
        if (same && Json.textAt(before, "reason").equals(reason)) {
            return false;
        }
        String time = GoTime.seconds(now);
        ArrayNode kept = Json.array();
        for (JsonNode each : Json.listAt(status, "conditions")) {
            JsonNode beside = beside(each, type);
            if (beside != null) {
                kept.add(beside);
            }
        }
        kept.addObject()
                .put("type", type)
                .put("status", word)
                .put("reason", reason)
                .put("message", message)
                .put("lastUpdateTime", time)
                .put("lastTransitionTime", same ? Json.textAt(before, "lastTransitionTime") : time);
        status.set("conditions", kept);
        return true;
    }

    /**
     * Changes what is said beside something that is so; its order and its age stay.
     *
     * @param pause how long what is said stays at least, if it is more than what was said at first
     * @return when it may be changed; null if there is nothing left to change
     */
    @Nullable
    Duration remark(String type, String message, Duration pause) {
        if (!(find(status, type) instanceof ObjectNode found)) {
            return null;
        }
        String before = Json.textAt(found, "message");
        if (before.equals(message)) {
            return null;
        }
        Instant said = Engine.time(found, "lastUpdateTime");
        boolean first = before.length() < message.length() && message.startsWith(before);
        Duration left = first || said == null ? Duration.ZERO : Duration.between(now, said.plus(pause));
        if (left.isPositive()) {
            return left;
        }
        found.put("message", message).put("lastUpdateTime", GoTime.seconds(now));
        return null;
    }

    /** What becomes of another condition when one is set; null if it goes. */
    private static @Nullable JsonNode beside(JsonNode condition, String set) {
        String type = Json.textAt(condition, "type");
        boolean excluded = (set.equals(RESTARTING) && type.equals(RUNNING))
                || (set.equals(RUNNING) && type.equals(RESTARTING))
                || type.equals(set);
        if (excluded) {
            return null;
        }
        boolean ends = set.equals(SUCCEEDED) || set.equals(FAILED);
        if (ends && type.equals(RUNNING) && condition instanceof ObjectNode running) {
            return running.deepCopy().put("status", "False");
        }
        return condition;
    }
}
