package lavaflow.placement;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.kube.Json;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * How much a device has of something, and in which portions it is given out.
 *
 * @param usual what who asks for nothing gets; null for all of it
 * @param values the portions; empty if any will do
 * @param least where portions are a range: the smallest; null if they are not
 * @param most the largest; null if there is none
 * @param step the difference between two; null if any will do
 */
record DeviceCapacity(
        Quantity value,
        @Nullable Quantity usual,
        List<Quantity> values,
        @Nullable Quantity least,
        @Nullable Quantity most,
        @Nullable Quantity step) {
    static Map<String, DeviceCapacity> of(@Nullable ObjectNode named) {
        Map<String, DeviceCapacity> all = new LinkedHashMap<>();
        if (named != null) {
            named.properties().forEach(each -> all.put(each.getKey(), read(each.getValue())));
        }
        return all;
    }

    private static DeviceCapacity read(JsonNode json) {
        JsonNode policy = Json.at(json, "requestPolicy");
        JsonNode range = Json.at(policy, "validRange");
        return new DeviceCapacity(
                Quantity.at(json, "value"),
                find(policy, "default"),
                Json.listAt(policy, "validValues")
                        .valueStream()
                        .map(Quantity::fromJson)
                        .toList(),
                find(range, "min"),
                find(range, "max"),
                find(range, "step"));
    }

    private static @Nullable Quantity find(@Nullable JsonNode json, String field) {
        JsonNode found = Json.at(json, field);
        return found == null ? null : Quantity.fromJson(found);
    }

    /** What a request is given: the next larger portion; null if that is against the rules. */
    @Nullable
    Quantity portion(@Nullable Quantity wanted) {
        Quantity given = wanted == null ? (usual == null ? value : usual) : rounded(wanted);
        return given.equals(usual) || isValid(given) ? given : null;
    }

    private Quantity rounded(Quantity wanted) {
        if (least != null) {
            if (wanted.compareTo(least) < 0) {
                return least;
            }
            return step == null ? wanted : stepped(wanted, least, step);
        }
        return values.stream()
                .filter(each -> wanted.compareTo(each) <= 0)
                .findFirst()
                .orElse(wanted);
    }

    private static Quantity stepped(Quantity wanted, Quantity from, Quantity step) {
        long width = Math.max(1, step.value());
        long steps = Math.ceilDiv(wanted.value() - from.value(), width);
        return Quantity.of(from.value() + width * steps, Quantity.Format.BINARY_SI);
    }

    private boolean isValid(Quantity given) {
        if (most != null && given.compareTo(most) > 0) {
            return false;
        }
        if (step != null && least != null) {
            return (given.value() - least.value()) % Math.max(1, step.value()) == 0;
        }
        return values.isEmpty() || values.stream().anyMatch(each -> each.compareTo(given) == 0);
    }
}
