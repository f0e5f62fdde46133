package lavaflow.jobs;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

import lavaflow.jobs.JobLife.Next;
import lavaflow.jobs.JobLife.Operation;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The table of Volcano's job controller. */
class JobLifeTest {
    /** Every action in every phase: what is done, and what comes then. */
    private static final String TABLE = """
            Pending     AbortJob         kill unfinished | Aborting
            Pending     RestartJob       kill all        | Restarting +1
            Pending     RestartTask      kill target     | Restarting +1
            Pending     RestartPod       kill target     | Restarting +1
            Pending     RestartPartition kill target     | Restarting +1
            Pending     TerminateJob     kill unfinished | Terminating
            Pending     CompleteJob      kill unfinished | Completing
            Pending     ResumeJob        sync            | begun
            Pending     SyncJob          sync            | begun
            Pending     EnqueueJob       sync            | begun
            Aborting    AbortJob         kill unfinished | quiet Aborted
            Aborting    RestartJob       kill unfinished | quiet Aborted
            Aborting    RestartTask      kill unfinished | quiet Aborted
            Aborting    RestartPod       kill unfinished | quiet Aborted
            Aborting    RestartPartition kill unfinished | quiet Aborted
            Aborting    TerminateJob     kill unfinished | quiet Aborted
            Aborting    CompleteJob      kill unfinished | quiet Aborted
            Aborting    ResumeJob        kill unfinished | Restarting +1
            Aborting    SyncJob          kill unfinished | quiet Aborted
            Aborting    EnqueueJob       kill unfinished | quiet Aborted
            Aborted     AbortJob         kill unfinished | stay
            Aborted     RestartJob       kill unfinished | stay
            Aborted     RestartTask      kill unfinished | stay
            Aborted     RestartPod       kill unfinished | stay
            Aborted     RestartPartition kill unfinished | stay
            Aborted     TerminateJob     kill unfinished | stay
            Aborted     CompleteJob      kill unfinished | stay
            Aborted     ResumeJob        kill unfinished | Restarting +1
            Aborted     SyncJob          kill unfinished | stay
            Aborted     EnqueueJob       kill unfinished | stay
            Running     AbortJob         kill unfinished | Aborting
            Running     RestartJob       kill all        | Restarting +1
            Running     RestartTask      kill target     | Restarting +1
            Running     RestartPod       kill target     | Restarting +1
            Running     RestartPartition kill target     | Restarting +1
            Running     TerminateJob     kill unfinished | Terminating
            Running     CompleteJob      kill unfinished | Completing
            Running     ResumeJob        sync            | runs
            Running     SyncJob          sync            | runs
            Running     EnqueueJob       sync            | runs
            Restarting  AbortJob         kill all        | restarted
            Restarting  RestartJob       kill all        | restarted
            Restarting  RestartTask      kill target     | restarted
            Restarting  RestartPod       kill target     | restarted
            Restarting  RestartPartition kill target     | restarted
            Restarting  TerminateJob     kill all        | restarted
            Restarting  CompleteJob      kill all        | restarted
            Restarting  ResumeJob        kill all        | restarted
            Restarting  SyncJob          sync            | restarted
            Restarting  EnqueueJob       kill all        | restarted
            Completing  AbortJob         kill unfinished | quiet Completed
            Completing  RestartJob       kill unfinished | quiet Completed
            Completing  RestartTask      kill unfinished | quiet Completed
            Completing  RestartPod       kill unfinished | quiet Completed
            Completing  RestartPartition kill unfinished | quiet Completed
            Completing  TerminateJob     kill unfinished | quiet Completed
            Completing  CompleteJob      kill unfinished | quiet Completed
            Completing  ResumeJob        kill unfinished | quiet Completed
            Completing  SyncJob          kill unfinished | quiet Completed
            Completing  EnqueueJob       kill unfinished | quiet Completed
            Completed   AbortJob         kill unfinished | stay
            Completed   RestartJob       kill unfinished | stay
            Completed   RestartTask      kill unfinished | stay
            Completed   RestartPod       kill unfinished | stay
            Completed   RestartPartition kill unfinished | stay
            Completed   TerminateJob     kill unfinished | stay
            Completed   CompleteJob      kill unfinished | stay
            Completed   ResumeJob        kill unfinished | stay
            Completed   SyncJob          kill unfinished | stay
            Completed   EnqueueJob       kill unfinished | stay
            Terminating AbortJob         kill unfinished | quiet Terminated
            Terminating RestartJob       kill unfinished | quiet Terminated
            Terminating RestartTask      kill unfinished | quiet Terminated
            Terminating RestartPod       kill unfinished | quiet Terminated
            Terminating RestartPartition kill unfinished | quiet Terminated
            Terminating TerminateJob     kill unfinished | quiet Terminated
            Terminating CompleteJob      kill unfinished | quiet Terminated
            Terminating ResumeJob        kill unfinished | quiet Terminated
            Terminating SyncJob          kill unfinished | quiet Terminated
            Terminating EnqueueJob       kill unfinished | quiet Terminated
            Terminated  AbortJob         kill unfinished | stay
            Terminated  RestartJob       kill unfinished | stay
            Terminated  RestartTask      kill unfinished | stay
            Terminated  RestartPod       kill unfinished | stay
            Terminated  RestartPartition kill unfinished | stay
            Terminated  TerminateJob     kill unfinished | stay
            Terminated  CompleteJob      kill unfinished | stay
            Terminated  ResumeJob        kill unfinished | stay
            Terminated  SyncJob          kill unfinished | stay
            Terminated  EnqueueJob       kill unfinished | stay
            Failed      AbortJob         kill unfinished | stay
            Failed      RestartJob       kill unfinished | stay
            Failed      RestartTask      kill unfinished | stay
            Failed      RestartPod       kill unfinished | stay
            Failed      RestartPartition kill unfinished | stay
            Failed      TerminateJob     kill unfinished | stay
            Failed      CompleteJob      kill unfinished | stay
            Failed      ResumeJob        kill unfinished | stay
            Failed      SyncJob          kill unfinished | stay
            Failed      EnqueueJob       kill unfinished | stay
            """;

    @Test
    void everyActionHasItsMeaningInEveryPhase() {
        List<String> lines = new ArrayList<>();
        for (Phase phase : Phase.values()) {
            for (JobAction action : JobAction.values()) {
                JobLife.Turn turn = JobLife.turn(phase, action);
                lines.add("%-11s %-16s %-15s | %s"
                        .formatted(phase.word(), action.word(), word(turn.operation()), word(turn.next())));
            }
        }
        assertThat(lines).containsExactlyElementsOf(TABLE.lines().toList());
    }

    private static String word(Operation operation) {
        return switch (operation) {
            case Operation.Sync() -> "sync";
            case Operation.Kill(JobLife.Retained retained) ->
                switch (retained) {
                    case NONE -> "kill all";
                    case FINISHED -> "kill unfinished";
                };
            case Operation.KillTarget() -> "kill target";
        };
    }

    private static String word(Next next) {
        return switch (next) {
            case Next.Go(Phase phase, boolean retry) -> phase.word() + (retry ? " +1" : "");
            case Next.OnceBegun() -> "begun";
            case Next.AsItRuns() -> "runs";
            case Next.OnceRestarted() -> "restarted";
            case Next.OnceQuiet(Phase phase) -> "quiet " + phase.word();
            case Next.Stay() -> "stay";
        };
    }

    private static Counts counts(long pending, long running, long succeeded, long failed, long terminating) {
        return new Counts(pending, running, succeeded, failed, 0, terminating, new TreeMap<>(Map.of()));
    }

    private static JobLife.Facts facts(Counts counts, long replicas, long minAvailable) {
        return new JobLife.Facts(
                counts, replicas, 0, minAvailable, minAvailable, OptionalLong.empty(), replicas, false, 0, 3);
    }

    @ParameterizedTest
    @CsvSource({"0,0,0,Pending", "2,0,0,Pending", "3,0,0,Running", "1,1,1,Running", "0,3,0,Running", "0,0,3,Running"})
    void pendingJobsRunOnceEnoughPodsHaveBegun(long running, long succeeded, long failed, String phase) {
        assertThat(JobLife.after(
                        Phase.PENDING, new Next.OnceBegun(), facts(counts(0, running, succeeded, failed, 0), 5, 3)))
                .isEqualTo(Phase.of(phase));
    }

    @ParameterizedTest
    @CsvSource({
        // pending, running, succeeded, failed, minAvailable
        "0,5,0,0,3,Running",
        "0,0,5,0,3,Completed",
        "0,0,3,2,3,Completed",
        "0,0,2,3,3,Failed",
        "0,0,4,0,3,Running",
        "2,3,0,0,3,Running",
        "3,2,0,0,3,Pending",
        "5,0,0,0,5,Pending",
        "1,4,0,0,5,Pending"
    })
    void runningJobsEndWithTheirPods(
            long pending, long running, long succeeded, long failed, long minAvailable, String phase) {
        assertThat(JobLife.after(
                        Phase.RUNNING,
                        new Next.AsItRuns(),
                        facts(counts(pending, running, succeeded, failed, 0), 5, minAvailable)))
                .isEqualTo(Phase.of(phase));
    }

    @ParameterizedTest
    @CsvSource({
        // running, succeeded, failed, never made
        "0,1,1,3,Failed",
        "1,1,0,3,Running",
        "0,1,1,2,Running",
        "0,3,1,1,Failed"
    })
    void jobsWhoseRestWillNeverBeMadeFailOnceAllOthersHaveEnded(
            long running, long succeeded, long failed, long neverMade, String phase) {
        JobLife.Facts facts = new JobLife.Facts(
                counts(0, running, succeeded, failed, 0), 5, neverMade, 1, 1, OptionalLong.empty(), 5, false, 0, 3);
        assertThat(JobLife.after(Phase.RUNNING, new Next.AsItRuns(), facts)).isEqualTo(Phase.of(phase));
    }

    @Test
    void jobsThatWereScaledToNothingGoOn() {
        assertThat(JobLife.after(Phase.RUNNING, new Next.AsItRuns(), facts(counts(0, 0, 0, 0, 0), 0, 0)))
                .isEqualTo(Phase.RUNNING);
    }

    @ParameterizedTest
    @CsvSource({
        // running, succeeded, failed, minSuccess
        "3,2,0,2,Completed",
        "3,1,1,2,Running",
        "0,1,4,2,Failed",
        "0,2,3,2,Completed"
    })
    void enoughSuccessEndsAJobAtOnce(long running, long succeeded, long failed, long minSuccess, String phase) {
        JobLife.Facts facts = new JobLife.Facts(
                counts(0, running, succeeded, failed, 0), 5, 0, 1, 1, OptionalLong.of(minSuccess), 5, false, 0, 3);
        assertThat(JobLife.after(Phase.RUNNING, new Next.AsItRuns(), facts)).isEqualTo(Phase.of(phase));
    }

    @ParameterizedTest
    @CsvSource({
        // minAvailable of the job, sum of those of tasks
        "4,4,true,Failed",
        "5,4,true,Failed",
        "3,4,true,Completed",
        "4,4,false,Completed"
    })
    void aTaskThatFellShortFailsAJobThatNeedsAllTasks(
            long minAvailable, long minimums, boolean shortOfSuccess, String phase) {
        JobLife.Facts facts = new JobLife.Facts(
                counts(0, 0, 5, 0, 0),
                5,
                0,
                minAvailable,
                minAvailable,
                OptionalLong.empty(),
                minimums,
                shortOfSuccess,
                0,
                3);
        assertThat(JobLife.after(Phase.RUNNING, new Next.AsItRuns(), facts)).isEqualTo(Phase.of(phase));
    }

    @ParameterizedTest
    @CsvSource({
        // terminating, retries
        "0,1,Pending",
        "2,1,Pending",
        "3,1,Restarting",
        "5,2,Restarting",
        "0,3,Failed",
        "5,3,Failed",
        "0,4,Failed"
    })
    void restartingJobsWaitForRoomOrGiveUp(long terminating, long retries, String phase) {
        JobLife.Facts facts = new JobLife.Facts(
                counts(0, 0, 0, 0, terminating), 5, 0, 3, 3, OptionalLong.empty(), 5, false, retries, 3);
        assertThat(JobLife.after(Phase.RESTARTING, new Next.OnceRestarted(), facts))
                .isEqualTo(Phase.of(phase));
    }

    @ParameterizedTest
    @CsvSource({"0,0,0,Aborted", "1,0,0,Aborting", "0,1,0,Aborting", "0,0,1,Aborting"})
    void jobsThatEndWaitForTheirPods(long pending, long running, long terminating, String phase) {
        assertThat(JobLife.after(
                        Phase.ABORTING,
                        new Next.OnceQuiet(Phase.ABORTED),
                        facts(counts(pending, running, 2, 1, terminating), 5, 3)))
                .isEqualTo(Phase.of(phase));
    }

    @Test
    void aJobNobodyLookedAtIsPending() {
        assertThat(Phase.of("")).isEqualTo(Phase.PENDING);
    }
}
