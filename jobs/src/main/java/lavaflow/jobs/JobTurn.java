package lavaflow.jobs;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import lavaflow.batch.Batch;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Plan;
import lavaflow.controller.Step;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Decides about one Job once: a function of what was observed and the time.
 *
 * <p>A phase in which pods are ended is written before they are: whoever comes after a crash finds in the status what has to be
 * done, and which pods are meant by the version they carry.
 */
final class JobTurn {
    private final VolcanoJob job;
    private final JobStatus status;
    private final Observed seen;
    private final Instant now;
    private final List<Decision.Notice> notices = new ArrayList<>();
    private final JobStatus.Draft draft;
    private final TaskOrder order;
    /** Whether a policy is about to do something once it has waited long enough. */
    private boolean waits;

    private JobTurn(Observed seen, Instant now) {
        this.job = seen.job();
        this.status = JobStatus.of(job);
        this.seen = seen;
        this.now = now;
        this.draft = new JobStatus.Draft(status);
        this.order = new TaskOrder(job, seen.pods());
    }

    static Decision decide(Observed seen, Instant now) {
        return new JobTurn(seen, now).decide();
    }

    private Decision decide() {
        Phase phase = status.phase();
        JobAction asked = seen.asked();
        Policies.Verdict verdict = phase.isFinished()
                ? new Policies.Verdict(Request.SYNC, null, seen.happenings(), Set.of(), List.of())
                : new Policies(job, seen.pods(), now, seen.firstSeen()).judge(seen.happenings(), seen.announced());
        waits = verdict.recheck() != null;
        verdict.news().forEach(this::tellOfAction);
        Request request = asked == null ? verdict.request() : Request.of(asked);
        if (request.action() != JobAction.SYNC_JOB && !phase.isFinished() && !request.announced()) {
            tellOfAction(request.announcement());
        }
        List<Happening> settled = new ArrayList<>(verdict.settled());
        Happening cause = request.cause();
        if (cause != null) {
            settled.add(cause);
        }
        JobLife.Turn turn = JobLife.turn(phase, request.action());
        Work work = switch (turn.operation()) {
            case JobLife.Operation.Sync() when phase == Phase.RESTARTING -> restart();
            case JobLife.Operation.Sync() -> sync(turn.next());
            case JobLife.Operation.KillTarget() -> killTarget(request.targets(), turn.next());
            case JobLife.Operation.Kill(JobLife.Retained retained) -> kill(retained, turn.next());
        };
        return new Decision(
                notices,
                work.first(),
                work.belongings(),
                work.pods(),
                draft.made().equals(status.status()) ? null : draft.made(),
                work.afterwards(),
                settled,
                verdict.announced(),
                verdict.recheck());
    }

    private void tellOfAction(String message) {
        notices.add(new Decision.Notice(false, "ExecuteAction", message));
    }

    /** What is done beside the status, which is in the draft by then. */
    private record Work(Plan first, Decision.Belongings belongings, Plan pods, Plan afterwards) {
        static final Work NONE = of(Plan.NOTHING);

        static Work of(Plan pods) {
            return new Work(Plan.NOTHING, Decision.Belongings.LEAVE, pods, Plan.NOTHING);
        }

        static Work afterwards(Plan steps) {
            return new Work(Plan.NOTHING, Decision.Belongings.LEAVE, Plan.NOTHING, steps);
        }
    }

    // ---- the status

    private void move(JobLife.Next next, Counts counts) {
        if (next instanceof JobLife.Next.Go(Phase _, boolean countsAsRetry) && countsAsRetry) {
            draft.countRetry();
        }
        boolean goesOn = next instanceof JobLife.Next.OnceBegun || next instanceof JobLife.Next.AsItRuns;
        List<Task> neverDue = goesOn && !waits ? order.neverDue() : List.of();
        Phase after = JobLife.after(status.phase(), next, facts(counts, neverDue));
        if (after == Phase.FAILED) {
            neverDue.forEach(task -> notices.add(new Decision.Notice(true, "DependencyFailed", order.obstacle(task))));
        }
        boolean ended = after.isFinished() || after == Phase.ABORTED;
        // What a Job needs is looked at while its pods are made, not while they are ended.
        boolean ends = status.isBegun() && !goesOn && !(next instanceof JobLife.Next.OnceRestarted);
        long minAvailable = ends ? status.minAvailable() : job.minAvailable();
        draft.counts(ended ? counts.withThoseOf(status.status()) : counts, minAvailable);
        boolean runs = next instanceof JobLife.Next.AsItRuns || next instanceof JobLife.Next.OnceRestarted;
        if (after.isFinished() && runs) {
            draft.bumpVersion(); // what happens to its pods from now on is no news
        }
        draft.phase(after, JobPod.time(Json.textAt(job.object(), "metadata", "creationTimestamp")), now);
    }

    private JobLife.Facts facts(Counts counts, List<Task> neverDue) {
        boolean shortOfSuccess = job.tasks().stream()
                .anyMatch(task -> task.minAvailable().isPresent()
                        && counts.byTask().containsKey(task.name())
                        && counts.succeeded(task.name()) < task.minAvailable().getAsLong());
        return new JobLife.Facts(
                counts,
                job.replicas(),
                neverDue.stream().mapToLong(order::lacking).sum(),
                job.minAvailable(),
                status.minAvailable(),
                job.minSuccess(),
                job.tasks().stream()
                        .mapToLong(task -> task.minAvailable().orElse(task.replicas()))
                        .sum(),
                shortOfSuccess,
                status.retryCount(),
                job.maxRetry());
    }

    /** The pods in numbers, where some of them are about to be ended. */
    private Counts counts(List<JobPod> ending) {
        return Counts.of(seen.pods().stream()
                .map(pod -> ending.contains(pod) ? pod.whenDeleting() : pod)
                .toList());
    }

    // ---- ending pods

    private List<JobPod> living(Predicate<JobPod> wanted) {
        return seen.pods().stream()
                .filter(pod -> !pod.deleting())
                .filter(wanted)
                .toList();
    }

    private static Step end(JobPod pod) {
        return new Step.Delete(Volcano.PODS, pod.namespace(), pod.name(), KubeApi.Deletion.ofUid(pod.uid()));
    }

    /** Says on a pod that its end is nothing to react to; needed where it is of the version that goes on. */
    private static Step condemn(JobPod pod) {
        ObjectNode patch = Json.object();
        patch.putObject("metadata")
                .put("uid", pod.uid())
                .putObject("annotations")
                .put(Volcano.OUT_OF_SYNC, "true");
        return new Step.Patch(Volcano.PODS, pod.namespace(), pod.name(), "", KubeApi.Merge.PLAIN, patch);
    }

    private static Plan end(List<JobPod> pods) {
        return Plan.together(pods.stream().map(JobTurn::end).toList());
    }

    private static Plan condemned(List<JobPod> pods) {
        return Plan.together(pods.stream()
                        .filter(pod -> !pod.condemned())
                        .map(JobTurn::condemn)
                        .toList())
                .then(end(pods));
    }

    private Plan withoutGroup() {
        JobGroup group = seen.group();
        return group == null
                ? Plan.NOTHING
                : Plan.inOrder(new Step.Delete(
                        Batch.POD_GROUPS, group.namespace(), group.name(), KubeApi.Deletion.ofUid(group.uid())));
    }

    private Work killTarget(Predicate<JobPod> targets, JobLife.Next next) {
        List<JobPod> meant = living(targets);
        boolean entering = next instanceof JobLife.Next.Go;
        move(next, counts(meant));
        // Before a phase that says so nothing is ended; within it, it is not left before they are.
        return entering ? Work.afterwards(condemned(meant)) : Work.of(condemned(meant));
    }

    private Work kill(JobLife.Retained retained, JobLife.Next next) {
        boolean last = next instanceof JobLife.Next.Go(Phase _, boolean retry)
                && retry
                && status.retryCount() >= job.maxRetry() - 1;
        boolean keepsFinished = retained == JobLife.Retained.FINISHED || last;
        List<JobPod> meant = living(pod -> !keepsFinished || !pod.isFinished());
        return switch (next) {
            case JobLife.Next.Go(Phase _, boolean _) -> {
                draft.bumpVersion();
                move(next, counts(meant));
                // The group goes first: pods of an old version that are left tell that it has to.
                yield Work.afterwards(withoutGroup().then(end(meant)));
            }
            case JobLife.Next.OnceRestarted() -> {
                draft.bumpVersion();
                yield Work.afterwards(withoutGroup().then(end(meant)));
            }
            case JobLife.Next.OnceQuiet(Phase _) -> tidy(meant, next);
            case JobLife.Next.Stay() -> tidy(meant, next);
            case JobLife.Next.OnceBegun() -> throw new IllegalStateException("pending Jobs are not killed to begin");
            case JobLife.Next.AsItRuns() -> throw new IllegalStateException("running Jobs are not killed to run");
        };
    }

    /** Takes away what is left: what plugins made is there as long as the status says so. */
    private Work tidy(List<JobPod> meant, JobLife.Next next) {
        boolean made = draft.forgetPlugins();
        move(next, counts(meant));
        return new Work(
                Plan.NOTHING,
                made ? Decision.Belongings.DISCARD : Decision.Belongings.LEAVE,
                end(meant).then(withoutGroup()),
                Plan.NOTHING);
    }

    /** Goes on with a restart: pods of older versions have to go, unless they ended and the Job was resumed. */
    private Work restart() {
        boolean keepsFinished = status.isResumed() || status.retryCount() >= job.maxRetry();
        List<JobPod> meant = living(
                pod -> pod.condemned() || (pod.version() < status.version() && !(keepsFinished && pod.isFinished())));
        move(new JobLife.Next.OnceRestarted(), counts(meant));
        boolean whole = meant.stream().anyMatch(pod -> !pod.condemned());
        return new Work(whole ? withoutGroup() : Plan.NOTHING, Decision.Belongings.LEAVE, end(meant), Plan.NOTHING);
    }

    // ---- making pods

    private Work sync(JobLife.Next next) {
        job.plugins().keySet().stream()
                .filter(name -> !name.equals(HcclRankPlugin.NAME)) // it makes nothing, and upstream does not tell of it
                .forEach(name -> draft.controls(JobStatus.PLUGIN + name, name));
        for (JobVolume volume : JobVolume.of(job)) {
            if (status.isBegun() && !volume.claimName().isEmpty()) { // before, nobody has seen whether it is there
                draft.controls(volume.controlledKey(), volume.claimName());
            }
        }
        List<JobPod> surplus = surplus();
        move(status.isBegun() ? next : new JobLife.Next.Stay(), counts(surplus));
        if (status.isBegun() && Phase.of(Json.textAt(draft.made(), "state", "phase")) != status.phase()) {
            return Work.NONE; // the next turn is about another phase
        }
        JobGroup group = seen.group();
        Decision.Belongings belongings = seen.prepared() ? Decision.Belongings.LEAVE : Decision.Belongings.MAKE;
        if (group == null) {
            ObjectNode made = JobGroup.made(job, size(false), seen.priorities(), now);
            Plan making = Plan.inOrder(new Step.Create(Batch.POD_GROUPS, job.namespace(), made));
            return new Work(making, belongings, end(surplus), Plan.NOTHING);
        }
        if (!group.trouble().isEmpty()) {
            notices.add(new Decision.Notice(
                    true,
                    "PodGroupPending",
                    "PodGroup " + job.namespace() + ":" + job.name() + " unschedulable, reason: " + group.trouble()));
        }
        List<Step> pods = new ArrayList<>(end(surplus).steps());
        if (group.isAdmitted()) {
            pods.addAll(missing(group));
        }
        return new Work(correction(group), belongings, Plan.together(pods), Plan.NOTHING);
    }

    /**
     * How many pods its gang needs.
     *
     * @param fewer whether it needs fewer than the Job says by now: who was let go on without those that failed goes on
     */
    private GangSize size(boolean fewer) {
        return GangSize.of(job, order, !waits && (fewer || order.hasWaiting()));
    }

    private Plan correction(JobGroup group) {
        // A Job that has just been told to need more has not been let go on with fewer.
        boolean fewer = group.minMember() < Math.min(job.minAvailable(), status.minAvailable());
        ObjectNode patch = group.correction(job, size(fewer), seen.priorities(), now);
        return patch == null
                ? Plan.NOTHING
                : Plan.inOrder(new Step.Patch(
                        Batch.POD_GROUPS, group.namespace(), group.name(), "", KubeApi.Merge.PLAIN, patch));
    }

    /** Pods that nobody wants: beyond the size of their task, of no task, or marked. */
    private List<JobPod> surplus() {
        return living(pod -> pod.condemned()
                || pod.index() < 0
                || pod.index() >= job.findTask(pod.task()).map(Task::replicas).orElse(0L));
    }

    private List<Step> missing(JobGroup group) {
        Set<String> names = seen.pods().stream().map(JobPod::name).collect(Collectors.toSet());
        PodForm form = new PodForm(job, group.name(), JobPlugins.of(job));
        List<Step> steps = new ArrayList<>();
        for (Task task : job.tasks()) {
            if (!order.isDue(task)) {
                continue;
            }
            for (long index = 0; index < task.replicas(); index++) {
                if (!names.contains(job.podName(task, index))) {
                    steps.add(new Step.Create(Volcano.PODS, job.namespace(), form.pod(task, index)));
                }
            }
        }
        return steps;
    }
}
