package lavaflow.training;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;

import lavaflow.controller.KubeApi;
import lavaflow.controller.Plan;
import lavaflow.controller.Step;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What to do next about a job of any framework, as a function of what there is. An end is written before anything is cleaned up: whoever
 * looks after a crash in between must not take what is gone for something to make.
 */
final class Engine {
    private final Settings settings;
    private final Observed seen;
    private final Instant now;
    private final TrainingJob job;
    private final ObjectNode status;
    private final Conditions conditions;
    private final List<Notice> notices = new ArrayList<>();
    private final List<Decision.Mark> marks = new ArrayList<>();
    private final List<Step> needed = new ArrayList<>();
    private @Nullable Duration again;

    private Engine(TrainingJob job, Observed seen, Settings settings, Instant now) {
        this.settings = settings;
        this.seen = seen;
        this.now = now;
        this.job = job;
        ObjectNode before = Json.objectAt(seen.job(), "status");
        this.status = before == null ? Json.object() : before.deepCopy();
        this.conditions = new Conditions(status, now);
    }

    static Decision decide(Framework framework, Observed seen, Settings settings, Instant now) {
        TrainingJob job = TrainingJob.of(framework, seen.job());
        if (!job.policy().isOurs() || Json.at(seen.job(), "metadata", "deletionTimestamp") != null) {
            return Decision.NOTHING;
        }
        String refusal = framework instanceof Mpi ? Mpi.refusal(job.object()) : "";
        if (!refusal.isEmpty()) {
            Notice notice =
                    new Notice(true, "MPIJobFailedValidation", "MPIJob failed validation because " + refusal, refusal);
            return new Decision(List.of(), Plan.NOTHING, null, false, List.of(notice), List.of(), false, null);
        }
        return new Engine(job, seen, settings, now).decide();
    }

    private Decision decide() {
        if (!conditions.has(Conditions.CREATED)
                && conditions.become(Conditions.CREATED, reason("Created"), created())) {
            marks.add(Decision.Mark.CREATED);
        }
        if (conditions.isFinished()) {
            return finished();
        }
        if (job.policy().suspended()) {
            return suspended();
        }
        if (conditions.isTrue(Conditions.SUSPENDED)) {
            return seen.pods().isEmpty()
                    ? resumed()
                    : suspended(); // pods of before go first, their ends are not the job's
        }
        for (TrainingPod pod : seen.pods()) {
            notices.addAll(pod.trouble());
        }
        ReplicaPass pass = new ReplicaPass(job, seen);
        String limit = exceeded(pass);
        if (!limit.isEmpty()) {
            tellCounts(pass);
            end(Conditions.FAILED, new Notice(false, reason("Failed"), limit, ""), Decision.Mark.FAILED);
            return decision(Plan.NOTHING);
        }
        return work(pass);
    }

    private String created() {
        return job.kind() + " " + job.name() + " is created.";
    }

    private void tellHoldup() {
        String name = Training.lower(job.kind()) + "/" + job.name();
        Duration left = Holdup.tell(conditions, created(), name, seen.pods(), seen.group());
        if (left != null && (again == null || left.compareTo(again) < 0)) {
            again = left;
        }
    }

    private String reason(String what) {
        return job.kind() + what;
    }

    private Decision decision(Plan plan) {
        ObjectNode before = Json.objectAt(seen.job(), "status");
        boolean same = status.equals(before == null ? Json.object() : before);
        boolean urgent = !same && !withoutCounts(status).equals(withoutCounts(before));
        return new Decision(needed, plan, same ? null : status, urgent, notices, marks, false, again);
    }

    private static JsonNode withoutCounts(@Nullable ObjectNode status) {
        ObjectNode rest = status == null ? Json.object() : status.deepCopy();
        rest.remove("replicaStatuses");
        return rest;
    }

    // ---- the usual work

    private Decision work(ReplicaPass pass) {
        Gang gang = settings.gang().of(job);
        List<Step> first = new ArrayList<>();
        boolean held = gang.isOn() && !form(gang, first);
        if (held && seen.pods().isEmpty()) {
            if (!status.has("lastReconcileTime")) {
                status.put("lastReconcileTime", GoTime.seconds(now));
            }
            tellHoldup();
            return decision(Plan.together(first));
        }
        if (!status.has("startTime")) {
            status.put("startTime", GoTime.seconds(now));
        }
        checkDeadline();
        notices.addAll(pass.notices());
        tellCounts(pass);
        if (judge(pass)) {
            return decision(Plan.NOTHING);
        }
        tellHoldup();
        List<Step> steps = new ArrayList<>(pass.deletions());
        pass.broken()
                .forEach(pod -> steps.add(new Step.Delete(
                        Training.PODS, pod.namespace(), pod.name(), KubeApi.Deletion.ofUid(pod.uid()))));
        if (!pass.broken().isEmpty()) {
            marks.add(Decision.Mark.RESTARTED);
        }
        boolean possible = Belongings.ensure(job, seen, pass, needed, notices);
        if (!held && possible) {
            steps.addAll(pass.creations(gang, settings));
            notices.addAll(pass.templateNotices(gang));
        }
        return decision(new Plan(List.of(first, remember(pass), steps)));
    }

    /** Looks after the job's PodGroup; true if its pods may come. One of the user's making is left as it is. */
    private boolean form(Gang gang, List<Step> steps) {
        GroupForm.Wish wish = GroupForm.Wish.of(job);
        ObjectNode group = seen.group();
        if (group == null) {
            steps.add(new Step.Create(gang.groups(), job.namespace(), GroupForm.group(wish, gang, seen.priorities())));
            return gang.sort() == Gang.Sort.PLUGINS;
        }
        if (isOurs(group)) {
            ObjectNode change = GroupForm.change(group, wish, gang, seen.priorities());
            if (change != null) {
                steps.add(new Step.Patch(gang.groups(), job.namespace(), job.name(), "", KubeApi.Merge.PLAIN, change));
            }
        }
        return gang.admits(group);
    }

    private boolean isOurs(JsonNode object) {
        return Training.controllerUid(object).equals(job.uid());
    }

    /** True if this was the end. */
    private boolean judge(ReplicaPass pass) {
        if (!pass.lost().isEmpty()) {
            String message = "job \"" + job.name() + "\" is failing because \"" + pass.lost() + "\" replica(s) failed.";
            end(Conditions.FAILED, Notice.warning(reason("Failed"), message), Decision.Mark.FAILED);
            return true;
        }
        switch (job.framework().judge(job, pass.tally())) {
            case Framework.Verdict.Nothing() -> {}
            case Framework.Verdict.Running(String message) ->
                conditions.become(Conditions.RUNNING, reason("Running"), message);
            case Framework.Verdict.Restarting(String message) -> restart(pass, message);
            case Framework.Verdict.Succeeded(String message) -> {
                beRunningFirst();
                end(Conditions.SUCCEEDED, Notice.normal(reason("Succeeded"), message), Decision.Mark.SUCCEEDED);
                countAsSucceeded();
                return true;
            }
            case Framework.Verdict.Failed(String message) -> {
                beRunningFirst();
                end(Conditions.FAILED, Notice.normal(reason("Failed"), message), Decision.Mark.FAILED);
                return true;
            }
        }
        return false;
    }

    /** XGBoost's jobs have always been running before they end. */
    private void beRunningFirst() {
        if (job.framework() instanceof XGBoost && !conditions.has(Conditions.RUNNING)) {
            conditions.become(Conditions.RUNNING, reason("Running"), "XGBoostJob " + job.name() + " is running.");
        }
    }

    private void restart(ReplicaPass pass, String message) {
        String told = pass.restarting().isEmpty()
                ? message
                : "job " + job.name() + " is restarting because "
                        + pass.restarting().getFirst() + " replica(s) failed.";
        boolean changed = conditions.become(Conditions.RESTARTING, reason("Restarting"), told);
        if (changed || !pass.broken().isEmpty()) {
            notices.add(Notice.warning(reason("Restarting"), told));
        }
    }

    private void end(String condition, Notice notice, Decision.Mark mark) {
        if (!status.has("completionTime")) {
            status.put("completionTime", GoTime.seconds(now));
        }
        conditions.become(condition, notice.reason(), notice.message());
        notices.add(notice);
        marks.add(mark);
    }

    private void tellCounts(ReplicaPass pass) {
        ObjectNode told = status.putObject("replicaStatuses");
        for (TrainingJob.Replica replica : job.replicas()) {
            Framework.Counts counts = job.framework().shown(replica.type(), pass.tally());
            ObjectNode each = told.putObject(replica.type());
            put(each, "active", counts.active());
            put(each, "succeeded", counts.succeeded());
            put(each, "failed", counts.failed());
            if (job.framework().tellsSelectors()) {
                each.put("selector", ReplicaForm.selector(job, replica.type()));
            }
        }
    }

    private static void put(ObjectNode object, String field, long value) {
        if (value == 0) {
            object.remove(field);
        } else {
            object.put(field, value);
        }
    }

    // ---- limits

    /** Why a job may not go on, empty if it may. */
    private String exceeded(ReplicaPass pass) {
        Long limit = job.policy().backoffLimit();
        if (limit != null) {
            List<String> counted = replaced();
            long anew = pass.broken().stream()
                    .filter(pod -> !counted.contains(pod.uid()))
                    .count();
            long restarts = pass.restarts() + counted.size() + anew;
            if (limit == 0 ? restarts > 0 : restarts >= limit) {
                return "Job " + job.name() + " has failed because it has reached the specified backoff limit";
            }
        }
        Duration left = untilDeadline();
        return left != null && !left.isPositive()
                ? "Job " + job.name() + " has failed because it was active longer than specified deadline"
                : "";
    }

    private @Nullable Duration untilDeadline() {
        Long seconds = job.policy().deadlineSeconds();
        Instant started = time(status, "startTime");
        return seconds == null || started == null ? null : Duration.between(now, started.plusSeconds(seconds));
    }

    private void checkDeadline() {
        Duration left = untilDeadline();
        if (left != null) {
            again = left;
        }
    }

    static @Nullable Instant time(JsonNode object, String field) {
        String text = Json.textAt(object, field);
        try {
            return text.isEmpty() ? null : GoTime.parseSeconds(text);
        } catch (MalformedException _) {
            return null; // the schema does not let it in
        }
    }

    private List<String> replaced() {
        String text = Json.textAt(seen.job(), "metadata", "annotations", Training.REPLACED);
        return text.isEmpty() ? List.of() : Arrays.asList(text.split(",", -1));
    }

    /** Writes down which pods are replaced before they are gone, so that each counts once whatever happens in between. */
    private List<Step> remember(ReplicaPass pass) {
        List<String> known = new ArrayList<>(replaced());
        int before = known.size();
        pass.broken().stream()
                .map(TrainingPod::uid)
                .filter(Predicate.not(known::contains))
                .forEach(known::add);
        if (job.policy().backoffLimit() == null || known.size() == before) {
            return List.of();
        }
        ObjectNode patch = Json.object();
        ObjectNode metadata = patch.putObject("metadata");
        metadata.put("uid", job.uid());
        metadata.putObject("annotations").put(Training.REPLACED, String.join(",", known));
        return List.of(new Step.Patch(
                job.framework().words().resource(), job.namespace(), job.name(), "", KubeApi.Merge.PLAIN, patch));
    }

    // ---- suspension

    private Decision suspended() {
        List<Step> steps = new ArrayList<>();
        seen.pods().stream()
                .filter(pod -> !pod.deleting())
                .forEach(pod -> steps.add(new Step.Delete(
                        Training.PODS, pod.namespace(), pod.name(), KubeApi.Deletion.ofUid(pod.uid()))));
        seen.services().stream()
                .filter(service -> service.owner().equals(job.uid()))
                .forEach(service -> steps.add(new Step.Delete(
                        Training.SERVICES,
                        service.namespace(),
                        service.name(),
                        KubeApi.Deletion.ofUid(service.uid()))));
        ObjectNode scaler = seen.other(Training.AUTOSCALERS.resource(), job.name());
        if (scaler != null && isOurs(scaler)) {
            needed.add(new Step.Delete(
                    Training.AUTOSCALERS, job.namespace(), job.name(), KubeApi.Deletion.ofUid(Training.uid(scaler))));
        }
        endGroup(steps);
        ObjectNode counts = Json.objectAt(status, "replicaStatuses");
        if (counts != null) {
            counts.properties().forEach(each -> ((ObjectNode) each.getValue()).remove("active"));
        }
        String message = job.kind() + " " + job.name() + " is suspended.";
        if (conditions.isTrue(Conditions.RUNNING)) {
            conditions.set(Conditions.RUNNING, false, reason("Suspended"), message);
        }
        if (conditions.become(Conditions.SUSPENDED, reason("Suspended"), message)) {
            notices.add(Notice.normal(reason("Suspended"), message));
        }
        return decision(Plan.together(steps));
    }

    /** It is told before pods are made: they could not be told from those of before. */
    private Decision resumed() {
        String message = job.kind() + " " + job.name() + " is resumed.";
        conditions.set(Conditions.SUSPENDED, false, reason("Resumed"), message);
        status.put("startTime", GoTime.seconds(now));
        notices.add(Notice.normal(reason("Resumed"), message));
        return decision(Plan.NOTHING);
    }

    // ---- the end

    private Decision finished() {
        List<Step> steps = new ArrayList<>();
        Set<String> kept = new HashSet<>();
        for (TrainingPod pod : seen.pods()) {
            if (!job.policy().cleaning().takes(pod)) {
                kept.add(pod.name());
            } else if (!pod.deleting()) {
                steps.add(
                        new Step.Delete(Training.PODS, pod.namespace(), pod.name(), KubeApi.Deletion.ofUid(pod.uid())));
            }
        }
        if (job.policy().cleaning() != RunPolicy.Cleaning.NONE) {
            // Also those whose pods went before, perhaps by somebody who did not live to see to them.
            seen.services().stream()
                    .filter(service -> !kept.contains(service.name()))
                    .forEach(service -> steps.add(new Step.Delete(
                            Training.SERVICES,
                            service.namespace(),
                            service.name(),
                            KubeApi.Deletion.ofUid(service.uid()))));
        }
        endGroup(steps);
        if (conditions.isTrue(Conditions.SUCCEEDED)) {
            countAsSucceeded();
        }
        Decision usual = decision(Plan.together(steps));
        Duration left = untilDeletion();
        if (left == null) {
            return usual;
        }
        if (left.isPositive()) {
            return new Decision(needed, usual.plan(), usual.status(), usual.urgent(), notices, marks, false, left);
        }
        marks.add(Decision.Mark.DELETED);
        return new Decision(needed, usual.plan(), null, false, notices, marks, true, null);
    }

    private void countAsSucceeded() {
        ObjectNode counts = Json.objectAt(status, "replicaStatuses");
        if (counts == null) {
            return;
        }
        counts.properties().forEach(each -> {
            if (each.getValue() instanceof ObjectNode count && count.has("active")) {
                long succeeded = Json.longAt(count, 0, "succeeded") + Json.longAt(count, 0, "active");
                count.remove("active");
                count.put("succeeded", succeeded);
            }
        });
    }

    private @Nullable Duration untilDeletion() {
        Long seconds = job.policy().secondsToKeep();
        Instant ended = time(status, "completionTime");
        if (seconds == null) {
            return null;
        }
        if (ended == null) {
            for (JsonNode condition : Json.listAt(status, "conditions")) {
                ended = Objects.requireNonNullElse(time(condition, "lastTransitionTime"), now);
            }
        }
        return ended == null ? null : Duration.between(now, ended.plusSeconds(seconds));
    }

    /** A group that only waits for pods of this job is of no use any more. */
    private void endGroup(List<Step> steps) {
        ObjectNode group = seen.group();
        if (group != null && isOurs(group) && Json.at(group, "metadata", "deletionTimestamp") == null) {
            steps.add(new Step.Delete(
                    settings.gang().groups(),
                    job.namespace(),
                    job.name(),
                    KubeApi.Deletion.ofUid(Training.uid(group))));
            notices.add(Notice.normal("SuccessfulDeletePodGroup", "Deleted PodGroup: " + job.name()));
        }
    }
}
