package lavaflow.cluster;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Owners whose new objects somebody changes on their way in, so that the owner does not know them as its own and would make
 * another one, and another one. Such an owner is made to wait, longer each time, until it is changed itself; upstream's do
 * not wait and fill the cluster. Thread-safe.
 */
final class Alterations<K> {
    private static final Duration FIRST = Duration.ofSeconds(1);
    /** As long as upstream's queues wait at most. */
    private static final Duration LAST = Duration.ofSeconds(1000);

    private record Held(String version, Duration pause, Instant until, String message) {}

    private final Map<K, Held> held = new ConcurrentHashMap<>();

    /** Why nothing may be made for an owner now; null if it may. */
    @Nullable
    ApiException holding(K key, ObjectNode owner, Instant now) {
        Held known = held.get(key);
        if (known == null || !known.version().equals(version(owner)) || !now.isBefore(known.until())) {
            return null;
        }
        return refusal(known.message());
    }

    /** Something made for an owner came out different. */
    ApiException happened(K key, ObjectNode owner, String message, Instant now) {
        held.compute(key, (_, before) -> {
            Duration pause = before == null || !before.version().equals(version(owner))
                    ? FIRST
                    : before.pause().multipliedBy(2);
            Duration bounded = pause.compareTo(LAST) > 0 ? LAST : pause;
            return new Held(version(owner), bounded, now.plus(bounded), message);
        });
        return refusal(message);
    }

    /** A pod was made for an owner: an explanation if the owner's selector does not fit it, null if all is well. */
    @Nullable
    ApiException check(K key, ObjectNode owner, LabelSelector selector, ObjectNode pod, Instant now) {
        if (selector.matches(Json.at(pod, "metadata", "labels"))) {
            held.remove(key);
            return null;
        }
        return happened(
                key,
                owner,
                "the labels of pod \"" + Objects.name(pod)
                        + "\" were changed when it was created, the selector does not match them any more",
                now);
    }

    void forget(K key) {
        held.remove(key);
    }

    private static String version(ObjectNode owner) {
        return Objects.uid(owner) + "/" + Json.longAt(owner, 0, "metadata", "generation");
    }

    private static ApiException refusal(String message) {
        return ApiException.of(500, "InternalError", message);
    }
}
