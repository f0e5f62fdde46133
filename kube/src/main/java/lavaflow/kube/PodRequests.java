package lavaflow.kube;

import java.util.LinkedHashMap;
import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * What a pod needs of a node: all containers and sidecars together, or an init container with the sidecars before it,
 * whichever is more; requests of the pod as a whole count instead; its overhead comes on top. CPU is in thousandths,
 * everything else in whole units.
 */
public final class PodRequests {
    public static final String CPU = "cpu";
    public static final String MEMORY = "memory";

    private PodRequests() {}

    /** The needs a pod's spec tells, by the name of the resource. */
    public static Map<String, Long> of(@Nullable JsonNode spec) {
        Map<String, Long> running = new LinkedHashMap<>();
        for (JsonNode container : Json.listAt(spec, "containers")) {
            add(running, amounts(Json.at(container, "resources", "requests")));
        }
        Map<String, Long> starting = new LinkedHashMap<>();
        Map<String, Long> sidecars = new LinkedHashMap<>();
        for (JsonNode container : Json.listAt(spec, "initContainers")) {
            Map<String, Long> own = amounts(Json.at(container, "resources", "requests"));
            if (Json.textAt(container, "restartPolicy").equals("Always")) {
                add(running, own);
                add(sidecars, own);
            } else {
                add(own, sidecars);
                own.forEach((name, amount) -> starting.merge(name, amount, Math::max));
            }
        }
        starting.forEach((name, amount) -> running.merge(name, amount, Math::max));
        running.putAll(amounts(Json.at(spec, "resources", "requests")));
        add(running, amounts(Json.at(spec, "overhead")));
        return running;
    }

    /** A list of resources in base units. */
    public static Map<String, Long> amounts(@Nullable JsonNode resources) {
        Map<String, Long> amounts = new LinkedHashMap<>();
        if (resources != null) {
            resources
                    .properties()
                    .forEach(entry -> amounts.put(entry.getKey(), amount(entry.getKey(), entry.getValue())));
        }
        return amounts;
    }

    private static long amount(String name, JsonNode value) {
        try {
            Quantity quantity = Quantity.fromJson(value);
            return isProcessors(name) ? quantity.milliValue() : quantity.value();
        } catch (MalformedException e) {
            // The API accepts none such.
            return 0;
        }
    }

    /** Also under the names quotas have for them. */
    private static boolean isProcessors(String name) {
        return name.equals(CPU) || name.equals("requests.cpu") || name.equals("limits.cpu");
    }

    private static void add(Map<String, Long> sum, Map<String, Long> more) {
        more.forEach((name, amount) -> sum.merge(name, amount, Long::sum));
    }
}
