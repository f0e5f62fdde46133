package lavaflow.cluster;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Removes jobs some time after they have finished, if they say after how much: {@code ttlSecondsAfterFinished}. */
final class FinishedJobs {
    private static final KubeApi.Kind JOBS = Jobs.JOBS;

    /** One job. */
    record Key(String namespace, String name) {}

    private final KubeApi api;
    private final InstantSource clock;
    private final ControllerRunner<Key> runner;

    FinishedJobs(KubeApi api, Followers followers, InstantSource clock, LongSupplier nanoTime) {
        this.api = api;
        this.clock = clock;
        this.runner = new ControllerRunner<>("ttl-after-finished-controller", followers, 5, this::reconcile, nanoTime)
                .follow(JOBS, job -> List.of(new Key(Objects.namespace(job), Objects.name(job))));
    }

    ControllerRunner<Key> controller() {
        return runner;
    }

    /** When a job may be removed, if ever. */
    static Optional<Instant> expiry(ObjectNode job) {
        long seconds = Json.longAt(job, -1, "spec", "ttlSecondsAfterFinished");
        if (seconds < 0 || Objects.isDeleting(job)) {
            return Optional.empty();
        }
        for (JsonNode condition : Json.listAt(job, "status", "conditions")) {
            String type = Json.textAt(condition, "type");
            if ((type.equals("Complete") || type.equals("Failed"))
                    && Json.textAt(condition, "status").equals("True")) {
                return Optional.of(PodState.time(Json.textAt(condition, "lastTransitionTime"))
                        .plusSeconds(seconds));
            }
        }
        return Optional.empty();
    }

    private Optional<Duration> reconcile(Key key) {
        ObjectNode job = api.find(JOBS, key.namespace(), key.name()).orElse(null);
        Instant expiry = job == null ? null : expiry(job).orElse(null);
        if (job == null || expiry == null) {
            return Optional.empty();
        }
        Duration left = Duration.between(clock.instant(), expiry);
        if (left.isPositive()) {
            return Optional.of(left);
        }
        // Its pods first, so that nobody finds them without their job; and only as it was seen, for it may have
        // changed.
        api.delete(
                JOBS,
                key.namespace(),
                key.name(),
                new KubeApi.Deletion(Objects.uid(job), Objects.resourceVersion(job), "Foreground"));
        return Optional.empty();
    }
}
