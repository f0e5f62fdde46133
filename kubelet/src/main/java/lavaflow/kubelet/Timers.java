package lavaflow.kubelet;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** One thread that wakes whoever has to be woken at some time; what it runs must be quick. */
final class Timers implements AutoCloseable {
    private final ScheduledThreadPoolExecutor executor;

    Timers() {
        executor = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon().name("node timers").factory());
        executor.setRemoveOnCancelPolicy(true);
    }

    void after(Duration delay, Runnable task) {
        Future<?> ignored = cancellable(delay, task);
    }

    Future<?> cancellable(Duration delay, Runnable task) {
        return executor.schedule(task, Math.max(0, delay.toMillis()), TimeUnit.MILLISECONDS);
    }

    /** Until the end of the node. */
    void repeat(Duration period, Runnable task) {
        Future<?> ignored = every(period, period, task);
    }

    Future<?> every(Duration first, Duration period, Runnable task) {
        return executor.scheduleAtFixedRate(
                task, Math.max(0, first.toMillis()), period.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
