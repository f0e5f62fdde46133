package lavaflow.store;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/**
 * Keeps something derived from all objects of a bucket up to date: whoever is about to use it calls {@link #refresh}
 * first and then knows everything that was committed before the call. There is no thread behind it, so it costs nothing
 * while nobody asks, and it is never behind what the asker could have read.
 *
 * <p>Any thread may refresh; the listener is told by one at a time.
 */
public final class BucketView implements AutoCloseable {
    /** Hears of every object, and of every change. */
    public interface Listener {
        /** Forget everything: all objects are told anew. */
        void reset();

        void put(StoredObject object);

        void remove(String key);
    }

    private final Store store;
    private final String bucket;
    private final Listener listener;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Cursor cursor;
    /** Everything up to here has been told. */
    private volatile long reached = -1;

    public BucketView(Store store, String bucket, Listener listener) {
        this.store = store;
        this.bucket = bucket;
        this.listener = listener;
    }

    /** Tells the listener what happened since the last call. */
    public void refresh() {
        long wanted = store.revision();
        if (reached >= wanted) {
            return;
        }
        lock.lock();
        try {
            while (reached < wanted) {
                reached = advance();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    private long advance() throws InterruptedException {
        Cursor current = cursor;
        if (current != null) {
            try {
                Progress progress = current.poll(Duration.ZERO);
                progress.changes().forEach(this::tell);
                return progress.revision();
            } catch (LaggedException e) {
                current.close();
            }
        }
        while (true) {
            Snapshot snapshot = store.snapshot();
            try {
                cursor = store.watch(bucket, "", null, snapshot.revision());
                listener.reset();
                snapshot.scan(bucket, "", null).forEach(listener::put);
                return snapshot.revision();
            } catch (CompactedException e) {
                // The writer went on so fast that the snapshot is gone already: look again.
                Cursor useless = cursor;
                if (useless != null) {
                    useless.close();
                }
            }
        }
    }

    private void tell(Change change) {
        if (change.deleted()) {
            listener.remove(change.object().key());
        } else {
            listener.put(change.object());
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            Cursor current = cursor;
            if (current != null) {
                current.close();
            }
        } finally {
            lock.unlock();
        }
    }
}
