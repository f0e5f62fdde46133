package lavaflow.trainer;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

import lavaflow.controller.KubeApi;
import lavaflow.controller.Step;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;
import lavaflow.training.Gang;
import lavaflow.training.SshKey;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What to do next about a TrainJob, as a function of what there is. An end is written before anything is taken away. */
final class TrainJobEngine {
    static final String SUSPENDED = "Suspended";
    static final String COMPLETE = "Complete";
    static final String FAILED = "Failed";
    static final String TROUBLE = "TrainJobResourcesCreationFailed";
    private static final String LATE = "DeadlineExceeded";
    private static final String UNKNOWN = "TrainingRuntimeNotSupported";
    private static final String MANAGER = "trainer.kubeflow.org/trainjob-controller";
    private static final Duration LOOK = Duration.ofSeconds(5);

    /**
     * What there is of a TrainJob.
     *
     * @param snapshot the ConfigMap with the runtime as it was when the job began; null for none
     * @param runtime as it was then, else as it is now; null for none, or where nobody needs it
     * @param groups the PodGroups of its name, by their kind
     */
    record Observed(
            ObjectNode job,
            @Nullable ObjectNode jobSet,
            @Nullable ObjectNode snapshot,
            @Nullable ObjectNode runtime,
            @Nullable ObjectNode secret,
            List<Group> groups) {}

    /** A PodGroup. */
    record Group(KubeApi.Kind kind, ObjectNode object) {}

    /** How jobs are run. */
    record Ways(Gang gang, ToLongFunction<String> priorities, Supplier<SshKey> keys) {}

    /** Something to put into the cluster as it is here, whatever there is of it already. */
    record Apply(KubeApi.Kind kind, ObjectNode object) {}

    /**
     * What to do.
     *
     * @param applies one after the other
     * @param status what to write, null for nothing
     */
    record Decision(
            List<Apply> applies,
            List<Step> deletions,
            @Nullable ObjectNode status,
            List<Notice> notices,
            @Nullable Duration again) {
        static final Decision NOTHING = new Decision(List.of(), List.of(), null, List.of(), null);
    }

    private final Observed seen;
    private final Ways ways;
    private final Instant now;
    private final ObjectNode job;
    private final ObjectNode status;
    private final StatusConditions conditions;
    private final List<Apply> applies = new ArrayList<>();
    private final List<Step> deletions = new ArrayList<>();
    private final List<Notice> notices = new ArrayList<>();
    private @Nullable Duration again;

    private TrainJobEngine(Observed seen, Ways ways, Instant now) {
        this.seen = seen;
        this.ways = ways;
        this.now = now;
        this.job = seen.job();
        ObjectNode before = Json.objectAt(job, "status");
        this.status = before == null ? Json.object() : before.deepCopy();
        this.conditions = new StatusConditions(status, now);
    }

    static boolean isOurs(ObjectNode job) {
        String manager = Json.textAt(job, "spec", "managedBy");
        return (manager.isEmpty() || manager.equals(MANAGER)) && !Trainer.isDeleting(job);
    }

    static boolean isFinished(ObjectNode job) {
        JsonNode status = job.path("status");
        return StatusConditions.isTrue(status, COMPLETE)
                || (StatusConditions.isTrue(status, FAILED) && !hasReason(status, UNKNOWN));
    }

    private static boolean hasReason(JsonNode status, String reason) {
        return Json.textAt(StatusConditions.find(status, FAILED), "reason").equals(reason);
    }

    static Decision decide(Observed seen, Ways ways, Instant now) {
        return isOurs(seen.job()) ? new TrainJobEngine(seen, ways, now).decide() : Decision.NOTHING;
    }

    private boolean isSuspended() {
        return Json.flagAt(job, "spec", "suspend");
    }

    private Decision decide() {
        RuntimeRef ref = RuntimeRef.of(job);
        if (ref.resource() == null) {
            conditions.set(FAILED, true, UNKNOWN, "unsupported runtime: " + ref.title());
            return decision();
        }
        if (hasReason(status, UNKNOWN)) {
            conditions.remove(FAILED);
        }
        if (isFinished(job)) {
            cleanUp();
            copyCounts(); // Jobs may still end after the job has
            return decision();
        }
        build(ref);
        tellSuspension();
        copyEnds();
        copyCounts();
        checkDeadline();
        return decision();
    }

    private Decision decision() {
        ObjectNode before = Json.objectAt(job, "status");
        boolean same = status.equals(before == null ? Json.object() : before);
        return new Decision(applies, deletions, same || status.isEmpty() ? null : status, notices, again);
    }

    // ---- what is made

    /** Whether a job's JobSet runs, and is therefore left as it is. */
    static boolean runs(ObjectNode job, @Nullable ObjectNode jobSet) {
        return jobSet != null && !Json.flagAt(job, "spec", "suspend") && !Json.flagAt(jobSet, "spec", "suspend");
    }

    private void build(RuntimeRef ref) {
        boolean runs = runs(job, seen.jobSet());
        ObjectNode runtime = seen.runtime();
        if (runtime == null) {
            if (!runs) {
                String missing = ref.kind() + " specified in TrainJob is not found: " + ref.title() + " \"" + ref.name()
                        + "\" not found";
                notices.add(new Notice(true, TROUBLE, "TrainJob resources reconciliation failed: " + missing));
                again = LOOK;
            }
            return;
        }
        TrainJobForm form = new TrainJobForm(job, runtime, ways.gang());
        if (seen.snapshot() == null) {
            applies.add(new Apply(Trainer.CONFIG_MAPS, RuntimeSnapshot.of(job, runtime)));
        }
        if (!runs) {
            form.beside().forEach(map -> applies.add(new Apply(Trainer.CONFIG_MAPS, map)));
            if (form.needsKey() && seen.secret() == null) {
                applies.add(new Apply(
                        Trainer.SECRETS, TrainJobForm.secret(job, ways.keys().get())));
            }
        }
        if (isSuspended()) {
            endGroups();
        } else if (form.gang().isOn() && group(form.gang().gang().groups()) == null) {
            applies.add(new Apply(form.gang().gang().groups(), form.group(ways.priorities())));
        }
        if (!runs) {
            applies.add(new Apply(Trainer.JOB_SETS, form.jobSet()));
        }
    }

    private @Nullable Group group(KubeApi.Kind kind) {
        return seen.groups().stream()
                .filter(group -> group.kind().equals(kind))
                .findFirst()
                .orElse(null);
    }

    /** One of the user's making is left as it is. */
    private void endGroups() {
        seen.groups().stream()
                .filter(group -> Trainer.isControlledBy(group.object(), job) && !Trainer.isDeleting(group.object()))
                .forEach(group -> delete(group.kind(), group.object()));
    }

    private void delete(KubeApi.Kind kind, ObjectNode object) {
        deletions.add(new Step.Delete(
                kind,
                Trainer.namespace(object),
                Trainer.name(object),
                new KubeApi.Deletion(Trainer.uid(object), null, "Background")));
    }

    private void cleanUp() {
        endGroups();
        ObjectNode set = seen.jobSet();
        if (set != null && hasReason(status, LATE) && Trainer.isControlledBy(set, job) && !Trainer.isDeleting(set)) {
            delete(Trainer.JOB_SETS, set);
        }
    }

    // ---- what is told

    private void tellSuspension() {
        if (isSuspended()) {
            conditions.set(SUSPENDED, true, "Suspended", "TrainJob is suspended");
        } else if (conditions.isTrue(SUSPENDED)) {
            conditions.set(SUSPENDED, false, "Resumed", "TrainJob is resumed");
        }
    }

    /** What the job's own JobSet tells; null for nothing. */
    private @Nullable JsonNode told() {
        ObjectNode set = seen.jobSet();
        return set != null && Trainer.isControlledBy(set, job) ? Json.at(set, "status") : null;
    }

    private void copyEnds() {
        JsonNode from = told();
        if (from != null) {
            copyEnd(from, JobSetEngine.COMPLETED, COMPLETE);
            copyEnd(from, JobSetEngine.FAILED, FAILED);
        }
    }

    private void copyCounts() {
        ArrayNode counts = Json.array();
        for (JsonNode each : Json.listAt(told(), "replicatedJobsStatus")) {
            ObjectNode one = counts.addObject().put("name", Json.textAt(each, "name"));
            for (String field : List.of("ready", "succeeded", "failed", "active", "suspended")) {
                one.put(field, Json.longAt(each, 0, field));
            }
        }
        if (!counts.isEmpty()) {
            status.set("jobsStatus", counts);
        }
    }

    private void copyEnd(JsonNode from, String type, String as) {
        ObjectNode end = StatusConditions.find(from, type);
        if (end != null && Json.textAt(end, "status").equals("True")) {
            conditions.set(
                    as,
                    true,
                    Json.textAt(end, "reason"),
                    Json.textAt(end, "message"),
                    Json.textAt(end, "lastTransitionTime"));
        }
    }

    /** Time runs from the making of a job, or from when it was last resumed. */
    private void checkDeadline() {
        long seconds = Json.longAt(job, 0, "spec", "activeDeadlineSeconds");
        if (seconds <= 0 || isSuspended() || conditions.isTrue(COMPLETE) || conditions.isTrue(FAILED)) {
            return;
        }
        ObjectNode suspension = conditions.find(SUSPENDED);
        String began = suspension == null
                ? Json.textAt(job, "metadata", "creationTimestamp")
                : Json.textAt(suspension, "lastTransitionTime");
        try {
            Duration left = Duration.between(now, GoTime.parseSeconds(began).plusSeconds(seconds));
            if (left.isPositive()) {
                again = again == null || left.compareTo(again) < 0 ? left : again;
            } else {
                conditions.set(FAILED, true, LATE, "TrainJob exceeded its active deadline");
            }
        } catch (MalformedException _) {
            again = LOOK; // the server has given it no time yet
        }
    }
}
