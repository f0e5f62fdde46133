package lavaflow;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

import lavaflow.kube.Json;
import lavaflow.kube.PodRequests;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Amounts of resources for people and for machines: cpu in thousandths, all others in units. */
final class ResourceText {
    private static final String[] UNITS = {"", "Ki", "Mi", "Gi", "Ti", "Pi"};

    private ResourceText() {}

    /** One amount, short: {@code 1.5}, {@code 12.0Gi}, {@code 4}. */
    static String of(String resource, long amount) {
        if (resource.equals(PodRequests.CPU)) {
            return decimal(amount / 1000.0);
        }
        boolean bytes = resource.equals(PodRequests.MEMORY)
                || resource.equals("ephemeral-storage")
                || resource.startsWith("hugepages-");
        return bytes ? bytes(amount) : Long.toString(amount);
    }

    private static String decimal(double value) {
        String text = String.format(Locale.ROOT, "%.1f", value);
        return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
    }

    private static String bytes(long amount) {
        double value = amount;
        int unit = 0;
        while (value >= 1024 && unit < UNITS.length - 1) {
            value /= 1024;
            unit++;
        }
        return decimal(value) + UNITS[unit];
    }

    /** As the API writes it. */
    static ObjectNode document(Map<String, Long> amounts) {
        ObjectNode document = Json.object();
        new TreeSet<>(amounts.keySet()).forEach(name -> {
            long amount = amounts.getOrDefault(name, 0L);
            Quantity quantity = name.equals(PodRequests.CPU)
                    ? Quantity.ofMilli(amount, Quantity.Format.DECIMAL_SI)
                    : Quantity.of(
                            amount,
                            name.equals(PodRequests.MEMORY) ? Quantity.Format.BINARY_SI : Quantity.Format.DECIMAL_SI);
            document.put(name, quantity.toString());
        });
        return document;
    }

    /** A list of resources in one line. */
    static String line(Map<String, Long> amounts) {
        List<String> parts = new ArrayList<>();
        for (String name : columns(List.of(amounts))) {
            if (amounts.containsKey(name)) {
                parts.add(name + " " + of(name, amounts.getOrDefault(name, 0L)));
            }
        }
        return parts.isEmpty() ? "none" : String.join(", ", parts);
    }

    /** The resources that are worth a column: cpu and memory, then devices that somebody has or wants. */
    static List<String> columns(List<Map<String, Long>> amounts) {
        SortedSet<String> devices = new TreeSet<>();
        for (Map<String, Long> each : amounts) {
            each.forEach((name, amount) -> {
                boolean device = name.contains("/") && !name.startsWith("count/") && !name.startsWith("requests.");
                if (device && amount > 0) {
                    devices.add(name);
                }
            });
        }
        List<String> columns = new ArrayList<>(List.of(PodRequests.CPU, PodRequests.MEMORY));
        columns.addAll(devices);
        return columns;
    }

    /** What a column is called: {@code nvidia.com/gpu} is GPU where no other is. */
    static String head(String resource) {
        return resource.substring(resource.indexOf('/') + 1).toUpperCase(Locale.ROOT);
    }
}
