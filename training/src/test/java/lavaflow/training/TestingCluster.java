package lavaflow.training;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.Fanout;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.controller.Timing;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Runs the controller of jobs step by step over an API in memory, with a clock that moves when told. */
final class TestingCluster {
    static final KubeApi.Kind EVENTS = KubeApi.Kind.core("events");
    static final Instant START = Instant.parse("2030-01-02T03:04:05Z");
    static final String TEAM = "team";

    final TestingKubeApi api = new TestingKubeApi()
            .serve(EVENTS, "Event")
            .serve(Training.PODS, "Pod")
            .serve(Training.SERVICES, "Service")
            .serve(Training.CONFIG_MAPS, "ConfigMap")
            .serve(Training.SECRETS, "Secret")
            .serve(Training.SERVICE_ACCOUNTS, "ServiceAccount")
            .serve(Training.ROLES, "Role")
            .serve(Training.BINDINGS, "RoleBinding")
            .serve(Training.BATCH_JOBS, "Job")
            .serve(Training.AUTOSCALERS, "HorizontalPodAutoscaler")
            .serve(Training.PRIORITIES, "PriorityClass");
    private final Settings settings;
    private final AtomicLong nanos = new AtomicLong();
    private Followers followers = new Followers(api);
    private TrainingControllers controllers;
    private int crashes;

    TestingCluster(Gang gang) {
        this.settings = Settings.USUAL.with(gang);
        this.controllers = controllers();
    }

    private TrainingControllers controllers() {
        return new TrainingControllers(
                api,
                followers,
                _ -> true,
                settings,
                new Timing(() -> START.plusNanos(nanos.get()), nanos::get, Fanout.SEQUENTIAL));
    }

    /** A cluster with all kinds. */
    static TestingCluster whole(Gang gang) {
        TestingCluster cluster = new TestingCluster(gang);
        cluster.define();
        return cluster;
    }

    void define() {
        Frameworks.ALL.forEach(framework ->
                api.serve(framework.words().resource(), framework.words().kind()));
        api.serve(Gang.VOLCANO_GROUPS, "PodGroup");
        settle();
    }

    /** A cluster as upstream's operator for the second version of MPI makes it. */
    static TestingCluster ofMpi(Gang gang) {
        TestingCluster cluster = new TestingCluster(gang);
        cluster.api.serve(MpiSshJob.RESOURCE, "MPIJob").serve(Gang.VOLCANO_GROUPS, "PodGroup");
        cluster.settle();
        return cluster;
    }

    /** Ends the controller as a crash does; the one that follows knows nothing. */
    void crash() {
        followers = new Followers(api);
        controllers = controllers();
    }

    /** Makes the controller end before it has done something, the next time it wants to. */
    void failNext(String write) {
        api.fail(write, new Crash());
    }

    int crashes() {
        return crashes;
    }

    /** What is left of a request that its sender did not live to make. */
    private static final class Crash extends RuntimeException {
        private static final long serialVersionUID = 1;

        Crash() {
            super("as a crash", null, false, false);
        }
    }

    void settle() {
        int quiet = 0;
        while (quiet < 2) {
            long revision = api.revision();
            followers.pump();
            boolean worked = false;
            for (ControllerRunner<?> runner : List.copyOf(controllers.runners())) {
                while (runner.step()) {
                    worked = true;
                    if (runner.queue().statistics().retries() > 0) {
                        crashes++;
                        crash();
                        followers.pump();
                        break;
                    }
                }
            }
            quiet = worked || api.revision() != revision ? 0 : quiet + 1;
        }
    }

    void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
        settle();
    }

    String metrics() {
        return controllers.metrics();
    }

    // ---- jobs

    static KubeApi.Kind kind(JsonNode job) {
        return Json.textAt(job, "apiVersion").equals(MpiSshJob.API_VERSION)
                ? MpiSshJob.RESOURCE
                : TestingJobs.framework(job).words().resource();
    }

    void submit(ObjectNode job) {
        api.create(kind(job), TEAM, job);
        settle();
    }

    ObjectNode job(ObjectNode job) {
        return api.get(kind(job), TEAM, Training.name(job));
    }

    void change(ObjectNode job, Consumer<ObjectNode> change) {
        api.edit(kind(job), TEAM, Training.name(job), found -> {
            change.accept(found);
            return found;
        });
        settle();
    }

    JsonNode status(ObjectNode job) {
        return job(job).path("status");
    }

    /** Such as {@code Created Running(False) Succeeded}. */
    String conditions(ObjectNode job) {
        List<String> words = new ArrayList<>();
        for (JsonNode each : Json.listAt(job(job), "status", "conditions")) {
            boolean isTrue = Json.textAt(each, "status").equals("True");
            words.add(Json.textAt(each, "type") + (isTrue ? "" : "(" + Json.textAt(each, "status") + ")"));
        }
        return String.join(" ", words);
    }

    String message(ObjectNode job) {
        JsonNode conditions = Json.listAt(job(job), "status", "conditions");
        JsonNode last = Objects.requireNonNull(conditions.get(conditions.size() - 1));
        return Json.textAt(last, "reason") + ": " + Json.textAt(last, "message");
    }

    String counts(ObjectNode job) {
        return Json.string(status(job).path("replicaStatuses"));
    }

    // ---- pods

    List<String> names(KubeApi.Kind kind) {
        return api.list(kind, TEAM, KubeApi.View.METADATA).items().stream()
                .map(Training::name)
                .toList();
    }

    List<String> pods() {
        return names(Training.PODS);
    }

    /** Moves all pods whose names begin so. */
    void all(String prefix, String phase) {
        pods().stream().filter(name -> name.startsWith(prefix)).forEach(name -> quietly(name, phase, null));
        settle();
    }

    void phase(String pod, String phase) {
        quietly(pod, phase, null);
        settle();
    }

    void exit(String pod, int code) {
        quietly(pod, code == 0 ? "Succeeded" : "Failed", code);
        settle();
    }

    private void quietly(String name, String phase, Integer code) {
        api.edit(Training.PODS, TEAM, name, pod -> {
            Json.ensureObject(pod, "spec").put("nodeName", "n1");
            ObjectNode status = Json.ensureObject(pod, "status");
            status.put("phase", phase);
            if (code != null) {
                String container =
                        Json.textAt(Json.listAt(pod, "spec", "containers").get(0), "name");
                ObjectNode told = status.putArray("containerStatuses").addObject();
                told.put("name", container)
                        .putObject("state")
                        .putObject("terminated")
                        .put("exitCode", code)
                        .put("reason", code == 0 ? "Completed" : "Error");
            }
            return pod;
        });
    }

    void restarts(String name, int count) {
        api.edit(Training.PODS, TEAM, name, pod -> {
            ObjectNode status = Json.ensureObject(pod, "status");
            status.putArray("containerStatuses").addObject().put("name", "x").put("restartCount", count);
            return pod;
        });
        settle();
    }

    /** The node has ended a pod that was to go. */
    void gone(String name) {
        api.finishPod(TEAM, name);
        settle();
    }

    void delete(KubeApi.Kind kind, String name) {
        api.delete(kind, TEAM, name, KubeApi.Deletion.PLAIN);
        settle();
    }

    boolean isDeleting(String pod) {
        return Json.at(api.get(Training.PODS, TEAM, pod), "metadata", "deletionTimestamp") != null;
    }

    void groupPhase(String name, String phase) {
        api.edit(Gang.VOLCANO_GROUPS, TEAM, name, group -> {
            Json.ensureObject(group, "status").put("phase", phase);
            return group;
        });
        settle();
    }

    /** What events tell: {@code reason: message}. */
    List<String> events() {
        return api.list(EVENTS, "", KubeApi.View.WHOLE).items().stream()
                .map(event -> Json.textAt(event, "reason") + ": " + Json.textAt(event, "message"))
                .toList();
    }
}
