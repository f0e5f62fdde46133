package lavaflow.placement;

import java.time.Duration;
import java.time.Instant;

import lavaflow.kube.GoTime;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Whether the devices a claim has can be used by now.
 *
 * @param ready whether all is true that had to become true of them
 * @param failure why it never will be; empty while it may
 * @param since when it got them; null if that does not matter
 */
record DeviceBinding(
        boolean ready, String failure, @Nullable Instant since) {
    /** How long devices may take. */
    static final Duration PATIENCE = Duration.ofMinutes(10);

    private static final DeviceBinding DONE = new DeviceBinding(true, "", null);

    static DeviceBinding of(ObjectNode claim) {
        JsonNode allocation = Json.at(claim, "status", "allocation");
        if (allocation == null || !isAwaited(allocation)) {
            return DONE;
        }
        Instant since = time(Json.textAt(allocation, "allocationTimestamp"));
        for (JsonNode result : Json.listAt(allocation, "devices", "results")) {
            if (Json.listAt(result, "bindingConditions").isEmpty()) {
                continue;
            }
            JsonNode status = status(claim, result);
            JsonNode failed = firstTrue(status, result, "bindingFailureConditions");
            if (failed != null) {
                return new DeviceBinding(false, failure(claim, failed), since);
            }
            for (JsonNode each : Json.listAt(result, "bindingConditions")) {
                if (!isTrue(condition(status, each.asText()))) {
                    return new DeviceBinding(false, "", since);
                }
            }
        }
        return DONE;
    }

    /** Whether there is something that has to become true of devices. */
    static boolean isAwaited(JsonNode allocation) {
        return Json.listAt(allocation, "devices", "results")
                .valueStream()
                .anyMatch(result -> !Json.listAt(result, "bindingConditions").isEmpty());
    }

    private static @Nullable Instant time(String text) {
        try {
            return text.isEmpty() ? null : GoTime.parseSeconds(text);
        } catch (MalformedException e) {
            return null;
        }
    }

    private static @Nullable JsonNode status(ObjectNode claim, JsonNode result) {
        for (JsonNode each : Json.listAt(claim, "status", "devices")) {
            boolean same = true;
            for (String field : new String[] {"driver", "pool", "device"}) {
                same &= Json.textAt(each, field).equals(Json.textAt(result, field));
            }
            if (same) {
                return each;
            }
        }
        return null;
    }

    private static @Nullable JsonNode firstTrue(@Nullable JsonNode status, JsonNode result, String field) {
        for (JsonNode each : Json.listAt(result, field)) {
            JsonNode found = condition(status, each.asText());
            if (isTrue(found)) {
                return found;
            }
        }
        return null;
    }

    private static @Nullable JsonNode condition(@Nullable JsonNode status, String type) {
        for (JsonNode each : Json.listAt(status, "conditions")) {
            if (Json.textAt(each, "type").equals(type)) {
                return each;
            }
        }
        return null;
    }

    private static boolean isTrue(@Nullable JsonNode condition) {
        return Json.textAt(condition, "status").equals("True");
    }

    private static String failure(ObjectNode claim, JsonNode failed) {
        return "device binding failed: claim=" + Json.textAt(claim, "metadata", "name") + ", reason="
                + Json.textAt(failed, "reason") + ", message=" + Json.string(Json.text(Json.textAt(failed, "message")));
    }

    /** Why it will not be ready; null while it may, or is. */
    @Nullable
    String problem(String claim, Instant now) {
        if (ready) {
            return null;
        }
        if (!failure.isEmpty()) {
            return failure;
        }
        boolean late = since != null && since.plus(PATIENCE).isBefore(now);
        return late ? "device binding timeout: claim=" + claim : null;
    }
}
