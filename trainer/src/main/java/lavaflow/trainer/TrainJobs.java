package lavaflow.trainer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.EventRecorder;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Step;
import lavaflow.controller.Timing;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.training.Gang;
import lavaflow.training.SshKey;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Looks at TrainJobs, lets the {@link TrainJobEngine} decide, and does what it says. Everything is read when it is looked at, so there is nothing
 * that could be old.
 */
final class TrainJobs {
    static final String NAME = "trainjob-controller";

    /** Who tells of them, as upstream. */
    private static final String TELLER = "trainer-trainjob-controller";

    /** Who owns the fields of what is made, as upstream. */
    private static final String OWNER = "trainer";

    private static final int WORKERS = 5;
    /** What an event may say. */
    private static final int LONGEST = 950;

    private final KubeApi api;
    private final Timing timing;
    private final EventRecorder events;
    private final TrainJobEngine.Ways ways;
    private final ControllerRunner<Place> runner;

    TrainJobs(KubeApi api, Followers followers, Gang gang, Timing timing) {
        this.api = api;
        this.timing = timing;
        this.events = new EventRecorder(api, TELLER, timing.clock());
        this.ways = new TrainJobEngine.Ways(gang, this::priority, SshKey::make);
        this.runner = new ControllerRunner<>(NAME, followers, WORKERS, this::reconcile, timing.nanoTime());
        runner.followWhileServed(Trainer.TRAIN_JOBS, job -> List.of(Place.of(job)));
        runner.followWhileServed(Trainer.JOB_SETS, TrainJobs::owner);
        Gang.KINDS.forEach(kind -> runner.followWhileServed(kind, TrainJobs::owner));
    }

    private static List<Place> owner(ObjectNode object) {
        return Place.ofController(object, Trainer.API_VERSION, "TrainJob");
    }

    ControllerRunner<Place> controller() {
        return runner;
    }

    private long priority(String name) {
        return name.isEmpty()
                ? 0
                : api.find(Trainer.PRIORITIES, "", name)
                        .map(found -> Json.longAt(found, 0, "value"))
                        .orElse(0L);
    }

    private Optional<Duration> reconcile(Place place) {
        if (!api.kinds().contains(Trainer.TRAIN_JOBS)) {
            return Optional.empty();
        }
        ObjectNode job = find(Trainer.TRAIN_JOBS, place.namespace(), place.name());
        if (job == null || !TrainJobEngine.isOurs(job)) {
            return Optional.empty();
        }
        TrainJobEngine.Decision decision =
                TrainJobEngine.decide(observe(job), ways, timing.clock().instant());
        return carryOut(job, decision);
    }

    private @Nullable ObjectNode find(KubeApi.Kind kind, String namespace, String name) {
        return api.find(kind, namespace, name).orElse(null);
    }

    private TrainJobEngine.Observed observe(ObjectNode job) {
        String namespace = Trainer.namespace(job);
        String name = Trainer.name(job);
        List<KubeApi.Kind> served = api.kinds();
        List<TrainJobEngine.Group> groups = new ArrayList<>();
        for (KubeApi.Kind kind : Gang.KINDS) {
            ObjectNode group = served.contains(kind) ? find(kind, namespace, name) : null;
            if (group != null) {
                groups.add(new TrainJobEngine.Group(kind, group));
            }
        }
        ObjectNode set = served.contains(Trainer.JOB_SETS) ? find(Trainer.JOB_SETS, namespace, name) : null;
        boolean settled = TrainJobEngine.runs(job, set) && !groups.isEmpty();
        if (settled || TrainJobEngine.isFinished(job)) {
            return new TrainJobEngine.Observed(job, set, null, null, null, groups);
        }
        ObjectNode snapshot = find(Trainer.CONFIG_MAPS, namespace, RuntimeSnapshot.name(name));
        ObjectNode kept = RuntimeSnapshot.read(snapshot, job);
        return new TrainJobEngine.Observed(
                job,
                set,
                kept == null ? null : snapshot,
                kept == null ? runtime(job) : kept,
                find(Trainer.SECRETS, namespace, MpiPolicy.keyName(name)),
                groups);
    }

    private @Nullable ObjectNode runtime(ObjectNode job) {
        RuntimeRef ref = RuntimeRef.of(job);
        KubeApi.Kind kind = ref.resource();
        return kind == null || !api.kinds().contains(kind)
                ? null
                : find(kind, kind.namespaced() ? Trainer.namespace(job) : "", ref.name());
    }

    private Optional<Duration> carryOut(ObjectNode job, TrainJobEngine.Decision decision) {
        ApiException trouble = null;
        try {
            for (TrainJobEngine.Apply each : decision.applies()) {
                api.apply(each.kind(), "", OWNER, each.object());
            }
        } catch (ApiException e) {
            trouble = e;
            String message = "TrainJob resources reconciliation failed: " + e.getMessage();
            events.warning(
                    job,
                    TrainJobEngine.TROUBLE,
                    message.length() > LONGEST ? message.substring(0, LONGEST) + " ..." : message);
        }
        for (Step step : decision.deletions()) {
            if (step instanceof Step.Delete delete) {
                api.delete(delete.kind(), delete.namespace(), delete.name(), delete.deletion());
            }
        }
        ObjectNode status = decision.status();
        if (status != null) {
            ObjectNode next = job.deepCopy();
            next.set("status", status);
            api.update(Trainer.TRAIN_JOBS, "status", next);
        }
        for (Notice notice : decision.notices()) {
            events.warning(job, notice.reason(), notice.message());
        }
        if (trouble != null) {
            throw trouble;
        }
        return Optional.ofNullable(decision.again());
    }
}
