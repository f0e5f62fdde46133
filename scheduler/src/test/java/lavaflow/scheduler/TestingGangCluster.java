package lavaflow.scheduler;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.gang.Configuration;
import lavaflow.kube.Json;
import lavaflow.kube.MergePatch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeEach;

import static lavaflow.scheduler.TestingCluster.json;

/** A scheduler of gangs and single pods, and an API that does what it is told. */
abstract class TestingGangCluster {
    final TestingKubeApi api = new TestingKubeApi()
            .serve(Scheduler.NAMESPACES, "Namespace")
            .serve(Scheduler.PODS, "Pod")
            .serve(Scheduler.NODES, "Node")
            .serve(Scheduler.CLAIMS, "PersistentVolumeClaim")
            .serve(Scheduler.VOLUMES, "PersistentVolume")
            .serve(Scheduler.CLASSES, "StorageClass")
            .serve(Scheduler.NODE_DRIVERS, "CSINode")
            .serve(Scheduler.DRIVERS, "CSIDriver")
            .serve(Scheduler.CAPACITIES, "CSIStorageCapacity")
            .serve(Scheduler.BUDGETS, "PodDisruptionBudget")
            .serve(Scheduler.SERVICES, "Service")
            .serve(DeviceKinds.CLAIMS, "ResourceClaim")
            .serve(DeviceKinds.SLICES, "ResourceSlice")
            .serve(DeviceKinds.CLASSES, "DeviceClass")
            .serve(GangKinds.GROUPS, "PodGroup")
            .serve(GangKinds.QUEUES, "Queue")
            .serve(GangKinds.OLD_GROUPS, "OldPodGroup")
            .serve(GangKinds.PRIORITIES, "PriorityClass")
            .serve(GangKinds.QUOTAS, "ResourceQuota");
    Followers followers = new Followers(api);
    Instant now = Instant.parse("2026-11-15T12:00:00Z");
    Scheduler scheduler;

    @BeforeEach
    void listen() {
        api.createAnywhere(Scheduler.NAMESPACES, "", json("{\"metadata\":{\"name\":\"default\"}}"));
        api.create(GangKinds.QUEUES, "", json("{\"metadata\":{\"name\":\"root\"},\"spec\":{\"weight\":1}}"));
        api.create(GangKinds.QUEUES, "", json("{\"metadata\":{\"name\":\"default\"},\"spec\":{\"weight\":1}}"));
        begin();
    }

    /** How the scheduler sees the API and what it does with it. */
    KubeApi asSeen() {
        return api;
    }

    final void begin() {
        followers = new Followers(api);
        scheduler =
                new Scheduler(asSeen(), followers, () -> now, Writer.Threads.callers(), GangSettings.usual(asSeen()));
    }

    final void settle() {
        boolean moved = true;
        while (moved) {
            followers.pump();
            followers.pump();
            moved = scheduler.step();
        }
    }

    final void later(Duration time) {
        now = now.plus(time);
        settle();
    }

    final void node(String name, int processors) {
        api.create(Scheduler.NODES, "", json("""
                {"metadata":{"name":"%s"},"spec":{},
                 "status":{"allocatable":{"cpu":"%d","memory":"8Gi","pods":"10"}}}""".formatted(name, processors)));
    }

    final void group(String name, int least, String... changes) {
        create(
                GangKinds.GROUPS,
                "{\"metadata\":{\"name\":\"%s\"},\"spec\":{\"minMember\":%d}}".formatted(name, least),
                changes);
    }

    final void create(KubeApi.Kind kind, String text, String... changes) {
        ObjectNode object = json(text);
        for (String change : changes) {
            object = (ObjectNode) MergePatch.apply(object, json(change), false);
        }
        api.create(kind, kind.namespaced() ? "default" : "", object);
    }

    /** A pod of a gang that asks for one processor. */
    final void member(String name, String group, String... changes) {
        create(Scheduler.PODS, """
                {"metadata":{"name":"%s","annotations":{"scheduling.k8s.io/group-name":"%s"}},
                 "spec":{"schedulerName":"volcano","containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]},
                 "status":{"phase":"Pending"}}""".formatted(name, group), changes);
    }

    final void plain(String name, int processors, String... changes) {
        create(Scheduler.PODS, """
                {"metadata":{"name":"%s"},
                 "spec":{"schedulerName":"default-scheduler","containers":[{"name":"c","resources":{"requests":{"cpu":"%d"}}}]},
                 "status":{"phase":"Pending"}}""".formatted(name, processors), changes);
    }

    final void runs(String pod) {
        api.edit(Scheduler.PODS, "default", pod, object -> {
            Json.ensureObject(object, "status").put("phase", "Running");
            return object;
        });
    }

    final void ends(String pod) {
        api.delete(Scheduler.PODS, "default", pod, KubeApi.Deletion.PLAIN.atOnce());
    }

    final boolean isLeaving(String pod) {
        return Json.at(api.get(Scheduler.PODS, "default", pod), "metadata", "deletionTimestamp") != null;
    }

    final String nodeOf(String pod) {
        return Json.textAt(api.get(Scheduler.PODS, "default", pod), "spec", "nodeName");
    }

    final JsonNode status(String group) {
        return Json.at(api.get(GangKinds.GROUPS, "default", group), "status");
    }

    static JsonNode condition(JsonNode status, String type) {
        for (JsonNode each : Json.listAt(status, "conditions")) {
            if (Json.textAt(each, "type").equals(type)) {
                return each;
            }
        }
        return Json.object();
    }

    /** What was written since the last look, but for events, which a thread of their own writes when it gets to it. */
    final List<String> writes() {
        List<String> found = new ArrayList<>(api.takeWrites());
        found.removeIf(each -> each.contains(" events"));
        return found;
    }

    final List<String> writes(String word) {
        List<String> found = writes();
        found.removeIf(each -> !each.contains(word));
        return found;
    }

    final void preempting() {
        scheduler.configure(Configuration.parse("""
                actions: "enqueue, allocate, backfill, preempt"
                tiers:
                - plugins:
                  - name: priority
                  - name: gang
                  - name: conformance
                - plugins:
                  - name: predicates
                  - name: proportion
                  - name: nodeorder
                """));
        api.create(GangKinds.PRIORITIES, "", json("{\"metadata\":{\"name\":\"high\"},\"value\":100}"));
        node("n", 2);
        group("low", 1);
        member("low-0", "low");
        member("low-1", "low");
        settle();
        later(Duration.ofSeconds(1));
        runs("low-0");
        runs("low-1");
        settle();
        group("high", 1, "{\"spec\":{\"priorityClassName\":\"high\"}}");
        member("high-0", "high");
    }
}
