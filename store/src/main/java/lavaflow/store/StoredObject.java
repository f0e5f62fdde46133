package lavaflow.store;

import org.jspecify.annotations.Nullable;

/**
 * One version of an object. Immutable, apart from a slot in which the owner of the bytes may keep what it parsed out of
 * them, so that all readers and watchers share one parse.
 */
public final class StoredObject {

    private final String key;
    private final byte[] bytes;
    private final long revision;
    private final long createRevision;
    private final boolean deleted;

    /**
     * The version before this one; the writer cuts the link when this version leaves the history, so that a live
     * object never holds old versions in memory.
     */
    @Nullable
    volatile StoredObject older;

    private volatile @Nullable Object attachment;

    StoredObject(
            String key,
            byte[] bytes,
            long revision,
            long createRevision,
            boolean deleted,
            @Nullable StoredObject older) {
        this.key = key;
        this.bytes = bytes;
        this.revision = revision;
        this.createRevision = createRevision;
        this.deleted = deleted;
        this.older = older;
    }

    public String key() {
        return key;
    }

    /** The revision of the mutation that made this version. */
    public long revision() {
        return revision;
    }

    /** The revision at which the object was created. */
    public long createRevision() {
        return createRevision;
    }

    /** The JSON with its revision; not a copy, do not change it. */
    public byte[] bytes() {
        return bytes;
    }

    public @Nullable Object attachment() {
        return attachment;
    }

    /** Keeps a value derived from the bytes; racing callers may each set theirs, so it must not matter which one stays. */
    public void attachment(Object value) {
        attachment = value;
    }

    boolean deleted() {
        return deleted;
    }

    /** What this version holds in memory, roughly: the bytes, the key's share, this object and its places in maps. */
    long weight() {
        return bytes.length + 128L;
    }

    @Override
    public String toString() {
        return key + "@" + revision + (deleted ? " (deleted)" : "");
    }
}
