package lavaflow.jobs;

import java.util.Comparator;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * A Command about a Job, as long as nobody has done what it says.
 *
 * @param targetUid empty where any Job of that name is meant
 */
record JobCommand(
        String namespace,
        String name,
        String uid,
        String job,
        String targetUid,
        String action,
        String created,
        long revision) {
    /** In the order in which they were given. */
    static final Comparator<JobCommand> OLDEST_FIRST =
            Comparator.comparing(JobCommand::created).thenComparingLong(JobCommand::revision);

    /** Null for a Command about something else. */
    static @Nullable JobCommand of(ObjectNode command) {
        boolean aboutJob = Json.textAt(command, "target", "kind").equals("Job")
                && Json.textAt(command, "target", "apiVersion").startsWith(Volcano.GROUP + "/");
        if (!aboutJob) {
            return null;
        }
        return new JobCommand(
                Json.textAt(command, "metadata", "namespace"),
                Json.textAt(command, "metadata", "name"),
                Json.textAt(command, "metadata", "uid"),
                Json.textAt(command, "target", "name"),
                Json.textAt(command, "target", "uid"),
                Json.textAt(command, "action"),
                Json.textAt(command, "metadata", "creationTimestamp"),
                number(Json.textAt(command, "metadata", "resourceVersion")));
    }

    private static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException _) {
            return 0; // another server may count otherwise; then seconds must do
        }
    }

    List<String> words() {
        return List.of(namespace + "/" + job);
    }

    boolean means(VolcanoJob target) {
        return targetUid.isEmpty() || targetUid.equals(target.uid());
    }

    /** What becomes of it. */
    enum Fate {
        /** It is done. */
        OBEY,
        /** It means nothing, or nothing any more. */
        DROP,
        /** The Job cannot hear it now, and will. */
        KEEP
    }

    /**
     * While a Job restarts, whatever else is wished waits, since it would be lost: upstream restarts instead. That it is to
     * restart it knows, so a wish whose fulfilment was interrupted is not fulfilled twice.
     */
    Fate fate(Phase phase) {
        JobAction wish = JobAction.of(action);
        if (wish == null || phase.isFinished()) {
            return Fate.DROP;
        }
        if (phase != Phase.RESTARTING) {
            return Fate.OBEY;
        }
        return switch (wish) {
            case RESTART_JOB, RESUME_JOB, SYNC_JOB, ENQUEUE_JOB -> Fate.DROP;
            case ABORT_JOB, TERMINATE_JOB, COMPLETE_JOB, RESTART_TASK, RESTART_POD, RESTART_PARTITION -> Fate.KEEP;
        };
    }
}
