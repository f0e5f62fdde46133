package lavaflow.scheduler;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import lavaflow.kube.Json;
import lavaflow.kube.MergePatch;
import lavaflow.placement.ClusterState;
import lavaflow.placement.NodeTable;
import lavaflow.placement.ScheduledPod;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** A scheduler's core, fed by hand. What it decides is written at once. */
final class TestingCluster {
    final SchedulerCore core = new SchedulerCore();
    Instant now = Instant.parse("2026-11-15T12:00:00Z");

    static ObjectNode json(String text) {
        return (ObjectNode) Json.parse(text);
    }

    /** A node of 4 processors, 8Gi and 10 pods in zone a, changed as wished. */
    TestingCluster node(String name, String... changes) {
        ObjectNode node = json("""
                {"metadata":{"name":"%s","labels":{"kubernetes.io/hostname":"%s","zone":"a"}},"spec":{},
                 "status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"10","nvidia.com/gpu":"2"}}}""".formatted(name, name));
        core.onNode(NodeTable.Node.of(merge(node, changes)), now);
        return this;
    }

    private static ObjectNode merge(ObjectNode object, String... changes) {
        ObjectNode merged = object;
        for (String change : changes) {
            merged = (ObjectNode) MergePatch.apply(merged, json(change), false);
        }
        return merged;
    }

    static ObjectNode podObject(String name, String... changes) {
        ObjectNode pod = json("""
                {"metadata":{"name":"%s","namespace":"default","uid":"uid-%s","creationTimestamp":"2026-11-15T11:00:00Z"},
                 "spec":{"schedulerName":"default-scheduler","containers":[{"name":"c","image":"i"}]},"status":{"phase":"Pending"}}""".formatted(name, name));
        return merge(pod, changes);
    }

    static String requests(String list) {
        return "{\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":" + list + "}}]}}";
    }

    static String priority(int priority) {
        return "{\"spec\":{\"priority\":" + priority + "}}";
    }

    static String labels(String app) {
        return "{\"metadata\":{\"labels\":{\"app\":\"" + app + "\"}}}";
    }

    TestingCluster pod(String name, String... changes) {
        core.onPod(ScheduledPod.of(podObject(name, changes)), now);
        return this;
    }

    /** A pod that runs on a node already. */
    TestingCluster running(String name, String node, String... changes) {
        ObjectNode pod = podObject(name, changes);
        String there = "{\"spec\":{\"nodeName\":\"" + node + "\"},\"status\":{\"phase\":\"Running\"}}";
        core.onPod(ScheduledPod.of(merge(pod, there)), now);
        return this;
    }

    TestingCluster gone(String name) {
        core.onPodGone("uid-" + name, now);
        return this;
    }

    TestingCluster with(Consumer<ClusterState> change) {
        change.accept(core.state());
        core.onVolumeChange(now);
        return this;
    }

    TestingCluster later(Duration time) {
        now = now.plus(time);
        return this;
    }

    /** What is decided now, one pod after the other. */
    List<Action> decide() {
        List<Action> all = new ArrayList<>();
        for (List<Action> actions = core.next(now); actions != null; actions = core.next(now)) {
            all.addAll(actions);
        }
        return all;
    }

    /** Pods and their nodes, in the order of decisions. */
    List<String> placements() {
        List<String> placements = new ArrayList<>();
        for (Action action : decide()) {
            if (action instanceof Action.Bind(ScheduledPod pod, String node)) {
                placements.add(pod.name() + " on " + node);
            }
        }
        return placements;
    }

    /** Where the only pod that waits goes, or why it goes nowhere. */
    String outcome() {
        List<Action> actions = decide();
        return switch (actions.getLast()) {
            case Action.Bind(ScheduledPod _, String node) -> node;
            case Action.ChooseVolumes choose -> choose.node() + " with volumes";
            case Action.PrepareDevices prepare -> prepare.node() + " with devices";
            case Action.Refuse refuse -> refuse.message();
            case Action.GiveUp giveUp -> giveUp.message();
            case Action.Evict evict -> "evict " + evict.victim().name();
            case Action.Deallocate deallocate ->
                "deallocate " + deallocate.claim().name();
            case Action.DeleteClaim delete -> "delete " + delete.claim().name();
            case Action.Displace displace -> "displace " + displace.pod().name();
        };
    }
}
