package lavaflow.apiserver;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

final class AlarmsTest {
    private final BlockingQueue<String> rung = new LinkedBlockingQueue<>();

    private static long in(Duration time) {
        return System.nanoTime() + time.toNanos();
    }

    @Test
    void ringThoughOthersAreToRingLaterAndNotBeforeTheirTime() throws Exception {
        try (Alarms alarms = new Alarms();
                Alarms.Alarm late = alarms.add(() -> rung.add("late"));
                Alarms.Alarm never = alarms.add(() -> rung.add("never"));
                Alarms.Alarm early = alarms.add(() -> rung.add("early"))) {
            late.set(in(Duration.ofHours(1)));
            never.set(in(Duration.ofHours(2)));
            long soon = in(Duration.ofMillis(50));
            early.set(soon);

            assertThat(rung.poll(60, TimeUnit.SECONDS)).isEqualTo("early");
            assertThat(System.nanoTime() - soon).isNotNegative();

            long sooner = in(Duration.ofMillis(200));
            late.set(sooner);

            assertThat(rung.poll(60, TimeUnit.SECONDS)).isEqualTo("late");
            assertThat(System.nanoTime() - sooner).isNotNegative();
            assertThat(rung).isEmpty();
        }
    }

    @Test
    void ringOnceForTheTimeSetLast() throws Exception {
        while (!isMovedInTime()) {
            // The machine paused until the first time had come.
        }
        assertThat(rung.poll(60, TimeUnit.SECONDS)).isEqualTo("after");
    }

    private boolean isMovedInTime() throws Exception {
        BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        try (Alarms alarms = new Alarms();
                Alarms.Alarm moved = alarms.add(() -> heard.add("moved"));
                Alarms.Alarm after = alarms.add(() -> heard.add("after"))) {
            long first = in(Duration.ofMillis(100));
            moved.set(first);
            moved.set(in(Duration.ofHours(1)));
            if (System.nanoTime() - first >= 0) {
                return false;
            }
            after.set(in(Duration.ofMillis(300)));
            rung.add(String.valueOf(heard.poll(60, TimeUnit.SECONDS)));
            return true;
        }
    }

    @Test
    void ringAgainAfterEverybodyHadLeft() throws Exception {
        try (Alarms alarms = new Alarms()) {
            for (int round = 0; round < 3; round++) {
                try (Alarms.Alarm alarm = alarms.add(() -> rung.add("again"))) {
                    alarm.set(in(Duration.ZERO));
                    assertThat(rung.poll(60, TimeUnit.SECONDS)).isEqualTo("again");
                }
            }
        }
    }
}
