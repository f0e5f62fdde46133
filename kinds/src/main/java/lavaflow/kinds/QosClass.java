package lavaflow.kinds;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.kube.Json;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** The quality of service of a pod, by what its containers ask for. */
final class QosClass {
    private static final List<String> COUNTED = List.of("cpu", "memory");

    private QosClass() {}

    /** {@code Guaranteed}, {@code Burstable} or {@code BestEffort}. */
    static String of(ObjectNode pod) {
        JsonNode spec = Json.at(pod, "spec");
        JsonNode whole = Json.at(spec, "resources");
        List<JsonNode> holders = whole == null
                ? PodSpecs.startedContainers(spec).stream()
                        .map(container -> container.path("resources"))
                        .toList()
                : List.of(whole);
        Map<String, Quantity> requests = new LinkedHashMap<>();
        Map<String, Quantity> limits = new LinkedHashMap<>();
        boolean guaranteed = true;
        for (JsonNode resources : holders) {
            ResourceLists.add(requests, positive(Json.at(resources, "requests")));
            Map<String, Quantity> own = positive(Json.at(resources, "limits"));
            ResourceLists.add(limits, own);
            // A pod that states only requests of its own is not asked for limits here: its containers are not looked
            // at.
            boolean asked = whole == null || !Nodes.emptyAt(resources, "limits");
            guaranteed &= !asked || own.keySet().containsAll(COUNTED);
        }
        if (requests.isEmpty() && limits.isEmpty()) {
            return "BestEffort";
        }
        return guaranteed && requests.equals(limits) ? "Guaranteed" : "Burstable";
    }

    private static Map<String, Quantity> positive(@Nullable JsonNode list) {
        Map<String, Quantity> amounts = ResourceLists.read(list);
        amounts.entrySet()
                .removeIf(entry ->
                        !COUNTED.contains(entry.getKey()) || entry.getValue().signum() <= 0);
        return amounts;
    }
}
