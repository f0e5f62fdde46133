package lavaflow.jobs;

import java.util.OptionalLong;

/** The life of a Job as a table: what an action means in a phase, and which phase follows. */
final class JobLife {
    /** What is done with the pods of a Job. */
    sealed interface Operation {
        /** Makes what is missing, ends what is too much. */
        record Sync() implements Operation {}

        /** Ends pods, and with them the PodGroup. */
        record Kill(Retained retained) implements Operation {}

        /** Ends the pods that are meant, of one task, of one part of it or a single one. */
        record KillTarget() implements Operation {}
    }

    /** Which pods a kill leaves. */
    enum Retained {
        NONE,
        FINISHED
    }

    /** What comes after the operation. */
    sealed interface Next {
        /** Another phase at once. */
        record Go(Phase phase, boolean countsAsRetry) implements Next {}

        /** Running, once enough pods have begun. */
        record OnceBegun() implements Next {}

        /** What the pods that ended make of a running Job. */
        record AsItRuns() implements Next {}

        /** Pending again, once there is room for its pods, or failed after too many retries. */
        record OnceRestarted() implements Next {}

        /** Another phase, once no pod is there that could still do something. */
        record OnceQuiet(Phase phase) implements Next {}

        /** The same. */
        record Stay() implements Next {}
    }

    record Turn(Operation operation, Next next) {}

    /**
     * What the next phase depends on.
     *
     * @param neverMade how many pods will never be there, since what they depend on has failed
     * @param statusMinAvailable what the status said before
     * @param taskMinimums what all tasks want at least
     * @param shortOfSuccess whether a task that says how many pods it needs, and has some, has fewer that succeeded
     */
    record Facts(
            Counts counts,
            long replicas,
            long neverMade,
            long minAvailable,
            long statusMinAvailable,
            OptionalLong minSuccess,
            long taskMinimums,
            boolean shortOfSuccess,
            long retryCount,
            long maxRetry) {
        /** Whether all pods have ended that will ever be there, and others were wanted. */
        boolean isStuck() {
            return neverMade > 0 && counts.succeeded() + counts.failed() + neverMade == replicas;
        }
    }

    private static final Operation SYNC = new Operation.Sync();
    private static final Operation KILL_ALL = new Operation.Kill(Retained.NONE);
    private static final Operation KILL_UNFINISHED = new Operation.Kill(Retained.FINISHED);
    private static final Operation KILL_TARGET = new Operation.KillTarget();
    private static final Turn RESUMED = new Turn(KILL_UNFINISHED, new Next.Go(Phase.RESTARTING, true));

    private JobLife() {}

    static Turn turn(Phase phase, JobAction action) {
        return switch (phase) {
            case PENDING -> active(action, new Next.OnceBegun());
            case RUNNING -> active(action, new Next.AsItRuns());
            case RESTARTING -> restarting(action);
            case ABORTING ->
                action == JobAction.RESUME_JOB ? RESUMED : new Turn(KILL_UNFINISHED, new Next.OnceQuiet(Phase.ABORTED));
            case ABORTED -> action == JobAction.RESUME_JOB ? RESUMED : new Turn(KILL_UNFINISHED, new Next.Stay());
            case COMPLETING -> new Turn(KILL_UNFINISHED, new Next.OnceQuiet(Phase.COMPLETED));
            case TERMINATING -> new Turn(KILL_UNFINISHED, new Next.OnceQuiet(Phase.TERMINATED));
            case COMPLETED, FAILED, TERMINATED -> new Turn(KILL_UNFINISHED, new Next.Stay());
        };
    }

    private static Turn active(JobAction action, Next otherwise) {
        return switch (action) {
            case RESTART_JOB -> new Turn(KILL_ALL, new Next.Go(Phase.RESTARTING, true));
            case RESTART_TASK, RESTART_POD, RESTART_PARTITION ->
                new Turn(KILL_TARGET, new Next.Go(Phase.RESTARTING, true));
            case ABORT_JOB -> new Turn(KILL_UNFINISHED, new Next.Go(Phase.ABORTING, false));
            case TERMINATE_JOB -> new Turn(KILL_UNFINISHED, new Next.Go(Phase.TERMINATING, false));
            case COMPLETE_JOB -> new Turn(KILL_UNFINISHED, new Next.Go(Phase.COMPLETING, false));
            case RESUME_JOB, SYNC_JOB, ENQUEUE_JOB -> new Turn(SYNC, otherwise);
        };
    }

    private static Turn restarting(JobAction action) {
        Operation operation = switch (action) {
            case SYNC_JOB -> SYNC;
            case RESTART_TASK, RESTART_POD, RESTART_PARTITION -> KILL_TARGET;
            case ABORT_JOB, RESTART_JOB, TERMINATE_JOB, COMPLETE_JOB, RESUME_JOB, ENQUEUE_JOB -> KILL_ALL;
        };
        return new Turn(operation, new Next.OnceRestarted());
    }

    static Phase after(Phase phase, Next next, Facts facts) {
        return switch (next) {
            case Next.Go(Phase other, boolean _) -> other;
            case Next.OnceBegun() when facts.isStuck() -> Phase.FAILED;
            case Next.OnceBegun() -> facts.minAvailable() <= facts.counts().begun() ? Phase.RUNNING : phase;
            case Next.AsItRuns() -> asItRuns(facts);
            case Next.OnceRestarted() -> {
                if (facts.retryCount() >= facts.maxRetry()) {
                    yield Phase.FAILED;
                }
                long room = facts.replicas() - facts.counts().terminating();
                yield room >= facts.statusMinAvailable() ? Phase.PENDING : phase;
            }
            case Next.OnceQuiet(Phase other) -> facts.counts().isQuiet() ? other : phase;
            case Next.Stay() -> phase;
        };
    }

    private static Phase asItRuns(Facts facts) {
        Counts counts = facts.counts();
        if (facts.replicas() == 0) {
            return Phase.RUNNING; // scaled to nothing, and maybe up again
        }
        boolean wantsSuccess = facts.minSuccess().isPresent();
        long minSuccess = facts.minSuccess().orElse(0);
        if (wantsSuccess && counts.succeeded() >= minSuccess) {
            return Phase.COMPLETED;
        }
        if (counts.succeeded() + counts.failed() == facts.replicas()) {
            boolean everyTaskMatters = facts.minAvailable() >= facts.taskMinimums();
            if ((everyTaskMatters && facts.shortOfSuccess()) || wantsSuccess) {
                return Phase.FAILED;
            }
            return counts.succeeded() >= facts.minAvailable() ? Phase.COMPLETED : Phase.FAILED;
        }
        if (facts.isStuck()) {
            return Phase.FAILED;
        }
        return counts.pending() > facts.replicas() - facts.minAvailable() ? Phase.PENDING : Phase.RUNNING;
    }
}
