package lavaflow.cluster;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import lavaflow.kube.GoTime;
import lavaflow.kube.LabelSelector;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * One look at a job, in three steps that are pure: what to do with its pods ({@link #work}), what to write down before pods
 * that ended are let go ({@link #account}), and what to write down afterwards ({@link #close}).
 *
 * <p>Counts are exact whatever happens between two requests, because a pod that ended keeps its finalizer until the status
 * names it as uncounted, and stays named until its finalizer is gone: at each moment it is known by exactly one of the
 * finalizer alone, the finalizer and its name, its name alone, and the count.
 *
 * <p>A value of its own for each look, used by one thread.
 */
final class JobSync {
    /** How many pods one look may make, end or count. */
    static final int BURST = 500;

    /** What to do with pods. */
    sealed interface Work {
        /** Nothing now. */
        record Nothing() implements Work {}

        /** Ends pods; those that are not to be counted lose their finalizer first. */
        record Delete(List<JobPod> pods, boolean counted) implements Work {}

        /** Makes a pod for each of these. */
        record Create(List<JobTemplate.Place> places) implements Work {}
    }

    /** Something to tell users. */
    record Notice(boolean warning, String reason, String message) {}

    /** What must be written now, if anything, and the pods that may be let go after it. */
    record Ledger(@Nullable ObjectNode status, List<JobPod> release) {}

    /** What must be written at the end, if anything, and what to say once it is. */
    record Closing(@Nullable ObjectNode status, List<Notice> notices) {}

    private final boolean deleting;
    private final JobSpec spec;
    private final JobStatus status;
    private final List<JobPod> pods;
    private final List<JobPod> activePods;
    private final Instant now;
    private final Set<String> tracked;
    private final Set<String> knownFailed;
    private final Set<String> knownSucceeded;
    private final JobBackoff backoff;
    private final JobOutlook outlook;
    private final List<Notice> notices = new ArrayList<>();

    private JobOutlook.@Nullable Verdict verdict;
    private @Nullable Duration recheck;
    private boolean managed;
    private long active;
    private long ready;
    private long terminating;
    private boolean countedEnough;
    private boolean hopeless;

    /**
     * @param pods of the job, as they are or are known to become
     * @param before how failures delayed the job so far
     */
    JobSync(ObjectNode job, List<JobPod> pods, JobBackoff before, Instant now) {
        this.deleting = Objects.isDeleting(job);
        this.spec = JobSpec.of(job);
        this.status = new JobStatus(job, now);
        this.pods = pods;
        this.now = now;
        this.activePods = pods.stream().filter(pod -> pod.state().isActive()).toList();
        this.active = activePods.size();
        this.ready = activePods.stream().filter(pod -> pod.state().isReady()).count();
        this.terminating = pods.stream().filter(JobPod::isTerminating).count();
        this.tracked = new HashSet<>();
        pods.stream().filter(JobPod::tracked).map(JobPod::uid).forEach(tracked::add);
        this.knownSucceeded = new HashSet<>(status.uncounted("succeeded"));
        this.knownFailed = new HashSet<>(status.uncounted("failed"));
        if (status.startTime() == null && !spec.suspended()) {
            status.setText("startTime", GoTime.seconds(now));
        }
        List<JobPod> succeeded = pods.stream()
                .filter(pod -> isNew(pod, knownSucceeded) && pod.isSucceeded())
                .toList();
        List<JobPod> failed = pods.stream()
                .filter(pod -> isNew(pod, knownFailed) && spec.isFailed(pod))
                .toList();
        this.backoff = before.after(succeeded, failed);
        this.outlook = new JobOutlook(
                spec,
                status,
                pods,
                status.count("succeeded") + succeeded.size() + knownSucceeded.size(),
                status.count("failed")
                        + failed.stream()
                                .filter(pod -> spec.failurePolicy().judge(pod).counts())
                                .count()
                        + knownFailed.size(),
                now);
        this.verdict = outlook.verdict();
        if (verdict == null) {
            outlook.untilDeadline().ifPresent(this::lookAgain);
        }
    }

    private boolean isNew(JobPod pod, Set<String> known) {
        return pod.tracked() && !known.contains(pod.uid()) && spec.fits(pod);
    }

    private void lookAgain(Duration delay) {
        recheck = recheck == null || delay.compareTo(recheck) < 0 ? delay : recheck;
    }

    /** When to look again although nothing changes. */
    Optional<Duration> recheck() {
        return Optional.ofNullable(recheck);
    }

    /** How failures delay the job from now on; counts once {@link Ledger#status} is written. */
    JobBackoff backoff() {
        return backoff;
    }

    // ---- first: pods

    Work work() {
        if (verdict != null) {
            return new Work.Delete(activePods, true);
        }
        if (deleting) {
            return new Work.Nothing();
        }
        managed = true;
        if (spec.suspended()) {
            return new Work.Delete(JobTemplate.removals(spec, activePods, activePods.size()), false);
        }
        long wanted = wanted();
        int surplus = (int) Math.max(0, active - wanted);
        List<JobPod> removals = JobTemplate.removals(spec, activePods, surplus);
        if (!removals.isEmpty()) {
            return new Work.Delete(removals.stream().limit(BURST).toList(), false);
        }
        long missing = wanted - active - (spec.replaceFailedOnly() ? terminating : 0);
        return missing > 0 ? creation((int) Math.min(missing, BURST)) : new Work.Nothing();
    }

    private long wanted() {
        if (spec.completions() == JobSpec.UNSET) {
            // Pods know among themselves when the work is done: after the first success no more are needed.
            return outlook.succeeded() > 0 ? active : spec.parallelism();
        }
        return Math.clamp(spec.completions() - outlook.succeeded(), 0, spec.parallelism());
    }

    private Work creation(int count) {
        if (!spec.countsPerIndex() && backoff.remaining(now).isPositive()) {
            lookAgain(backoff.remaining(now));
            return new Work.Nothing();
        }
        if (!spec.indexed()) {
            return new Work.Create(Collections.nCopies(count, JobTemplate.Place.ANYWHERE));
        }
        List<JobTemplate.Place> places = new ArrayList<>();
        for (int index : outlook.firstPending(count, activePods)) {
            JobPod replaced = outlook.delayed().get(index);
            Duration delay = replaced == null ? Duration.ZERO : JobBackoff.remainingFor(replaced, now);
            if (delay.isPositive()) {
                lookAgain(delay);
            } else {
                places.add(new JobTemplate.Place(index, replaced));
            }
        }
        return places.isEmpty() ? new Work.Nothing() : new Work.Create(places);
    }

    /** Some of the pods to be made were made. */
    void created(int count) {
        active += count;
        settle();
    }

    /** Some of the pods to be deleted were deleted, or were gone. */
    void deleted(List<JobPod> gone) {
        active -= gone.size();
        terminating += gone.size();
        ready -= gone.stream().filter(pod -> pod.state().isReady()).count();
        if (verdict == null) {
            settle();
        } else if (gone.size() < activePods.size()) {
            // It cannot be finished while pods of it may still run.
            verdict = null;
        }
    }

    /** Nothing was to be done with pods. */
    void rested() {
        settle();
    }

    private void settle() {
        boolean complete = active == 0
                && (spec.completions() == JobSpec.UNSET
                        ? outlook.succeeded() > 0
                        : outlook.succeeded() >= spec.completions());
        if (complete) {
            verdict = JobOutlook.Verdict.COMPLETE;
        } else if (managed) {
            suspension();
        }
    }

    private void suspension() {
        if (spec.suspended()) {
            if (status.ensure("Suspended", true, "JobSuspended", "Job suspended")) {
                // The time it may be active starts over when it goes on.
                status.setText("startTime", null);
                notices.add(new Notice(false, "Suspended", "Job suspended"));
            }
        } else if (status.ensure("Suspended", false, "JobResumed", "Job resumed")) {
            status.setText("startTime", GoTime.seconds(now));
            notices.add(new Notice(false, "Resumed", "Job resumed"));
        }
    }

    /** What to say of what was done with pods. */
    List<Notice> notices() {
        return notices;
    }

    // ---- second: those that ended

    Ledger account() {
        status.setCount("active", active);
        status.showCount("ready", ready);
        status.showCount("terminating", terminating);
        status.countThoseNotIn(tracked);
        List<JobPod> release = new ArrayList<>();
        Set<Integer> indexes = new HashSet<>();
        int noted = status.uncounted("succeeded").size()
                + status.uncounted("failed").size();
        for (JobPod pod : pods) {
            if (!pod.tracked() || !mayGo(pod)) {
                continue;
            }
            release.add(pod);
            noted += note(pod, indexes) ? 1 : 0;
            if (noted >= BURST) {
                countedEnough = true;
                break;
            }
        }
        if (spec.indexed()) {
            noteIndexes(indexes);
        }
        if (verdict != null) {
            status.ensure(
                    verdict.success() ? "SuccessCriteriaMet" : "FailureTarget",
                    true,
                    verdict.reason(),
                    verdict.message());
        }
        return new Ledger(status.takeChange(), release);
    }

    /** Whether pods that are being deleted are kept until others have learnt from them. */
    boolean keepsDeletedPods() {
        return outlook.delayed().values().stream()
                .anyMatch(pod -> pod.tracked() && pod.state().deleting());
    }

    /** Nobody will come to learn from the pods that are kept. */
    void letAllGo() {
        hopeless = true;
    }

    /** Whether nothing can be learnt from a pod any more. */
    private boolean mayGo(JobPod pod) {
        if (deleting || verdict != null || pod.isSucceeded()) {
            return true;
        }
        // The last failure of an index is where its next pod learns how many there were.
        JobPod delayed = outlook.delayed().get(pod.index());
        return spec.isFailed(pod)
                && (hopeless || delayed == null || !delayed.uid().equals(pod.uid()));
    }

    /** Writes down how a pod ended; false if that is known, or does not count. */
    private boolean note(JobPod pod, Set<Integer> indexes) {
        if (knownFailed.contains(pod.uid())) {
            return false;
        }
        if (pod.isSucceeded()) {
            return noteSuccess(pod, indexes);
        }
        // With a job that fails all of its pods fail that have not ended.
        boolean failed = spec.isFailed(pod) || (verdict != null && !verdict.success());
        if (!failed || !spec.fits(pod) || !spec.failurePolicy().judge(pod).counts()) {
            return false;
        }
        status.addUncounted("failed", pod.uid());
        return true;
    }

    private boolean noteSuccess(JobPod pod, Set<Integer> indexes) {
        if (spec.indexed()) {
            // That its index is done tells that it is counted; its name is not needed.
            return spec.fits(pod) && !outlook.succeededBefore().has(pod.index()) && indexes.add(pod.index());
        }
        if (knownSucceeded.contains(pod.uid())) {
            return false;
        }
        status.addUncounted("succeeded", pod.uid());
        return true;
    }

    private void noteIndexes(Set<Integer> more) {
        Indexes all = outlook.succeededBefore().with(more);
        status.setCount("succeeded", all.size());
        status.setText("completedIndexes", all.size() == 0 ? null : all.toString());
        Indexes failed = outlook.failedIndexes();
        status.setText("failedIndexes", failed == null ? null : failed.toString());
    }

    // ---- third: the end

    /**
     * @param released the uids of those that have lost their finalizer, or are gone
     * @param all whether every pod that may go has gone
     */
    Closing close(Set<String> released, boolean all) {
        tracked.removeAll(released);
        status.countThoseNotIn(tracked);
        boolean finished = all && !countedEnough && isFinished();
        List<Notice> last = new ArrayList<>();
        if (finished && verdict != null) {
            String type = verdict.success() ? "Complete" : "Failed";
            status.ensure(type, true, verdict.reason(), verdict.message());
            if (verdict.success()) {
                status.setText("completionTime", GoTime.seconds(now));
                boolean tooMany = spec.completions() != JobSpec.UNSET && status.count("succeeded") > spec.completions();
                if (tooMany) {
                    last.add(new Notice(true, "TooManySucceededPods", "Too many succeeded pods appeared"));
                }
                last.add(new Notice(false, "Completed", "Job completed"));
            } else {
                last.add(new Notice(true, verdict.reason(), verdict.message()));
            }
        }
        return new Closing(status.takeChange(), last);
    }

    private boolean isFinished() {
        return verdict != null
                && status.uncounted("succeeded").isEmpty()
                && status.uncounted("failed").isEmpty()
                && terminating == 0;
    }

    /** Pods sorted by what is to become of them; those in {@code owned} stay or are taken in. */
    record Claim(List<JobPod> owned, List<JobPod> adopt, List<JobPod> release) {}

    /** Decides whose the candidates are: pods of the job, and orphans of its namespace. */
    static Claim claim(ObjectNode job, LabelSelector selector, List<JobPod> candidates) {
        List<JobPod> owned = new ArrayList<>();
        List<JobPod> adopt = new ArrayList<>();
        List<JobPod> release = new ArrayList<>();
        boolean deleting = Objects.isDeleting(job);
        for (JobPod pod : candidates) {
            boolean fits = selector.matches(pod.state().labels());
            PodState.OwnerRef owner = pod.state().owner();
            if (owner != null && owner.uid().equals(Objects.uid(job))) {
                if (fits) {
                    owned.add(pod);
                } else if (!deleting) {
                    release.add(pod);
                }
            } else if (owner == null && fits && !deleting && !pod.state().deleting()) {
                adopt.add(pod);
                owned.add(pod.tracked(true));
            }
        }
        return new Claim(owned, adopt, release);
    }
}
