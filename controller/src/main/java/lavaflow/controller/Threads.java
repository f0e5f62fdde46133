package lavaflow.controller;

import java.time.Duration;
import java.util.List;

/** Waits for threads to end, so that what they use may be closed after them. */
final class Threads {
    private Threads() {}

    static void join(List<Thread> threads, Duration patience) {
        long deadline = System.nanoTime() + patience.toNanos();
        try {
            for (Thread thread : threads) {
                if (thread.getState() == Thread.State.NEW) {
                    continue; // closed before it was started: nothing to wait for
                }
                boolean ended = thread.join(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
                if (!ended) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
