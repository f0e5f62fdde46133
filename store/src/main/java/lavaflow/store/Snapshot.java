package lavaflow.store;

import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

import org.jspecify.annotations.Nullable;

/**
 * The store as it was at one revision. Holds nothing in memory: when the revision leaves the history while the snapshot
 * is still used, reading throws {@link CompactedException}. So collect what you need before you send it to a slow
 * client. Safe to share.
 */
public final class Snapshot {

    private final Index index;
    private final long revision;

    Snapshot(Index index, long revision) {
        this.index = index;
        this.revision = revision;
    }

    public long revision() {
        return revision;
    }

    public @Nullable StoredObject get(String bucket, String key) {
        Bucket found = index.find(bucket);
        StoredObject version = found == null ? null : found.at(key, revision);
        index.requireRetained(revision);
        return version == null || version.deleted() ? null : version;
    }

    /** The objects with keys from one (inclusive) to another (exclusive, null: to the end), lazily, in order of key. */
    public Iterable<StoredObject> scan(String bucket, String fromKey, @Nullable String toKey) {
        Bucket found = index.find(bucket);
        return found == null ? List.of() : () -> new Versions(found, fromKey, toKey);
    }

    /** How many objects {@link #scan} would find; walks them. */
    public long count(String bucket, String fromKey, @Nullable String toKey) {
        long count = 0;
        for (Iterator<StoredObject> objects = scan(bucket, fromKey, toKey).iterator(); objects.hasNext(); ) {
            objects.next();
            count++;
        }
        return count;
    }

    private final class Versions implements Iterator<StoredObject> {

        private final Iterator<StoredObject> newest;
        private @Nullable StoredObject next;

        Versions(Bucket bucket, String fromKey, @Nullable String toKey) {
            newest = bucket.range(fromKey, toKey).values().iterator();
            next = advance();
        }

        private @Nullable StoredObject advance() {
            StoredObject found = null;
            while (found == null && newest.hasNext()) {
                StoredObject version = Bucket.at(newest.next(), revision);
                found = version == null || version.deleted() ? null : version;
            }
            index.requireRetained(revision);
            return found;
        }

        @Override
        public boolean hasNext() {
            return next != null;
        }

        @Override
        public StoredObject next() {
            StoredObject current = next;
            if (current == null) {
                throw new NoSuchElementException();
            }
            next = advance();
            return current;
        }
    }
}
