package lavaflow.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import lavaflow.batch.BusCommand;
import lavaflow.controller.ControllerRunner;
import lavaflow.controller.EventRecorder;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Outcome;
import lavaflow.controller.OwnWrites;
import lavaflow.controller.Plan;
import lavaflow.controller.PlanExecutor;
import lavaflow.controller.Step;
import lavaflow.controller.Timing;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Carries out what {@link JobTurn} decides. */
final class Jobs {
    private static final String MANAGER = "vcjob-controller";
    private static final int WORKERS = 16;

    /** It is tried anew after so many refusals in a row; with the next one a Job is given up, as upstream does. */
    private static final int PATIENCE = 15;

    /** How many phases one turn may go through. */
    private static final int STEPS = 10;

    /** Somebody defines the kinds one after the other. */
    private static final Duration UNSERVED = Duration.ofSeconds(1);

    private static final Duration SOON = Duration.ofMillis(50);

    private final KubeApi api;
    private final Timing timing;
    private final JobView view;
    private final Belongings belongings;
    private final EventRecorder events;
    private final OwnWrites<JobKey> writes;
    private final PlanExecutor<JobKey> executor;
    private final StatusPace pace;
    private final EndedJobs ended = new EndedJobs();
    private final ControllerRunner<JobKey> runner;
    /** What its belongings were made for: they are looked at again when that changed. */
    private final Map<JobKey, String> prepared = new ConcurrentHashMap<>();
    /** Jobs whose status may or may not have been written. */
    private final Set<JobKey> unsure = ConcurrentHashMap.newKeySet();

    private final Map<JobKey, Integer> refusals = new ConcurrentHashMap<>();
    private final Map<JobKey, String> toldTrouble = new ConcurrentHashMap<>();
    /** Which reasons to act were told and still hold: each is told once. */
    private final Map<JobKey, Set<String>> announced = new ConcurrentHashMap<>();

    Jobs(KubeApi api, Followers followers, Timing timing, Supplier<JobPlugin.SshKeys> keys) {
        this.api = api;
        this.timing = timing;
        this.events = new EventRecorder(api, "vc-controller-manager", timing.clock());
        this.writes = new OwnWrites<>(followers);
        this.executor = new PlanExecutor<>(api, writes, timing.fanout());
        this.belongings = new Belongings(api, keys);
        this.pace = new StatusPace(timing.nanoTime());
        this.runner = new ControllerRunner<>(MANAGER, followers, WORKERS, this::reconcile, timing.nanoTime());
        this.view = new JobView(api, followers, timing.clock(), runner.queue()::add);
        // After the view: whoever is told finds in it what happened.
        runner.followWhileServed(Volcano.JOBS, job -> List.of(JobKey.of(job)));
    }

    ControllerRunner<JobKey> controller() {
        return runner;
    }

    String metrics() {
        return ended.metrics();
    }

    private Optional<Duration> reconcile(JobKey key) {
        if (!view.isServed()) {
            return view.job(key) == null ? Optional.empty() : Optional.of(UNSERVED);
        }
        if (unsure.contains(key)) {
            api.find(Volcano.JOBS, key.namespace(), key.name()).ifPresent(job -> writes.wrote(key, Volcano.JOBS, job));
            unsure.remove(key);
        }
        if (!view.isComplete() || !writes.areSeen(key)) {
            return Optional.of(SOON);
        }
        VolcanoJob job = view.job(key);
        if (job == null) {
            forget(key);
            view.commands(key).forEach(command -> command.drop(api));
            return Optional.empty();
        }
        if (job.isDeleting()) {
            view.commands(key).forEach(command -> command.drop(api)); // nobody will ever obey them
            return Optional.empty();
        }
        try {
            Optional<Duration> again = new Sitting(key, job).hold();
            refusals.remove(key);
            return again;
        } catch (ApiException e) {
            boolean refused =
                    e.code() >= 400 && e.code() < 500 && !Set.of(404, 409, 429).contains(e.code());
            if (refused && refusals.merge(key, 1, Integer::sum) == PATIENCE + 1) {
                return Optional.of(Duration.ZERO); // it is given up while that is true, not after another pause
            }
            throw e;
        }
    }

    private void forget(JobKey key) {
        writes.forget(key);
        view.forget(key);
        pace.forget(key);
        ended.forget(key);
        prepared.remove(key);
        unsure.remove(key);
        refusals.remove(key);
        toldTrouble.remove(key);
        announced.remove(key);
    }

    /** One Job, from what is seen of it to where nothing is left to do now. */
    private final class Sitting {
        private final JobKey key;
        private VolcanoJob job;
        private final ObjectNode written;
        private @Nullable Duration again;

        Sitting(JobKey key, VolcanoJob job) {
            this.key = key;
            this.job = job;
            this.written = status(job).deepCopy();
        }

        Optional<Duration> hold() {
            boolean moving = true;
            for (int i = 0; moving && i < STEPS; i++) {
                if (!writes.areSeen(key)) {
                    lookAgain(SOON);
                    break;
                }
                BusCommand command = nextCommand();
                Decision decision =
                        JobTurn.decide(observe(command), timing.clock().instant());
                moving = carryOut(decision, command);
            }
            Duration pause = pace.beforeWriting(key, job, written, status(job));
            if (pause == null) {
                writeStatus();
            } else {
                lookAgain(pause);
            }
            collect();
            return Optional.ofNullable(again);
        }

        private void lookAgain(Duration delay) {
            Duration known = again;
            again = known == null || delay.compareTo(known) < 0 ? delay : known;
        }

        // ---- observing

        private Observed observe(@Nullable BusCommand command) {
            JobAction asked = command == null ? given() : JobAction.of(command.action());
            return new Observed(
                    job,
                    pods(),
                    group(),
                    view.happenings(key),
                    announced.getOrDefault(key, Set.of()),
                    asked,
                    stamp().equals(prepared.get(key)),
                    view::priority,
                    what -> view.firstSeen(key, what));
        }

        /** What is left to be done with a Job the server refuses everything of. */
        private @Nullable JobAction given() {
            boolean hopeless = refusals.getOrDefault(key, 0) > PATIENCE
                    && JobStatus.of(job).isActive();
            if (!hopeless) {
                return null;
            }
            events.normal(job.object(), "ExecuteAction", "Job failed on action SyncJob for retry limit reached");
            return JobAction.TERMINATE_JOB;
        }

        private List<JobPod> pods() {
            List<JobPod> pods = view.pods(job);
            Set<String> living = pods.stream()
                    .filter(pod -> !pod.deleting())
                    .map(JobPod::uid)
                    .collect(Collectors.toSet());
            JobGroup group = view.group(job);
            if (group != null) {
                living.add(group.uid());
            }
            writes.keepDeleted(key, living);
            return pods.stream()
                    .map(pod -> writes.isDeleted(key, pod.uid()) ? pod.whenDeleting() : pod)
                    .toList();
        }

        private @Nullable JobGroup group() {
            JobGroup group = view.group(job);
            return group == null || writes.isDeleted(key, group.uid()) ? null : group;
        }

        private String stamp() {
            return job.uid() + " " + JobStatus.of(job).version() + " " + SpecDigest.of(job);
        }

        // ---- commands

        /** The oldest one to obey now; those that mean nothing go. */
        private @Nullable BusCommand nextCommand() {
            for (BusCommand command : view.commands(key)) {
                if (!command.isThere(api)) {
                    continue;
                }
                Phase phase = JobStatus.of(job).phase();
                switch (command.means(job.uid()) ? CommandFate.of(command.action(), phase) : CommandFate.DROP) {
                    case DROP -> command.drop(api);
                    case KEEP -> {
                        return null;
                    }
                    case OBEY -> {
                        events.normal(
                                job.object(),
                                "CommandIssued",
                                "Start to execute command " + command.action()
                                        + ", and clean it up to make sure executed not more than once.");
                        return command;
                    }
                }
            }
            return null;
        }

        // ---- carrying out

        /** True if the Job is in another phase now, or had to be changed. */
        private boolean carryOut(Decision decision, @Nullable BusCommand command) {
            decision.notices().forEach(this::tell);
            announced(decision.announced());
            Phase before = JobStatus.of(job).phase();
            boolean renamed = false;
            if (decision.status() != null && comesFirst(decision, decision.status())) {
                job.object().set("status", decision.status());
                writeStatus();
            }
            if (decision.belongings() == Decision.Belongings.MAKE) {
                // Before the group: a Job that cannot have its claims must not hold room in its queue.
                renamed = prepare();
            }
            if (!renamed && !decision.first().isEmpty()) {
                begin();
                run(decision.first(), "PodGroupError", "Failed to create PodGroup, err: ");
            }
            switch (decision.belongings()) {
                case LEAVE, MAKE -> {}
                case DISCARD -> {
                    begin();
                    belongings.discard(job);
                    prepared.remove(key);
                }
            }
            if (!renamed && !decision.pods().isEmpty()) {
                begin();
                runPods(decision.pods());
            }
            if (decision.status() != null) {
                job.object().set("status", decision.status());
            }
            if (!decision.afterwards().isEmpty() || command != null) {
                writeStatus();
                runPods(decision.afterwards());
            }
            view.settle(key, decision.settled());
            if (command != null) {
                command.drop(api);
            }
            Duration recheck = decision.recheck();
            if (recheck != null) {
                lookAgain(recheck);
            }
            return renamed
                    || command != null
                    || JobStatus.of(job).phase() != before
                    || !decision.afterwards().isEmpty();
        }

        /** Whatever becomes of a Job, somebody has seen it, and what its plugins make is known before it is there: who ends it looks for that. */
        private boolean comesFirst(Decision decision, ObjectNode status) {
            boolean makes = decision.belongings() == Decision.Belongings.MAKE;
            return !JobStatus.of(job).isBegun()
                    || (makes && JobStatus.namesPlugins(status) && !JobStatus.namesPlugins(written));
        }

        /** Before anything is done in a phase it stands in the status. */
        private void begin() {
            if (JobStatus.of(job).isBegun() && !status(job).equals(written)) {
                writeStatus();
            }
        }

        private boolean prepare() {
            if (!view.hasQueue(job.queue())) {
                throw ApiException.notFound("scheduling.volcano.sh", "queues", job.queue());
            }
            if (view.forwards(job.queue()) && job.annotation(Volcano.FORWARDING).isEmpty()) {
                ObjectNode patch = Json.object();
                patch.putObject("metadata")
                        .put("uid", job.uid())
                        .putObject("annotations")
                        .put(Volcano.FORWARDING, "true");
                adopt(api.patch(Volcano.JOBS, key.namespace(), key.name(), "", KubeApi.Merge.PLAIN, patch));
            }
            try {
                ObjectNode named = belongings.name(job);
                if (named != null) {
                    adopt(named);
                    return true;
                }
                belongings.make(job);
            } catch (Belongings.Failure e) {
                events.warning(job.object(), e.reason(), e.told());
                throw e.why();
            }
            prepared.put(key, stamp());
            return false;
        }

        /** Goes on with the Job as the server has it, and with the status as it is here. */
        private void adopt(ObjectNode answer) {
            writes.wrote(key, Volcano.JOBS, answer);
            answer.set("status", status(job));
            job = new VolcanoJob(answer);
        }

        private void writeStatus() {
            if (status(job).equals(written)) {
                return;
            }
            unsure.add(key); // until there is an answer: nothing is done for a Job whose phase is not known
            ObjectNode answer = api.update(Volcano.JOBS, "status", job.object());
            unsure.remove(key);
            writes.wrote(key, Volcano.JOBS, answer);
            pace.wrote(key);
            ended.told(job.object(), written);
            written.removeAll();
            written.setAll(status(job).deepCopy());
            Json.ensureObject(job.object(), "metadata")
                    .put("resourceVersion", Json.textAt(answer, "metadata", "resourceVersion"));
        }

        private void run(Plan plan, String reason, String words) {
            Outcome outcome = executor.run(key, plan);
            for (Outcome.Refused refused : outcome.refused()) {
                if (refused.why().code() != 409 && refused.why().code() != 404) {
                    events.warning(job.object(), reason, words + refused.why().getMessage());
                }
            }
            outcome.orThrow();
        }

        private void runPods(Plan plan) {
            if (plan.isEmpty()) {
                return;
            }
            for (Step step : plan.steps()) {
                if (step instanceof Step.Delete delete && delete.kind().equals(Volcano.PODS)) {
                    view.ending(delete.deletion().uid());
                }
            }
            Outcome outcome = executor.run(key, plan);
            for (Outcome.Refused refused : outcome.refused()) {
                ApiException why = refused.why();
                if (why.code() == 404 || (why.code() == 409 && !isForeign(refused.step()))) {
                    continue;
                }
                if (refused.step() instanceof Step.Create) {
                    events.warning(job.object(), "FailedCreate", "Error creating pods: " + why.getMessage());
                } else {
                    events.warning(job.object(), "FailedDelete", "Error deleting pods: " + why.getMessage());
                }
            }
            outcome.orThrow();
        }

        /** Whether somebody else has the name of a pod that is to be made. */
        private boolean isForeign(Step step) {
            return step instanceof Step.Create create
                    && api.find(create.kind(), create.namespace(), Json.textAt(create.object(), "metadata", "name"))
                            .map(JobPod::of)
                            .filter(pod -> pod.jobUid().equals(job.uid()))
                            .isEmpty();
        }

        private void announced(Set<String> names) {
            if (names.isEmpty()) {
                announced.remove(key);
            } else {
                announced.put(key, names);
            }
        }

        /** The same trouble is told once, not in every turn. */
        private void tell(Decision.Notice notice) {
            if (!notice.warning()) {
                events.normal(job.object(), notice.reason(), notice.message());
            } else if (!notice.message().equals(toldTrouble.put(key, notice.message()))) {
                events.warning(job.object(), notice.reason(), notice.message());
            }
        }

        // ---- the end

        /** Deletes the Job when its time after the end is over. */
        private void collect() {
            JobStatus status = JobStatus.of(job);
            if (!status.phase().isFinished() || job.ttlSecondsAfterFinished().isEmpty()) {
                return;
            }
            Instant due = status.lastTransition()
                    .plusSeconds(job.ttlSecondsAfterFinished().getAsLong());
            Duration left = Duration.between(timing.clock().instant(), due);
            if (left.isPositive()) {
                lookAgain(left);
                return;
            }
            api.find(Volcano.JOBS, key.namespace(), key.name())
                    .map(VolcanoJob::new)
                    .filter(now -> now.uid().equals(job.uid())
                            && now.ttlSecondsAfterFinished().equals(job.ttlSecondsAfterFinished()))
                    .ifPresent(now -> api.delete(
                            Volcano.JOBS,
                            key.namespace(),
                            key.name(),
                            new KubeApi.Deletion(now.uid(), null, "Foreground")));
        }
    }

    private static ObjectNode status(VolcanoJob job) {
        return JobStatus.of(job).status();
    }
}
