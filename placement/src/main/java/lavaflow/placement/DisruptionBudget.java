package lavaflow.placement;

import java.util.HashSet;
import java.util.Set;

import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * How many pods of some may go.
 *
 * @param going names of pods that are counted as gone already
 */
public record DisruptionBudget(String namespace, LabelSelector selector, long allowed, Set<String> going) {
    public static DisruptionBudget of(ObjectNode object) {
        Set<String> going = new HashSet<>();
        ObjectNode disrupted = Json.objectAt(object, "status", "disruptedPods");
        if (disrupted != null) {
            disrupted.fieldNames().forEachRemaining(going::add);
        }
        return new DisruptionBudget(
                Json.textAt(object, "metadata", "namespace"),
                LabelSelector.fromJson(Json.at(object, "spec", "selector")),
                Json.longAt(object, 0, "status", "disruptionsAllowed"),
                going);
    }

    public boolean covers(PlacedPod pod) {
        // A selector without requirements covers nothing here, as upstream has it for preemption.
        return namespace.equals(pod.type().namespace)
                && !selector.isEverything()
                && selector.matches(pod.type().labels)
                && !going.contains(pod.pod().name());
    }
}
