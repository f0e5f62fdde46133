package lavaflow.store;

import org.jspecify.annotations.Nullable;

/** What became of a {@link Mutation}. */
public sealed interface Outcome {

    /**
     * The mutation is committed: durable unless it was relaxed, and visible to every reader.
     *
     * @param object the new version; for a deletion the final state, at the revision of the deletion
     */
    record Committed(StoredObject object) implements Outcome {}

    /**
     * The expectation did not hold; nothing changed.
     *
     * @param current the committed version that stands in the way, null if the key does not exist
     */
    record Conflict(@Nullable StoredObject current) implements Outcome {}
}
