package lavaflow.kubelet;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * Pauses that double: nothing before the first failure, then 10 s up to 5 minutes, and from the beginning again for those
 * who did well for ten minutes.
 *
 * @param pause what has to be waited now
 * @param since when it became so long
 */
record BackOff(Duration pause, Instant since) {
    static final Duration FIRST = Duration.ofSeconds(10);
    static final Duration LONGEST = Duration.ofMinutes(5);

    /** After one more try that followed something that happened at a moment. */
    static BackOff next(@Nullable BackOff before, Instant happened, Instant now) {
        if (before == null || before.isForgotten(happened)) {
            return new BackOff(FIRST, now);
        }
        Duration doubled = before.pause.multipliedBy(2);
        return new BackOff(doubled.compareTo(LONGEST) > 0 ? LONGEST : doubled, now);
    }

    /** When the next try may be made after something that happened at a moment; that moment if at once. */
    static Instant mayTryAt(@Nullable BackOff current, Instant happened) {
        return current == null || current.isForgotten(happened) ? happened : happened.plus(current.pause);
    }

    private boolean isForgotten(Instant happened) {
        return Duration.between(since, happened).compareTo(LONGEST.multipliedBy(2)) > 0;
    }
}
