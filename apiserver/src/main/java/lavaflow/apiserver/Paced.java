package lavaflow.apiserver;

import java.time.Duration;
import java.util.concurrent.Semaphore;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs an action after something changed: once for changes that came together, and resting after each run for longer than it
 * took. What reads everything anew thus costs a fraction of a core at most, however often and however much there is to read.
 */
final class Paced implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Paced.class);
    private static final int REST = 4;
    private static final Duration LONGEST_REST = Duration.ofMillis(400);

    private final Runnable action;
    private final Semaphore due = new Semaphore(0);
    private final Thread thread;
    private volatile boolean closed;

    Paced(String name, Runnable action) {
        this.action = action;
        this.thread = Thread.ofVirtual().name(name).start(this::work);
    }

    /** Something changed; returns at once. */
    void changed() {
        due.release();
    }

    private void work() {
        try {
            while (true) {
                due.acquire();
                due.drainPermits();
                if (closed) {
                    return;
                }
                long start = System.nanoTime();
                attempt();
                Duration rest = Duration.ofNanos(REST * (System.nanoTime() - start));
                Thread.sleep(rest.compareTo(LONGEST_REST) < 0 ? rest : LONGEST_REST);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void attempt() {
        try {
            action.run();
        } catch (RuntimeException e) {
            if (!closed) {
                LOG.error("a change could not be taken over", e);
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }
}
