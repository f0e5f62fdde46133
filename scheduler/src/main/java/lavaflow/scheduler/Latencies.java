package lavaflow.scheduler;

import java.util.Map;
import java.util.TreeMap;

/** How many milliseconds things took, by their labels, as a histogram of Prometheus. Safe to use from anywhere. */
final class Latencies {
    /** Upper bounds. Upstream begins at five milliseconds, which is where most of this ends. */
    private static final double[] BOUNDS = {
        0.1, 0.5, 1, 2, 5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 10_240, 20_480, 40_960, 81_920, 163_840
    };

    private static final class Counts {
        private final long[] byRange = new long[BOUNDS.length + 1];
        private double sum;
    }

    private final String name;
    private final Map<String, Counts> byLabels = new TreeMap<>();

    Latencies(String name) {
        this.name = name;
    }

    /** @param labels as they are printed, without braces; empty for none */
    synchronized void add(String labels, double milliseconds) {
        Counts counts = byLabels.computeIfAbsent(labels, _ -> new Counts());
        int range = 0;
        while (range < BOUNDS.length && milliseconds > BOUNDS[range]) {
            range++;
        }
        counts.byRange[range]++;
        counts.sum += milliseconds;
    }

    synchronized void print(StringBuilder out) {
        out.append("# TYPE ").append(name).append(" histogram\n");
        byLabels.forEach((labels, counts) -> {
            String before = labels.isEmpty() ? "{" : "{" + labels + ",";
            String alone = labels.isEmpty() ? "" : "{" + labels + "}";
            long total = 0;
            for (int i = 0; i < counts.byRange.length; i++) {
                total += counts.byRange[i];
                String bound = i < BOUNDS.length ? GangMetrics.number(BOUNDS[i]) : "+Inf";
                out.append(name)
                        .append("_bucket")
                        .append(before)
                        .append("le=\"")
                        .append(bound);
                out.append("\"} ").append(total).append('\n');
            }
            out.append(name).append("_sum").append(alone).append(' ');
            out.append(GangMetrics.number(counts.sum)).append('\n');
            out.append(name)
                    .append("_count")
                    .append(alone)
                    .append(' ')
                    .append(total)
                    .append('\n');
        });
    }
}
