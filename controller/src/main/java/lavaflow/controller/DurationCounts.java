package lavaflow.controller;

import java.util.List;

/** How long things took, counted in ranges of a factor of ten. Not safe for concurrent use: owned by who counts. */
final class DurationCounts {
    /** Upper bounds as upstream prints them: powers of ten from 10 nanoseconds to 10 seconds, with Go's rounding. */
    static final List<String> BOUNDS = List.of(
            "1e-08",
            "1e-07",
            "1e-06",
            "9.999999999999999e-06",
            "9.999999999999999e-05",
            "0.001",
            "0.01",
            "0.1",
            "1",
            "10");

    private final long[] counts = new long[BOUNDS.size() + 1];
    private long sumNanos;

    void add(long nanos) {
        int range = 0;
        for (long bound = 10; range < BOUNDS.size() && nanos > bound; bound *= 10) {
            range++;
        }
        counts[range]++;
        sumNanos += nanos;
    }

    DurationCounts copy() {
        DurationCounts copy = new DurationCounts();
        System.arraycopy(counts, 0, copy.counts, 0, counts.length);
        copy.sumNanos = sumNanos;
        return copy;
    }

    long total() {
        long total = 0;
        for (long count : counts) {
            total += count;
        }
        return total;
    }

    /** Prints a histogram in Prometheus' text format. */
    void print(StringBuilder out, String name, String labels) {
        long total = 0;
        for (int i = 0; i < counts.length; i++) {
            total += counts[i];
            String bound = i < BOUNDS.size() ? BOUNDS.get(i) : "+Inf";
            out.append(name).append("_bucket{").append(labels).append(",le=\"").append(bound);
            out.append("\"} ").append(total).append('\n');
        }
        out.append(name)
                .append("_sum{")
                .append(labels)
                .append("} ")
                .append(sumNanos / 1e9)
                .append('\n');
        out.append(name)
                .append("_count{")
                .append(labels)
                .append("} ")
                .append(total)
                .append('\n');
    }
}
