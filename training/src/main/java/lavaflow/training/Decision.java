package lavaflow.training;

import java.time.Duration;
import java.util.List;

import lavaflow.controller.Plan;
import lavaflow.controller.Step;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What to do about a job.
 *
 * @param needed what pods need, made before them; of kinds that nobody follows
 * @param plan the objects to make, change and delete
 * @param status the job's new status; null if it stays as it is
 * @param urgent whether more than counts of pods has changed in it
 * @param notices what to tell, once the rest is done
 * @param marks what to count
 * @param delete whether the job's time is over
 * @param again when to look again although nothing happened; null for never
 */
record Decision(
        List<Step> needed,
        Plan plan,
        @Nullable ObjectNode status,
        boolean urgent,
        List<Notice> notices,
        List<Mark> marks,
        boolean delete,
        @Nullable Duration again) {
    static final Decision NOTHING =
            new Decision(List.of(), Plan.NOTHING, null, false, List.of(), List.of(), false, null);

    /** What happened to a job and is counted. */
    enum Mark {
        CREATED,
        SUCCEEDED,
        FAILED,
        RESTARTED,
        DELETED;

        String word() {
            return this == SUCCEEDED ? "successful" : Training.lower(name());
        }
    }
}
