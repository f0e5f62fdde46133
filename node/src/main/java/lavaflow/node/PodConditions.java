package lavaflow.node;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.GoTime;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** The conditions of a pod as kubelets tell them, in their order; nodes that run pods and simulated ones tell the same. */
public final class PodConditions {
    private final ObjectNode pod;
    private final Instant now;
    private final ArrayNode told = Json.array();

    /**
     * @param pod as it is, with the conditions told before
     */
    public PodConditions(ObjectNode pod, Instant now) {
        this.pod = pod;
        this.now = now;
    }

    /** The condition of a pod that was told; null if there is none of this type. */
    public static @Nullable ObjectNode find(JsonNode pod, String type) {
        for (JsonNode condition : Json.listAt(pod, "status", "conditions")) {
            if (Json.textAt(condition, "type").equals(type) && condition instanceof ObjectNode found) {
                return found;
            }
        }
        return null;
    }

    /**
     * Tells what is told of every pod.
     *
     * @param sandbox its containers have a place to run in
     * @param incomplete init containers that are not through
     * @param unready containers that do not serve
     */
    public void tellAll(PodPhase phase, boolean sandbox, List<String> incomplete, List<String> unready) {
        boolean over = phase.isOver();
        boolean succeeded = phase == PodPhase.SUCCEEDED;
        tell("PodReadyToStartContainers", sandbox && !over, "", "");
        boolean initialized = incomplete.isEmpty() || succeeded;
        tell(
                "Initialized",
                initialized,
                succeeded ? "PodCompleted" : initialized ? "" : "ContainersNotInitialized",
                initialized ? "" : "containers with incomplete status: " + listed(incomplete));
        String reason = over ? (succeeded ? "PodCompleted" : "PodFailed") : "ContainersNotReady";
        String message = over ? "" : "containers with unready status: " + listed(unready);
        boolean containersReady = !over && unready.isEmpty();
        String gates = closedGates();
        boolean ready = containersReady && gates.isEmpty();
        String readyReason = containersReady ? "ReadinessGatesNotReady" : reason;
        tell("Ready", ready, ready ? "" : readyReason, ready ? "" : containersReady ? gates : message);
        tell("ContainersReady", containersReady, containersReady ? "" : reason, containersReady ? "" : message);
        tell("PodScheduled", true, "", "");
    }

    /** Tells one condition; it keeps the time of its last change if it stands as before. */
    public void tell(String type, boolean holds, String reason, String message) {
        ObjectNode before = find(pod, type);
        String status = holds ? "True" : "False";
        boolean same = before != null && Json.textAt(before, "status").equals(status);
        ObjectNode condition = told.addObject();
        condition
                .put("type", type)
                .put("observedGeneration", Json.longAt(pod, 0, "metadata", "generation"))
                .put("status", status);
        condition.putNull("lastProbeTime");
        condition.put(
                "lastTransitionTime",
                same && before != null ? Json.textAt(before, "lastTransitionTime") : GoTime.seconds(now));
        put(condition, "reason", reason, before);
        put(condition, "message", message, before);
    }

    public ArrayNode told() {
        return told;
    }

    /** A patch has to say that something is not there any more. */
    private static void put(ObjectNode condition, String field, String text, @Nullable ObjectNode before) {
        if (!text.isEmpty()) {
            condition.put(field, text);
        } else if (before != null && before.has(field)) {
            condition.putNull(field);
        }
    }

    private static String listed(List<String> names) {
        return "[" + String.join(" ", names) + "]";
    }

    private String closedGates() {
        List<String> closed = new ArrayList<>();
        for (JsonNode gate : Json.listAt(pod, "spec", "readinessGates")) {
            String type = Json.textAt(gate, "conditionType");
            ObjectNode condition = find(pod, type);
            if (condition == null) {
                closed.add("corresponding condition of pod readiness gate \"" + type + "\" does not exist.");
            } else if (!Json.textAt(condition, "status").equals("True")) {
                closed.add("the status of pod readiness gate \"" + type + "\" is not \"True\", but "
                        + Json.textAt(condition, "status"));
            }
        }
        return closed.size() < 2 ? String.join("", closed) : "[" + String.join(", ", closed) + "]";
    }
}
