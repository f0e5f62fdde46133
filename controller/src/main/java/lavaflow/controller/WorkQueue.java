package lavaflow.controller;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Keys that want attention. A key waits at most once and is handed to one worker at a time; what is added while a worker
 * has it comes again afterwards. Bounded by the number of distinct keys. Thread-safe.
 */
public final class WorkQueue<K> {
    private record Delayed<K>(K key, long atNanos) {}

    private static final Duration FIRST_RETRY = Duration.ofMillis(5);
    private static final Duration LAST_RETRY = Duration.ofSeconds(60);

    private final Queue<K> ready = new ArrayDeque<>();
    private final Set<K> waiting = new HashSet<>();
    private final Set<K> running = new HashSet<>();
    private final Map<K, Integer> failures = new HashMap<>();
    private final Map<K, Long> due = new HashMap<>();
    private final PriorityQueue<Delayed<K>> delayed = new PriorityQueue<>(Comparator.comparingLong(Delayed::atNanos));
    private boolean closed;

    /** Asks for attention to a key, now. */
    public synchronized void add(K key) {
        if (closed || !waiting.add(key)) {
            return;
        }
        if (!running.contains(key)) {
            ready.add(key);
            notifyAll();
        }
    }

    /** Asks for attention later; of several wishes the earliest counts. */
    public synchronized void addAfter(K key, Duration delay) {
        if (closed) {
            return;
        }
        long at = System.nanoTime() + delay.toNanos();
        Long known = due.get(key);
        if (known != null && known - at <= 0) {
            return;
        }
        due.put(key, at);
        delayed.add(new Delayed<>(key, at));
        notifyAll();
    }

    /** Asks for attention after a wait that doubles with every failure in a row. */
    public synchronized void retry(K key) {
        int count = failures.merge(key, 1, Integer::sum);
        long millis = FIRST_RETRY.toMillis() << Math.min(count - 1, 14);
        addAfter(key, Duration.ofMillis(Math.min(millis, LAST_RETRY.toMillis())));
    }

    /** Forgets past failures of a key. */
    public synchronized void succeeded(K key) {
        failures.remove(key);
    }

    /** The next key, or null once the queue is closed. The caller must call {@link #done} with it. */
    public synchronized @Nullable K take() throws InterruptedException {
        while (true) {
            promote();
            if (closed) {
                return null;
            }
            K key = ready.poll();
            if (key != null) {
                waiting.remove(key);
                running.add(key);
                return key;
            }
            Delayed<K> next = delayed.peek();
            if (next == null) {
                wait();
            } else {
                long nanos = next.atNanos() - System.nanoTime();
                if (nanos > 0) {
                    wait(nanos / 1_000_000, (int) (nanos % 1_000_000));
                }
            }
        }
    }

    private void promote() {
        long now = System.nanoTime();
        for (Delayed<K> next = delayed.peek(); next != null && next.atNanos() - now <= 0; next = delayed.peek()) {
            delayed.poll();
            if (due.remove(next.key(), next.atNanos())) {
                add(next.key());
            }
        }
    }

    /** Gives a key back after its turn. */
    public synchronized void done(K key) {
        running.remove(key);
        if (waiting.contains(key)) {
            ready.add(key);
            notifyAll();
        }
    }

    /** Keys that wait for a turn now. */
    public synchronized int depth() {
        return waiting.size();
    }

    /** True if nothing waits, runs or is due later. */
    public synchronized boolean isIdle() {
        return waiting.isEmpty() && running.isEmpty() && due.isEmpty();
    }

    public synchronized void close() {
        closed = true;
        notifyAll();
    }
}
