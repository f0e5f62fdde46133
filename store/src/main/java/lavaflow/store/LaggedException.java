package lavaflow.store;

/** A cursor was not polled for so long that changes it should deliver have left the history; list again and rewatch. */
public final class LaggedException extends RuntimeException {

    private final long deliveredRevision;

    LaggedException(long deliveredRevision) {
        super("changes after revision " + deliveredRevision + " have left the history before they were read");
        this.deliveredRevision = deliveredRevision;
    }

    /** The last revision up to which everything was delivered. */
    public long deliveredRevision() {
        return deliveredRevision;
    }
}
