package lavaflow.store;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/** A mutation on its way through the writer; completed when its batch is committed or has failed. */
final class Submission extends CompletableFuture<Outcome> {

    final Mutation mutation;
    final int bytes;

    /** What the writer decided; not yet told, because the batch is not committed. */
    @Nullable
    Outcome decided;

    Submission(Mutation mutation) {
        this.mutation = mutation;
        this.bytes = mutation.content().bytes().length
                + mutation.key().length()
                + mutation.bucket().length()
                + Frames.RECORD_BYTES;
    }
}
