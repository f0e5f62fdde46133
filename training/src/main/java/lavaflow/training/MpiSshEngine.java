package lavaflow.training;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;

import lavaflow.controller.KubeApi;
import lavaflow.controller.Plan;
import lavaflow.controller.Step;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What to do next about an MPIJob of the second version, as a function of what there is. */
final class MpiSshEngine {
    private static final int LONGEST_MESSAGE = 1024;

    private final MpiSshJob job;
    private final MpiSshForm form;
    private final Observed seen;
    private final Gang gang;
    private final Supplier<SshKey> keys;
    private final Instant now;
    private final ObjectNode status;
    private final Conditions conditions;
    private final List<TrainingPod> workers;
    private final List<TrainingPod> launcherPods;
    private final @Nullable ObjectNode launcher;
    private final List<Notice> notices = new ArrayList<>();
    private final List<Decision.Mark> marks = new ArrayList<>();
    private final List<Step> needed = new ArrayList<>();
    private final List<Step> first = new ArrayList<>();
    private final List<Step> steps = new ArrayList<>();
    private @Nullable Duration again;

    private MpiSshEngine(MpiSshJob job, Observed seen, Settings settings, Supplier<SshKey> keys, Instant now) {
        this.job = job;
        this.form = new MpiSshForm(job, settings);
        this.seen = seen;
        this.gang = settings.gang();
        this.keys = keys;
        this.now = now;
        ObjectNode before = Json.objectAt(seen.job(), "status");
        this.status = before == null ? Json.object() : before.deepCopy();
        this.conditions = new Conditions(status, now);
        this.launcher = seen.other(Training.BATCH_JOBS.resource(), job.launcherName());
        String ofLauncher = launcher == null ? "" : Training.uid(launcher);
        this.workers = seen.pods().stream()
                .filter(pod -> pod.owner().equals(job.uid()))
                .toList();
        this.launcherPods = seen.pods().stream()
                .filter(pod -> !ofLauncher.isEmpty() && pod.owner().equals(ofLauncher))
                .toList();
    }

    /** What to look for before deciding about a job, by kind. */
    static List<Map.Entry<KubeApi.Kind, String>> belongings(MpiSshJob job) {
        return List.of(
                Map.entry(Training.SERVICES, job.name()),
                Map.entry(Training.CONFIG_MAPS, job.configName()),
                Map.entry(Training.SECRETS, job.secretName()),
                Map.entry(Training.BATCH_JOBS, job.launcherName()));
    }

    static Decision decide(MpiSshJob job, Observed seen, Settings settings, Supplier<SshKey> keys, Instant now) {
        if (!job.policy().isOurs() || Json.at(seen.job(), "metadata", "deletionTimestamp") != null) {
            return Decision.NOTHING;
        }
        String refusal = MpiSshRules.refusal(job);
        if (!refusal.isEmpty()) {
            Notice notice =
                    new Notice(true, "ValidationError", shortened("Found validation errors: " + refusal), refusal);
            return new Decision(List.of(), Plan.NOTHING, null, false, List.of(notice), List.of(), false, null);
        }
        return new MpiSshEngine(job, seen, settings, keys, now).decide();
    }

    private static String shortened(String message) {
        return message.length() <= LONGEST_MESSAGE ? message : message.substring(0, LONGEST_MESSAGE - 3) + "...";
    }

    private String place() {
        return "MPIJob " + job.namespace() + "/" + job.name();
    }

    private String created() {
        return place() + " is created.";
    }

    private Decision decide() {
        if (!conditions.has(Conditions.CREATED)) {
            become(Conditions.CREATED, "MPIJobCreated", created(), false);
            marks.add(Decision.Mark.CREATED);
        }
        if (conditions.isFinished()) {
            return finished();
        }
        if (!status.has("startTime") && !job.policy().suspended()) {
            status.put("startTime", GoTime.seconds(now));
        }
        if (launcher != null && !isOurs(launcher)) {
            foreign(job.launcherName(), "Job");
            return decision();
        }
        if (launcher == null || !isFinished(launcher)) {
            work();
        }
        if (launcher != null) {
            suspendLauncher(launcher);
        }
        if (job.policy().suspended()) {
            workers.stream().filter(pod -> !pod.deleting()).forEach(this::delete);
            endGroup();
        }
        tellSuspension();
        tellLauncher();
        tellWorkers();
        tellHoldup();
        return decision();
    }

    private Decision decision() {
        ObjectNode before = Json.objectAt(seen.job(), "status");
        boolean same = status.equals(before == null ? Json.object() : before);
        boolean urgent = !same && !rest(status).equals(rest(before));
        return new Decision(
                needed, new Plan(List.of(first, steps)), same ? null : status, urgent, notices, marks, false, again);
    }

    private static JsonNode rest(@Nullable ObjectNode status) {
        ObjectNode rest = status == null ? Json.object() : status.deepCopy();
        rest.remove("replicaStatuses");
        return rest;
    }

    private void become(String condition, String reason, String message, boolean warning) {
        if (conditions.become(condition, reason, message)) {
            notices.add(new Notice(warning, reason, message, ""));
        }
    }

    // ---- objects

    private void work() {
        boolean free = ensure(Training.SERVICES, form.service(), null)
                && ensure(Training.CONFIG_MAPS, form.configMap(running()), "data")
                && ensureSecret();
        if (!free) {
            return;
        }
        if (!job.policy().suspended()) {
            formGroup();
            makeWorkers();
        }
        boolean ready = workers.stream().filter(TrainingPod::ready).count() >= job.workers();
        if (launcher == null && (job.launchesAtOnce() || ready)) {
            needed.add(new Step.Create(Training.BATCH_JOBS, job.namespace(), form.launcher(gang)));
            if (!Json.textAt(job.template(Mpi.LAUNCHER), "spec", "restartPolicy")
                    .isEmpty()) {
                notices.add(Notice.warning(
                        "SetPodTemplateRestartPolicy",
                        "Restart policy in pod template overridden by restart policy in replica spec"));
            }
        }
    }

    /** Who runs is told once all do, and from then on at every change. */
    private List<String> running() {
        List<String> running = workers.stream()
                .filter(pod -> pod.isRunning() && !pod.deleting())
                .map(TrainingPod::name)
                .sorted()
                .toList();
        boolean launched = launcherPods.stream().anyMatch(pod -> !pod.isPending());
        return launched || running.size() >= job.workers() ? running : List.of();
    }

    private boolean ensure(KubeApi.Kind kind, ObjectNode wanted, @Nullable String field) {
        String name = Training.name(wanted);
        ObjectNode found = seen.other(kind.resource(), name);
        if (found == null) {
            needed.add(new Step.Create(kind, job.namespace(), wanted));
            return true;
        }
        if (!isOurs(found)) {
            foreign(name, Json.textAt(wanted, "kind"));
            return false;
        }
        if (field != null && !Belongings.covers(found.get(field), wanted.get(field))) {
            ObjectNode patch = Json.object();
            patch.putObject("metadata").put("uid", Training.uid(found));
            patch.set(field, wanted.get(field));
            needed.add(new Step.Patch(kind, job.namespace(), name, "", KubeApi.Merge.PLAIN, patch));
        }
        return true;
    }

    private boolean ensureSecret() {
        ObjectNode found = seen.other(Training.SECRETS.resource(), job.secretName());
        return found == null
                ? ensure(Training.SECRETS, form.secret(keys.get()), null)
                : ensure(Training.SECRETS, found, null);
    }

    private boolean isOurs(JsonNode object) {
        return Training.controllerUid(object).equals(job.uid());
    }

    private void foreign(String name, String kind) {
        notices.add(new Notice(
                true,
                "ErrResourceExists",
                "Resource \"" + name + "\" of Kind \"" + kind + "\" already exists and is not managed by MPIJob",
                "foreign " + kind));
    }

    private void makeWorkers() {
        for (int i = 0; i < job.workers(); i++) {
            String name = job.workerName(i);
            if (workers.stream().noneMatch(pod -> pod.name().equals(name))) {
                steps.add(new Step.Create(Training.PODS, job.namespace(), form.worker(i, gang)));
            }
        }
        int shift = job.launcherComputes() ? 1 : 0;
        workers.stream()
                .filter(pod -> pod.index() - shift >= job.workers() && !pod.deleting())
                .forEach(this::delete);
    }

    private void delete(TrainingPod pod) {
        steps.add(new Step.Delete(Training.PODS, pod.namespace(), pod.name(), KubeApi.Deletion.ofUid(pod.uid())));
    }

    private void formGroup() {
        if (!gang.isOn()) {
            return;
        }
        ObjectNode group = seen.group();
        GroupForm.Wish wish = form.wish();
        if (group == null) {
            first.add(new Step.Create(gang.groups(), job.namespace(), GroupForm.group(wish, gang, seen.priorities())));
        } else if (isOurs(group)) {
            ObjectNode change = GroupForm.change(group, wish, gang, seen.priorities());
            if (change != null) {
                first.add(new Step.Patch(gang.groups(), job.namespace(), job.name(), "", KubeApi.Merge.PLAIN, change));
            }
        }
    }

    private void endGroup() {
        ObjectNode group = seen.group();
        if (group != null && isOurs(group) && Json.at(group, "metadata", "deletionTimestamp") == null) {
            steps.add(new Step.Delete(
                    gang.groups(), job.namespace(), job.name(), KubeApi.Deletion.ofUid(Training.uid(group))));
        }
    }

    /** The launcher rests with the job, and takes on where it may be placed as long as it never started: queues of others set that. */
    private void suspendLauncher(ObjectNode found) {
        boolean rests = Json.flagAt(found, "spec", "suspend");
        if (isFinished(found) || rests == job.policy().suspended()) {
            return;
        }
        ObjectNode patch = Json.object();
        patch.putObject("metadata").put("uid", Training.uid(found));
        ObjectNode spec = patch.putObject("spec");
        spec.put("suspend", job.policy().suspended());
        if (rests && Json.at(found, "status", "startTime") == null) {
            ObjectNode wanted = form.launcher(gang);
            ObjectNode template = spec.putObject("template");
            ObjectNode place = Json.object();
            for (String field : List.of("nodeSelector", "tolerations", "schedulingGates")) {
                JsonNode value = Json.at(wanted, "spec", "template", "spec", field);
                if (value != null) {
                    place.set(field, value);
                }
            }
            template.set("metadata", Objects.requireNonNull(Json.at(wanted, "spec", "template", "metadata")));
            template.set("spec", place);
        }
        needed.add(new Step.Patch(
                Training.BATCH_JOBS, job.namespace(), job.launcherName(), "", KubeApi.Merge.PLAIN, patch));
    }

    // ---- status

    private static @Nullable JsonNode end(ObjectNode launcher, String type) {
        for (JsonNode condition : Json.listAt(launcher, "status", "conditions")) {
            if (Json.textAt(condition, "type").equals(type)
                    && Json.textAt(condition, "status").equals("True")) {
                return condition;
            }
        }
        return null;
    }

    private static boolean isFinished(ObjectNode launcher) {
        return end(launcher, "Complete") != null || end(launcher, "Failed") != null;
    }

    private void tellSuspension() {
        if (job.policy().suspended()) {
            become(Conditions.SUSPENDED, "MPIJobSuspended", "MPIJob suspended", false);
            conditions.set(Conditions.RUNNING, false, "MPIJobSuspended", place() + " is suspended.");
        } else if (conditions.isTrue(Conditions.SUSPENDED)
                && conditions.set(Conditions.SUSPENDED, false, "MPIJobResumed", "MPIJob resumed")) {
            notices.add(Notice.normal("MPIJobResumed", "MPIJob resumed"));
            status.put("startTime", GoTime.seconds(now));
        }
    }

    private ObjectNode counts(String type) {
        return Json.ensureObject(status, "replicaStatuses", type);
    }

    private static void put(ObjectNode counts, String field, long value) {
        if (value == 0) {
            counts.remove(field);
        } else {
            counts.put(field, value);
        }
    }

    private void tellLauncher() {
        if (launcher == null) {
            return;
        }
        ObjectNode counts = counts(Mpi.LAUNCHER);
        put(counts, "failed", Json.longAt(launcher, 0, "status", "failed"));
        long active = launcherPods.stream().filter(TrainingPod::isRunning).count();
        if (end(launcher, "Complete") != null) {
            put(counts, "active", 0);
            counts.put("succeeded", 1);
            String ended = Json.textAt(launcher, "status", "completionTime");
            if (!status.has("completionTime")) {
                status.put("completionTime", ended.isEmpty() ? GoTime.seconds(now) : ended);
            }
            become(Conditions.SUCCEEDED, "MPIJobSucceeded", place() + " successfully completed.", false);
            marks.add(Decision.Mark.SUCCEEDED);
            return;
        }
        JsonNode failed = end(launcher, "Failed");
        if (failed == null) {
            put(counts, "active", active);
            boolean all = workers.stream().filter(TrainingPod::isRunning).count() == workers.size();
            if (active > 0
                    && all
                    && !job.policy().suspended()
                    && conditions.become(Conditions.RUNNING, "MPIJobRunning", place() + " is running.")) {
                notices.add(Notice.normal("MPIJobRunning", place() + " is running"));
            }
            return;
        }
        put(counts, "active", 0);
        if (!status.has("completionTime")) {
            status.put("completionTime", GoTime.seconds(now));
        }
        String reason = Json.textAt(failed, "reason");
        String message = Json.textAt(failed, "message");
        TrainingPod last = launcherPods.stream()
                .filter(TrainingPod::hasFailed)
                .max(Comparator.comparing(TrainingPod::created))
                .orElse(null);
        if (reason.equals("BackoffLimitExceeded") && last != null) {
            reason += last.reason().isEmpty() ? "" : "/" + last.reason();
            message += last.message().isEmpty() ? "" : ": " + last.message();
        }
        become(
                Conditions.FAILED,
                reason.isEmpty() ? "MPIJobFailed" : reason,
                shortened(message.isEmpty() ? place() + " has failed" : message),
                true);
        marks.add(Decision.Mark.FAILED);
    }

    private void tellWorkers() {
        JsonNode before = Json.ensureObject(status, "replicaStatuses").remove(Mpi.WORKER);
        ObjectNode counts = counts(Mpi.WORKER); // behind the launcher's
        if (launcher != null && isFinished(launcher)) {
            return; // whoever still waits for work does not count
        }
        if (before instanceof ObjectNode known) {
            counts.setAll(known);
        }
        put(counts, "active", workers.stream().filter(TrainingPod::isRunning).count());
        put(
                counts,
                "succeeded",
                workers.stream().filter(TrainingPod::hasSucceeded).count());
        put(counts, "failed", workers.stream().filter(TrainingPod::hasFailed).count());
        long evicted = workers.stream()
                .filter(pod -> pod.hasFailed() && pod.reason().equals("Evicted"))
                .count();
        if (evicted > 0 && !conditions.isFinished()) {
            if (!status.has("completionTime")) {
                status.put("completionTime", GoTime.seconds(now));
            }
            String message = evicted + "/" + workers.size() + " workers are evicted";
            become(Conditions.FAILED, "MPIJobEvicted", message, true);
            marks.add(Decision.Mark.FAILED);
        }
    }

    private void tellHoldup() {
        List<TrainingPod> pods =
                Stream.concat(launcherPods.stream(), workers.stream()).toList();
        again = Holdup.tell(conditions, created(), "mpijob/" + job.name(), pods, seen.group());
    }

    private Decision finished() {
        if (job.policy().cleaning() != RunPolicy.Cleaning.NONE) {
            workers.stream()
                    .filter(pod -> job.policy().cleaning().takes(pod) && !pod.deleting())
                    .forEach(this::delete);
            counts(Mpi.WORKER).removeAll();
        }
        endGroup();
        return decision();
    }
}
