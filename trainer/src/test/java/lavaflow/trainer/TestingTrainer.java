package lavaflow.trainer;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
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
import lavaflow.kube.DecodingException;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;
import lavaflow.kube.Yaml;
import lavaflow.training.Gang;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Runs the controllers step by step over an API in memory, with a clock that moves when told. Nobody makes pods of Jobs there. */
final class TestingTrainer {
    static final KubeApi.Kind EVENTS = KubeApi.Kind.core("events");
    static final KubeApi.Kind GROUPS = Gang.VOLCANO.groups();
    static final Instant START = Instant.parse("2030-01-02T03:04:05Z");
    static final String TEAM = "team";

    final TestingKubeApi api = new TestingKubeApi()
            .serve(EVENTS, "Event")
            .serve(Trainer.SERVICES, "Service")
            .serve(Trainer.CLAIMS, "PersistentVolumeClaim")
            .serve(Trainer.CONFIG_MAPS, "ConfigMap")
            .serve(Trainer.SECRETS, "Secret")
            .serve(Trainer.JOBS, "Job")
            .serve(Trainer.PRIORITIES, "PriorityClass")
            .serve(GROUPS, "PodGroup")
            .serve(Trainer.JOB_SETS, "JobSet")
            .serve(Trainer.RUNTIMES, "TrainingRuntime")
            .serve(Trainer.CLUSTER_RUNTIMES, "ClusterTrainingRuntime")
            .serve(Trainer.TRAIN_JOBS, "TrainJob");
    private final Gang gang;
    private final AtomicLong nanos = new AtomicLong();
    private Followers followers = new Followers(api);
    private TrainerControllers controllers;
    private int crashes;

    TestingTrainer(Gang gang) {
        this.gang = gang;
        this.controllers = controllers();
        TrainerRuntimes.FILES
                .names()
                .forEach(name -> api.create(Trainer.CLUSTER_RUNTIMES, "", TrainerRuntimes.FILES.read(name)));
        settle();
    }

    private TrainerControllers controllers() {
        return new TrainerControllers(
                api, followers, _ -> true, gang, new Timing(this::now, nanos::get, Fanout.SEQUENTIAL));
    }

    Instant now() {
        return START.plusNanos(nanos.get());
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
                        followers = new Followers(api);
                        controllers = controllers();
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

    // ---- objects

    static ObjectNode yaml(String text) {
        try {
            return ((ObjectNode)
                            Yaml.parse(text.getBytes(StandardCharsets.UTF_8)).root())
                    .deepCopy();
        } catch (DecodingException e) {
            throw new IllegalArgumentException(text, e);
        }
    }

    static String resource(String name) {
        try (InputStream in = Objects.requireNonNull(TestingTrainer.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A job of a runtime. */
    static ObjectNode job(String runtime) {
        ObjectNode job = yaml("""
                apiVersion: trainer.kubeflow.org/v1alpha1
                kind: TrainJob
                metadata: {name: digits, namespace: team, creationTimestamp: "2030-01-02T03:04:05Z"}
                spec:
                  trainer: {numNodes: 2}
                """);
        Json.ensureObject(job, "spec", "runtimeRef").put("name", runtime);
        return job;
    }

    void submit(ObjectNode object) {
        KubeApi.Kind kind = Json.textAt(object, "kind").equals("JobSet") ? Trainer.JOB_SETS : Trainer.TRAIN_JOBS;
        api.create(kind, TEAM, object);
        settle();
    }

    ObjectNode get(KubeApi.Kind kind, String name) {
        return api.get(kind, TEAM, name);
    }

    void change(KubeApi.Kind kind, String name, Consumer<ObjectNode> change) {
        api.edit(kind, TEAM, name, found -> {
            change.accept(found);
            return found;
        });
        settle();
    }

    void suspend(boolean value) {
        change(
                Trainer.TRAIN_JOBS,
                "digits",
                job -> Json.ensureObject(job, "spec").put("suspend", value));
    }

    List<String> names(KubeApi.Kind kind) {
        return api.list(kind, TEAM, KubeApi.View.METADATA).items().stream()
                .map(Trainer::name)
                .toList();
    }

    /** Such as {@code Suspended(False) Complete}. */
    static String conditions(ObjectNode object) {
        List<String> words = new ArrayList<>();
        for (JsonNode each : Json.listAt(object, "status", "conditions")) {
            boolean isTrue = Json.textAt(each, "status").equals("True");
            words.add(Json.textAt(each, "type") + (isTrue ? "" : "(" + Json.textAt(each, "status") + ")"));
        }
        return String.join(" ", words);
    }

    String conditions() {
        return conditions(get(Trainer.TRAIN_JOBS, "digits"));
    }

    String setConditions() {
        return conditions(get(Trainer.JOB_SETS, "digits"));
    }

    static String message(ObjectNode object, String type) {
        JsonNode found = StatusConditions.find(object.path("status"), type);
        return Json.textAt(found, "reason") + ": " + Json.textAt(found, "message");
    }

    /** What becomes of a Job, as its controller tells it. */
    void job(String name, Consumer<ObjectNode> status) {
        change(Trainer.JOBS, name, job -> status.accept(Json.ensureObject(job, "status")));
    }

    void running(String job) {
        change(Trainer.JOBS, job, found -> {
            long pods = Json.longAt(found, 1, "spec", "parallelism");
            Json.ensureObject(found, "status")
                    .put("active", pods)
                    .put("ready", pods)
                    .put("startTime", GoTime.seconds(now()));
        });
    }

    void end(String job, String type, String reason) {
        job(job, status -> {
            status.remove(List.of("active", "ready"));
            status.putArray("conditions")
                    .addObject()
                    .put("type", type)
                    .put("status", "True")
                    .put("reason", reason)
                    .put("message", "as it was told")
                    .put("lastTransitionTime", GoTime.seconds(now()));
        });
    }

    /** Jobs that are to go are gone. */
    void bury() {
        for (String name : names(Trainer.JOBS)) {
            if (Trainer.isDeleting(get(Trainer.JOBS, name))) {
                change(
                        Trainer.JOBS,
                        name,
                        job -> Json.ensureObject(job, "metadata").remove("finalizers"));
            }
        }
    }

    /** What events tell: {@code reason: message}. */
    List<String> events() {
        return api.list(EVENTS, "", KubeApi.View.WHOLE).items().stream()
                .map(event -> Json.textAt(event, "reason") + ": " + Json.textAt(event, "message"))
                .toList();
    }
}
