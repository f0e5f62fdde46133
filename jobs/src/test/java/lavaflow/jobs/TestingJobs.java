package lavaflow.jobs;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import lavaflow.batch.Batch;
import lavaflow.controller.ControllerRunner;
import lavaflow.controller.CrashingKubeApi;
import lavaflow.controller.CrashingKubeApi.Mishap;
import lavaflow.controller.Fanout;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.controller.Timing;
import lavaflow.kube.DecodingException;
import lavaflow.kube.Json;
import lavaflow.kube.Yaml;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Runs the controller of Jobs step by step over an API in memory, with a clock that moves when told; plays scheduler and node. */
final class TestingJobs {
    static final String TEAM = "team";
    static final KubeApi.Kind EVENTS = KubeApi.Kind.core("events");
    static final KubeApi.Kind PRIORITIES = new KubeApi.Kind("scheduling.k8s.io", "v1", "priorityclasses", false);
    /** A Job of three pods. */
    static final String THREE = """
            minAvailable: 3
            queue: default
            maxRetry: 3
            schedulerName: volcano
            tasks:
            - name: w
              replicas: 3
              minAvailable: 3
              template:
                spec:
                  containers:
                  - name: main
                    image: i
            """;

    private static final Instant START = Instant.parse("2030-01-02T03:04:05Z");

    final TestingKubeApi api = new TestingKubeApi()
            .serve(EVENTS, "Event")
            .serve(Volcano.PODS, "Pod")
            .serve(Volcano.SERVICES, "Service")
            .serve(Volcano.CONFIG_MAPS, "ConfigMap")
            .serve(Volcano.SECRETS, "Secret")
            .serve(Volcano.CLAIMS, "PersistentVolumeClaim")
            .serve(Volcano.NETWORK_POLICIES, "NetworkPolicy")
            .serve(PRIORITIES, "PriorityClass")
            .serve(Batch.QUEUES, "Queue")
            .serve(Batch.POD_GROUPS, "PodGroup")
            .serve(Batch.COMMANDS, "Command")
            .serve(Volcano.JOBS, "Job");
    private final AtomicLong nanos = new AtomicLong();
    private final AtomicInteger keys = new AtomicInteger();
    private int crashes;
    private Runnable meanwhile = () -> {};
    private CrashingKubeApi process;
    private Followers followers;
    private JobControllers controllers;

    TestingJobs() {
        this(0, false);
    }

    /** Whose controller ends at its n-th write, and is followed by one that does not. */
    TestingJobs(int fatalWrite, boolean heard) {
        Mishap mishap = heard ? Mishap.DIES_AFTER : Mishap.DIES_BEFORE;
        begin(new CrashingKubeApi(api, mishap, fatalWrite - 1));
        create(Batch.QUEUES, "", "default", queue -> queue.putObject("spec"));
        settle();
    }

    private CrashingKubeApi immortal() {
        return new CrashingKubeApi(api, Mishap.DIES_BEFORE, -1);
    }

    private void begin(CrashingKubeApi another) {
        process = another;
        followers = new Followers(process);
        Timing timing = new Timing(() -> START.plusNanos(nanos.get()), nanos::get, Fanout.SEQUENTIAL);
        controllers = new JobControllers(
                process,
                followers,
                _ -> true,
                timing,
                () -> new JobPlugin.SshKeys("private-" + keys.incrementAndGet(), "public-" + keys.get()));
    }

    /** Ends the controller as a crash does; the one that follows knows nothing. */
    void restart() {
        begin(immortal());
        settle();
    }

    /** What users do after the controller has crashed and before the next one is there. */
    void meanwhile(Runnable users) {
        meanwhile = users;
    }

    boolean hasCrashed() {
        return crashes > 0;
    }

    void settle() {
        int quiet = 0;
        while (quiet < 2) {
            long revision = api.revision();
            followers.pump();
            boolean worked = false;
            for (ControllerRunner<?> runner : controllers.runners()) {
                while (runner.step()) {
                    worked = true;
                }
            }
            if (process.isDead()) {
                crashes++;
                meanwhile.run();
                begin(immortal());
            }
            quiet = worked || api.revision() != revision ? 0 : quiet + 1;
        }
    }

    void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
        settle();
    }

    /** Time passes while the controller is away. */
    void passUnseen(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    ObjectNode create(KubeApi.Kind kind, String namespace, String name, Consumer<ObjectNode> fill) {
        ObjectNode object = Json.object();
        object.putObject("metadata").put("name", name);
        fill.accept(object);
        return api.create(kind, namespace, object);
    }

    // ---- what people do

    /** A Job named j; the text is its spec in YAML. */
    void submit(String spec) {
        submit("j", spec);
    }

    void submit(String name, String spec) {
        create(Volcano.JOBS, TEAM, name, job -> job.set("spec", yaml(spec)));
        settle();
    }

    static JsonNode yaml(String text) {
        try {
            return Yaml.parse(text.getBytes(StandardCharsets.UTF_8)).root();
        } catch (DecodingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    void change(Consumer<ObjectNode> change) {
        api.edit(Volcano.JOBS, TEAM, "j", job -> {
            change.accept(Json.ensureObject(job, "spec"));
            return job;
        });
        settle();
    }

    /** Gives a Command, and lets nobody see it yet. */
    void give(String action) {
        ObjectNode job = job();
        create(Batch.COMMANDS, TEAM, "c" + api.revision(), command -> {
            command.put("action", action);
            command.putObject("target")
                    .put("apiVersion", "batch.volcano.sh/v1alpha1")
                    .put("kind", "Job")
                    .put("name", "j")
                    .put("uid", Json.textAt(job, "metadata", "uid"));
        });
    }

    void command(String action) {
        give(action);
        settle();
    }

    // ---- what scheduler and nodes do

    void admit() {
        groupPhase("Inqueue");
    }

    void groupPhase(String phase) {
        api.edit(Batch.POD_GROUPS, TEAM, groups().getFirst(), group -> {
            Json.ensureObject(group, "status").put("phase", phase);
            return group;
        });
        settle();
    }

    /** Pods come to a phase, and are on a node. */
    void pods(String phase, String... names) {
        for (String name : names) {
            phase(name, phase, 0);
        }
        settle();
    }

    void fail(String name, int exitCode) {
        phase(name, "Failed", exitCode);
        settle();
    }

    private void phase(String name, String phase, int exitCode) {
        api.edit(Volcano.PODS, TEAM, name, pod -> {
            Json.ensureObject(pod, "spec").put("nodeName", "n1");
            ObjectNode status = Json.ensureObject(pod, "status");
            status.put("phase", phase);
            ObjectNode container = status.putArray("containerStatuses").addObject();
            container.put("name", "main").put("ready", phase.equals("Running"));
            if (phase.equals("Failed") || phase.equals("Succeeded")) {
                container
                        .putObject("state")
                        .putObject("terminated")
                        .put("exitCode", exitCode)
                        .put("finishedAt", START.plusNanos(nanos.get()).toString());
            }
            return pod;
        });
    }

    void containerRestarts(String name, int count) {
        api.edit(Volcano.PODS, TEAM, name, pod -> {
            ObjectNode container = Json.ensureObject(pod, "status")
                    .putArray("containerStatuses")
                    .addObject();
            container.put("name", "main").put("ready", true).put("restartCount", count);
            return pod;
        });
        settle();
    }

    /** Nodes end what is to end. */
    void reap() {
        boolean any = true;
        while (any) {
            List<ObjectNode> going = api.list(Volcano.PODS, TEAM, KubeApi.View.WHOLE).items().stream()
                    .filter(pod -> Json.at(pod, "metadata", "deletionTimestamp") != null)
                    .toList();
            going.forEach(pod -> api.finishPod(TEAM, Json.textAt(pod, "metadata", "name")));
            settle();
            any = !going.isEmpty();
        }
    }

    /** Somebody deletes a pod, which is gone at once. */
    void evict(String name) {
        api.delete(Volcano.PODS, TEAM, name, KubeApi.Deletion.PLAIN.atOnce());
        settle();
    }

    // ---- what is there

    ObjectNode job() {
        return api.get(Volcano.JOBS, TEAM, "j");
    }

    JsonNode status() {
        return job().path("status");
    }

    String phase() {
        return Json.textAt(job(), "status", "state", "phase");
    }

    long number(String field) {
        return Json.longAt(job(), 0, "status", field);
    }

    List<String> conditions() {
        List<String> phases = new ArrayList<>();
        Json.listAt(job(), "status", "conditions").forEach(each -> phases.add(Json.textAt(each, "status")));
        return phases;
    }

    List<String> names(KubeApi.Kind kind) {
        return api.list(kind, kind.namespaced() ? TEAM : "", KubeApi.View.METADATA).items().stream()
                .map(object -> Json.textAt(object, "metadata", "name"))
                .toList();
    }

    List<String> pods() {
        return names(Volcano.PODS);
    }

    List<String> groups() {
        return names(Batch.POD_GROUPS);
    }

    ObjectNode group() {
        return api.get(Batch.POD_GROUPS, TEAM, groups().getFirst());
    }

    ObjectNode pod(String name) {
        return api.get(Volcano.PODS, TEAM, name);
    }

    String uid(String pod) {
        return Json.textAt(pod(pod), "metadata", "uid");
    }

    /** What events tell: {@code reason: message}. */
    List<String> events() {
        return api.list(EVENTS, "", KubeApi.View.WHOLE).items().stream()
                .map(event -> Json.textAt(event, "reason") + ": " + Json.textAt(event, "message"))
                .toList();
    }

    /** How often events with a reason were told, the repetitions of one included. */
    long told(String reason) {
        return api.list(EVENTS, "", KubeApi.View.WHOLE).items().stream()
                .filter(event -> Json.textAt(event, "reason").equals(reason))
                .mapToLong(event -> Json.longAt(event, 1, "count"))
                .sum();
    }

    /** A Job of three pods that run, with policies. */
    void running(String policies) {
        submit(THREE + policies);
        admit();
        pods("Running", "j-w-0", "j-w-1", "j-w-2");
    }
}
