package lavaflow.jobs;

import org.jspecify.annotations.Nullable;

/** What can be asked of a Job, by a policy, by a Command or by what is. */
enum JobAction {
    ABORT_JOB("AbortJob"),
    RESTART_JOB("RestartJob"),
    RESTART_TASK("RestartTask"),
    RESTART_POD("RestartPod"),
    RESTART_PARTITION("RestartPartition"),
    TERMINATE_JOB("TerminateJob"),
    COMPLETE_JOB("CompleteJob"),
    RESUME_JOB("ResumeJob"),
    SYNC_JOB("SyncJob"),
    ENQUEUE_JOB("EnqueueJob");

    private final String word;

    JobAction(String word) {
        this.word = word;
    }

    String word() {
        return word;
    }

    /** Null for what no Job understands. */
    static @Nullable JobAction of(String word) {
        for (JobAction action : values()) {
            if (action.word.equals(word)) {
                return action;
            }
        }
        return null;
    }
}
