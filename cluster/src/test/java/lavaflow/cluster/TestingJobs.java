package lavaflow.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

import lavaflow.controller.Fanout;
import lavaflow.controller.KubeApi;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import static lavaflow.cluster.TestingCluster.EVENTS;
import static lavaflow.cluster.TestingCluster.JOBS;
import static lavaflow.cluster.TestingCluster.PODS;
import static lavaflow.cluster.TestingCluster.named;

/** One job named {@code work} in namespace {@code team}, and the words in which tests speak of it and its pods. */
final class TestingJobs {
    final TestingCluster cluster = new TestingCluster();

    TestingJobs() {
        cluster.run(controller(cluster, cluster.api));
        cluster.namespace("team");
    }

    static lavaflow.controller.ControllerRunner<?> controller(TestingCluster cluster, KubeApi api) {
        return new Jobs(api, cluster.followers, Fanout.SEQUENTIAL, cluster.clock(), cluster.nanoTime()).controller();
    }

    /** The job as the server would have completed it. */
    static ObjectNode job(Consumer<ObjectNode> more) {
        ObjectNode job = named("work");
        ObjectNode spec = job.putObject("spec");
        spec.put("parallelism", 1).put("completions", 1).put("backoffLimit", 6).put("suspend", false);
        spec.put("completionMode", "NonIndexed").put("podReplacementPolicy", "TerminatingOrFailed");
        Json.ensureObject(spec, "selector", "matchLabels").put("job", "work");
        Json.ensureObject(spec, "template", "metadata", "labels").put("job", "work");
        ObjectNode pod = Json.ensureObject(spec, "template", "spec");
        pod.put("restartPolicy", "Never");
        pod.putArray("containers").addObject().put("name", "main").put("image", "one");
        more.accept(spec);
        return job;
    }

    static void size(ObjectNode spec, int parallelism, int completions) {
        spec.put("parallelism", parallelism).put("completions", completions);
    }

    static void indexed(ObjectNode spec, int parallelism, int completions) {
        size(spec, parallelism, completions);
        spec.put("completionMode", "Indexed");
    }

    void create(Consumer<ObjectNode> more) {
        cluster.api.create(JOBS, "team", job(more));
        cluster.settle();
    }

    void change(Consumer<ObjectNode> change) {
        cluster.api.edit(JOBS, "team", "work", job -> {
            change.accept(Json.ensureObject(job, "spec"));
            return job;
        });
        cluster.settle();
    }

    ObjectNode job() {
        return cluster.api.get(JOBS, "team", "work");
    }

    JsonNode status() {
        return job().path("status");
    }

    long count(String field) {
        return status().path(field).asLong();
    }

    /** The conditions that hold, with their reasons. */
    List<String> conditions() {
        List<String> texts = new ArrayList<>();
        for (JsonNode condition : Json.listAt(status(), "conditions")) {
            texts.add(Json.textAt(condition, "type") + "=" + Json.textAt(condition, "status") + " "
                    + Json.textAt(condition, "reason"));
        }
        return texts;
    }

    String message(String type) {
        for (JsonNode condition : Json.listAt(status(), "conditions")) {
            if (Json.textAt(condition, "type").equals(type)) {
                return Json.textAt(condition, "message");
            }
        }
        return "";
    }

    /** All pods, in the order in which they were made. */
    List<ObjectNode> pods() {
        return cluster.api.list(PODS, "team", KubeApi.View.WHOLE).items().stream()
                .sorted(Comparator.comparingInt(
                        pod -> Integer.parseInt(Objects.uid(pod).substring("uid-".length()))))
                .toList();
    }

    List<ObjectNode> activePods() {
        return pods().stream().filter(pod -> PodState.of(pod).isActive()).toList();
    }

    ObjectNode activePod(int index) {
        return activePods().stream()
                .filter(pod -> JobPod.of(pod).index() == index)
                .findFirst()
                .orElseThrow();
    }

    List<Integer> activeIndexes() {
        return activePods().stream().map(pod -> JobPod.of(pod).index()).sorted().toList();
    }

    void edit(ObjectNode pod, Consumer<ObjectNode> change) {
        cluster.api.edit(PODS, "team", Objects.name(pod), live -> {
            change.accept(live);
            return live;
        });
        cluster.settle();
    }

    void succeed(ObjectNode pod) {
        edit(pod, live -> end(live, "Succeeded", 0));
    }

    void fail(ObjectNode pod) {
        fail(pod, 1);
    }

    void fail(ObjectNode pod, int exitCode) {
        edit(pod, live -> end(live, "Failed", exitCode));
    }

    private void end(ObjectNode pod, String phase, int exitCode) {
        ObjectNode status = Json.ensureObject(pod, "status");
        status.put("phase", phase);
        ObjectNode container = status.putArray("containerStatuses").addObject().put("name", "main");
        container
                .putObject("state")
                .putObject("terminated")
                .put("exitCode", exitCode)
                .put("finishedAt", GoTime.seconds(cluster.clock().instant()));
    }

    void run(ObjectNode pod) {
        edit(pod, live -> {
            Json.ensureObject(live, "spec").put("nodeName", "node");
            ObjectNode status = Json.ensureObject(live, "status");
            status.put("phase", "Running");
            status.putArray("conditions")
                    .addObject()
                    .put("type", "Ready")
                    .put("status", "True")
                    .put("lastTransitionTime", GoTime.seconds(cluster.clock().instant()));
        });
    }

    void delete(ObjectNode pod) {
        cluster.delete(PODS, "team", Objects.name(pod), null);
        cluster.settle();
    }

    /** The node says that a pod which was to go has gone. */
    void gone(ObjectNode pod) {
        cluster.api.finishPod("team", Objects.name(pod));
        cluster.settle();
    }

    void pass(Duration time) {
        cluster.pass(time);
    }

    List<String> events() {
        List<ObjectNode> events = new ArrayList<>(
                cluster.api.list(EVENTS, "team", KubeApi.View.WHOLE).items());
        events.sort(Comparator.comparingInt(
                event -> Integer.parseInt(Objects.uid(event).substring("uid-".length()))));
        return events.stream()
                .map(event -> Json.textAt(event, "type") + " " + Json.textAt(event, "reason") + " "
                        + Json.textAt(event, "message"))
                .toList();
    }
}
