package lavaflow.cluster;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongSupplier;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.Fanout;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Removes pods that nobody else will: of nodes that are gone, too many that ended, and those that were never placed. */
final class PodGarbage {
    private static final Logger LOG = LoggerFactory.getLogger(PodGarbage.class);
    private static final Duration PERIOD = Duration.ofSeconds(20);
    /** A node that is not there may only have been registered anew. */
    private static final Duration QUARANTINE = Duration.ofSeconds(40);

    static final int MOST_ENDED = 12_500;

    /** A pod to be removed, maybe because its node is gone. */
    private record Victim(NodePod pod, boolean orphaned) {}

    private final KubeApi api;
    private final Mirror<NodeState> nodes;
    private final Mirror<NodePod> pods;
    private final Fanout fanout;
    private final InstantSource clock;
    private final int mostEnded;
    private final Map<String, Instant> missing = new TreeMap<>();
    private final ControllerRunner<String> runner;

    PodGarbage(
            KubeApi api,
            Followers followers,
            Mirror<NodeState> nodes,
            Mirror<NodePod> pods,
            Fanout fanout,
            int mostEnded,
            InstantSource clock,
            LongSupplier nanoTime) {
        this.api = api;
        this.nodes = nodes;
        this.pods = pods;
        this.fanout = fanout;
        this.mostEnded = mostEnded;
        this.clock = clock;
        this.runner = new ControllerRunner<>("pod-garbage-collector", followers, 1, this::reconcile, nanoTime);
        runner.queue().add("pods");
    }

    ControllerRunner<String> controller() {
        return runner;
    }

    private Optional<Duration> reconcile(String all) {
        List<NodePod> present = pods.all();
        List<Victim> victims = new ArrayList<>();
        surplus(present).forEach(pod -> victims.add(new Victim(pod, false)));
        present.stream().filter(this::isStranded).forEach(pod -> victims.add(new Victim(pod, false)));
        orphans(present).forEach(pod -> victims.add(new Victim(pod, true)));
        fanout.run(
                victims.stream().map(victim -> (Runnable) () -> remove(victim)).toList());
        return Optional.of(PERIOD);
    }

    private List<NodePod> surplus(List<NodePod> present) {
        List<NodePod> ended = new ArrayList<>(present);
        ended.removeIf(pod -> !pod.isFinished());
        int surplus = ended.size() - mostEnded;
        if (mostEnded <= 0 || surplus <= 0) {
            return List.of();
        }
        ended.sort(Comparator.comparing((NodePod pod) -> !pod.evicted())
                .thenComparing(NodePod::created)
                .thenComparing(NodePod::namespace)
                .thenComparing(NodePod::name));
        return ended.subList(0, surplus);
    }

    /** Deleted, but there is no node that would confirm the end: none was chosen, or it is out of service. */
    private boolean isStranded(NodePod pod) {
        if (!pod.deleting()) {
            return false;
        }
        NodeState node = pod.node().isEmpty() ? null : nodes.get("", pod.node());
        return pod.node().isEmpty()
                || (node != null
                        && !node.isReady()
                        && node.taints().stream().anyMatch(taint -> taint.key().equals(NodeTaints.OUT_OF_SERVICE)));
    }

    private List<NodePod> orphans(List<NodePod> present) {
        Instant now = clock.instant();
        List<NodePod> homeless = present.stream()
                .filter(pod -> !pod.node().isEmpty() && nodes.get("", pod.node()) == null)
                .toList();
        missing.keySet().retainAll(homeless.stream().map(NodePod::node).toList());
        homeless.forEach(pod -> missing.putIfAbsent(pod.node(), now));
        Map<String, Boolean> gone = new TreeMap<>();
        missing.forEach((node, since) -> gone.put(
                node,
                !since.plus(QUARANTINE).isAfter(now)
                        && api.find(NodeLifecycle.NODES, "", node).isEmpty()));
        return homeless.stream()
                .filter(pod -> gone.getOrDefault(pod.node(), false))
                .toList();
    }

    private void remove(Victim victim) {
        NodePod pod = victim.pod();
        try {
            api.find(ReplicaControllers.PODS, pod.namespace(), pod.name())
                    .filter(found -> Objects.uid(found).equals(pod.uid()))
                    .ifPresent(found -> remove(found, victim.orphaned()));
        } catch (ApiException e) {
            // The next round comes soon; somebody else may have been faster.
            if (e.code() != 404 && e.code() != 409) {
                LOG.warn("pod {}/{} cannot be removed: {}", pod.namespace(), pod.name(), e.getMessage());
            }
        }
    }

    private void remove(ObjectNode pod, boolean orphaned) {
        String phase = Json.textAt(pod, "status", "phase");
        if (!phase.equals("Succeeded") && !phase.equals("Failed")) {
            // Whoever counts its failures must see that it is over.
            fail(pod, orphaned);
        }
        api.delete(
                ReplicaControllers.PODS,
                Objects.namespace(pod),
                Objects.name(pod),
                KubeApi.Deletion.ofUid(Objects.uid(pod)).atOnce());
    }

    private void fail(ObjectNode pod, boolean orphaned) {
        ObjectNode patch = Json.object();
        patch.putObject("metadata").put("uid", Objects.uid(pod)).put("resourceVersion", Objects.resourceVersion(pod));
        ObjectNode status = patch.putObject("status");
        long generation = Json.longAt(pod, 0, "metadata", "generation");
        if (generation > 0) {
            status.put("observedGeneration", generation);
        }
        status.put("phase", "Failed");
        boolean marked = orphaned
                && PodConditions.setDisruptionTarget(
                        pod, "DeletionByPodGC", "PodGC: node no longer exists", clock.instant());
        if (marked) {
            // All of them, so that the new one comes last.
            status.set("conditions", Json.listAt(pod, "status", "conditions"));
        }
        api.patch(
                ReplicaControllers.PODS,
                Objects.namespace(pod),
                Objects.name(pod),
                "status",
                KubeApi.Merge.STRATEGIC,
                patch);
    }
}
