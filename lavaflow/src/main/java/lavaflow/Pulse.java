package lavaflow;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Gives the program something small to do again and again, and tells how long that had to wait. Everything is done by virtual threads,
 * so one that begins late is the sign that others keep it from its turn.
 */
final class Pulse implements AutoCloseable {
    /** Hears of every beat, on the thread of the pulse. */
    interface Listener {
        /**
         * The last beat has not begun yet.
         *
         * @param waited how long it has waited until now; told again and again until it begins
         */
        void late(Duration waited);

        /** The last beat has begun. */
        void began(Duration waited);
    }

    private final Executor work;
    private final Duration period;
    private final List<Listener> listeners;
    private final CountDownLatch closed = new CountDownLatch(1);

    Pulse(Listener... listeners) {
        this(Thread::startVirtualThread, Duration.ofMillis(500), listeners);
    }

    /**
     * The pulse of something else.
     *
     * @param work what has to begin in time
     * @param period between one beat and the next, and how long one may wait before it is late
     */
    Pulse(Executor work, Duration period, Listener... listeners) {
        this.work = work;
        this.period = period;
        this.listeners = List.of(listeners);
    }

    /** A thread of its own: a virtual one would wait with all the others. */
    void start() {
        Thread.ofPlatform().name("pulse").daemon().start(this::run);
    }

    private void run() {
        try {
            while (!passes(closed)) {
                beat();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void beat() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        long since = System.nanoTime();
        work.execute(begun::countDown);
        while (!passes(begun)) {
            if (closed.getCount() == 0) {
                return;
            }
            Duration waited = Duration.ofNanos(System.nanoTime() - since);
            listeners.forEach(listener -> listener.late(waited));
        }
        Duration waited = Duration.ofNanos(System.nanoTime() - since);
        listeners.forEach(listener -> listener.began(waited));
    }

    private boolean passes(CountDownLatch latch) throws InterruptedException {
        return latch.await(period.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
