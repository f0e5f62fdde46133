package lavaflow.cluster;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What a job wants. Numbers that were left out are {@link #UNSET}.
 *
 * @param completions how many pods must succeed; unset where the first success is enough
 * @param replaceFailedOnly whether a pod that is going keeps its place until it has gone
 * @param restartsInPlace whether nodes restart containers, so that restarts count as failures
 * @param deadlineSeconds how long it may be active
 */
record JobSpec(
        boolean indexed,
        long completions,
        long parallelism,
        long backoffLimit,
        long backoffLimitPerIndex,
        long maxFailedIndexes,
        boolean suspended,
        boolean replaceFailedOnly,
        boolean restartsInPlace,
        long deadlineSeconds,
        JobFailurePolicy failurePolicy,
        @Nullable JsonNode successPolicy) {

    static final long UNSET = -1;
    private static final String US = "kubernetes.io/job-controller";

    static JobSpec of(ObjectNode job) {
        JsonNode spec = Json.at(job, "spec");
        JobFailurePolicy policy = JobFailurePolicy.of(job);
        long perIndex = Json.longAt(spec, UNSET, "backoffLimitPerIndex");
        return new JobSpec(
                Json.textAt(spec, "completionMode").equals("Indexed"),
                Json.longAt(spec, UNSET, "completions"),
                Json.longAt(spec, 1, "parallelism"),
                Json.longAt(spec, perIndex == UNSET ? 6 : Integer.MAX_VALUE, "backoffLimit"),
                perIndex,
                Json.longAt(spec, UNSET, "maxFailedIndexes"),
                Json.flagAt(spec, "suspend"),
                policy.isPresent() || Json.textAt(spec, "podReplacementPolicy").equals("Failed"),
                Json.textAt(spec, "template", "spec", "restartPolicy").equals("OnFailure"),
                Json.longAt(spec, UNSET, "activeDeadlineSeconds"),
                policy,
                Json.at(spec, "successPolicy"));
    }

    /** Others may take care of a job instead of us. */
    static boolean isOurs(ObjectNode job) {
        JsonNode manager = Json.at(job, "spec", "managedBy");
        return manager == null || manager.asText().equals(US);
    }

    boolean countsPerIndex() {
        return backoffLimitPerIndex != UNSET;
    }

    /** How many indexes there are; all pods of a job without indexes fit. */
    int indexLimit() {
        return indexed ? (int) completions : Integer.MAX_VALUE;
    }

    /** Whether a pod takes part: one of an indexed job must say with which index. */
    boolean fits(JobPod pod) {
        return !indexed || pod.hasIndexBelow(indexLimit());
    }

    /** A pod that has failed, or is going and so will never succeed, unless its failure is waited for. */
    boolean isFailed(JobPod pod) {
        return pod.state().phase().equals("Failed")
                || (!replaceFailedOnly && pod.state().deleting() && !pod.isSucceeded());
    }

    /** Whether the failure of a pod, if it has failed, is the last its index may have. */
    boolean failsIndex(JobPod pod) {
        JobFailurePolicy.Verdict verdict = failurePolicy.judge(pod);
        return isFailed(pod)
                && (verdict.action() == JobFailurePolicy.Action.FAIL_INDEX
                        || (verdict.counts() && pod.failuresBefore() >= backoffLimitPerIndex));
    }
}
