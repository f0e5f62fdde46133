package lavaflow.store;

import org.jspecify.annotations.Nullable;

/**
 * One committed mutation, as watchers see it.
 *
 * @param object the version it made; for a deletion the final state, at the revision of the deletion
 * @param previous the version it replaced or deleted, null for a creation
 * @param deleted whether the key is gone
 */
public record Change(StoredObject object, @Nullable StoredObject previous, boolean deleted) {

    public long revision() {
        return object.revision();
    }

    /** What only the history keeps in memory: the replaced version, a tombstone, and this entry. */
    long historyWeight() {
        return 64 + (previous == null ? 0 : previous.weight()) + (deleted ? object.weight() : 0);
    }
}
