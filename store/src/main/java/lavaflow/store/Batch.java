package lavaflow.store;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Mutations that are committed together: each is checked against the state the ones before it leave, gets the next
 * revision and is put in place, invisibly. Then all are published, or all are taken back.
 */
final class Batch {

    private record Staged(Bucket bucket, Change change) {}

    private final Index index;
    private final List<Submission> submissions = new ArrayList<>();
    private final List<Staged> staged = new ArrayList<>();
    private boolean durable;

    Batch(Index index) {
        this.index = index;
    }

    List<Submission> submissions() {
        return submissions;
    }

    /** How many mutations change something. */
    int changes() {
        return staged.size();
    }

    /** Whether a mutation must be on disk before it is acknowledged. */
    boolean durable() {
        return durable;
    }

    void clear() {
        submissions.clear();
        staged.clear();
        durable = false;
    }

    void add(Submission submission) {
        submissions.add(submission);
    }

    /** Decides every mutation and encodes the ones that change something; returns the last revision used. */
    long stage(long lastRevision, FrameEncoder encoder) {
        long revision = lastRevision;
        for (Submission submission : submissions) {
            Mutation mutation = submission.mutation;
            Bucket bucket = index.bucket(mutation.bucket());
            StoredObject older = bucket.newest(mutation.key());
            StoredObject current = older == null || older.deleted() ? null : older;
            if (!expected(mutation, current)) {
                submission.decided = new Outcome.Conflict(current);
                continue;
            }
            revision++;
            StoredObject object = version(mutation, revision, current, older);
            bucket.stage(object);
            staged.add(new Staged(bucket, new Change(object, current, object.deleted())));
            durable |= !mutation.relaxed();
            encoder.add(bucket, object);
            submission.decided = new Outcome.Committed(object);
        }
        return revision;
    }

    private static boolean expected(Mutation mutation, @Nullable StoredObject current) {
        if (mutation instanceof Mutation.Delete && current == null) {
            return false;
        }
        long expected = mutation.expectedRevision();
        if (expected == Mutation.ANY) {
            return true;
        }
        return expected == (current == null ? Mutation.ABSENT : current.revision());
    }

    private static StoredObject version(
            Mutation mutation, long revision, @Nullable StoredObject current, @Nullable StoredObject older) {
        return new StoredObject(
                older == null ? mutation.key() : older.key(), // one string for all versions
                mutation.content().at(revision),
                revision,
                current == null ? revision : current.createRevision(),
                mutation instanceof Mutation.Delete,
                older);
    }

    /** Takes back what {@link #stage} put in place. */
    void unstage() {
        for (Staged change : staged.reversed()) {
            change.bucket().unstage(change.change().object());
        }
        staged.clear();
    }

    /** Hands the changes to history and watchers; they show when the visible revision is raised. */
    void publish(History history, long nowMillis) {
        for (Staged change : staged) {
            change.bucket().publish(change.change());
            history.add(change.bucket(), change.change(), nowMillis);
        }
    }

    /** Tells the submitters. */
    void complete() {
        for (Submission submission : submissions) {
            Outcome decided = submission.decided;
            if (decided == null) {
                throw new IllegalStateException("undecided " + submission.mutation);
            }
            submission.complete(decided);
        }
    }

    void fail(StoreUnavailableException failure) {
        for (Submission submission : submissions) {
            submission.completeExceptionally(failure);
        }
    }

    /** Wakes who watches the changed buckets. */
    void signal(Notifier notifier) {
        Bucket last = null;
        for (Staged change : staged) {
            if (change.bucket() != last) { // neighbours are mostly of one bucket; waking twice does no harm
                last = change.bucket();
                notifier.changed(last);
            }
        }
    }
}
