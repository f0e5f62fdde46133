package lavaflow.apiserver;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;

import lavaflow.store.CompactedException;
import lavaflow.store.Cursor;
import lavaflow.store.LaggedException;
import lavaflow.store.Store;
import lavaflow.store.StoreUnavailableException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs an action whenever something in one of a few buckets changed, for caches small enough to be read anew. One virtual thread
 * a bucket; the action runs on one thread at a time, and once for changes that came together.
 */
public final class StoreFollower implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StoreFollower.class);
    private static final Duration LONG = Duration.ofHours(1);

    private final Store store;
    private final Runnable changed;
    private final List<Cursor> cursors = new ArrayList<>();
    private volatile boolean closed;

    /** Follows from now on: read what there is afterwards, not before. */
    public StoreFollower(Store store, List<String> buckets, Runnable changed) {
        this.store = store;
        this.changed = changed;
        for (String bucket : buckets) {
            Thread.ofVirtual().name("follow " + bucket).start(() -> follow(bucket));
        }
    }

    private void follow(String bucket) {
        try {
            while (!closed) {
                try (Cursor cursor = open(bucket)) {
                    run();
                    while (!closed) {
                        if (!cursor.poll(LONG).changes().isEmpty()) {
                            run();
                        }
                    }
                } catch (LaggedException | CompactedException e) {
                    LOG.debug("{}: starts again: {}", bucket, e.getMessage());
                }
            }
        } catch (CancellationException | StoreUnavailableException e) {
            // Closed, or the store is.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized Cursor open(String bucket) {
        if (closed) {
            throw new CancellationException("closed");
        }
        Cursor cursor = store.watch(bucket, "", null, store.revision());
        cursors.add(cursor);
        return cursor;
    }

    private void run() {
        synchronized (changed) {
            try {
                changed.run();
            } catch (RuntimeException e) {
                LOG.error("a change of configuration could not be taken over", e);
            }
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        cursors.forEach(Cursor::close);
    }
}
