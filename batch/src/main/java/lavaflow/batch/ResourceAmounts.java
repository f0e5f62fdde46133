package lavaflow.batch;

import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;

import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * Amounts of resources as Volcano counts and prints them: cpu and all others in thousandths, memory and pods in units.
 *
 * @param named whether anything was named at all
 */
record ResourceAmounts(SortedMap<String, Double> byName, boolean named) {
    private static final String CPU = "cpu";
    private static final String MEMORY = "memory";

    /** Reads a list of resources; counts of objects and what only quotas know are no resources of machines. */
    static ResourceAmounts of(@Nullable JsonNode list) {
        SortedMap<String, Double> amounts = new TreeMap<>();
        if (list != null) {
            list.properties().forEach(each -> {
                String name = each.getKey();
                boolean counted =
                        name.startsWith("count/") || name.startsWith("requests.") || name.startsWith("limits.");
                if (!counted) {
                    amounts.put(name, amount(name, each.getValue()));
                }
            });
        }
        return new ResourceAmounts(amounts, list != null && !list.isEmpty());
    }

    static ResourceAmounts at(JsonNode object, String... path) {
        return of(Json.at(object, path));
    }

    private static double amount(String name, JsonNode value) {
        try {
            Quantity quantity = Quantity.fromJson(value);
            return name.equals(MEMORY) || name.equals("pods") ? quantity.value() : quantity.milliValue();
        } catch (MalformedException e) {
            return 0; // told by those who look at each amount
        }
    }

    private double get(String name) {
        return byName.getOrDefault(name, 0.0);
    }

    boolean has(String name) {
        return byName.containsKey(name);
    }

    ResourceAmounts plus(ResourceAmounts other) {
        SortedMap<String, Double> sum = new TreeMap<>(byName);
        other.byName.forEach((name, amount) -> sum.merge(name, amount, Double::sum));
        return new ResourceAmounts(sum, named || other.named);
    }

    /** Whether nothing is above a limit; what the limit does not name it does not allow. */
    boolean isWithin(ResourceAmounts limit) {
        return byName.entrySet().stream().allMatch(each -> each.getValue() <= limit.get(each.getKey()));
    }

    /** Whether nothing is above a limit; what the limit does not name it does not limit. */
    boolean isWithinNamed(ResourceAmounts limit) {
        return limit.byName.entrySet().stream().allMatch(each -> get(each.getKey()) <= each.getValue());
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        text.append(String.format(Locale.ROOT, "cpu %.2f, memory %.2f", get(CPU), get(MEMORY)));
        byName.forEach((name, amount) -> {
            if (!name.equals(CPU) && !name.equals(MEMORY)) {
                text.append(String.format(Locale.ROOT, ", %s %.2f", name, amount));
            }
        });
        return text.toString();
    }
}
