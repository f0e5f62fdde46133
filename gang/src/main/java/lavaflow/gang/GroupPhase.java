package lavaflow.gang;

/** How far a PodGroup is. */
public enum GroupPhase {
    /** Accepted, and not let into its queue. */
    PENDING("Pending"),
    /** Let into its queue: its pods may be made and placed. */
    INQUEUE("Inqueue"),
    /** As many pods as it needs have their place. */
    RUNNING("Running"),
    /** Some run, and the others find no place. */
    UNKNOWN("Unknown"),
    /** All have ended. */
    COMPLETED("Completed");

    private final String text;

    GroupPhase(String text) {
        this.text = text;
    }

    static GroupPhase of(String text) {
        for (GroupPhase phase : values()) {
            if (phase.text.equals(text)) {
                return phase;
            }
        }
        return PENDING;
    }

    @Override
    public String toString() {
        return text;
    }
}
