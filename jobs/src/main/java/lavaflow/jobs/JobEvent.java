package lavaflow.jobs;

/** What can happen to a Job. */
enum JobEvent {
    POD_PENDING("PodPending"),
    POD_RUNNING("PodRunning"),
    POD_FAILED("PodFailed"),
    POD_EVICTED("PodEvicted"),
    UNKNOWN("Unknown"),
    TASK_COMPLETED("TaskCompleted"),
    TASK_FAILED("TaskFailed"),
    OUT_OF_SYNC("OutOfSync"),
    COMMAND_ISSUED("CommandIssued"),
    JOB_UPDATED("JobUpdated");

    private final String word;

    JobEvent(String word) {
        this.word = word;
    }

    String word() {
        return word;
    }

    /** Whether it is only a reason to look again, which no policy can be about. */
    boolean isInternal() {
        return this == OUT_OF_SYNC || this == COMMAND_ISSUED || this == POD_RUNNING;
    }
}
