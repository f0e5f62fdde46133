package lavaflow.explain;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.gang.Configuration;
import lavaflow.gang.Decision;
import lavaflow.gang.GangCore;
import lavaflow.gang.GroupSpec;
import lavaflow.gang.MemberSpec;
import lavaflow.gang.QueueSpec;
import lavaflow.kube.Json;
import lavaflow.kube.MergePatch;
import lavaflow.placement.ClusterState;
import lavaflow.placement.NodeTable;
import lavaflow.placement.ScheduledPod;
import lavaflow.plugins.Plugins;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** A cluster that is told by hand, and explained. */
final class TestingClusters {
    private static final Set<String> SCHEDULERS = Set.of("volcano");

    static final String PREEMPTING = """
            actions: "enqueue, allocate, backfill, preempt, reclaim"
            tiers:
            - plugins:
              - name: priority
              - name: gang
              - name: conformance
            - plugins:
              - name: overcommit
              - name: drf
              - name: predicates
              - name: proportion
              - name: nodeorder
            """;

    static final String CAPACITY = """
            actions: "enqueue, allocate, backfill, reclaim"
            tiers:
            - plugins:
              - name: priority
              - name: gang
            - plugins:
              - name: predicates
              - name: capacity
              - name: nodeorder
            """;

    final ClusterState state = new ClusterState();
    final GangCore core = new GangCore(state, Plugins::make);
    final Instant now = Instant.parse("2026-11-15T12:00:00Z");
    private final Map<String, List<String>> uids = new LinkedHashMap<>();
    private int age;

    TestingClusters() {
        queue("default");
    }

    private static ObjectNode json(String text, String... changes) {
        ObjectNode object = (ObjectNode) Json.parse(text);
        for (String change : changes) {
            object = (ObjectNode) MergePatch.apply(object, Json.parse(change), false);
        }
        return object;
    }

    private String created() {
        age++;
        return "2026-11-15T%02d:%02d:%02dZ".formatted(age / 3600, age / 60 % 60, age % 60);
    }

    TestingClusters configured(String file) {
        core.configure(Configuration.parse(file));
        return this;
    }

    /** A node of some processors, as much memory in Gi, and as many GPUs as told. */
    TestingClusters node(String name, int processors, int gpus, String... changes) {
        String devices = gpus == 0 ? "" : ",\"nvidia.com/gpu\":\"" + gpus + "\"";
        core.onNode(NodeTable.Node.of(json("""
                {"metadata":{"name":"%1$s","labels":{"kubernetes.io/hostname":"%1$s"}},"spec":{},
                 "status":{"allocatable":{"cpu":"%2$d","memory":"%2$dGi","pods":"100"%3$s}}}""".formatted(name, processors, devices), changes)));
        return this;
    }

    TestingClusters queue(String name, String... changes) {
        core.onQueue(QueueSpec.of(json("""
                {"metadata":{"name":"%1$s","uid":"queue-%1$s","creationTimestamp":"%2$s"},"spec":{"weight":1},
                 "status":{"state":"Open"}}""".formatted(name, created()), changes)));
        return this;
    }

    TestingClusters group(String name, int minMember, String... changes) {
        core.onGroup(GroupSpec.of(json("""
                {"metadata":{"namespace":"ns","name":"%1$s","uid":"group-%1$s","creationTimestamp":"%2$s"},
                 "spec":{"minMember":%3$d,"queue":"default"},"status":{"phase":"Inqueue"}}""".formatted(name, created(), minMember), changes)));
        return this;
    }

    TestingClusters pod(String name, String group, String requests, String... changes) {
        core.onPod(MemberSpec.of(object(name, group, requests, "volcano", changes), SCHEDULERS));
        uids.computeIfAbsent(group, _ -> new ArrayList<>()).add("pod-" + name);
        return this;
    }

    private ObjectNode object(String name, String group, String requests, String scheduler, String... changes) {
        return json("""
                {"metadata":{"namespace":"ns","name":"%1$s","uid":"pod-%1$s","creationTimestamp":"%3$s",
                 "annotations":{"scheduling.k8s.io/group-name":"%2$s"}},
                 "spec":{"schedulerName":"%5$s","containers":[{"name":"c","resources":{"requests":%4$s}}]},
                 "status":{"phase":"Pending"}}""".formatted(name, group, created(), requests, scheduler), changes);
    }

    /** A pod that some other scheduler put on a node. */
    TestingClusters stranger(String name, String node, String requests) {
        state.place(ScheduledPod.of(object(name, "", requests, "default-scheduler", running(node))));
        return this;
    }

    /** A gang that must be whole. */
    TestingClusters gang(String name, int pods, String requests, String... changes) {
        group(name, pods, changes);
        for (int i = 0; i < pods; i++) {
            pod(name + "-" + i, name, requests);
        }
        return this;
    }

    TestingClusters runs(String name, int pods, String node, String requests, String... changes) {
        group(name, pods, changes);
        for (int i = 0; i < pods; i++) {
            pod(name + "-" + i, name, requests, running(node));
        }
        return this;
    }

    static String running(String node) {
        return "{\"spec\":{\"nodeName\":\"" + node + "\"},\"status\":{\"phase\":\"Running\"}}";
    }

    static String role(String role) {
        return "{\"metadata\":{\"annotations\":{\"volcano.sh/task-spec\":\"" + role + "\"}}}";
    }

    static String queued(String queue) {
        return "{\"spec\":{\"queue\":\"" + queue + "\"}}";
    }

    static String gpus(int count) {
        return "{\"cpu\":\"1\",\"nvidia.com/gpu\":\"" + count + "\"}";
    }

    static String cpus(int count) {
        return "{\"cpu\":\"" + count + "\"}";
    }

    // ---- what comes of it ----

    void ends(String podGroup) {
        String name = podGroup.substring(podGroup.indexOf('/') + 1);
        uids.getOrDefault(name, List.of()).forEach(core::onPodGone);
        core.onGroupGone(podGroup);
    }

    /** Decides until nothing is left to decide; how many pods of a gang got a node. */
    int settle(String group) {
        int placed = 0;
        for (boolean some = true; some; ) {
            some = false;
            for (Decision decision : core.decide(now)) {
                switch (decision) {
                    case Decision.Bind bind -> {
                        some = true;
                        placed += bind.member().gang().spec().name().equals(group) ? 1 : 0;
                    }
                    case Decision.Evict evict -> {
                        some = true;
                        core.onPodGone(evict.member().spec().pod().uid());
                    }
                    default -> {}
                }
            }
        }
        return placed;
    }

    Explanation explain(String group) {
        return new Explainer(core.snapshot(now), Plugins::make)
                .group("ns/" + group)
                .orElseThrow();
    }

    QueueExplanation explainQueue(String queue) {
        return new Explainer(core.snapshot(now), Plugins::make).queue(queue).orElseThrow();
    }
}
