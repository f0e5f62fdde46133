package lavaflow.cluster;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.KubeApi;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Deletes events an hour after they were last heard of, as upstream's lease on them does. */
final class EventExpiry {
    private static final KubeApi.Kind EVENTS = KubeApi.Kind.core("events");
    private static final Duration LIFE = Duration.ofHours(1);
    private static final Duration SWEEP = Duration.ofMinutes(1);
    private static final String ALL = "events";

    private final KubeApi api;
    private final InstantSource clock;

    EventExpiry(KubeApi api, InstantSource clock) {
        this.api = api;
        this.clock = clock;
    }

    ControllerRunner<String> controller() {
        ControllerRunner<String> runner = new ControllerRunner<>("event-expiry", api, 1, this::sweep);
        runner.queue().add(ALL);
        return runner;
    }

    private Optional<Duration> sweep(String key) {
        Instant now = clock.instant();
        for (ObjectNode event : api.list(EVENTS, "").items()) {
            if (isExpired(event, now)) {
                api.delete(
                        EVENTS,
                        Objects.namespace(event),
                        Objects.name(event),
                        new KubeApi.Deletion(Objects.uid(event), Objects.resourceVersion(event), null));
            }
        }
        return Optional.of(SWEEP);
    }

    static boolean isExpired(ObjectNode event, Instant now) {
        Instant latest = Instant.EPOCH;
        for (String[] field :
                List.of(new String[] {"metadata", "creationTimestamp"}, new String[] {"lastTimestamp"}, new String[] {
                    "series", "lastObservedTime"
                })) {
            String text = Json.textAt(event, field);
            try {
                Instant time = text.isEmpty() ? Instant.EPOCH : GoTime.parseMicros(text);
                latest = time.isAfter(latest) ? time : latest;
            } catch (MalformedException _) {
                // A time nobody can read does not prolong a life.
            }
        }
        return latest.plus(LIFE).isBefore(now);
    }
}
