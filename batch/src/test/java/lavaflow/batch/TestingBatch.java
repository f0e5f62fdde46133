package lavaflow.batch;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Runs the controllers of this module step by step over an API in memory, with a clock that moves when told. */
final class TestingBatch {
    static final KubeApi.Kind EVENTS = KubeApi.Kind.core("events");
    static final KubeApi.Kind DAEMON_SETS = new KubeApi.Kind("apps", "v1", "daemonsets", true);
    static final KubeApi.Kind JOBS = new KubeApi.Kind("batch", "v1", "jobs", true);
    private static final Instant START = Instant.parse("2030-01-02T03:04:05Z");

    final TestingKubeApi api = new TestingKubeApi()
            .serve(EVENTS, "Event")
            .serve(PodGroups.PODS, "Pod")
            .serve(PodGroups.REPLICA_SETS, "ReplicaSet")
            .serve(PodGroups.STATEFUL_SETS, "StatefulSet")
            .serve(DAEMON_SETS, "DaemonSet")
            .serve(JOBS, "Job");
    private Followers followers = new Followers(api);
    private final AtomicLong nanos = new AtomicLong();
    private BatchControllers controllers = controllers();

    private BatchControllers controllers() {
        InstantSource clock = () -> START.plusNanos(nanos.get());
        return new BatchControllers(api, followers, _ -> true, Set.of("volcano", "kube-batch"), clock, nanos::get);
    }

    /** Makes the definitions of the kinds. */
    TestingBatch define() {
        api.serve(Batch.QUEUES, "Queue").serve(Batch.POD_GROUPS, "PodGroup").serve(Batch.COMMANDS, "Command");
        settle();
        return this;
    }

    /** Ends the controllers as a crash does; those that follow know nothing. */
    void restart() {
        followers = new Followers(api);
        controllers = controllers();
        settle();
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

    ObjectNode create(KubeApi.Kind kind, String namespace, String name, Consumer<ObjectNode> fill) {
        ObjectNode object = Json.object();
        object.putObject("metadata").put("name", name);
        fill.accept(object);
        return api.create(kind, namespace, object);
    }

    ObjectNode queue(String name, String parent) {
        ObjectNode made = create(Batch.QUEUES, "", name, queue -> {
            ObjectNode spec = queue.putObject("spec");
            if (!parent.isEmpty()) {
                spec.put("parent", parent);
            }
        });
        settle();
        return made;
    }

    void group(String name, String queue, String phase) {
        create(Batch.POD_GROUPS, "team", name, group -> {
            group.putObject("spec").put("queue", queue);
            group.putObject("status").put("phase", phase);
        });
        settle();
    }

    void phase(String name, String phase) {
        api.edit(Batch.POD_GROUPS, "team", name, group -> {
            Json.ensureObject(group, "status").put("phase", phase);
            return group;
        });
        settle();
    }

    void dropGroup(String name) {
        api.delete(Batch.POD_GROUPS, "team", name, KubeApi.Deletion.PLAIN);
        settle();
    }

    /** Gives a Command about a queue, and lets nobody see it yet. */
    void give(String queue, String action) {
        ObjectNode target = api.get(Batch.QUEUES, "", queue);
        create(Batch.COMMANDS, "default", queue + "-" + action + "-" + api.revision(), command -> {
            command.put("action", action);
            command.putObject("target")
                    .put("apiVersion", "scheduling.volcano.sh/v1beta1")
                    .put("kind", "Queue")
                    .put("name", queue)
                    .put("uid", Batch.uid(target));
        });
    }

    void command(String queue, String action) {
        give(queue, action);
        settle();
    }

    ObjectNode queue(String name) {
        return api.get(Batch.QUEUES, "", name);
    }

    String state(String queue) {
        return Json.textAt(queue(queue), "status", "state");
    }

    List<String> names(KubeApi.Kind kind) {
        return api.list(kind, "", KubeApi.View.METADATA).items().stream()
                .map(Batch::name)
                .toList();
    }

    /** What events tell: {@code name reason: message}. */
    List<String> events() {
        return api.list(EVENTS, "", KubeApi.View.WHOLE).items().stream()
                .map(event -> Json.textAt(event, "involvedObject", "name") + " " + Json.textAt(event, "reason") + ": "
                        + Json.textAt(event, "message"))
                .toList();
    }
}
