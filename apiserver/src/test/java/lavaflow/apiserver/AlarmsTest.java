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
    void ringInTheOrderOfTheirTimesAndNotBefore() throws Exception {
        try (Alarms alarms = new Alarms();
                Alarms.Alarm late = alarms.add(() -> rung.add("late"));
                Alarms.Alarm never = alarms.add(() -> rung.add("never"));
                Alarms.Alarm early = alarms.add(() -> rung.add("early"))) {
            long start = System.nanoTime();
            never.set(in(Duration.ofHours(1)));
            late.set(in(Duration.ofMillis(300)));
            early.set(in(Duration.ofMillis(50)));

            assertThat(rung.poll(60, TimeUnit.SECONDS)).isEqualTo("early");
            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(50_000_000);
            assertThat(rung.poll(60, TimeUnit.SECONDS)).isEqualTo("late");
            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(300_000_000);
            assertThat(rung).isEmpty();
        }
    }

    @Test
    void ringOnceForTheTimeSetLast() throws Exception {
        try (Alarms alarms = new Alarms();
                Alarms.Alarm moved = alarms.add(() -> rung.add("moved"));
                Alarms.Alarm after = alarms.add(() -> rung.add("after"))) {
            moved.set(in(Duration.ofMillis(20)));
            moved.set(in(Duration.ofHours(1)));
            after.set(in(Duration.ofMillis(200)));

            assertThat(rung.poll(60, TimeUnit.SECONDS)).isEqualTo("after");
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
