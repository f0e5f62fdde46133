package lavaflow.trainer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.EventRecorder;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.controller.Outcome;
import lavaflow.controller.OwnWrites;
import lavaflow.controller.Plan;
import lavaflow.controller.PlanExecutor;
import lavaflow.controller.Step;
import lavaflow.controller.Timing;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Looks at JobSets, lets the {@link JobSetEngine} decide, and does what it says. */
final class JobSets {
    static final String NAME = "jobset-controller";

    /** Who tells of them, as upstream. */
    private static final String TELLER = "jobset";

    private static final Duration SOON = Duration.ofMillis(100);
    private static final int WORKERS = 5;

    private final KubeApi api;
    private final Timing timing;
    private final EventRecorder events;
    private final Mirror<ChildJob> jobs;
    private final OwnWrites<Place> writes;
    private final PlanExecutor<Place> executor;
    /** What nobody follows is read anew each time. */
    private final PlanExecutor<Place> besides;

    private final OwnWrites<Place> unseen;
    private final ControllerRunner<Place> runner;

    JobSets(KubeApi api, Followers followers, Timing timing) {
        this.api = api;
        this.timing = timing;
        this.events = new EventRecorder(api, TELLER, timing.clock());
        this.writes = new OwnWrites<>(followers);
        this.executor = new PlanExecutor<>(api, writes, timing.fanout());
        this.unseen = new OwnWrites<>(followers);
        this.besides = new PlanExecutor<>(api, unseen, timing.fanout());
        this.jobs = new Mirror<>(followers, Trainer.JOBS, ChildJob::mayBe, ChildJob::of, job -> List.of(job.owner()));
        this.runner = new ControllerRunner<>(NAME, followers, WORKERS, this::reconcile, timing.nanoTime());
        runner.followWhileServed(Trainer.JOB_SETS, set -> List.of(Place.of(set)));
        runner.follow(Trainer.JOBS, JobSets::owner).follow(Trainer.SERVICES, JobSets::owner);
    }

    private static List<Place> owner(ObjectNode object) {
        return Place.ofController(object, Trainer.JOB_SET_VERSION, "JobSet");
    }

    ControllerRunner<Place> controller() {
        return runner;
    }

    private Optional<Duration> reconcile(Place place) {
        if (!api.kinds().contains(Trainer.JOB_SETS)) {
            return Optional.empty();
        }
        ObjectNode set =
                api.find(Trainer.JOB_SETS, place.namespace(), place.name()).orElse(null);
        if (set == null) {
            writes.forget(place);
            return Optional.empty();
        }
        if (!writes.areSeen(place)) {
            return Optional.of(SOON);
        }
        JobSetEngine.Decision decision =
                JobSetEngine.decide(observe(place, set), timing.clock().instant());
        return carryOut(place, set, decision);
    }

    private JobSetEngine.Observed observe(Place place, ObjectNode set) {
        List<ChildJob> found = jobs.having(Trainer.uid(set));
        Set<String> living = new HashSet<>();
        found.stream().filter(job -> !job.deleting()).forEach(job -> living.add(job.uid()));
        writes.keepDeleted(place, living);
        List<ChildJob> seen = found.stream()
                .map(job -> writes.isDeleted(place, job.uid()) ? job.deleted() : job)
                .toList();
        boolean over = Trainer.isDeleting(set) || JobSetEngine.isFinished(Json.objectAt(set, "status"));
        return new JobSetEngine.Observed(set, seen, over ? List.of() : missing(set));
    }

    /** The service and the claims that are not there. Those that others made are used as they are. */
    private List<Step> missing(ObjectNode raw) {
        JobSetView set = JobSetView.of(raw);
        ChildForm form = new ChildForm(set);
        List<Step> missing = new ArrayList<>();
        if (set.hasHostnames()
                && api.find(Trainer.SERVICES, set.namespace(), set.subdomain()).isEmpty()) {
            missing.add(new Step.Create(Trainer.SERVICES, set.namespace(), form.service()));
        }
        for (ObjectNode claim : form.claims()) {
            if (api.find(Trainer.CLAIMS, set.namespace(), Trainer.name(claim)).isEmpty()) {
                missing.add(new Step.Create(Trainer.CLAIMS, set.namespace(), claim));
            }
        }
        return missing;
    }

    private Optional<Duration> carryOut(Place place, ObjectNode set, JobSetEngine.Decision decision) {
        Outcome aside = besides.run(place, Plan.together(decision.needed()));
        unseen.forget(place);
        aside.refused().forEach(refused -> tell(set, refused));
        aside.orThrow();
        Outcome outcome = executor.run(place, decision.plan());
        outcome.refused().forEach(refused -> tell(set, refused));
        ObjectNode status = decision.status();
        if (status != null) {
            ObjectNode next = set.deepCopy();
            next.set("status", status);
            api.update(Trainer.JOB_SETS, "status", next);
        }
        for (Notice notice : decision.notices()) {
            if (notice.warning()) {
                events.warning(set, notice.reason(), notice.message());
            } else {
                events.normal(set, notice.reason(), notice.message());
            }
        }
        outcome.orThrow();
        if (decision.delete()) {
            api.delete(
                    Trainer.JOB_SETS,
                    place.namespace(),
                    place.name(),
                    new KubeApi.Deletion(Trainer.uid(set), null, "Foreground"));
        }
        return Optional.ofNullable(decision.again());
    }

    private void tell(ObjectNode set, Outcome.Refused refused) {
        String reason = reason(refused.step());
        if (reason != null && refused.why().code() != 409) {
            events.warning(set, reason, String.valueOf(refused.why().getMessage()));
        }
    }

    private static @Nullable String reason(Step step) {
        if (!(step instanceof Step.Create)) {
            return null;
        }
        if (step.kind().equals(Trainer.JOBS)) {
            return "JobCreationFailed";
        }
        return step.kind().equals(Trainer.SERVICES) ? "HeadlessServiceCreationFailed" : "PVCCreationFailed";
    }
}
