package lavaflow.cluster;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.kube.GoTime;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Which taints the conditions of a node call for. */
final class NodeTaints {
    static final String NOT_READY = "node.kubernetes.io/not-ready";
    static final String UNREACHABLE = "node.kubernetes.io/unreachable";
    static final String OUT_OF_SERVICE = "node.kubernetes.io/out-of-service";
    private static final String UNSCHEDULABLE = "node.kubernetes.io/unschedulable";

    /** The taint of each condition, by its type and status. */
    private static final Map<String, String> OF_CONDITION = Map.of(
            "Ready False", NOT_READY,
            "Ready Unknown", UNREACHABLE,
            "MemoryPressure True", "node.kubernetes.io/memory-pressure",
            "DiskPressure True", "node.kubernetes.io/disk-pressure",
            "PIDPressure True", "node.kubernetes.io/pid-pressure",
            "NetworkUnavailable True", "node.kubernetes.io/network-unavailable");

    /** What to put on a node and what to take off. */
    record Change(List<NodeState.Taint> add, List<NodeState.Taint> remove) {
        boolean isNothing() {
            return add.isEmpty() && remove.isEmpty();
        }
    }

    private NodeTaints() {}

    /** What keeps new pods away from a node that is not well. */
    static Change ofConditions(NodeState node) {
        Set<NodeState.Taint> wanted = new LinkedHashSet<>();
        node.conditions().forEach((type, condition) -> {
            String key = OF_CONDITION.get(type + " " + condition.status());
            if (key != null) {
                wanted.add(NodeState.Taint.noSchedule(key));
            }
        });
        if (node.unschedulable()) {
            wanted.add(NodeState.Taint.noSchedule(UNSCHEDULABLE));
        }
        List<NodeState.Taint> remove = node.taints().stream()
                .filter(taint -> taint.effect().equals("NoSchedule"))
                .filter(taint -> taint.key().equals(UNSCHEDULABLE) || OF_CONDITION.containsValue(taint.key()))
                .filter(taint -> wanted.stream().noneMatch(taint::isSameMark))
                .toList();
        return new Change(wanted.stream().filter(taint -> !node.has(taint)).toList(), remove);
    }

    /** What makes pods leave a node that nobody hears of ({@code Unknown}) or that says it is not ready ({@code False}). */
    static Change ofFailure(NodeState node, String readyStatus) {
        boolean unknown = readyStatus.equals("Unknown");
        NodeState.Taint wanted = NodeState.Taint.noExecute(unknown ? UNREACHABLE : NOT_READY);
        NodeState.Taint opposite = NodeState.Taint.noExecute(unknown ? NOT_READY : UNREACHABLE);
        return new Change(
                node.has(wanted) ? List.of() : List.of(wanted), node.has(opposite) ? List.of(opposite) : List.of());
    }

    /** Lets pods stay. */
    static Change ofRecovery(NodeState node) {
        List<NodeState.Taint> remove = new ArrayList<>();
        for (String key : List.of(UNREACHABLE, NOT_READY)) {
            NodeState.Taint taint = NodeState.Taint.noExecute(key);
            if (node.has(taint)) {
                remove.add(taint);
            }
        }
        return new Change(List.of(), remove);
    }

    /** Changes the taints of a node as it is now; false if there was nothing to change. */
    static boolean apply(ObjectNode node, Change change, Instant now) {
        ArrayNode before = Json.listAt(node, "spec", "taints");
        ArrayNode after = Json.array();
        for (JsonNode taint : before) {
            if (change.remove().stream().noneMatch(NodeState.Taint.of(taint)::isSameMark)) {
                after.add(taint);
            }
        }
        for (NodeState.Taint taint : change.add()) {
            boolean present = false;
            for (JsonNode other : after) {
                present |= NodeState.Taint.of(other).isSameMark(taint);
            }
            if (!present) {
                after.addObject()
                        .put("key", taint.key())
                        .put("effect", taint.effect())
                        .put("timeAdded", GoTime.seconds(now));
            }
        }
        if (after.equals(before)) {
            return false;
        }
        ObjectNode spec = Json.ensureObject(node, "spec");
        if (after.isEmpty()) {
            spec.remove("taints");
        } else {
            spec.set("taints", after);
        }
        return true;
    }
}
