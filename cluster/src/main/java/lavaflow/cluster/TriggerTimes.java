package lavaflow.cluster;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import lavaflow.kube.GoTime;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Remembers per service which changes were written down already, so that the next write can say how long it took. */
final class TriggerTimes {
    private record Known(Map<String, Instant> pods, Instant service) {}

    private final Map<ServiceKey, Known> known = new ConcurrentHashMap<>();

    /** The earliest change since the last call for a service, empty for none. */
    String next(ServiceKey key, ObjectNode service, List<PodAddress> pods) {
        Known before = known.get(key);
        Instant created = PodState.time(Json.textAt(service, "metadata", "creationTimestamp"));
        Instant earliest = null;
        Map<String, Instant> times = new HashMap<>();
        for (PodAddress pod : pods) {
            Instant since = pod.readySince();
            if (since != null && since.isAfter(Instant.EPOCH)) {
                times.put(pod.name(), since);
                boolean fresh = before == null || since.isAfter(before.pods().getOrDefault(pod.name(), Instant.MIN));
                earliest = fresh ? earlier(earliest, since) : earliest;
            }
        }
        if (before != null && created.isAfter(before.service())) {
            earliest = earlier(earliest, created);
        }
        known.put(key, new Known(times, created));
        Instant trigger = before == null ? created : earliest;
        return trigger == null ? "" : GoTime.seconds(trigger);
    }

    private static Instant earlier(@Nullable Instant one, Instant other) {
        return one == null || other.isBefore(one) ? other : one;
    }

    void forget(ServiceKey key) {
        known.remove(key);
    }
}
