package lavaflow;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import jdk.management.VirtualThreadSchedulerMXBean;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CarriersTest {
    private static final Duration LONG = Duration.ofSeconds(1);
    private static final Duration SHORT = Duration.ofMillis(1);

    private final List<Integer> set = new ArrayList<>();

    @Test
    void lendsThreadsToWorkThatWaits() {
        Carriers carriers = new Carriers(2, set::add);
        carriers.late(LONG);
        carriers.late(LONG.multipliedBy(2));
        assertThat(set).containsExactly(8);
    }

    @Test
    void takesThemBackAfterAMinuteInWhichNothingWaited() {
        Carriers carriers = new Carriers(2, set::add);
        carriers.late(LONG);
        for (int beat = 0; beat < 100; beat++) {
            carriers.began(SHORT);
        }
        carriers.late(LONG);
        for (int beat = 0; beat < 119; beat++) {
            carriers.began(SHORT);
        }
        assertThat(set).as("it waited again on the way").containsExactly(8);
        carriers.began(SHORT);
        assertThat(set).containsExactly(8, 2);
        carriers.late(LONG);
        assertThat(set).containsExactly(8, 2, 8);
    }

    @Test
    void leavesMachinesWithManyProcessorsAlone() {
        Carriers carriers = new Carriers(16, set::add);
        carriers.late(LONG);
        assertThat(set).isEmpty();
    }

    /** Two computations that never wait, on two threads that carry virtual ones. */
    @Test
    void longComputationsDoNotKeepOthersFromTheirTurn() throws Exception {
        VirtualThreadSchedulerMXBean scheduler =
                ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class);
        int before = scheduler.getParallelism();
        AtomicBoolean done = new AtomicBoolean();
        scheduler.setParallelism(2);
        try (Pulse pulse = new Pulse(
                Thread::startVirtualThread, Duration.ofMillis(50), new Carriers(2, scheduler::setParallelism))) {
            for (int computation = 0; computation < 2; computation++) {
                Thread.startVirtualThread(() -> {
                    while (!done.get()) {
                        Thread.onSpinWait();
                    }
                });
            }
            pulse.start();
            CountDownLatch turn = new CountDownLatch(1);
            Thread.startVirtualThread(turn::countDown);
            assertThat(turn.await(1, TimeUnit.MINUTES)).isTrue();
        } finally {
            done.set(true);
            scheduler.setParallelism(before);
        }
    }
}
