package lavaflow.gang;

/** Where a pod of a gang stands. */
public enum Stage {
    PENDING(0),
    /** Given a node, in a plan that may still come to nothing. */
    ALLOCATED(1),
    /** Given a node where others have to go first. */
    PIPELINED(2),
    /** Being bound. */
    BINDING(3),
    BOUND(4),
    RUNNING(5),
    /** Being deleted. */
    RELEASING(6),
    SUCCEEDED(7),
    FAILED(8),
    UNKNOWN(9),
    /** Decided to go, which the API refused: has its room until it is asked again. */
    LINGERING(10),
    /** Could not be bound, and is going to be tried again: keeps its room until then, but nothing may rely on it. */
    DELAYED(11);

    /** How many there are. */
    static final int COUNT = 12;

    /** Where it is counted. */
    final int place;

    Stage(int place) {
        this.place = place;
    }

    /** Counts for the share of its queue. */
    public boolean holdsRoom() {
        return this == ALLOCATED
                || this == BINDING
                || this == DELAYED
                || this == BOUND
                || this == RUNNING
                || this == LINGERING;
    }

    /** Counts for what its queue asks for: has room or waits for it. */
    public boolean asksForRoom() {
        return holdsRoom() || this == PENDING || this == PIPELINED;
    }

    /** May have to go for another. */
    public boolean canBeEvicted() {
        return this == BOUND || this == RUNNING;
    }

    /** Was given a node that the API has not confirmed. */
    boolean isUnconfirmed() {
        return this == BINDING || this == DELAYED;
    }

    /** Has to go and has not gone. */
    public boolean isLeaving() {
        return this == RELEASING || this == LINGERING;
    }

    public boolean isCompleted() {
        return this == SUCCEEDED || this == FAILED;
    }
}
