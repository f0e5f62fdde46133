package lavaflow.cluster;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Whether a job has to end, and why; which of its indexes are done, lost or still to do. Pure. */
final class JobOutlook {
    /** How a job ends. */
    record Verdict(boolean success, String reason, String message) {
        static final Verdict COMPLETE =
                new Verdict(true, "CompletionsReached", "Reached expected number of succeeded pods");

        static Verdict failure(String reason, String message) {
            return new Verdict(false, reason, message);
        }

        static Verdict of(boolean success, ObjectNode condition) {
            return new Verdict(success, Json.textAt(condition, "reason"), Json.textAt(condition, "message"));
        }
    }

    private final JobSpec spec;
    private final JobStatus status;
    private final List<JobPod> pods;
    private final long failed;
    private final Instant now;
    private final Indexes succeededBefore;
    private final Indexes succeededIndexes;
    private final @Nullable Indexes failedIndexes;
    private final long succeeded;
    private final Map<Integer, JobPod> delayed;
    private final @Nullable Verdict verdict;

    /**
     * @param succeeded how many pods succeeded, for jobs without indexes
     * @param failed how many pods failed, as far as that counts
     */
    JobOutlook(JobSpec spec, JobStatus status, List<JobPod> pods, long succeeded, long failed, Instant now) {
        this.spec = spec;
        this.status = status;
        this.pods = pods;
        this.failed = failed;
        this.now = now;
        int limit = spec.indexLimit();
        this.succeededBefore = Indexes.parse(status.text("completedIndexes"), limit);
        this.succeededIndexes = spec.indexed() ? succeededBefore.with(ended(JobPod::isSucceeded)) : Indexes.NONE;
        this.failedIndexes = spec.indexed() && spec.countsPerIndex()
                ? Indexes.parse(status.text("failedIndexes"), limit).with(ended(spec::failsIndex))
                : null;
        this.succeeded = spec.indexed() ? succeededIndexes.size() : succeeded;
        this.delayed = failedIndexes == null ? Map.of() : delayed(failedIndexes);
        Verdict known = known();
        Verdict found = known == null ? failing() : known;
        this.verdict = found == null && spec.indexed() ? byIndexes() : found;
    }

    private Set<Integer> ended(Predicate<JobPod> how) {
        Set<Integer> indexes = new HashSet<>();
        for (JobPod pod : pods) {
            if (pod.tracked() && pod.hasIndexBelow(spec.indexLimit()) && how.test(pod)) {
                indexes.add(pod.index());
            }
        }
        return indexes;
    }

    /** Null while the job goes on. */
    @Nullable
    Verdict verdict() {
        return verdict;
    }

    long succeeded() {
        return succeeded;
    }

    /** Indexes that were counted before this look. */
    Indexes succeededBefore() {
        return succeededBefore;
    }

    /** Indexes that failed for good; null where failures are not counted by index. */
    @Nullable
    Indexes failedIndexes() {
        return failedIndexes;
    }

    /** By index, the failed pod that must stay until its successor knows how often the index failed. */
    Map<Integer, JobPod> delayed() {
        return delayed;
    }

    /** What was decided before stays. */
    private @Nullable Verdict known() {
        ObjectNode met = status.holding("SuccessCriteriaMet");
        if (met != null) {
            return Verdict.of(true, met);
        }
        ObjectNode target = status.holding("FailureTarget");
        return target == null ? null : Verdict.of(false, target);
    }

    private @Nullable Verdict failing() {
        for (JobPod pod : pods) {
            if (spec.isFailed(pod)) {
                JobFailurePolicy.Verdict each = spec.failurePolicy().judge(pod);
                if (each.action() == JobFailurePolicy.Action.FAIL_JOB) {
                    return Verdict.failure("PodFailurePolicy", each.message());
                }
            }
        }
        if (failed > spec.backoffLimit() || restartedTooOften()) {
            return Verdict.failure("BackoffLimitExceeded", "Job has reached the specified backoff limit");
        }
        Duration left = untilDeadline().orElse(null);
        return left != null && !left.isPositive()
                ? Verdict.failure("DeadlineExceeded", "Job was active longer than specified deadline")
                : null;
    }

    /** Where nodes restart containers themselves, their restarts are the failures. */
    private boolean restartedTooOften() {
        if (!spec.restartsInPlace()) {
            return false;
        }
        long restarts = pods.stream()
                .filter(pod -> pod.state().phase().equals("Running")
                        || pod.state().phase().equals("Pending"))
                .mapToLong(JobPod::restarts)
                .sum();
        return restarts > 0 && restarts >= spec.backoffLimit();
    }

    /** How long the job may still be active, if that is limited. */
    Optional<Duration> untilDeadline() {
        Instant start = status.startTime();
        return spec.deadlineSeconds() == JobSpec.UNSET || start == null || spec.suspended()
                ? Optional.empty()
                : Optional.of(Duration.between(now, start.plusSeconds(spec.deadlineSeconds())));
    }

    private @Nullable Verdict byIndexes() {
        if (failedIndexes != null) {
            int lost = failedIndexes.size();
            if (spec.maxFailedIndexes() != JobSpec.UNSET && lost > spec.maxFailedIndexes()) {
                return Verdict.failure(
                        "MaxFailedIndexesExceeded", "Job has exceeded the specified maximal number of failed indexes");
            }
            if (lost > 0 && lost + succeededIndexes.size() >= spec.completions()) {
                return Verdict.failure("FailedIndexes", "Job has failed indexes");
            }
        }
        return bySuccessPolicy();
    }

    private @Nullable Verdict bySuccessPolicy() {
        if (succeededIndexes.size() == 0) {
            return null;
        }
        int position = 0;
        for (JsonNode rule : Json.listAt(spec.successPolicy(), "rules")) {
            if (isMet(rule)) {
                return new Verdict(true, "SuccessPolicy", "Matched rules at index " + position);
            }
            position++;
        }
        return null;
    }

    private boolean isMet(JsonNode rule) {
        JsonNode wanted = Json.at(rule, "succeededIndexes");
        JsonNode count = Json.at(rule, "succeededCount");
        if (wanted == null) {
            return count != null && succeededIndexes.size() >= count.asLong();
        }
        Indexes required = Indexes.parse(wanted.asText(), spec.indexLimit());
        int met = required.sizeOfCommon(succeededIndexes);
        return met >= (count == null ? required.size() : count.asLong());
    }

    private Map<Integer, JobPod> delayed(Indexes lost) {
        Set<Integer> running = new HashSet<>();
        pods.stream().filter(pod -> pod.state().isActive()).forEach(pod -> running.add(pod.index()));
        Map<Integer, JobPod> last = new TreeMap<>();
        for (JobPod pod : pods) {
            int index = pod.index();
            boolean open = pod.tracked()
                    && spec.fits(pod)
                    && spec.isFailed(pod)
                    && !running.contains(index)
                    && !succeededIndexes.has(index)
                    && !lost.has(index);
            if (open) {
                last.merge(index, pod, JobOutlook::later);
            }
        }
        return last;
    }

    private static JobPod later(JobPod one, JobPod other) {
        return one.allFailuresBefore() <= other.allFailuresBefore()
                        && !other.finished().isBefore(one.finished())
                ? other
                : one;
    }

    /** The first indexes that nobody works on and that are not settled. */
    List<Integer> firstPending(int count, List<JobPod> activePods) {
        List<Integer> busy = new ArrayList<>();
        activePods.forEach(pod -> busy.add(pod.index()));
        if (spec.replaceFailedOnly()) {
            pods.stream().filter(JobPod::isTerminating).forEach(pod -> busy.add(pod.index()));
        }
        busy.removeIf(index -> index == JobPod.NO_INDEX);
        Indexes taken = succeededIndexes.with(busy).with(failedIndexes == null ? Indexes.NONE : failedIndexes);
        return taken.firstMissing(count, spec.indexLimit());
    }
}
