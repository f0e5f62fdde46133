package lavaflow.store;

/** The wanted revision has left the history; list again at a newer one. */
public final class CompactedException extends RuntimeException {

    private final long requestedRevision;
    private final long compactedRevision;

    public CompactedException(long requestedRevision, long compactedRevision) {
        super("revision " + requestedRevision + " has been compacted; the oldest one kept is " + compactedRevision);
        this.requestedRevision = requestedRevision;
        this.compactedRevision = compactedRevision;
    }

    public long requestedRevision() {
        return requestedRevision;
    }

    /** The oldest revision that could be read when this was thrown. */
    public long compactedRevision() {
        return compactedRevision;
    }
}
