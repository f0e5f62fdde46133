package lavaflow.plugins;

import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.Locale;
import java.util.Set;

import lavaflow.gang.GangCore;
import lavaflow.gang.GroupSpec;
import lavaflow.gang.MemberSpec;
import lavaflow.gang.QueueSpec;
import lavaflow.kube.Json;
import lavaflow.placement.ClusterState;
import lavaflow.placement.NodeTable;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** What the state of the scheduler costs: memory as the slope over nodes and pods, and the time from nothing to the first decision. */
final class GangMemory {
    private static final Instant NOW = Instant.parse("2026-11-15T12:00:00Z");
    private static final int NODES = 5000;
    private static final int PODS = 150_000;
    private static final int GANG = 10;
    private static final int KINDS = 40;

    private final GangCore core = new GangCore(new ClusterState(), Plugins::make);
    private int nodes;
    private int pods;

    private GangMemory() {
        core.onQueue(QueueSpec.of(object("""
                {"metadata":{"name":"default","uid":"queue","creationTimestamp":"2026-11-15T00:00:00Z"},"spec":{"weight":1},
                 "status":{"state":"Open"}}""")));
    }

    private static ObjectNode object(String text) {
        return (ObjectNode) Json.parse(text);
    }

    static void tell() {
        // Classes and code first.
        new GangMemory().grow(100, 1000).core.decide(NOW);
        GangMemory state = new GangMemory();
        long empty = used();
        state.grow(NODES, 0).core.decide(NOW);
        long withNodes = used();
        state.grow(NODES, PODS / 2).core.decide(NOW);
        long half = used();
        state.grow(NODES, PODS).core.decide(NOW);
        long all = used();
        System.out.printf(
                Locale.ROOT,
                "memory: %d bytes a node, %d bytes a pod (%d for the second half), %.1f MB for %,d nodes and %,d pods in all%n",
                (withNodes - empty) / NODES,
                (all - withNodes) / PODS,
                (all - half) / (PODS / 2),
                (all - empty) / 1e6,
                NODES,
                state.pods);
        state.look().core.decide(NOW);
        System.out.printf(
                Locale.ROOT,
                "memory: %d bytes a node more once nodes were looked for for %d kinds of pods%n",
                (used() - all) / NODES,
                KINDS);
        long start = System.nanoTime();
        new GangMemory().grow(NODES, PODS).waiting().core.decide(NOW);
        System.out.printf(
                Locale.ROOT,
                "restart: first decision %.1f s by the clock after the first of %,d nodes and %,d pods was read%n",
                (System.nanoTime() - start) / 1e9,
                NODES,
                PODS);
        if (state.core.gangs().isEmpty()) {
            throw new IllegalStateException("nothing was measured");
        }
    }

    private static long used() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    /** Nodes, and pods in gangs that run there. */
    private GangMemory grow(int allNodes, int allPods) {
        for (; nodes < allNodes; nodes++) {
            core.onNode(NodeTable.Node.of(object("""
                    {"metadata":{"name":"node-%1$d","labels":{"kubernetes.io/hostname":"node-%1$d","kubernetes.io/os":"linux",
                     "kubernetes.io/arch":"amd64","topology.kubernetes.io/zone":"zone-%2$d"}},"spec":{},
                     "status":{"allocatable":{"cpu":"64","memory":"256Gi","pods":"110","nvidia.com/gpu":"8","ephemeral-storage":"900Gi"}}}""".formatted(nodes, nodes % 3))));
        }
        for (; pods < allPods; pods++) {
            int gang = pods / GANG;
            if (pods % GANG == 0) {
                core.onGroup(GroupSpec.of(group(gang, "Running")));
            }
            core.onPod(MemberSpec.of(pod(gang, pods % GANG, pods % nodes), Set.of("volcano")));
        }
        return this;
    }

    private GangMemory waiting() {
        core.onGroup(GroupSpec.of(group(PODS, "Inqueue")));
        for (int i = 0; i < GANG; i++) {
            core.onPod(MemberSpec.of(pod(PODS, i, -1), Set.of("volcano")));
        }
        return this;
    }

    /** One waiting pod of each kind. */
    private GangMemory look() {
        for (int kind = 0; kind < KINDS; kind++) {
            core.onGroup(GroupSpec.of(group(PODS + kind, "Inqueue")));
            for (int i = 0; i < GANG; i++) {
                ObjectNode pod = pod(PODS + kind, i, -1);
                Json.ensureObject(pod, "spec").putObject("nodeSelector").put("kind", "kind-" + kind);
                core.onPod(MemberSpec.of(pod, Set.of("volcano")));
            }
        }
        return this;
    }

    private static ObjectNode group(int gang, String phase) {
        return object("""
                {"metadata":{"namespace":"ns","name":"job-%1$d-podgroup","uid":"0f0e0d0c-0b0a-4000-9000-%1$012d",
                 "creationTimestamp":"2026-11-15T00:00:00Z"},
                 "spec":{"minMember":%2$d,"queue":"default"},"status":{"phase":"%3$s"}}""".formatted(gang, GANG, phase));
    }

    /** One of 40 kinds. */
    private static ObjectNode pod(int gang, int index, int node) {
        ObjectNode pod = object("""
                {"metadata":{"namespace":"ns","name":"job-%1$d-worker-%2$d","uid":"5f0e0d0c-0b0a-4000-%2$04d-%1$012d",
                 "creationTimestamp":"2026-11-15T00:00:00Z","resourceVersion":"%1$d","labels":{"app":"kind-%4$d"},
                 "annotations":{"scheduling.k8s.io/group-name":"job-%1$d-podgroup","volcano.sh/task-spec":"worker"}},
                 "spec":{"schedulerName":"volcano","containers":[{"name":"main","image":"registry.example/team/train:1",
                  "resources":{"requests":{"cpu":"%3$d","memory":"1Gi"}}}]},
                 "status":{"phase":"%5$s"}}""".formatted(gang, index, 1 + gang % 2, gang % 40, node < 0 ? "Pending" : "Running"));
        if (node >= 0) {
            Json.ensureObject(pod, "spec").put("nodeName", "node-" + node);
            Json.ensureObject(pod, "status").put("startTime", "2026-11-15T00:00:01Z");
        }
        return pod;
    }
}
