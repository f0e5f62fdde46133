package lavaflow.jobs;

/** What becomes of a Command about a Job. */
enum CommandFate {
    /** It is done. */
    OBEY,
    /** It means nothing, or nothing any more. */
    DROP,
    /** The Job cannot hear it now, and will. */
    KEEP;

    /**
     * While a Job restarts, whatever else is wished waits, since it would be lost: upstream restarts instead. That it is to
     * restart it knows, so a wish whose fulfilment was interrupted is not fulfilled twice.
     */
    static CommandFate of(String action, Phase phase) {
        JobAction wish = JobAction.of(action);
        if (wish == null || phase.isFinished()) {
            return DROP;
        }
        if (phase != Phase.RESTARTING) {
            return OBEY;
        }
        return switch (wish) {
            case RESTART_JOB, RESUME_JOB, SYNC_JOB, ENQUEUE_JOB -> DROP;
            case ABORT_JOB, TERMINATE_JOB, COMPLETE_JOB, RESTART_TASK, RESTART_POD, RESTART_PARTITION -> KEEP;
        };
    }
}
