package lavaflow.jobs;

import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * What is to be done with a Job, and with which of its pods.
 *
 * @param cause what it came from, if that has to be forgotten afterwards
 * @param announced whether it was told beforehand that this would be done
 */
record Request(
        JobAction action,
        String task,
        String pod,
        String partition,
        @Nullable Happening cause,
        boolean announced) {
    static final Request SYNC = of(JobAction.SYNC_JOB);

    static Request of(JobAction action) {
        return new Request(action, "", "", "", null, false);
    }

    /** What is told when it is done. */
    String announcement() {
        return "Start to execute action " + action.word() + " ";
    }

    /** The pods that are meant, for actions that mean some. */
    Predicate<JobPod> targets() {
        return switch (action) {
            case RESTART_TASK -> each -> each.task().equals(task);
            case RESTART_POD -> each -> each.name().equals(pod);
            case RESTART_PARTITION ->
                each -> each.task().equals(task) && each.partition().equals(partition);
            case ABORT_JOB, RESTART_JOB, TERMINATE_JOB, COMPLETE_JOB, RESUME_JOB, SYNC_JOB, ENQUEUE_JOB -> _ -> false;
        };
    }
}
