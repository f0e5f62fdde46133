package lavaflow.cluster;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.EventRecorder;
import lavaflow.controller.Fanout;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.kube.ApiException;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches over nodes: those that fall silent are marked unknown, conditions become taints, and nodes that failed are emptied
 * at the pace {@link Disruption} allows.
 */
final class NodeLifecycle {
    private static final Logger LOG = LoggerFactory.getLogger(NodeLifecycle.class);
    static final KubeApi.Kind NODES = KubeApi.Kind.clusterWide("nodes");
    private static final Duration PERIOD = Duration.ofSeconds(5);

    /** What wants attention. */
    sealed interface Task {
        /** The taints and labels of one node. */
        record Node(String name) implements Task {}

        /** The health of all nodes. */
        record Health() implements Task {}

        /** The queue of nodes to be emptied. */
        record Emptying() implements Task {}
    }

    private final KubeApi api;
    private final Mirror<NodeState> nodes;
    private final Mirror<NodePod> pods;
    private final NodeLeases leases;
    private final Fanout fanout;
    private final InstantSource clock;
    private final EventRecorder events;
    private final Map<String, NodeHealth> health = new ConcurrentHashMap<>();
    /** Only the look at all nodes touches it, and there is one at a time. */
    private final Map<String, NodeState> known = new LinkedHashMap<>();

    /** Nodes whose pods could not all be marked as not ready. */
    private final Set<String> unmarked = ConcurrentHashMap.newKeySet();

    private final Disruption disruption = new Disruption();
    private final PacedQueue emptying = new PacedQueue(disruption::rate);
    private final ControllerRunner<Task> runner;

    NodeLifecycle(
            KubeApi api,
            Followers followers,
            Mirror<NodeState> nodes,
            Mirror<NodePod> pods,
            Fanout fanout,
            InstantSource clock,
            LongSupplier nanoTime) {
        this.api = api;
        this.nodes = nodes;
        this.pods = pods;
        this.leases = new NodeLeases(followers);
        this.fanout = fanout;
        this.clock = clock;
        this.events = new EventRecorder(api, "node-controller", clock);
        this.runner = new ControllerRunner<>("node-lifecycle-controller", followers, 8, this::reconcile, nanoTime);
        nodes.whenDifferent((_, after) -> {
            if (after != null) {
                runner.queue().add(new Task.Node(after.name()));
            }
        });
        runner.queue().add(new Task.Health());
    }

    static Mirror<NodeState> mirror(Followers followers) {
        return new Mirror<>(followers, NODES, NodeState::of, _ -> List.of());
    }

    ControllerRunner<Task> controller() {
        return runner;
    }

    private Optional<Duration> reconcile(Task task) {
        return switch (task) {
            case Task.Node node -> {
                tidy(node.name());
                yield Optional.empty();
            }
            case Task.Health _ -> {
                lookAtAll();
                yield Optional.of(PERIOD);
            }
            case Task.Emptying _ -> {
                emptying.take(clock.instant()).forEach(this::empty);
                yield emptying.untilNext(clock.instant());
            }
        };
    }

    // ---- one node: labels and taints that keep new pods away

    private void tidy(String name) {
        NodeState node = nodes.get("", name);
        if (node == null) {
            return;
        }
        boolean labelled = NodeState.STABLE_LABELS.stream()
                .allMatch(label -> node.labels().get(label) == null
                        || node.labels().get(label).equals(node.labels().get("beta." + label)));
        NodeTaints.Change taints = NodeTaints.ofConditions(node);
        if (labelled && taints.isNothing()) {
            return;
        }
        change(node, fresh -> {
            boolean changed = NodeTaints.apply(fresh, NodeTaints.ofConditions(NodeState.of(fresh)), clock.instant());
            ObjectNode labels = Json.ensureObject(fresh, "metadata", "labels");
            for (String stable : NodeState.STABLE_LABELS) {
                String value = Json.textAt(labels, stable);
                if (labels.has(stable) && !value.equals(Json.textAt(labels, "beta." + stable))) {
                    labels.put("beta." + stable, value);
                    changed = true;
                }
            }
            return changed;
        });
    }

    /** Changes a node as it is now, if the change says that there is something to change. */
    private void change(NodeState node, Predicate<ObjectNode> change) {
        api.find(NODES, "", node.name())
                .filter(fresh -> Objects.uid(fresh).equals(node.uid()))
                .filter(change)
                .ifPresent(fresh -> api.update(NODES, "", fresh));
    }

    // ---- all nodes

    private void lookAtAll() {
        List<NodeState> all = nodes.all();
        register(all);
        Map<String, List<Boolean>> readiness = new LinkedHashMap<>();
        List<Runnable> tasks = new ArrayList<>();
        Instant now = clock.instant();
        for (NodeState node : all) {
            NodeHealth state = NodeHealth.next(health.get(node.name()), node, leases.renewed(node.name()), now);
            health.put(node.name(), state);
            boolean lost = state.isSilent(now);
            NodeState.Condition ready = node.ready();
            String status = lost ? "Unknown" : ready == null ? "" : ready.status();
            if (!node.exempt()) {
                readiness.computeIfAbsent(node.zone(), _ -> new ArrayList<>()).add(status.equals("True"));
            }
            boolean calm = status.equals("True") && NodeTaints.ofRecovery(node).isNothing();
            if (!status.isEmpty() && (lost || !calm || unmarked.contains(node.name()))) {
                tasks.add(() -> judge(node, status, lost));
            }
        }
        fanout.run(tasks);
        react(disruption.look(readiness), all);
        runner.queue().add(new Task.Emptying());
    }

    private void register(List<NodeState> all) {
        Set<String> gone = new TreeSet<>(known.keySet());
        List<Runnable> news = new ArrayList<>();
        for (NodeState node : all) {
            gone.remove(node.name());
            if (known.put(node.name(), node) == null) {
                news.add(() -> say(
                        node,
                        "RegisteredNode",
                        "Node " + node.name() + " event: Registered Node " + node.name() + " in Controller"));
            }
        }
        for (String name : gone) {
            NodeState node = known.remove(name);
            health.remove(name);
            unmarked.remove(name);
            emptying.remove(name);
            if (node != null) {
                news.add(() -> say(
                        node, "RemovingNode", "Node " + name + " event: Removing Node " + name + " from Controller"));
            }
        }
        fanout.run(news);
    }

    private void say(NodeState node, String reason, String message) {
        ObjectNode about = Objects.named(node.name()).put("apiVersion", "v1").put("kind", "Node");
        Json.ensureObject(about, "metadata").put("uid", node.uid());
        events.normal(about, reason, message);
    }

    /** Writes down what became of a node that is not simply well, and keeps its pods from being used. */
    private void judge(NodeState node, String status, boolean lost) {
        try {
            if (lost) {
                api.find(NODES, "", node.name())
                        .filter(fresh -> Objects.uid(fresh).equals(node.uid()))
                        .filter(fresh -> NodeHealth.markUnknown(fresh, clock.instant()))
                        .ifPresent(fresh -> api.update(NODES, "status", fresh));
            }
            taint(node, status);
            boolean fell = node.isReady() && !status.equals("True");
            if (fell) {
                say(node, "NodeNotReady", "Node " + node.name() + " status is now: NodeNotReady");
            }
            if (fell || unmarked.contains(node.name())) {
                unmarked.add(node.name());
                markPods(node);
                unmarked.remove(node.name());
            }
        } catch (ApiException e) {
            // The next look comes soon; somebody else may have been faster.
            if (e.code() != 404 && e.code() != 409) {
                LOG.warn("node {}: {}", node.name(), e.getMessage());
            }
        }
    }

    private void taint(NodeState node, String status) {
        if (status.equals("True")) {
            emptying.remove(node.name());
            NodeTaints.Change change = NodeTaints.ofRecovery(node);
            change(node, fresh -> NodeTaints.apply(fresh, change, clock.instant()));
            return;
        }
        NodeTaints.Change change = NodeTaints.ofFailure(node, status);
        if (!change.remove().isEmpty()) {
            change(node, fresh -> NodeTaints.apply(fresh, change, clock.instant()));
        } else if (!change.add().isEmpty()) {
            emptying.add(node.zone(), node.name());
        }
    }

    private void markPods(NodeState node) {
        for (NodePod pod : pods.having(NodePod.on(node.name()))) {
            if (pod.ready()) {
                api.find(ReplicaControllers.PODS, pod.namespace(), pod.name())
                        .filter(found -> Objects.uid(found).equals(pod.uid()))
                        .ifPresent(this::markUnready);
            }
        }
    }

    private void markUnready(ObjectNode pod) {
        ObjectNode ready = PodConditions.find(pod, "Ready");
        if (ready != null && !Json.textAt(ready, "status").equals("False")) {
            ready.put("status", "False").put("lastTransitionTime", GoTime.seconds(clock.instant()));
            api.update(ReplicaControllers.PODS, "status", pod);
            events.warning(pod, "NodeNotReady", "Node is not ready");
        }
    }

    private void react(Disruption.Turn turn, List<NodeState> all) {
        switch (turn) {
            case NONE -> {}
            case ALL_LOST ->
                all.forEach(node -> {
                    emptying.remove(node.name());
                    NodeTaints.Change change = NodeTaints.ofRecovery(node);
                    if (!change.isNothing()) {
                        change(node, fresh -> NodeTaints.apply(fresh, change, clock.instant()));
                    }
                });
            case SOME_BACK ->
                all.forEach(node -> health.computeIfPresent(node.name(), (_, state) -> state.heardAt(clock.instant())));
        }
    }

    /** Makes the pods of a node leave, if it has not recovered meanwhile. */
    private void empty(String name) {
        // Not what the mirror shows: it may not know yet what was just written.
        api.find(NODES, "", name).ifPresent(fresh -> {
            NodeState node = NodeState.of(fresh);
            NodeState.Condition ready = node.ready();
            if (ready != null
                    && !ready.status().equals("True")
                    && NodeTaints.apply(fresh, NodeTaints.ofFailure(node, ready.status()), clock.instant())) {
                api.update(NODES, "", fresh);
            }
        });
    }
}
