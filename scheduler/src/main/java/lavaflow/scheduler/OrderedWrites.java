package lavaflow.scheduler;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/** Writes about one thing one after the other, though many things at once; of those that wait only the newest matters. */
final class OrderedWrites {
    private final Writer.Threads threads;
    private final Set<String> running = new HashSet<>();
    private final Map<String, Runnable> waiting = new HashMap<>();

    OrderedWrites(Writer.Threads threads) {
        this.threads = threads;
    }

    /**
     * Writes as soon as nothing else is being written about the same.
     *
     * @param about what it is about
     */
    void write(String about, Runnable task) {
        synchronized (this) {
            if (!running.add(about)) {
                waiting.put(about, task);
                return;
            }
        }
        threads.run(() -> runAll(about, task));
    }

    private void runAll(String about, Runnable first) {
        Runnable task = first;
        while (task != null) {
            try {
                task.run();
            } finally {
                task = next(about);
            }
        }
    }

    private synchronized @Nullable Runnable next(String about) {
        Runnable next = waiting.remove(about);
        if (next == null) {
            running.remove(about);
        }
        return next;
    }

    void close() throws InterruptedException {
        threads.close();
    }
}
