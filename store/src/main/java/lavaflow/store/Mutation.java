package lavaflow.store;

/** One change to one key. The store applies it alone and completely, or not at all. */
public sealed interface Mutation {

    /** The key must not exist. */
    long ABSENT = 0;

    /** Whatever the newest revision of the key is. */
    long ANY = -1;

    String bucket();

    String key();

    /** The revision the key must have, {@link #ABSENT} or {@link #ANY}. */
    long expectedRevision();

    /** The new state; for a deletion the last state, which the watchers get. */
    Content content();

    /**
     * Whether the mutation may be acknowledged before it is on disk. A power failure can then lose up to the last
     * second of such mutations (never their revisions); a killed process loses nothing.
     */
    boolean relaxed();

    /** Creates or replaces an object. */
    record Put(String bucket, String key, long expectedRevision, Content content, boolean relaxed) implements Mutation {
        public Put {
            requireExpectation(expectedRevision);
        }
    }

    /** Deletes an object; conflicts when there is none. */
    record Delete(String bucket, String key, long expectedRevision, Content finalContent, boolean relaxed)
            implements Mutation {
        public Delete {
            requireExpectation(expectedRevision);
        }

        @Override
        public Content content() {
            return finalContent;
        }
    }

    private static void requireExpectation(long expectedRevision) {
        if (expectedRevision < ANY) {
            throw new IllegalArgumentException("expected revision " + expectedRevision + " is not a revision");
        }
    }
}
