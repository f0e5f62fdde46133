package lavaflow.node;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import lavaflow.kube.Taint;

import org.jspecify.annotations.Nullable;

/**
 * Nodes that look alike.
 *
 * @param name what their names begin with; a number follows
 * @param resources amounts by name, as quantities
 * @param zones nodes take turns in being in them; empty for none
 */
public record SimShape(
        String name,
        int count,
        Map<String, String> resources,
        Map<String, String> labels,
        List<Taint> taints,
        List<String> zones,
        Defaults defaults) {
    /**
     * How pods behave that do not say otherwise.
     *
     * @param startDelay until the first container starts
     * @param stopDelay until it has ended, once that is asked for
     * @param duration of pods that may end, which are those not always restarted; null for no end
     * @param plays what becomes of certain containers; the first that fits counts
     */
    public record Defaults(
            Duration startDelay,
            Duration stopDelay,
            @Nullable Duration duration,
            List<Play> plays) {
        public static final Defaults NONE = new Defaults(Duration.ZERO, Duration.ZERO, null, List.of());
    }

    /** So many nodes of a usual size. */
    public static SimShape usual(int count) {
        return new SimShape(
                "sim",
                count,
                Map.of("cpu", "32", "memory", "256Gi", "ephemeral-storage", "1Ti", "pods", "110"),
                Map.of(),
                List.of(),
                List.of(),
                Defaults.NONE);
    }
}
