package lavaflow.controller;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.TreeSet;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Keys that want attention. A key waits at most once and is handed to one worker at a time; what is added while a worker
 * has it comes again afterwards. Bounded by the number of distinct keys. Thread-safe.
 */
public final class WorkQueue<K> {
    /** A wish for later; the number tells wishes for the same moment apart. */
    private record Wish<K>(K key, long atNanos, long number) implements Comparable<Wish<K>> {
        @Override
        public int compareTo(Wish<K> other) {
            // Differences, because the clock may overflow.
            int byTime = Long.signum(atNanos - other.atNanos);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }
    }

    static final Duration FIRST_RETRY = Duration.ofMillis(5);
    static final Duration LAST_RETRY = Duration.ofSeconds(60);

    /** Lost races are everyday life and cost nobody anything; who fails more often in a row shares a rate with all others. */
    static final int STUBBORN = 8;

    /** As upstream's queues: ten tries a second, and what was not used for ten seconds. */
    private static final long TRY_NANOS = Duration.ofMillis(100).toNanos();

    private static final int SAVED_TRIES = 100;

    private final LongSupplier nanoTime;
    private final Queue<K> ready = new ArrayDeque<>();
    /** Since when keys want attention. */
    private final Map<K, Long> waiting = new HashMap<>();
    /** Since when workers have keys. */
    private final Map<K, Long> running = new HashMap<>();

    private final Map<K, Integer> failures = new HashMap<>();
    private final Map<K, Wish<K>> wishes = new HashMap<>();
    private final TreeSet<Wish<K>> later = new TreeSet<>();
    private long wishNumber;
    private long lastTry;
    private boolean tried;
    private boolean closed;
    private long adds;
    private long retries;
    private final DurationCounts waits = new DurationCounts();
    private final DurationCounts turns = new DurationCounts();

    public WorkQueue() {
        this(System::nanoTime);
    }

    public WorkQueue(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Asks for attention to a key, now. */
    public synchronized void add(K key) {
        if (closed || waiting.containsKey(key)) {
            return;
        }
        waiting.put(key, nanoTime.getAsLong());
        adds++;
        if (!running.containsKey(key)) {
            ready.add(key);
            notifyAll();
        }
    }

    /** Asks for attention later; of several wishes the earliest counts. */
    public synchronized void addAfter(K key, Duration delay) {
        if (closed) {
            return;
        }
        Wish<K> wish = new Wish<>(key, nanoTime.getAsLong() + delay.toNanos(), wishNumber++);
        Wish<K> known = wishes.get(key);
        if (known != null) {
            if (known.compareTo(wish) <= 0) {
                return;
            }
            later.remove(known);
        }
        wishes.put(key, wish);
        later.add(wish);
        notifyAll();
    }

    /**
     * Asks for attention after a wait that doubles with every failure in a row, and is longer still where many fail.
     *
     * @return how many failures in a row there have been
     */
    public synchronized int retry(K key) {
        if (closed) {
            return 0;
        }
        retries++;
        int count = failures.merge(key, 1, Integer::sum);
        long millis = FIRST_RETRY.toMillis() << Math.min(count - 1, 14);
        Duration alone = Duration.ofMillis(Math.min(millis, LAST_RETRY.toMillis()));
        Duration together = count > STUBBORN && !wishes.containsKey(key) ? turn() : Duration.ZERO;
        addAfter(key, together.compareTo(alone) > 0 ? together : alone);
        return count;
    }

    /** How long until it is the turn of one more of those who fail. */
    private Duration turn() {
        long now = nanoTime.getAsLong();
        long earliest = now - SAVED_TRIES * TRY_NANOS;
        lastTry = tried && lastTry + TRY_NANOS - earliest > 0 ? lastTry + TRY_NANOS : earliest;
        tried = true;
        return Duration.ofNanos(Math.max(0, lastTry - now));
    }

    /** Forgets past failures of a key. */
    public synchronized void succeeded(K key) {
        failures.remove(key);
    }

    /** Waits for the next key; null once the queue is closed. The caller must call {@link #done} with it. */
    public synchronized @Nullable K take() throws InterruptedException {
        while (!closed) {
            K key = poll();
            if (key != null) {
                return key;
            }
            if (later.isEmpty()) {
                wait();
            } else {
                long nanos = later.first().atNanos() - nanoTime.getAsLong();
                if (nanos > 0) {
                    wait(nanos / 1_000_000, (int) (nanos % 1_000_000));
                }
            }
        }
        return null;
    }

    /** The next key if one may have its turn now. The caller must call {@link #done} with it. */
    public synchronized @Nullable K poll() {
        promote();
        K key = closed ? null : ready.poll();
        if (key != null) {
            long now = nanoTime.getAsLong();
            Long since = waiting.remove(key);
            waits.add(since == null ? 0 : now - since);
            running.put(key, now);
        }
        return key;
    }

    private void promote() {
        long now = nanoTime.getAsLong();
        while (!later.isEmpty() && later.first().atNanos() - now <= 0) {
            Wish<K> due = later.removeFirst();
            wishes.remove(due.key());
            add(due.key());
        }
    }

    /** Gives a key back after its turn. */
    public synchronized void done(K key) {
        Long since = running.remove(key);
        if (since != null) {
            turns.add(nanoTime.getAsLong() - since);
        }
        if (waiting.containsKey(key)) {
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
        return waiting.isEmpty() && running.isEmpty() && wishes.isEmpty();
    }

    /** What happened so far, for those who watch over it. */
    public synchronized QueueStatistics statistics() {
        long now = nanoTime.getAsLong();
        long unfinished = 0;
        long longest = 0;
        for (long since : running.values()) {
            unfinished += now - since;
            longest = Math.max(longest, now - since);
        }
        return new QueueStatistics(ready.size(), adds, retries, waits.copy(), turns.copy(), unfinished, longest);
    }

    /** Hands out nothing more and forgets what waited. */
    public synchronized void close() {
        closed = true;
        ready.clear();
        waiting.clear();
        wishes.clear();
        later.clear();
        failures.clear();
        notifyAll();
    }
}
