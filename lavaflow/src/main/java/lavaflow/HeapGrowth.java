package lavaflow;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Lets the heap grow with what lives in it. The plain collector, which needs least for a small cluster, gives the young objects
 * more room only when it has gone through the whole heap, and does that only when no more memory can be had: a cluster that
 * grows fast stays with the eight megabytes it began with, and most of what it makes for a moment is kept as if it were old. So
 * whenever the heap has grown by a good part, all of it is looked at once.
 */
final class HeapGrowth implements AutoCloseable {
    private static final long MIB = 1 << 20;
    /** As long as it is smaller than that nothing needs to be done: most clusters are. */
    static final long SMALL = 64 * MIB;

    private static final long LEAST_STEP = 48 * MIB;
    private static final long MOST_STEP = 160 * MIB;
    private static final Duration LOOK = Duration.ofSeconds(1);
    /** Looking through everything stops everything, so it may take a twentieth of the time at most. */
    private static final int REST = 20;

    private final CountDownLatch closed = new CountDownLatch(1);

    void start() {
        Thread.ofVirtual().name("heap growth").start(this::run);
    }

    private void run() {
        long limit = SMALL;
        try {
            while (!closed.await(LOOK.toMillis(), TimeUnit.MILLISECONDS)) {
                if (Runtime.getRuntime().totalMemory() > limit) {
                    long nanos = collect();
                    limit = limitAfter(Runtime.getRuntime().totalMemory());
                    if (closed.await(REST * nanos, TimeUnit.NANOSECONDS)) {
                        return;
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Collects everything, and tells how long that took. */
    private static long collect() {
        long begin = System.nanoTime();
        System.gc();
        return System.nanoTime() - begin;
    }

    /** How far a heap may grow that has this size after everything was collected. */
    static long limitAfter(long total) {
        return Math.max(SMALL, total + Math.clamp(total / 2, LEAST_STEP, MOST_STEP));
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
