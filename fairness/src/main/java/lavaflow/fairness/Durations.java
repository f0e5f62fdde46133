package lavaflow.fairness;

import java.util.Arrays;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;

/** A histogram of seconds in upstream's buckets. */
final class Durations {
    private static final double[] BOUNDS = {0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30};

    private final LongAdder[] counts = new LongAdder[BOUNDS.length + 1];
    private final DoubleAdder sum = new DoubleAdder();

    Durations() {
        Arrays.setAll(counts, _ -> new LongAdder());
    }

    void observe(long nanos) {
        double seconds = nanos / 1e9;
        int bucket = 0;
        while (bucket < BOUNDS.length && seconds > BOUNDS[bucket]) {
            bucket++;
        }
        counts[bucket].increment();
        sum.add(seconds);
    }

    void print(StringBuilder out, String name, String labels) {
        long total = 0;
        for (int i = 0; i <= BOUNDS.length; i++) {
            total += counts[i].sum();
            String bound = i < BOUNDS.length ? trimmed(BOUNDS[i]) : "+Inf";
            out.append(name)
                    .append("_bucket{")
                    .append(labels)
                    .append(",le=\"")
                    .append(bound)
                    .append("\"} ");
            out.append(total).append('\n');
        }
        out.append(name)
                .append("_sum{")
                .append(labels)
                .append("} ")
                .append(sum.sum())
                .append('\n');
        out.append(name)
                .append("_count{")
                .append(labels)
                .append("} ")
                .append(total)
                .append('\n');
    }

    private static String trimmed(double bound) {
        return bound == Math.rint(bound) ? Long.toString((long) bound) : Double.toString(bound);
    }
}
