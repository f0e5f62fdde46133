package lavaflow.trainer;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import lavaflow.controller.KubeApi;
import lavaflow.controller.Plan;
import lavaflow.controller.Step;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What to do next about a JobSet, as a function of what there is. What becomes of it is written before anything is taken away. */
final class JobSetEngine {
    static final String COMPLETED = "Completed";
    static final String FAILED = "Failed";
    private static final String SUSPENDED = "Suspended";
    private static final String RESTARTING = "RestartingJobSet";
    private static final String STARTING = "StartupPolicyInProgress";
    private static final String STARTED = "StartupPolicyCompleted";

    /**
     * What there is of a JobSet.
     *
     * @param missing what it needs beside its Jobs and has not got
     */
    record Observed(ObjectNode set, List<ChildJob> jobs, List<Step> missing) {}

    /**
     * What to do.
     *
     * @param needed what must be there before the plan is carried out
     * @param status what to write, null for nothing
     * @param delete whether its time is over
     */
    record Decision(
            List<Step> needed,
            Plan plan,
            @Nullable ObjectNode status,
            List<Notice> notices,
            boolean delete,
            @Nullable Duration again) {
        static final Decision NOTHING = new Decision(List.of(), Plan.NOTHING, null, List.of(), false, null);
    }

    /** How many Jobs of a template are in which state. */
    private static final class Counts {
        int ready;
        int succeeded;
        int failed;
        int active;
        int suspended;
    }

    private final JobSetView set;
    private final Observed seen;
    private final Instant now;
    private final ObjectNode status;
    private final StatusConditions conditions;
    private final List<Notice> notices = new ArrayList<>();
    private final List<ChildJob> previous = new ArrayList<>();
    private final List<ChildJob> current = new ArrayList<>();
    private final Map<String, Counts> counts = new HashMap<>();

    private JobSetEngine(JobSetView set, Observed seen, Instant now) {
        this.set = set;
        this.seen = seen;
        this.now = now;
        ObjectNode before = Json.objectAt(seen.set(), "status");
        this.status = before == null ? Json.object() : before.deepCopy();
        this.conditions = new StatusConditions(status, now);
        seen.jobs().forEach(job -> (job.attempt() < restarts() ? previous : current).add(job));
    }

    static Decision decide(Observed seen, Instant now) {
        JobSetView set = JobSetView.of(seen.set());
        if (!set.isOurs() || Trainer.isDeleting(seen.set())) {
            return Decision.NOTHING;
        }
        return new JobSetEngine(set, seen, now).decide();
    }

    static boolean isFinished(@Nullable ObjectNode status) {
        return StatusConditions.isTrue(status, COMPLETED) || StatusConditions.isTrue(status, FAILED);
    }

    private long restarts() {
        return Json.longAt(status, 0, "restarts");
    }

    private Decision decide() {
        count();
        if (isFinished(status)) {
            return finished();
        }
        if (!set.isSuspended() && areAllReady()) {
            became(RESTARTING, false, "JobsReady", "all jobs are ready");
        }
        List<ChildJob> failed =
                current.stream().filter(job -> job.end().equals("Failed")).toList();
        if (!failed.isEmpty()) {
            fail(FailureVerdict.of(set, failed, Json.longAt(status, 0, "restartsCountTowardsMax")));
            return decision(List.of(), List.of());
        }
        if (hasSucceeded()) {
            became(COMPLETED, true, "AllJobsCompleted", "jobset completed successfully");
            became(RESTARTING, false, "JobSetCompleted", "jobset completed successfully");
            status.put("terminalState", COMPLETED);
            return decision(List.of(), List.of());
        }
        List<Step> steps = new ArrayList<>(deletions(previous));
        List<Step> clocks = new ArrayList<>();
        make(steps);
        if (set.isSuspended()) {
            suspend(steps);
        } else {
            resume(clocks, steps);
        }
        return decision(seen.missing(), List.of(clocks, steps));
    }

    private Decision decision(List<Step> needed, List<List<Step>> waves) {
        ObjectNode before = Json.objectAt(seen.set(), "status");
        boolean same = status.equals(before == null ? Json.object() : before);
        return new Decision(needed, new Plan(waves), same ? null : status, notices, false, null);
    }

    // ---- what there is

    private void count() {
        set.jobs().forEach(job -> counts.put(job.name(), new Counts()));
        for (ChildJob job : current) {
            Counts of = counts.computeIfAbsent(job.replicated(), _ -> new Counts());
            switch (job.end()) {
                case "Complete" -> of.succeeded++;
                case "Failed" -> of.failed++;
                default -> {
                    of.ready += job.ready() ? 1 : 0;
                    of.active += job.active() ? 1 : 0;
                    of.suspended += job.suspended() ? 1 : 0;
                }
            }
        }
        ArrayNode told = Json.array();
        // Upstream's order, which users see.
        set.jobs().stream()
                .map(JobSetView.Replicated::name)
                .sorted(Comparator.reverseOrder())
                .forEach(name -> {
                    Counts of = of(name);
                    told.addObject()
                            .put("name", name)
                            .put("ready", of.ready)
                            .put("succeeded", of.succeeded)
                            .put("failed", of.failed)
                            .put("active", of.active)
                            .put("suspended", of.suspended);
                });
        status.set("replicatedJobsStatus", told);
        if (!status.has("restarts")) {
            status.put("restarts", 0);
        }
    }

    private Counts of(String job) {
        return counts.getOrDefault(job, new Counts());
    }

    private boolean areAllReady() {
        return set.jobs().stream().allMatch(job -> of(job.name()).ready + of(job.name()).succeeded == job.replicas());
    }

    private boolean hasSucceeded() {
        List<String> targets = Trainer.texts(Json.at(set.object(), "spec", "successPolicy", "targetReplicatedJobs"));
        int wanted = 0;
        int done = 0;
        for (JobSetView.Replicated job : set.jobs()) {
            if (targets.isEmpty() || targets.contains(job.name())) {
                wanted += job.replicas();
                done += of(job.name()).succeeded;
            }
        }
        boolean any =
                Json.textAt(set.object(), "spec", "successPolicy", "operator").equals("Any");
        return done > 0 && done >= (any ? 1 : wanted);
    }

    // ---- ends

    private void fail(FailureVerdict verdict) {
        if (verdict.restart()) {
            status.put("restarts", restarts() + 1);
            if (verdict.counts()) {
                status.put("restartsCountTowardsMax", Json.longAt(status, 0, "restartsCountTowardsMax") + 1);
            }
            if (conditions.set(RESTARTING, true, verdict.reason(), verdict.message())) {
                notices.add(new Notice(true, verdict.reason(), verdict.message()));
            }
            notices.add(new Notice(true, verdict.event(), verdict.message()));
            return;
        }
        if (conditions.set(FAILED, true, verdict.reason(), verdict.message())) {
            notices.add(new Notice(true, verdict.reason(), verdict.message()));
        }
        became(RESTARTING, false, "JobSetFailed", "jobset failed");
        status.put("terminalState", FAILED);
    }

    private Decision finished() {
        List<Step> steps =
                deletions(seen.jobs().stream().filter(job -> !job.isFinished()).toList());
        Duration left = untilGone();
        boolean over = left != null && !left.isPositive();
        Decision decision = decision(List.of(), List.of(steps));
        return new Decision(List.of(), decision.plan(), decision.status(), notices, over, over ? null : left);
    }

    private @Nullable Duration untilGone() {
        long seconds = Json.longAt(set.object(), -1, "spec", "ttlSecondsAfterFinished");
        ObjectNode end = conditions.isTrue(COMPLETED) ? conditions.find(COMPLETED) : conditions.find(FAILED);
        if (seconds < 0 || end == null) {
            return null;
        }
        try {
            Instant ended = GoTime.parseSeconds(Json.textAt(end, "lastTransitionTime"));
            return Duration.between(now, ended.plusSeconds(seconds));
        } catch (MalformedException _) {
            return null; // the schema does not let it in
        }
    }

    private static List<Step> deletions(List<ChildJob> jobs) {
        List<Step> steps = new ArrayList<>();
        jobs.stream()
                .filter(job -> !job.deleting())
                .forEach(job -> steps.add(new Step.Delete(
                        Trainer.JOBS,
                        job.namespace(),
                        job.name(),
                        new KubeApi.Deletion(job.uid(), null, "Foreground"))));
        return steps;
    }

    // ---- beginnings

    /** Whether those that must come first have come as far as they must. */
    private boolean mayCome(JobSetView.Replicated job) {
        return job.after().entrySet().stream().allMatch(each -> {
            int wanted = set.jobs().stream()
                    .filter(other -> other.name().equals(each.getKey()))
                    .mapToInt(JobSetView.Replicated::replicas)
                    .sum();
            Counts of = of(each.getKey());
            return each.getValue().equals("Complete")
                    ? of.succeeded == wanted
                    : of.failed + of.ready + of.succeeded == wanted;
        });
    }

    private boolean hasStarted(JobSetView.Replicated job) {
        Counts of = of(job.name());
        return of.failed + of.ready + of.succeeded == job.replicas();
    }

    private void make(List<Step> steps) {
        boolean blocked = !previous.isEmpty()
                && Json.textAt(set.failurePolicy(), "restartStrategy").equals("BlockingRecreate");
        boolean inOrder = !set.isSuspended() && set.isInOrder();
        ChildForm form = new ChildForm(set);
        for (JobSetView.Replicated job : set.jobs()) {
            if (!mayCome(job) || (inOrder && hasStarted(job))) {
                continue;
            }
            for (int i = 0; i < job.replicas() && !blocked; i++) {
                String name = set.jobName(job, i);
                if (seen.jobs().stream().noneMatch(other -> other.name().equals(name))) {
                    steps.add(new Step.Create(Trainer.JOBS, set.namespace(), form.job(job, i, restarts())));
                }
            }
            if (inOrder) {
                starting();
                return;
            }
        }
        if (inOrder) {
            if (became(STARTED, true, "InOrderStartupPolicyCompleted", "in order startup policy has completed")) {
                exclude(STARTING);
            }
        }
    }

    private void starting() {
        if (became(STARTING, true, "InOrderStartupPolicyInProgress", "in order startup policy is in progress")) {
            exclude(STARTED);
        }
    }

    private void exclude(String type) {
        ObjectNode other = conditions.find(type);
        if (other != null) {
            other.put("status", "False");
        }
    }

    private void suspend(List<Step> steps) {
        for (ChildJob job : current) {
            if (!job.suspended() && !job.isFinished() && !job.deleting()) {
                ObjectNode patch = Json.object();
                patch.putObject("metadata").put("uid", job.uid());
                patch.putObject("spec").put("suspend", true);
                steps.add(patch(job, "", patch));
            }
        }
        became(SUSPENDED, true, "SuspendedJobs", "jobset is suspended");
        became(RESTARTING, false, "JobSetSuspended", "jobset is suspended");
    }

    /** A Job that ran once lets nobody change its pods unless it forgets when it began. */
    private void resume(List<Step> clocks, List<Step> steps) {
        for (JobSetView.Replicated replicated : set.jobs()) {
            if (!mayCome(replicated) || (set.isInOrder() && hasStarted(replicated))) {
                continue;
            }
            for (ChildJob job : current) {
                boolean waits = job.replicated().equals(replicated.name())
                        && job.suspended()
                        && !job.isFinished()
                        && !job.deleting();
                if (waits && job.started()) {
                    ObjectNode patch = Json.object();
                    patch.putObject("metadata").put("uid", job.uid());
                    patch.putObject("status").putNull("startTime");
                    clocks.add(patch(job, "status", patch));
                }
                if (waits) {
                    steps.add(patch(job, "", ChildForm.resumption(replicated, job)));
                }
            }
            if (set.isInOrder()) {
                return;
            }
        }
        became(SUSPENDED, false, "ResumeJobs", "jobset is resumed");
    }

    private static Step patch(ChildJob job, String subresource, ObjectNode patch) {
        return new Step.Patch(Trainer.JOBS, job.namespace(), job.name(), subresource, KubeApi.Merge.PLAIN, patch);
    }

    /** What was never so need not be denied. */
    private boolean became(String type, boolean value, String reason, String message) {
        if (!value && conditions.find(type) == null) {
            return false;
        }
        boolean changed = conditions.set(type, value, reason, message);
        if (changed) {
            notices.add(new Notice(false, reason, message));
        }
        return changed;
    }
}
