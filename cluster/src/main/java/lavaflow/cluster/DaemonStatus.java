package lavaflow.cluster;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** What a DaemonSet reports about its pods. Pure. */
final class DaemonStatus {
    private DaemonStatus() {}

    /** The status as it should be: numbers anew, the rest as it was. */
    static ObjectNode of(DaemonDecisions.Observed observed, Instant now) {
        ObjectNode set = observed.set();
        Duration minReady = Duration.ofSeconds(Json.longAt(set, 0, "spec", "minReadySeconds"));
        String generation = DaemonTemplate.generation(set);
        long desired = 0;
        long current = 0;
        long misplaced = 0;
        long ready = 0;
        long available = 0;
        long updated = 0;
        for (DaemonNode node : observed.nodes()) {
            List<DaemonPod> present = observed.byNode().get(node.name());
            boolean wanted = observed.fits().apply(node) == DaemonPlacement.Fit.RUN;
            desired += wanted ? 1 : 0;
            if (present == null) {
                continue;
            }
            if (!wanted) {
                misplaced++;
                continue;
            }
            current++;
            DaemonPod pod = present.getFirst();
            ready += pod.state().isReady() ? 1 : 0;
            available += pod.isAvailable(minReady, now) ? 1 : 0;
            updated += pod.isOf(observed.hash(), generation) ? 1 : 0;
        }
        ObjectNode old = Json.objectAt(set, "status");
        ObjectNode status = old == null ? Json.object() : old.deepCopy();
        status.put("currentNumberScheduled", current).put("numberMisscheduled", misplaced);
        status.put("desiredNumberScheduled", desired).put("numberReady", ready);
        status.put("observedGeneration", Json.longAt(set, 0, "metadata", "generation"));
        putCount(status, "updatedNumberScheduled", updated);
        putCount(status, "numberAvailable", available);
        putCount(status, "numberUnavailable", desired - available);
        return status;
    }

    private static void putCount(ObjectNode status, String field, long count) {
        if (count > 0) {
            status.put(field, count);
        } else {
            status.remove(field);
        }
    }

    /** When the next of the ready pods will have been ready for long enough. */
    static Optional<Duration> untilAvailable(ObjectNode set, List<DaemonPod> pods, Instant now) {
        Duration minReady = Duration.ofSeconds(Json.longAt(set, 0, "spec", "minReadySeconds"));
        if (minReady.isZero()) {
            return Optional.empty();
        }
        return pods.stream()
                .filter(pod -> !pod.isDeleting() && !pod.isAvailable(minReady, now))
                .map(pod -> pod.state().readySince())
                .filter(since -> since != null)
                .map(since -> Duration.between(now, since.plus(minReady)))
                .min(Duration::compareTo);
    }
}
