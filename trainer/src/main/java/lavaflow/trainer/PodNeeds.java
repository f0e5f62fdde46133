package lavaflow.trainer;

import java.util.Map;
import java.util.TreeMap;

import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What a pod of a template will request, in the units people wrote: its containers and sidecars together, or an init container with the sidecars before it,
 * whichever is more, and its overhead. Limits of what a container does not request count, as they will for the pod.
 */
final class PodNeeds {
    private final Map<String, Quantity> running = new TreeMap<>();

    private PodNeeds(JsonNode spec) {
        Map<String, Quantity> starting = new TreeMap<>();
        Map<String, Quantity> sidecars = new TreeMap<>();
        for (JsonNode container : Json.listAt(spec, "initContainers")) {
            Map<String, Quantity> own = needs(container);
            if (Json.textAt(container, "restartPolicy").equals("Always")) {
                add(running, own);
                add(sidecars, own);
            } else {
                add(own, sidecars);
                own.forEach((name, amount) -> starting.merge(name, amount, PodNeeds::greater));
            }
        }
        Json.listAt(spec, "containers").forEach(container -> add(running, needs(container)));
        starting.forEach((name, amount) -> running.merge(name, amount, PodNeeds::greater));
        running.putAll(needs(spec));
        add(running, amounts(Json.objectAt(spec, "overhead")));
    }

    /** What several pods need together. */
    static void addAll(Map<String, Quantity> sum, JsonNode spec, int pods) {
        Map<String, Quantity> one = new PodNeeds(spec).running;
        for (int i = 0; i < pods; i++) {
            add(sum, one);
        }
    }

    private static Quantity greater(Quantity a, Quantity b) {
        return a.compareTo(b) < 0 ? b : a;
    }

    private static void add(Map<String, Quantity> sum, Map<String, Quantity> more) {
        more.forEach((name, amount) -> sum.merge(name, amount, Quantity::plus));
    }

    private static Map<String, Quantity> needs(JsonNode of) {
        Map<String, Quantity> needs = amounts(Json.objectAt(of, "resources", "limits"));
        needs.putAll(amounts(Json.objectAt(of, "resources", "requests")));
        return needs;
    }

    private static Map<String, Quantity> amounts(@Nullable ObjectNode list) {
        Map<String, Quantity> amounts = new TreeMap<>();
        if (list != null) {
            list.properties().forEach(each -> {
                try {
                    amounts.put(each.getKey(), Quantity.fromJson(each.getValue()));
                } catch (MalformedException _) {
                    // Told by the server when the pod is made.
                }
            });
        }
        return amounts;
    }
}
