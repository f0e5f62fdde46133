package lavaflow.store;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

/**
 * All versions of the objects of one kind, their changes, and who watches them. Only the writer changes versions and
 * changes. A version above the visible revision may already be in the map; readers step over it to an older one.
 */
final class Bucket {

    final String name;
    final byte[] nameBytes;
    final Ring ring = new Ring();
    final Set<Cursor> cursors = ConcurrentHashMap.newKeySet();

    /** Whether the {@link Notifier} is going to wake the cursors anyway. */
    final AtomicBoolean notify = new AtomicBoolean();

    /** Newest version of each key; a tombstone stays until it leaves the history. */
    private final ConcurrentSkipListMap<String, StoredObject> newest = new ConcurrentSkipListMap<>();

    private volatile long objects;
    private volatile long liveBytes;

    /** Revision of the last change since the store was opened; set before that revision is visible. */
    private volatile long changed;

    Bucket(String name) {
        this.name = name;
        this.nameBytes = name.getBytes(StandardCharsets.UTF_8);
    }

    @Nullable
    StoredObject newest(String key) {
        return newest.get(key);
    }

    /** The version of a key at a revision, which may be a tombstone; only right if the revision is still kept. */
    @Nullable
    StoredObject at(String key, long revision) {
        return at(newest.get(key), revision);
    }

    static @Nullable StoredObject at(@Nullable StoredObject newest, long revision) {
        StoredObject version = newest;
        while (version != null && version.revision() > revision) {
            version = version.older;
        }
        return version;
    }

    ConcurrentNavigableMap<String, StoredObject> range(String from, @Nullable String to) {
        if (to == null) {
            return newest.tailMap(from, true);
        }
        return from.compareTo(to) <= 0 ? newest.subMap(from, true, to, false) : newest.subMap(from, from);
    }

    long objects() {
        return objects;
    }

    long changed() {
        return changed;
    }

    long liveBytes() {
        return liveBytes;
    }

    /** Puts a version in place; nobody sees it before the visible revision reaches it. */
    void stage(StoredObject version) {
        newest.put(version.key(), version);
    }

    /** Takes back what {@link #stage} did; in reverse order. */
    void unstage(StoredObject version) {
        StoredObject older = version.older;
        if (older == null) {
            newest.remove(version.key());
        } else {
            newest.put(version.key(), older);
        }
    }

    /** Adds a staged version to the changes and counts. */
    void publish(Change change) {
        count(change);
        ring.add(change);
    }

    /** Counts a change that is not kept. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // only the writer changes them
    void count(Change change) {
        changed = change.revision();
        StoredObject previous = change.previous();
        if (previous != null) {
            objects--;
            liveBytes -= previous.weight();
        }
        if (!change.deleted()) {
            objects++;
            liveBytes += change.object().weight();
        }
    }

    /** Forgets the changes up to a revision and the versions only they needed; returns the weight let go. */
    Dropped drop(long revision) {
        int events = 0;
        long bytes = 0;
        for (Change change = ring.first(); change != null && change.revision() <= revision; change = ring.first()) {
            ring.removeFirst();
            StoredObject object = change.object();
            object.older = null;
            if (change.deleted()) {
                newest.remove(object.key(), object);
            }
            events++;
            bytes += change.historyWeight();
        }
        return new Dropped(events, bytes);
    }

    /** What left the history. */
    record Dropped(int events, long bytes) {}
}
