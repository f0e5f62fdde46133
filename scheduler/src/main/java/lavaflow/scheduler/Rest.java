package lavaflow.scheduler;

import java.time.Duration;
import java.time.Instant;

/**
 * Keeps a busy scheduler from spending more than half of its time on gangs. As long as it was idle before, it need not rest: a gang
 * whose pods come one by one is looked at with each, and the last must not wait because of the others.
 */
final class Rest {
    /** What may be spent before there is a rest. */
    private static final Duration ALLOWED = Duration.ofMillis(20);

    private static final Duration LONGEST = Duration.ofMillis(100);

    /** When rounds will have had half of the time. */
    private Instant settled = Instant.MIN;

    private Instant until = Instant.MIN;

    /** A round is over. */
    void after(Instant began, Instant ended) {
        Duration cost = Duration.between(began, ended);
        settled = (settled.isAfter(began) ? settled : began).plus(cost).plus(cost);
        Instant latest = ended.plus(LONGEST);
        if (settled.isAfter(latest.plus(ALLOWED))) {
            settled = latest.plus(ALLOWED);
        }
        until = settled.minus(ALLOWED);
    }

    /** Before that there is no other round. */
    Instant until() {
        return until;
    }
}
