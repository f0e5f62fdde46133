package lavaflow.remote;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RequestRateTest {
    private long now;
    private final RequestRate rate = new RequestRate(10, 3, () -> now);

    @Test
    void aBurstGoesOutAtOnceAndTheRestOneByOne() {
        assertThat(rate.takeTurn()).isZero();
        assertThat(rate.takeTurn()).isZero();
        assertThat(rate.takeTurn()).isZero();
        assertThat(Duration.ofNanos(rate.takeTurn())).isEqualTo(Duration.ofMillis(100));
        assertThat(Duration.ofNanos(rate.takeTurn())).isEqualTo(Duration.ofMillis(200));
    }

    @Test
    void aQuietTimeFillsUpToABurstAndNoFurther() {
        for (int i = 0; i < 3; i++) {
            rate.takeTurn();
        }
        now += Duration.ofHours(1).toNanos();
        for (int i = 0; i < 3; i++) {
            assertThat(rate.takeTurn()).isZero();
        }

        assertThat(rate.takeTurn()).isPositive();
    }
}
