package lavaflow.jobs;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * How often a status is written: a phase at once, numbers of pods after a while. Thousands of pods that begin and end would
 * otherwise be as many writes.
 */
final class StatusPace {
    private static final List<String> NUMBERS =
            List.of("pending", "running", "succeeded", "failed", "terminating", "unknown", "taskStatusCount");
    private static final Duration USUAL = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofSeconds(10);
    private static final long MANY_PODS = 100;

    private final LongSupplier nanoTime;
    private final Map<JobKey, Long> differentSince = new ConcurrentHashMap<>();

    StatusPace(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Null if a status is to be written now, or how long that can wait. */
    @Nullable
    Duration beforeWriting(JobKey key, VolcanoJob job, ObjectNode written, ObjectNode next) {
        if (written.equals(next) || !withoutNumbers(written).equals(withoutNumbers(next))) {
            return null;
        }
        long since = differentSince.computeIfAbsent(key, _ -> nanoTime.getAsLong());
        Duration wanted = USUAL.multipliedBy(Math.max(1, job.replicas() / MANY_PODS));
        Duration left = (wanted.compareTo(LONGEST) > 0 ? LONGEST : wanted).minusNanos(nanoTime.getAsLong() - since);
        return left.isPositive() ? left : null;
    }

    private static ObjectNode withoutNumbers(ObjectNode status) {
        ObjectNode rest = status.deepCopy();
        rest.remove(NUMBERS);
        return rest;
    }

    void wrote(JobKey key) {
        differentSince.remove(key);
    }

    void forget(JobKey key) {
        differentSince.remove(key);
    }
}
