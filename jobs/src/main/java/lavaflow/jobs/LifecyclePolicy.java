package lavaflow.jobs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.GoDuration;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * What is to be done when something happens to a Job or one of its tasks.
 *
 * @param action as it is written
 * @param events as they are written, a single one first
 * @param exitCode with which a container ended; null where that does not matter
 * @param timeout how long to wait before it is done; null for at once
 */
public record LifecyclePolicy(
        String action,
        List<String> events,
        @Nullable Long exitCode,
        @Nullable Duration timeout) {
    static final String ANY_EVENT = "*";

    static List<LifecyclePolicy> all(Iterable<JsonNode> list) {
        List<LifecyclePolicy> policies = new ArrayList<>();
        list.forEach(policy -> policies.add(of(policy)));
        return policies;
    }

    static LifecyclePolicy of(JsonNode policy) {
        List<String> events = new ArrayList<>();
        String event = Json.textAt(policy, "event");
        if (!event.isEmpty()) {
            events.add(event);
        }
        Json.listAt(policy, "events").forEach(each -> events.add(each.asText()));
        JsonNode code = Json.at(policy, "exitCode");
        return new LifecyclePolicy(
                Json.textAt(policy, "action"), events, code == null ? null : code.asLong(), timeout(policy));
    }

    private static @Nullable Duration timeout(JsonNode policy) {
        String text = Json.textAt(policy, "timeout");
        try {
            return text.isEmpty() ? null : GoDuration.parse(text);
        } catch (MalformedException _) {
            return null; // refused when the Job is made
        }
    }
}
