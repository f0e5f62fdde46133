package lavaflow.kubelet;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** A disk of 100 GiB that runs full and empties again. */
class RecentPressureTest {
    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
    private static final long GIB = 1L << 30;

    private final RecentPressure recent = new RecentPressure(Duration.ofMinutes(5));

    private NodeForm.Pressure with(long freeGib, long seconds) {
        NodeForm.Pressure now = Eviction.pressure(List.of(Eviction.disk(freeGib * GIB, 100 * GIB)));
        return recent.with(now, BEGIN.plusSeconds(seconds));
    }

    @Test
    void aNodeThatIsWellSaysSo() {
        assertThat(with(50, 0)).isEqualTo(NodeForm.Pressure.NONE);
    }

    @Test
    void aLackOfRoomIsToldAtOnce() {
        assertThat(with(2, 0).disk()).isTrue();
        assertThat(with(2, 0).memory()).isFalse();
    }

    @Test
    void itPassesFiveMinutesAfterTheRoomCameBack() {
        assertThat(with(2, 0).disk()).isTrue();
        assertThat(with(50, 10).disk()).isTrue();
        assertThat(with(50, 100).disk()).isTrue();
        assertThat(with(50, 299).disk()).isTrue();
        assertThat(with(50, 300).disk()).isFalse();
    }

    @Test
    void everyNewLackBeginsAnew() {
        assertThat(with(2, 0).disk()).isTrue();
        assertThat(with(2, 200).disk()).isTrue();
        assertThat(with(50, 400).disk()).isTrue();
        assertThat(with(50, 500).disk()).isFalse();
    }

    @Test
    void withoutAPeriodItPassesAtOnce() {
        RecentPressure forgetful = new RecentPressure(Duration.ZERO);

        assertThat(forgetful.with(new NodeForm.Pressure(true, true, true), BEGIN))
                .isEqualTo(new NodeForm.Pressure(true, true, true));
        assertThat(forgetful.with(NodeForm.Pressure.NONE, BEGIN)).isEqualTo(NodeForm.Pressure.NONE);
    }
}
