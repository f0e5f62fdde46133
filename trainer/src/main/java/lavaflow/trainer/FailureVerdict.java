package lavaflow.trainer;

import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What the failure of Jobs means for their set.
 *
 * @param restart whether all begin anew
 * @param counts whether that is one of so many restarts
 * @param reason of the condition that is told
 * @param event of the event that is told beside it, empty for none
 */
record FailureVerdict(boolean restart, boolean counts, String reason, String message, String event) {
    /** @param failed at least one */
    static FailureVerdict of(JobSetView set, List<ChildJob> failed, long counted) {
        ObjectNode policy = set.failurePolicy();
        if (policy == null) {
            return end("FailedJobs", "jobset failed due to one or more job failures", first(failed));
        }
        for (ObjectNode rule : Trainer.objects(Json.listAt(policy, "rules"))) {
            List<ChildJob> fitting =
                    failed.stream().filter(job -> fits(rule, job)).toList();
            if (!fitting.isEmpty()) {
                return of(policy, rule, first(fitting), counted);
            }
        }
        return of(policy, null, first(failed), counted);
    }

    private static FailureVerdict of(ObjectNode policy, @Nullable ObjectNode rule, ChildJob job, long counted) {
        String action = rule == null ? "RestartJobSet" : Json.textAt(rule, "action");
        if (action.equals("FailJobSet")) {
            return end("FailJobSetFailurePolicyAction", "applying FailJobSet failure policy action", job);
        }
        boolean counts = !action.equals("RestartJobSetAndIgnoreMaxRestarts");
        if (counts && counted >= Json.longAt(policy, 0, "maxRestarts")) {
            return end("ReachedMaxRestarts", "jobset failed due to reaching max number of restarts", job);
        }
        String word = counts ? "RestartJobSet" : action;
        return new FailureVerdict(
                true,
                counts,
                rule == null ? "DefaultFailurePolicy" : "FailurePolicy_" + Json.textAt(rule, "name"),
                message("applying " + word + " failure policy action", job),
                word + "FailurePolicyAction");
    }

    private static FailureVerdict end(String reason, String message, ChildJob job) {
        return new FailureVerdict(false, false, reason, message(message, job), "");
    }

    private static String message(String message, ChildJob job) {
        return message + " (first failed job: " + job.name() + ")";
    }

    private static ChildJob first(List<ChildJob> failed) {
        return failed.stream()
                .min(Comparator.comparing((ChildJob job) -> Json.textAt(job.why(), "lastTransitionTime"))
                        .thenComparing(ChildJob::name))
                .orElseThrow();
    }

    private static boolean fits(ObjectNode rule, ChildJob job) {
        JsonNode why = Objects.requireNonNull(job.why());
        List<String> reasons = Trainer.texts(rule.get("onJobFailureReasons"));
        List<String> patterns = Trainer.texts(rule.get("onJobFailureMessagePatterns"));
        List<String> targets = Trainer.texts(rule.get("targetReplicatedJobs"));
        return (reasons.isEmpty() || reasons.contains(Json.textAt(why, "reason")))
                && (targets.isEmpty() || targets.contains(job.replicated()))
                && (patterns.isEmpty()
                        || patterns.stream().anyMatch(pattern -> matches(pattern, Json.textAt(why, "message"))));
    }

    private static boolean matches(String pattern, String message) {
        try {
            return Pattern.compile(pattern).matcher(message).find();
        } catch (PatternSyntaxException _) {
            return false; // as upstream, which only logs it
        }
    }
}
