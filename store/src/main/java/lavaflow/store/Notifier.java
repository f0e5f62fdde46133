package lavaflow.store;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/**
 * Wakes threads that wait for changes. Few are woken by the writer itself; many by a thread of their own, so that a
 * thousand watchers of one bucket do not slow down the next commit; a virtual one, because those it wakes are virtual and come to the same
 * scheduler without crossing to another. While that thread is busy, changes add up, and a
 * watcher is woken once for all of them.
 */
final class Notifier implements AutoCloseable {

    private static final int FEW = 16;

    private final Index index;
    private final ConcurrentLinkedQueue<Bucket> changed = new ConcurrentLinkedQueue<>();
    private final Set<Thread> revisionWaiters = ConcurrentHashMap.newKeySet();
    private volatile @Nullable Thread thread;
    private volatile boolean closed;

    Notifier(Index index) {
        this.index = index;
    }

    /** A bucket has visible changes. Writer only. */
    void changed(Bucket bucket) {
        if (bucket.cursors.size() <= FEW) {
            bucket.cursors.forEach(Cursor::signal);
            return;
        }
        if (bucket.notify.compareAndSet(false, true)) {
            changed.add(bucket);
        }
        if (thread == null) {
            thread = Thread.ofVirtual().name("store-notifier").start(this::run);
        }
        LockSupport.unpark(thread);
    }

    /** The visible revision has risen. Writer only. */
    void advanced() {
        if (!revisionWaiters.isEmpty()) {
            revisionWaiters.forEach(LockSupport::unpark);
        }
    }

    private void run() {
        while (!closed) {
            for (Bucket bucket = changed.poll(); bucket != null; bucket = changed.poll()) {
                bucket.notify.set(false); // before waking: what changes from here on is another round
                bucket.cursors.forEach(Cursor::signal);
            }
            if (changed.isEmpty() && !closed) {
                LockSupport.park(this);
            }
        }
    }

    /** Waits until a revision is visible; false when the time is over first. */
    boolean await(long revision, Duration timeout) throws InterruptedException {
        long deadline = System.nanoTime() + Cursor.nanos(timeout);
        Thread current = Thread.currentThread();
        revisionWaiters.add(current);
        try {
            while (index.visible() < revision) {
                long remaining = deadline - System.nanoTime();
                if (remaining <= 0 || closed) {
                    return false;
                }
                LockSupport.parkNanos(this, remaining);
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            }
            return true;
        } finally {
            revisionWaiters.remove(current);
        }
    }

    /** Wakes everybody for the last time. */
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        revisionWaiters.forEach(LockSupport::unpark);
        for (Bucket bucket : index.buckets.values()) {
            bucket.cursors.forEach(Cursor::signal);
        }
    }
}
