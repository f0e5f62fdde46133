package lavaflow.sandbox;

import java.time.Instant;
import java.util.Map;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * A container as it is.
 *
 * @param pid of its first process as the machine sees it; 0 unless it runs
 * @param exit how it ended; null before
 * @param departed whether its sandbox was taken away with all others, and only its end is known; there may be another sandbox
 *     of that name by now
 */
public record ContainerState(
        String id,
        String sandbox,
        Map<String, String> labels,
        Phase phase,
        Instant createdAt,
        @Nullable Instant startedAt,
        long pid,
        @Nullable ContainerExit exit,
        boolean departed) {
    /** How far it is. */
    public enum Phase {
        CREATED,
        RUNNING,
        EXITED
    }

    /**
     * As far as it came: it was made, was started if there is a time for that, and ended if it is known how. The end
     * is asked for before the start, so that nothing has ended that did not start.
     */
    static ContainerState of(
            Records.Made made, @Nullable ContainerExit exit, @Nullable Instant startedAt, LongSupplier pid) {
        Phase phase = exit != null ? Phase.EXITED : startedAt != null ? Phase.RUNNING : Phase.CREATED;
        return new ContainerState(
                made.id(),
                made.sandbox(),
                made.labels(),
                phase,
                made.createdAt(),
                startedAt,
                phase == Phase.RUNNING ? pid.getAsLong() : 0,
                exit,
                false);
    }
}
