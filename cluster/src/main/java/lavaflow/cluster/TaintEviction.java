package lavaflow.cluster;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.EventRecorder;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Ends pods that do not put up with the NoExecute taints of their node, or no longer. */
final class TaintEviction {
    /** The end of a pod that is due; done once it has been asked for. */
    private record Due(String uid, Instant since, Instant at, boolean done) {}

    private final KubeApi api;
    private final Mirror<NodeState> nodes;
    private final Mirror<NodePod> pods;
    private final EventRecorder events;
    private final InstantSource clock;
    private final Map<ReplicaControllers.Key, Due> due = new ConcurrentHashMap<>();
    private final ControllerRunner<ReplicaControllers.Key> runner;

    TaintEviction(
            KubeApi api,
            Followers followers,
            Mirror<NodeState> nodes,
            Mirror<NodePod> pods,
            InstantSource clock,
            LongSupplier nanoTime) {
        this.api = api;
        this.nodes = nodes;
        this.pods = pods;
        this.clock = clock;
        this.events = new EventRecorder(api, "taint-eviction-controller", clock);
        this.runner = new ControllerRunner<>("taint-eviction-controller", followers, 8, this::reconcile, nanoTime);
        nodes.whenDifferent(this::nodeChanged);
        pods.whenDifferent((before, after) -> {
            if (before != null) {
                podChanged(before, after);
            } else if (after != null) {
                podChanged(after, after);
            }
        });
    }

    ControllerRunner<ReplicaControllers.Key> controller() {
        return runner;
    }

    private void nodeChanged(@Nullable NodeState before, @Nullable NodeState after) {
        String name = after == null ? (before == null ? "" : before.name()) : after.name();
        if (!executing(before).equals(executing(after))) {
            pods.having(NodePod.on(name)).forEach(pod -> runner.queue().add(pod.key()));
        }
    }

    private void podChanged(NodePod any, @Nullable NodePod after) {
        boolean waits = due.containsKey(any.key());
        if (waits || (after != null && !executing(nodes.get("", after.node())).isEmpty())) {
            runner.queue().add(any.key());
        }
    }

    private static List<NodeState.Taint> executing(@Nullable NodeState node) {
        return node == null
                ? List.of()
                : node.taints().stream()
                        .filter(taint -> taint.effect().equals("NoExecute"))
                        .toList();
    }

    /** How long a pod puts up with taints; null for ever. */
    static @Nullable Duration patience(List<NodeState.Taint> taints, List<NodePod.Toleration> tolerations) {
        Duration shortest = null;
        for (NodeState.Taint taint : taints) {
            NodePod.Toleration toleration = tolerations.stream()
                    .filter(each -> each.tolerates(taint))
                    .findFirst()
                    .orElse(null);
            if (toleration == null) {
                return Duration.ZERO;
            }
            Long seconds = toleration.seconds();
            if (seconds != null) {
                Duration time = Duration.ofSeconds(Math.max(0, seconds));
                shortest = shortest == null || time.compareTo(shortest) < 0 ? time : shortest;
            }
        }
        return shortest;
    }

    private Optional<Duration> reconcile(ReplicaControllers.Key key) {
        NodePod pod = pods.get(key.namespace(), key.name());
        Due before = due.get(key);
        if (pod == null
                || pod.node().isEmpty()
                || (before != null && !before.uid().equals(pod.uid()))) {
            cancel(key, before);
            if (pod == null || pod.node().isEmpty()) {
                return Optional.empty();
            }
            before = null;
        }
        Duration patience = patience(executing(nodes.get("", pod.node())), pod.tolerations());
        if (patience == null) {
            cancel(key, before);
            return Optional.empty();
        }
        if (pod.deleting() || (before != null && before.done())) {
            return Optional.empty();
        }
        Instant now = clock.instant();
        // A pod that waits already goes on waiting from when it began.
        Instant since = before == null ? now : before.since();
        Instant at = since.plus(patience);
        if (at.isAfter(now)) {
            due.put(key, new Due(pod.uid(), since, at, false));
            return Optional.of(Duration.between(now, at));
        }
        evict(pod);
        due.put(key, new Due(pod.uid(), since, at, true));
        return Optional.empty();
    }

    private void cancel(ReplicaControllers.Key key, @Nullable Due before) {
        due.remove(key);
        if (before != null && !before.done()) {
            events.normal(
                    about(key, before.uid()),
                    "TaintManagerEviction",
                    "Cancelling deletion of Pod " + key.namespace() + "/" + key.name());
        }
    }

    static ObjectNode about(ReplicaControllers.Key key, String uid) {
        ObjectNode about = Objects.named(key.name()).put("apiVersion", "v1").put("kind", "Pod");
        Json.ensureObject(about, "metadata").put("namespace", key.namespace()).put("uid", uid);
        return about;
    }

    private void evict(NodePod pod) {
        ReplicaControllers.Key key = pod.key();
        ObjectNode found = api.find(ReplicaControllers.PODS, pod.namespace(), pod.name())
                .filter(each -> Objects.uid(each).equals(pod.uid()))
                .orElse(null);
        if (found == null) {
            return;
        }
        events.normal(
                about(key, pod.uid()),
                "TaintManagerEviction",
                "Marking for deletion Pod " + key.namespace() + "/" + key.name());
        boolean changed = PodConditions.setDisruptionTarget(
                found, "DeletionByTaintManager", "Taint manager: deleting due to NoExecute taint", clock.instant());
        if (changed) {
            api.update(ReplicaControllers.PODS, "status", found);
        }
        api.delete(ReplicaControllers.PODS, pod.namespace(), pod.name(), KubeApi.Deletion.ofUid(pod.uid()));
    }
}
