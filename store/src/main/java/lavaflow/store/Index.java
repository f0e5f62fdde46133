package lavaflow.store;

import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongFunction;

import org.jspecify.annotations.Nullable;

/** The buckets and the two revisions that bound what can be read. Buckets stay once made: there is one per kind. */
final class Index {

    final ConcurrentHashMap<String, Bucket> buckets = new ConcurrentHashMap<>();
    private final TreeMap<Long, Integer> pins = new TreeMap<>();
    private volatile long visible;
    private volatile long compacted;

    /** The newest committed revision. */
    long visible() {
        return visible;
    }

    void visible(long revision) {
        visible = revision;
    }

    /** The oldest revision that can be read. */
    long compacted() {
        return compacted;
    }

    Bucket bucket(String name) {
        Bucket bucket = buckets.get(name);
        return bucket != null ? bucket : buckets.computeIfAbsent(name, Bucket::new);
    }

    @Nullable
    Bucket find(String name) {
        return buckets.get(name);
    }

    SortedSet<String> names() {
        return new TreeSet<>(buckets.keySet());
    }

    long liveBytes() {
        long bytes = 0;
        for (Bucket bucket : buckets.values()) {
            bytes += bucket.liveBytes();
        }
        return bytes;
    }

    /** Raises the oldest revision that can be read as far as wanted and not pinned; returns what it is now. */
    long compact(long wanted) {
        synchronized (pins) {
            long limit = pins.isEmpty() ? wanted : Math.min(wanted, pins.firstKey());
            if (limit > compacted) {
                compacted = limit;
            }
            return compacted;
        }
    }

    /** Runs something short that needs the newest revision to stay readable until it is done. */
    <T> T pinned(LongFunction<T> action) {
        long revision = pin();
        try {
            return action.apply(revision);
        } finally {
            synchronized (pins) {
                pins.computeIfPresent(revision, (pinned, times) -> times == 1 ? null : times - 1);
            }
        }
    }

    private long pin() {
        synchronized (pins) {
            long revision = visible; // the history is never compacted past it
            pins.merge(revision, 1, Integer::sum);
            return revision;
        }
    }

    void requireRetained(long revision) {
        long oldest = compacted;
        if (revision < oldest) {
            throw new CompactedException(revision, oldest);
        }
    }
}
