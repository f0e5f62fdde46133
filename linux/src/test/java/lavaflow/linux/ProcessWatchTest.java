package lavaflow.linux;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

@Timeout(600)
class ProcessWatchTest {
    private static final int ENDS = 300;

    private static Child start() throws Exception {
        return Child.start(List.of("/bin/true"), List.of("PATH=/bin"), Arrays.asList(null, null, null));
    }

    @Test
    void aProcessThatIsGoneAlreadyIsToldAtOnce() throws Exception {
        assumeTrue(Child.supported(), "needs a newer C library");
        Child child = start();
        child.await();
        CountDownLatch told = new CountDownLatch(1);
        try (ProcessWatch watch = new ProcessWatch()) {
            watch.add(child.pid(), told::countDown);

            assertThat(told.await(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    /**
     * A child that is being made has copies of all files until it becomes another program: a file that was closed here is still
     * waited for then, under a number that may belong to another one.
     */
    @Test
    void theEndOfOneIsNeverTakenForTheEndOfAnother() throws Exception {
        assumeTrue(Child.supported(), "needs a newer C library");
        AtomicInteger mistakes = new AtomicInteger();
        CountDownLatch ended = new CountDownLatch(2 * ENDS);
        long alive = ProcessHandle.current().pid();
        try (ProcessWatch watch = new ProcessWatch()) {
            Runnable work = () -> {
                try {
                    for (int i = 0; i < ENDS; i++) {
                        Child child = start();
                        watch.add(child.pid(), ended::countDown);
                        watch.add(alive, mistakes::incrementAndGet);
                        child.await();
                    }
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            };
            Thread one = Thread.ofPlatform().start(work);
            Thread other = Thread.ofPlatform().start(work);
            one.join();
            other.join();

            assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(mistakes).hasValue(0);
        }
    }
}
