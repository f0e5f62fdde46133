package lavaflow.scheduler;

import java.time.Duration;
import java.time.Instant;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RestTest {
    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

    private final Rest rest = new Rest();

    private static Instant at(long millis) {
        return BEGIN.plusMillis(millis);
    }

    @Test
    void aFewQuickRoundsAfterEachOtherNeedNone() {
        for (int round = 0; round < 10; round++) {
            rest.after(at(2L * round), at(2L * round + 2));
            assertThat(rest.until()).isBeforeOrEqualTo(at(2L * round + 2));
        }
    }

    @Test
    void whoIsAlwaysBusySpendsHalfOfTheTime() {
        Instant now = BEGIN;
        Duration spent = Duration.ZERO;
        while (now.isBefore(at(10_000))) {
            Instant ended = now.plusMillis(7);
            rest.after(now, ended);
            spent = spent.plusMillis(7);
            now = rest.until().isAfter(ended) ? rest.until() : ended;
        }
        assertThat(spent).isBetween(Duration.ofMillis(4_990), Duration.ofMillis(5_030));
    }

    @Test
    void aLongRoundIsFollowedByATenthOfASecondAtMost() {
        rest.after(at(0), at(5_000));
        assertThat(rest.until()).isEqualTo(at(5_100));
        rest.after(at(5_100), at(5_200));
        assertThat(rest.until()).isEqualTo(at(5_300));
    }

    @Test
    void idleTimeIsNotSavedUp() {
        rest.after(at(0), at(10));
        rest.after(at(60_000), at(60_030));
        assertThat(rest.until()).isEqualTo(at(60_040));
    }
}
