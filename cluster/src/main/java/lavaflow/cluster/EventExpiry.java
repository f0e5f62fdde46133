package lavaflow.cluster;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Deletes events an hour after they were last written, as upstream's lease on them does. */
final class EventExpiry {
    private static final KubeApi.Kind EVENTS = KubeApi.Kind.core("events");
    static final Duration LIFE = Duration.ofHours(1);
    static final Duration SWEEP = Duration.ofMinutes(1);
    private static final String ALL = "events";

    private final KubeApi api;
    private final InstantSource clock;
    private final ControllerRunner<String> runner;

    EventExpiry(KubeApi api, Followers followers, InstantSource clock, LongSupplier nanoTime) {
        this.api = api;
        this.clock = clock;
        this.runner = new ControllerRunner<>("event-expiry", followers, 1, this::sweep, nanoTime);
        runner.queue().add(ALL);
    }

    ControllerRunner<String> controller() {
        return runner;
    }

    /**
     * Most events are told by the time they were created to be too young, and only the others are looked at closely. The next
     * look is when the oldest of those that stay may be over: there can be hundreds of thousands of them.
     */
    private Optional<Duration> sweep(String key) {
        Instant now = clock.instant();
        List<ObjectNode> old = new ArrayList<>();
        // Whatever is written from now on lives for an hour.
        AtomicReference<Instant> oldest = new AtomicReference<>(now);
        api.list(EVENTS, "", KubeApi.View.METADATA, event -> {
            Instant created = time(Json.textAt(event, "metadata", "creationTimestamp"));
            if (isOver(created, now)) {
                old.add(event);
            } else {
                oldest.accumulateAndGet(created, EventExpiry::earlier);
            }
        });
        for (ObjectNode event : old) {
            oldest.accumulateAndGet(expire(event, now), EventExpiry::earlier);
        }
        Duration rest = Duration.between(now, oldest.get().plus(LIFE));
        return Optional.of(rest.compareTo(SWEEP) < 0 ? SWEEP : rest);
    }

    /** Deletes an event unless it was written again; tells when it was written, or now if it is gone. */
    private Instant expire(ObjectNode listed, Instant now) {
        ObjectNode event = api.find(EVENTS, Objects.namespace(listed), Objects.name(listed))
                .orElse(null);
        if (event == null) {
            return now;
        }
        if (!isExpired(event, now)) {
            return written(event);
        }
        try {
            api.delete(
                    EVENTS,
                    Objects.namespace(event),
                    Objects.name(event),
                    new KubeApi.Deletion(Objects.uid(event), Objects.resourceVersion(event), null));
            return now;
        } catch (ApiException e) {
            if (e.code() != 409) {
                throw e;
            }
            // It was written again and lives on.
            return written(event);
        }
    }

    private static Instant earlier(Instant left, Instant right) {
        return left.isBefore(right) ? left : right;
    }

    private static boolean isOver(Instant written, Instant now) {
        return written.plus(LIFE).isBefore(now);
    }

    static boolean isExpired(ObjectNode event, Instant now) {
        return isOver(written(event), now);
    }

    /** Judged by the server's own notes, not by the times clients write into events: those may lie in the future. */
    private static Instant written(ObjectNode event) {
        Instant written = time(Json.textAt(event, "metadata", "creationTimestamp"));
        for (JsonNode entry : Json.listAt(event, "metadata", "managedFields")) {
            Instant changed = time(Json.textAt(entry, "time"));
            written = changed.isAfter(written) ? changed : written;
        }
        return written;
    }

    private static Instant time(String text) {
        try {
            return text.isEmpty() ? Instant.EPOCH : GoTime.parseSeconds(text);
        } catch (MalformedException e) {
            // A time nobody can read does not prolong a life.
            return Instant.EPOCH;
        }
    }
}
