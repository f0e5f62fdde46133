package lavaflow.jobs;

/** How far a Job is. */
enum Phase {
    PENDING("Pending"),
    ABORTING("Aborting"),
    ABORTED("Aborted"),
    RUNNING("Running"),
    RESTARTING("Restarting"),
    COMPLETING("Completing"),
    COMPLETED("Completed"),
    TERMINATING("Terminating"),
    TERMINATED("Terminated"),
    FAILED("Failed");

    private final String word;

    Phase(String word) {
        this.word = word;
    }

    String word() {
        return word;
    }

    /** A Job nobody has looked at yet is pending. */
    static Phase of(String word) {
        for (Phase phase : values()) {
            if (phase.word.equals(word)) {
                return phase;
            }
        }
        return PENDING;
    }

    /** Nothing becomes of it any more. */
    boolean isFinished() {
        return this == COMPLETED || this == FAILED || this == TERMINATED;
    }
}
