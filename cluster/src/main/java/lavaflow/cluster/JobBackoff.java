package lavaflow.cluster;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * How long a job waits before it replaces what failed: ten seconds after the first failure, twice as long after each
 * further one, at most ten minutes. A success starts it over. Kept in memory only: after a restart jobs begin anew.
 *
 * @param failures since the last success
 * @param last when the latest of them happened
 */
record JobBackoff(int failures, Instant last) {
    static final JobBackoff NONE = new JobBackoff(0, Instant.EPOCH);

    private static final Duration FIRST = Duration.ofSeconds(10);
    private static final Duration MOST = Duration.ofMinutes(10);

    /** After more pods have ended. */
    JobBackoff after(List<JobPod> succeeded, List<JobPod> failed) {
        Instant success =
                succeeded.stream().map(JobPod::finished).max(Instant::compareTo).orElse(Instant.MIN);
        int count = succeeded.isEmpty() ? failures : 0;
        Instant latest = Instant.EPOCH;
        for (JobPod pod : failed) {
            if (pod.finished().isAfter(success)) {
                count++;
                latest = latest.isBefore(pod.finished()) ? pod.finished() : latest;
            }
        }
        if (succeeded.isEmpty() && failed.isEmpty()) {
            return this;
        }
        return new JobBackoff(count, latest);
    }

    /** What is left of the wait; zero where there is nothing to wait for. */
    Duration remaining(Instant now) {
        if (failures == 0) {
            return Duration.ZERO;
        }
        Duration wait = FIRST;
        for (int i = 1; i < failures && wait.compareTo(MOST) < 0; i++) {
            wait = wait.multipliedBy(2);
        }
        wait = wait.compareTo(MOST) > 0 ? MOST : wait;
        Duration left = wait.minus(Duration.between(last, now));
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** What is left of the wait before an index is tried again whose last pod this was. */
    static Duration remainingFor(JobPod lastFailed, Instant now) {
        return new JobBackoff(lastFailed.allFailuresBefore() + 1, lastFailed.finished()).remaining(now);
    }
}
