package lavaflow.store;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How often a measured value fell under each bound, in the form metrics want.
 *
 * @param bounds upper bounds, inclusive
 * @param counts how many values were at most each bound and above the one before; the last for those above all bounds
 * @param sum of all values
 */
public record Distribution(List<Double> bounds, List<Long> counts, double sum) {

    public long count() {
        return counts.stream().mapToLong(Long::longValue).sum();
    }

    /** Counts; one thread records, any thread reads. */
    static final class Recorder {

        private final double[] bounds;
        private final AtomicLongArray counts;
        private volatile double sum;

        Recorder(double... bounds) {
            this.bounds = bounds;
            this.counts = new AtomicLongArray(bounds.length + 1);
        }

        @SuppressWarnings("NonAtomicVolatileUpdate") // one thread records
        void record(double value) {
            int at = 0;
            while (at < bounds.length && value > bounds[at]) {
                at++;
            }
            counts.lazySet(at, counts.get(at) + 1);
            sum += value;
        }

        Distribution read() {
            List<Long> read = new ArrayList<>(counts.length());
            for (int i = 0; i < counts.length(); i++) {
                read.add(counts.get(i));
            }
            return new Distribution(Arrays.stream(bounds).boxed().toList(), List.copyOf(read), sum);
        }
    }
}
