package lavaflow.kubelet;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import lavaflow.kube.Json;
import lavaflow.kube.PodRequests;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What to make of other resources that a pod asks for while it runs. Functions of values. */
final class PodResize {
    private static final String PENDING = "PodResizePending";

    /** Whether the node can give what is asked for. */
    sealed interface Answer {}

    /** It can. */
    record Granted() implements Answer {}

    /** Not now, or not ever. */
    record Refused(String reason, String message) implements Answer {}

    private PodResize() {}

    /** Containers that have other resources than they ask for. */
    static List<PodView.Container> changed(PodView pod, Map<String, JsonNode> given) {
        List<PodView.Container> changed = new ArrayList<>();
        for (PodView.Container each : pod.containers()) {
            JsonNode has = given.get(each.name());
            if (each.role() != PodView.Role.EPHEMERAL && has != null && !has.equals(resources(each))) {
                changed.add(each);
            }
        }
        return changed;
    }

    static JsonNode resources(PodView.Container container) {
        JsonNode written = Json.at(container.spec(), "resources");
        return written == null ? Json.object() : written;
    }

    /**
     * Whether a pod fits with all it asks for.
     *
     * @param taken by others, of each resource
     */
    static Answer answer(PodView pod, @Nullable JsonNode allocatable, Map<String, Long> taken) {
        Map<String, Long> capacity = PodRequests.amounts(allocatable);
        for (String resource : List.of(PodRequests.CPU, PodRequests.MEMORY)) {
            long wanted = PodRequests.of(pod.spec()).getOrDefault(resource, 0L);
            long has = capacity.getOrDefault(resource, 0L);
            long used = taken.getOrDefault(resource, 0L);
            if (wanted > has) {
                return new Refused(
                        "Infeasible",
                        "Node didn't have enough capacity: " + resource + ", requested: " + wanted + ", capacity: "
                                + has);
            }
            if (wanted > has - used) {
                return new Refused(
                        "Deferred",
                        "Node didn't have enough resource: " + resource + ", requested: " + wanted + ", used: " + used
                                + ", capacity: " + has);
            }
        }
        return new Granted();
    }

    static ObjectNode pending(Refused refusal) {
        return Json.object()
                .put("type", PENDING)
                .put("status", "True")
                .put("reason", refusal.reason())
                .put("message", refusal.message());
    }

    static ObjectNode inProgress(String problem) {
        ObjectNode condition = Json.object().put("type", "PodResizeInProgress").put("status", "True");
        if (!problem.isEmpty()) {
            condition.put("reason", "Error").put("message", problem);
        }
        return condition;
    }

    /** Whether a container wants to be started anew for what changed. */
    static boolean needsRestart(PodView.Container container, JsonNode before) {
        for (JsonNode policy : Json.listAt(container.spec(), "resizePolicy")) {
            String resource = Json.textAt(policy, "resourceName");
            boolean restart = Json.textAt(policy, "restartPolicy").equals("RestartContainer");
            if (restart && !amounts(before, resource).equals(amounts(resources(container), resource))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Why a container cannot have so little memory now; empty where it can. Control groups of version 2 would take the limit and
     * kill what is above it.
     *
     * @param before what it has
     * @param used bytes that it uses
     */
    static Optional<String> tooLittle(PodView.Container container, JsonNode before, long used) {
        long has = amounts(before, PodRequests.MEMORY).getOrDefault("limits", 0L);
        long wanted = amounts(resources(container), PodRequests.MEMORY).getOrDefault("limits", 0L);
        boolean decreases = wanted > 0 && (has == 0 || wanted < has);
        return decreases && used >= wanted
                ? Optional.of("cannot decrease memory limits: attempting to set container \"" + container.name()
                        + "\" memory limit (" + wanted + ") below current usage (" + used + ")")
                : Optional.empty();
    }

    private static Map<String, Long> amounts(JsonNode resources, String name) {
        Map<String, Long> amounts = new LinkedHashMap<>();
        for (String list : List.of("requests", "limits")) {
            amounts.put(list, PodRequests.amounts(Json.at(resources, list)).getOrDefault(name, 0L));
        }
        return amounts;
    }
}
