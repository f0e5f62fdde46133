package lavaflow.cluster;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** What a StatefulSet reports about its pods. Pure. */
final class StatefulStatus {
    private static final List<String> COUNTS =
            List.of("replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas");

    private StatefulStatus() {}

    static Duration minReady(ObjectNode set) {
        return Duration.ofSeconds(Json.longAt(set, 0, "spec", "minReadySeconds"));
    }

    static ObjectNode of(StatefulDecisions.Observed observed, long collisions, Instant now) {
        ObjectNode set = observed.set();
        Duration minReady = minReady(set);
        String currentName = observed.current().name();
        String updateName = observed.update().name();
        long ready = 0;
        long available = 0;
        long current = 0;
        long updated = 0;
        for (StatefulPod pod : observed.pods()) {
            ready += pod.isRunningAndReady() ? 1 : 0;
            available += pod.isRunningAndAvailable(minReady, now) ? 1 : 0;
            if (!pod.isDeleting()) {
                current += pod.revision().equals(currentName) ? 1 : 0;
                updated += pod.revision().equals(updateName) ? 1 : 0;
            }
        }
        long wanted = Json.longAt(set, 1, "spec", "replicas");
        boolean rolling = Json.textAt(set, "spec", "updateStrategy", "type").equals("RollingUpdate");
        if (rolling && updated == wanted && ready == wanted && observed.pods().size() == wanted) {
            current = updated;
            currentName = updateName;
        }
        ObjectNode status = Json.object();
        status.put("observedGeneration", Json.longAt(set, 0, "metadata", "generation"));
        status.put("replicas", (long) observed.pods().size());
        putCount(status, "readyReplicas", ready);
        putCount(status, "currentReplicas", current);
        putCount(status, "updatedReplicas", updated);
        status.put("currentRevision", currentName).put("updateRevision", updateName);
        status.put("collisionCount", collisions).put("availableReplicas", available);
        return status;
    }

    private static void putCount(ObjectNode status, String field, long count) {
        if (count > 0) {
            status.put(field, count);
        }
    }

    /** Whether a report says something new; what others wrote into the status is no reason to write it. */
    static boolean isNews(ObjectNode set, ObjectNode status) {
        ObjectNode old = Json.objectAt(set, "status");
        return Json.longAt(status, 0, "observedGeneration") > Json.longAt(old, 0, "observedGeneration")
                || COUNTS.stream().anyMatch(count -> Json.longAt(status, 0, count) != Json.longAt(old, 0, count))
                || !Json.textAt(status, "currentRevision").equals(Json.textAt(old, "currentRevision"))
                || !Json.textAt(status, "updateRevision").equals(Json.textAt(old, "updateRevision"));
    }

    /** When the next of the ready pods will have been ready for long enough. */
    static Optional<Duration> untilAvailable(ObjectNode set, List<StatefulPod> pods, Instant now) {
        Duration minReady = minReady(set);
        return pods.stream()
                .filter(pod -> pod.isRunningAndReady() && !pod.isRunningAndAvailable(minReady, now))
                .map(pod -> pod.state().readySince())
                .filter(since -> since != null)
                .map(since -> Duration.between(now, since.plus(minReady)))
                .min(Duration::compareTo);
    }
}
