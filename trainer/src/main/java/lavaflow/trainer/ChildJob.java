package lavaflow.trainer;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What is to be known of a Job of a JobSet.
 *
 * @param owner the JobSet's uid
 * @param replicated the template it is of
 * @param attempt how often the set had been restarted when it was made
 * @param ready whether all its pods are ready or have succeeded
 * @param started whether it has a time at which it began
 * @param end {@code Complete}, {@code Failed}, or empty
 * @param why the condition with which it failed; null if it has not
 */
record ChildJob(
        String namespace,
        String name,
        String uid,
        String owner,
        String replicated,
        long attempt,
        boolean active,
        boolean ready,
        boolean suspended,
        boolean started,
        boolean deleting,
        String end,
        @Nullable JsonNode why) {
    static boolean mayBe(ObjectNode job) {
        JsonNode controller = Trainer.controller(job);
        return controller != null
                && Json.textAt(controller, "kind").equals("JobSet")
                && Json.textAt(controller, "apiVersion").equals(Trainer.JOB_SET_VERSION);
    }

    static ChildJob of(ObjectNode job) {
        JsonNode labels = Json.at(job, "metadata", "labels");
        long pods = Json.longAt(job, 1, "spec", "parallelism");
        pods = Math.min(pods, Json.longAt(job, pods, "spec", "completions"));
        long done = Json.longAt(job, 0, "status", "succeeded") + Json.longAt(job, 0, "status", "ready");
        JsonNode status = job.path("status");
        boolean failed = StatusConditions.isTrue(status, "Failed");
        return new ChildJob(
                Trainer.namespace(job),
                Trainer.name(job),
                Trainer.uid(job),
                Json.textAt(Trainer.controller(job), "uid"),
                Json.textAt(labels, JobSetLabels.REPLICATED),
                attempt(Json.textAt(labels, JobSetLabels.ATTEMPT)),
                Json.longAt(status, 0, "active") > 0,
                done >= pods,
                Json.flagAt(job, "spec", "suspend"),
                Json.at(status, "startTime") != null,
                Trainer.isDeleting(job),
                failed ? "Failed" : StatusConditions.isTrue(status, "Complete") ? "Complete" : "",
                failed ? StatusConditions.find(status, "Failed") : null);
    }

    /** One that says no number is of no attempt that still counts. */
    private static long attempt(String label) {
        return label.matches("\\d{1,9}") ? Long.parseLong(label) : -1;
    }

    boolean isFinished() {
        return !end.isEmpty();
    }

    ChildJob deleted() {
        return new ChildJob(
                namespace, name, uid, owner, replicated, attempt, active, ready, suspended, started, true, end, why);
    }
}
