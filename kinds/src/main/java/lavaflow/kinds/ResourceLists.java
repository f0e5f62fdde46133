package lavaflow.kinds;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Arithmetic on maps from resource names to quantities. */
final class ResourceLists {
    private ResourceLists() {}

    /** Rounds every amount up to thousandths; finer ones were never supported but are accepted. */
    static void roundUp(@Nullable JsonNode list) {
        if (!(list instanceof ObjectNode amounts)) {
            return;
        }
        List<String> names = new ArrayList<>();
        amounts.fieldNames().forEachRemaining(names::add);
        for (String name : names) {
            Quantity amount = Quantity.at(amounts, name);
            Quantity rounded = Quantity.ofMilli(amount.milliValue(), amount.format());
            boolean saturated = Math.abs(rounded.milliValue()) == Long.MAX_VALUE;
            if (!saturated && rounded.compareTo(amount) != 0) {
                amounts.put(name, rounded.toString());
            }
        }
    }

    /** Rounds {@code limits} and {@code requests}. */
    static void roundUpRequirements(ObjectNode requirements) {
        roundUp(requirements.get("limits"));
        roundUp(requirements.get("requests"));
    }

    /** Warns of an amount of bytes that is no whole number. */
    static void warnFraction(
            @Nullable JsonNode holder, String list, String resource, FieldPath path, List<String> warnings) {
        Quantity amount = Quantity.at(Json.at(holder, list), resource);
        if (amount.milliValue() % 1000 != 0) {
            warnings.add(path.child(list).key(resource) + ": fractional byte value "
                    + FieldErrors.quoted(amount.toString()) + " is invalid, must be an integer");
        }
    }

    static Map<String, Quantity> read(@Nullable JsonNode list) {
        Map<String, Quantity> amounts = new LinkedHashMap<>();
        for (String name : Nodes.entries(list).keySet()) {
            amounts.put(name, Quantity.at(list, name));
        }
        return amounts;
    }

    /**
     * What the containers of a pod need together: all containers and sidecars at once, or any init container with the
     * sidecars started before it, whichever is more.
     *
     * @param kind {@code requests} or {@code limits}
     */
    static Map<String, Quantity> ofContainers(@Nullable JsonNode spec, String kind) {
        Map<String, Quantity> running = new LinkedHashMap<>();
        for (ObjectNode container : PodSpecs.containers(spec)) {
            add(running, read(Json.at(container, "resources", kind)));
        }
        Map<String, Quantity> sidecars = new LinkedHashMap<>();
        Map<String, Quantity> starting = new LinkedHashMap<>();
        for (ObjectNode container : PodSpecs.initContainers(spec)) {
            Map<String, Quantity> own = read(Json.at(container, "resources", kind));
            if (PodSpecs.restartable(container)) {
                add(running, own);
                add(sidecars, own);
                raise(starting, sidecars);
            } else {
                add(own, sidecars);
                raise(starting, own);
            }
        }
        raise(running, starting);
        return running;
    }

    static void add(Map<String, Quantity> sum, Map<String, Quantity> more) {
        more.forEach((name, amount) -> sum.merge(name, amount, Quantity::plus));
    }

    /** Raises each amount to that of the other list. */
    static void raise(Map<String, Quantity> most, Map<String, Quantity> others) {
        others.forEach((name, amount) -> most.merge(name, amount, (a, b) -> b.compareTo(a) > 0 ? b : a));
    }
}
