package lavaflow.apiserver;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.Map;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What a node and the containers on it used, by its own account at one moment.
 *
 * @param figures by namespace, pod and container with slashes between; the node's own by the empty name
 */
record NodeUsage(Map<String, Figures> figures) {
    /** Nodes tell times in whole seconds, so between moments as close as these their own figure is nearer the truth. */
    private static final Duration ROUGH = Duration.ofSeconds(10);

    /** What one of them used: processor time in all, and now where the node says so (-1 else), and memory. */
    record Figures(Instant time, long cpuNanos, long nanoCores, long memoryBytes) {}

    /** How much of a processor was used between two moments, and for how long. */
    record Rate(long nanoCores, Duration window) {}

    static NodeUsage of(JsonNode summary) {
        Map<String, Figures> figures = new LinkedHashMap<>();
        put(figures, "", summary.path("node"));
        for (JsonNode pod : Json.listAt(summary, "pods")) {
            String key = Json.textAt(pod, "podRef", "namespace") + "/" + Json.textAt(pod, "podRef", "name") + "/";
            for (JsonNode container : Json.listAt(pod, "containers")) {
                put(figures, key + Json.textAt(container, "name"), container);
            }
        }
        return new NodeUsage(figures);
    }

    private static void put(Map<String, Figures> figures, String key, JsonNode of) {
        long cpu = Json.longAt(of, -1, "cpu", "usageCoreNanoSeconds");
        long memory = Json.longAt(of, -1, "memory", "workingSetBytes");
        Instant time = time(Json.textAt(of, "cpu", "time"));
        if (cpu >= 0 && memory >= 0 && time != null) {
            figures.put(key, new Figures(time, cpu, Json.longAt(of, -1, "cpu", "usageNanoCores"), memory));
        }
    }

    private static @Nullable Instant time(String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeParseException e) {
            return null;
        }
    }

    /** Null where it cannot be told: it was not there before, or has begun anew. */
    @Nullable
    Rate rate(String key, @Nullable NodeUsage before) {
        Figures now = figures.get(key);
        Figures then = before == null ? null : before.figures.get(key);
        if (now == null) {
            return null;
        }
        if (then != null && now.time().isAfter(then.time()) && now.cpuNanos() >= then.cpuNanos()) {
            Duration window = Duration.between(then.time(), now.time());
            if (window.compareTo(ROUGH) < 0 && now.nanoCores() >= 0) {
                return new Rate(now.nanoCores(), window);
            }
            double seconds = window.toNanos() / 1e9;
            return new Rate((long) ((now.cpuNanos() - then.cpuNanos()) / seconds), window);
        }
        return now.nanoCores() < 0 ? null : new Rate(now.nanoCores(), Duration.ofSeconds(10));
    }

    /** Whether everything that is here can be told a rate of. */
    boolean isTold(@Nullable NodeUsage before) {
        return figures.keySet().stream().allMatch(key -> rate(key, before) != null);
    }

    /** The figures of an object as the API shows them. */
    static ObjectNode usage(Figures figures, Rate rate) {
        ObjectNode usage = Json.object();
        usage.put("cpu", cpu(rate.nanoCores()));
        usage.put("memory", memory(figures.memoryBytes()));
        return usage;
    }

    private static String cpu(long nanoCores) {
        long amount = nanoCores;
        for (String suffix : new String[] {"n", "u", "m"}) {
            if (amount == 0 || amount % 1000 != 0) {
                return amount == 0 ? "0" : amount + suffix;
            }
            amount /= 1000;
        }
        return Long.toString(amount);
    }

    private static String memory(long bytes) {
        return bytes == 0 ? "0" : bytes % 1024 == 0 ? binary(bytes) : Long.toString(bytes);
    }

    private static String binary(long bytes) {
        long amount = bytes / 1024;
        for (String suffix : new String[] {"Ki", "Mi"}) {
            if (amount % 1024 != 0) {
                return amount + suffix;
            }
            amount /= 1024;
        }
        return amount + "Gi";
    }
}
