package lavaflow.controller;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

class WorkQueueTest {
    /** Starts where the clock is about to overflow. */
    private final AtomicLong nanos =
            new AtomicLong(Long.MAX_VALUE - Duration.ofMillis(3).toNanos());

    private final WorkQueue<String> queue = new WorkQueue<>(nanos::get);

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private List<String> drain() {
        List<String> keys = new ArrayList<>();
        for (String key = queue.poll(); key != null; key = queue.poll()) {
            keys.add(key);
            queue.done(key);
        }
        return keys;
    }

    @Test
    void handsOutKeysInTheOrderTheyCame() {
        queue.add("b");
        queue.add("a");

        assertThat(drain()).containsExactly("b", "a");
    }

    @Test
    void aKeyWaitsOnlyOnce() {
        queue.add("a");
        queue.add("a");

        assertThat(queue.depth()).isEqualTo(1);
        assertThat(drain()).containsExactly("a");
    }

    @Test
    void aKeyIsWithOneWorkerAtATime() {
        queue.add("a");
        String running = queue.poll();
        queue.add("a");

        assertThat(running).isEqualTo("a");
        assertThat(queue.poll()).isNull();

        queue.done("a");
        assertThat(queue.poll()).isEqualTo("a");
    }

    @Test
    void whatIsAddedWhileItRunsComesOnceMore() {
        queue.add("a");
        queue.poll();
        queue.add("a");
        queue.add("a");
        queue.done("a");

        assertThat(drain()).containsExactly("a");
    }

    @Test
    void aKeyThatRunsDoesNotHoldUpOthers() {
        queue.add("a");
        queue.poll();
        queue.add("a");
        queue.add("b");

        assertThat(queue.poll()).isEqualTo("b");
    }

    @Test
    void aDelayedKeyComesWhenItIsDue() {
        queue.addAfter("a", Duration.ofMillis(10));

        pass(Duration.ofMillis(9));
        assertThat(queue.poll()).isNull();

        pass(Duration.ofMillis(1));
        assertThat(drain()).containsExactly("a");
        assertThat(queue.isIdle()).isTrue();
    }

    @Test
    void delayedKeysComeInTheOrderTheyAreDue() {
        queue.addAfter("late", Duration.ofMillis(20));
        queue.addAfter("early", Duration.ofMillis(10));
        pass(Duration.ofMillis(20));

        assertThat(drain()).containsExactly("early", "late");
    }

    @Test
    void ofSeveralWishesTheEarliestCounts() {
        queue.addAfter("a", Duration.ofMillis(20));
        queue.addAfter("a", Duration.ofMillis(10));
        queue.addAfter("a", Duration.ofMillis(30));

        pass(Duration.ofMillis(10));
        assertThat(drain()).containsExactly("a");

        pass(Duration.ofMillis(100));
        assertThat(drain()).isEmpty();
    }

    @Test
    void aKeyThatIsWantedNowAndLaterComesTwice() {
        queue.addAfter("a", Duration.ofMillis(10));
        queue.add("a");
        assertThat(drain()).containsExactly("a");

        pass(Duration.ofMillis(10));
        assertThat(drain()).containsExactly("a");
    }

    @Test
    void aKeyThatIsDueWhileItRunsComesAfterwards() {
        queue.add("a");
        queue.poll();
        queue.addAfter("a", Duration.ofMillis(1));
        pass(Duration.ofMillis(1));
        assertThat(queue.poll()).isNull();

        queue.done("a");
        assertThat(queue.poll()).isEqualTo("a");
    }

    @Test
    void retriesWaitTwiceAsLongEachTimeUpToABound() {
        List<Duration> waits = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            queue.retry("a");
            Duration waited = Duration.ZERO;
            Duration step = WorkQueue.FIRST_RETRY;
            while (drain().isEmpty()) {
                pass(step);
                waited = waited.plus(step);
            }
            waits.add(waited);
        }

        assertThat(waits.subList(0, 4))
                .containsExactly(
                        Duration.ofMillis(5), Duration.ofMillis(10), Duration.ofMillis(20), Duration.ofMillis(40));
        assertThat(waits.getLast()).isEqualTo(WorkQueue.LAST_RETRY);
    }

    @Test
    void successMakesTheNextRetryQuickAgain() {
        queue.retry("a");
        queue.retry("a");
        queue.succeeded("a");

        assertThat(queue.retry("a")).isEqualTo(1);
        pass(WorkQueue.FIRST_RETRY);
        assertThat(drain()).containsExactly("a");
    }

    @Test
    void failuresOfOneKeyDoNotSlowAnother() {
        queue.retry("a");
        queue.retry("a");

        assertThat(queue.retry("b")).isEqualTo(1);
    }

    @Test
    void manyWhoFailAgainAndAgainShareTenTriesASecond() {
        for (int i = 0; i < 2_000; i++) {
            queue.add("key-" + i);
        }
        failFor(Duration.ofMinutes(10));
        assertThat(failFor(Duration.ofMinutes(1))).isBetween(500, 700);
    }

    @Test
    void whoFailsBecauseOfManyChangesDoesNotTakeTheTurnsOfOthers() {
        for (int i = 0; i < 1_000; i++) {
            queue.add("busy");
            failFor(Duration.ofMillis(1));
        }
        queue.add("other");
        failFor(Duration.ofSeconds(10));
        assertThat(failFor(Duration.ofMinutes(2))).isGreaterThan(2);
    }

    /** Everybody fails whenever they have their turn; how often that was. */
    private int failFor(Duration time) {
        int turns = 0;
        long beat = Math.min(time.toMillis(), 1_000);
        for (long gone = 0; gone < time.toMillis(); gone += beat) {
            pass(Duration.ofMillis(beat));
            for (String key = queue.poll(); key != null; key = queue.poll()) {
                queue.retry(key);
                queue.done(key);
                turns++;
            }
        }
        return turns;
    }

    @Test
    void manyWishesForOneKeyAreOneEntry() {
        for (int i = 1000; i > 0; i--) {
            queue.addAfter("a", Duration.ofSeconds(i));
        }
        pass(Duration.ofSeconds(1));
        assertThat(drain()).containsExactly("a");
        assertThat(queue.isIdle()).isTrue();
    }

    @Test
    void aClosedQueueHandsOutNothingAndTakesNothing() {
        queue.add("a");
        queue.addAfter("b", Duration.ZERO);
        queue.close();
        queue.add("c");
        queue.addAfter("d", Duration.ZERO);

        assertThat(queue.poll()).isNull();
        assertThat(queue.retry("e")).isZero();
        assertThat(queue.isIdle()).isTrue();
    }

    @Test
    void aKeyMayBeGivenBackAfterTheEnd() {
        queue.add("a");
        queue.poll();
        queue.add("a");
        queue.close();
        queue.done("a");

        assertThat(queue.poll()).isNull();
    }

    @Test
    @Timeout(120)
    void closingWakesWorkersThatWait() throws InterruptedException {
        WorkQueue<String> waited = new WorkQueue<>();
        List<Thread> workers = new ArrayList<>();
        List<String> taken = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            workers.add(Thread.ofVirtual().start(() -> {
                try {
                    String key = waited.take();
                    synchronized (taken) {
                        taken.add(String.valueOf(key));
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }));
        }
        waited.close();
        for (Thread worker : workers) {
            worker.join();
        }

        assertThat(taken).containsExactly("null", "null", "null");
    }

    @Test
    @Timeout(120)
    void takeWaitsForWhatIsAddedOrDue() throws InterruptedException {
        WorkQueue<String> waited = new WorkQueue<>();
        Thread.ofVirtual().start(() -> {
            // In this order: whoever adds may stand still for longer than the delay.
            waited.add("now");
            waited.addAfter("later", Duration.ofMillis(30));
        });

        assertThat(waited.take()).isEqualTo("now");
        assertThat(waited.take()).isEqualTo("later");
    }
}
