package lavaflow.cluster;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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

    /** What is needed to delete an event, unless it was written again. */
    private record Expired(String namespace, String name, KubeApi.Deletion deletion) {}

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

    private Optional<Duration> sweep(String key) {
        Instant now = clock.instant();
        List<Expired> expired = new ArrayList<>();
        api.list(EVENTS, "", KubeApi.View.WHOLE, event -> {
            if (isExpired(event, now)) {
                expired.add(new Expired(
                        Objects.namespace(event),
                        Objects.name(event),
                        new KubeApi.Deletion(Objects.uid(event), Objects.resourceVersion(event), null)));
            }
        });
        for (Expired event : expired) {
            try {
                api.delete(EVENTS, event.namespace(), event.name(), event.deletion());
            } catch (ApiException e) {
                if (e.code() != 409) {
                    throw e;
                }
                // It was written again and lives on.
            }
        }
        return Optional.of(SWEEP);
    }

    /** Judged by the server's own notes, not by the times clients write into events: those may lie in the future. */
    static boolean isExpired(ObjectNode event, Instant now) {
        Instant written = time(Json.textAt(event, "metadata", "creationTimestamp"));
        for (JsonNode entry : Json.listAt(event, "metadata", "managedFields")) {
            Instant changed = time(Json.textAt(entry, "time"));
            written = changed.isAfter(written) ? changed : written;
        }
        return written.plus(LIFE).isBefore(now);
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
