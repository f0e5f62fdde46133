package lavaflow.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/**
 * A position in the changes of a bucket. It holds nothing in memory but itself; close it all the same, or the store goes
 * on waking it.
 *
 * <p>One thread polls; any thread may wake or close.
 */
public final class Cursor implements AutoCloseable {

    /** Changes handed out at once, so that a cursor far behind does not build one giant list. */
    static final int POLL_CHANGES = 1_024;

    private static final Duration LONGEST = Duration.ofDays(1_000);

    private final Store store;
    private final Index index;
    private final Bucket bucket;
    private final String fromKey;
    private final @Nullable String toKey;
    private long position;
    private long delivered;
    private volatile @Nullable Thread waiter;
    private volatile boolean woken;
    private volatile boolean closed;

    Cursor(Store store, Index index, Bucket bucket, String fromKey, @Nullable String toKey, long afterRevision) {
        this.store = store;
        this.index = index;
        this.bucket = bucket;
        this.fromKey = fromKey;
        this.toKey = toKey;
        this.delivered = afterRevision;
        this.position = bucket.ring.after(afterRevision);
        index.requireRetained(afterRevision);
        bucket.cursors.add(this);
    }

    /**
     * Waits for changes, until the timeout, or until {@link #wake()}.
     *
     * @return the changes since the last poll, possibly none, and how far they reach
     * @throws LaggedException when changes were lost; the cursor is of no more use
     * @throws CancellationException when the cursor is closed
     * @throws StoreUnavailableException when the store is closed
     */
    public Progress poll(Duration timeout) throws InterruptedException {
        return poll(true, System.nanoTime() + nanos(timeout));
    }

    /** As {@link #poll(Duration)} without an end; cheaper, because a timed wait of a virtual thread involves another thread. */
    public Progress poll() throws InterruptedException {
        return poll(false, 0);
    }

    private Progress poll(boolean timed, long deadline) throws InterruptedException {
        while (true) {
            requireOpen();
            boolean wake = woken;
            Progress progress = take();
            if (wake || !progress.changes().isEmpty()) {
                woken = false;
                return progress;
            }
            long remaining = timed ? deadline - System.nanoTime() : 0;
            if (timed && remaining <= 0) {
                return progress;
            }
            await(remaining);
        }
    }

    static long nanos(Duration timeout) {
        return (timeout.compareTo(LONGEST) < 0 ? timeout : LONGEST).toNanos();
    }

    private void requireOpen() {
        if (closed) {
            throw new CancellationException("the cursor is closed");
        }
        store.requireOpen();
    }

    /** Zero waits without an end. */
    private void await(long nanos) throws InterruptedException {
        waiter = Thread.currentThread();
        try {
            if (!woken && !closed && store.isOpen() && !ready()) {
                if (nanos == 0) {
                    LockSupport.park(this);
                } else {
                    LockSupport.parkNanos(this, nanos);
                }
            }
        } finally {
            waiter = null;
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    private boolean ready() {
        if (bucket.ring.tail() <= position) {
            return false;
        }
        Change next = bucket.ring.at(position);
        return next == null || next.revision() <= index.visible();
    }

    /** Everything from the position to the visible revision; changes above it are published but not yet committed. */
    private Progress take() {
        long visible = index.visible();
        long tail = bucket.ring.tail();
        long start = position;
        long at = start;
        long reached = Math.max(visible, delivered);
        List<Change> changes = List.of();
        while (at < tail) {
            Change change = bucket.ring.at(at);
            if (change == null) {
                throw new LaggedException(delivered);
            }
            if (change.revision() > visible) {
                break;
            }
            at++;
            if (change.revision() > delivered && inRange(change.object().key())) {
                if (changes.isEmpty()) {
                    changes = new ArrayList<>();
                }
                changes.add(change);
                if (changes.size() == POLL_CHANGES) {
                    reached = change.revision();
                    break;
                }
            }
        }
        if (bucket.ring.head() > start) {
            throw new LaggedException(delivered);
        }
        position = at;
        delivered = reached;
        return new Progress(changes, reached);
    }

    private boolean inRange(String key) {
        return key.compareTo(fromKey) >= 0 && (toKey == null || key.compareTo(toKey) < 0);
    }

    /** Makes a {@link #poll} that waits, or else the next one, return at once. */
    public void wake() {
        woken = true;
        signal();
    }

    /** Ends the cursor; a {@link #poll} that waits throws {@link CancellationException}. */
    @Override
    public void close() {
        closed = true;
        bucket.cursors.remove(this);
        signal();
    }

    public boolean isClosed() {
        return closed;
    }

    void signal() {
        Thread waiting = waiter;
        if (waiting != null) {
            LockSupport.unpark(waiting);
        }
    }
}
