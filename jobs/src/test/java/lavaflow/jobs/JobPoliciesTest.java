package lavaflow.jobs;

import java.time.Duration;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What policies make of pods that fail, go or wait. */
class JobPoliciesTest {
    private final TestingJobs jobs = new TestingJobs();

    @Test
    void aFailedPodRestartsTheWholeJob() {
        jobs.running("policies: [{event: PodFailed, action: RestartJob}]");
        String group = Json.textAt(jobs.group(), "metadata", "uid");
        String survivor = jobs.uid("j-w-1");
        jobs.fail("j-w-0", 1);
        assertThat(jobs.phase()).isEqualTo("Restarting");
        assertThat(jobs.number("retryCount")).isEqualTo(1);
        assertThat(jobs.number("version")).isEqualTo(1);
        assertThat(jobs.number("terminating")).isEqualTo(3);
        jobs.reap();
        assertThat(jobs.phase()).isEqualTo("Pending");
        assertThat(jobs.pods()).isEmpty();
        assertThat(Json.textAt(jobs.group(), "metadata", "uid")).isNotEqualTo(group);
        jobs.admit();
        assertThat(jobs.uid("j-w-1")).isNotEqualTo(survivor);
        assertThat(Json.textAt(jobs.pod("j-w-1"), "metadata", "annotations", "volcano.sh/job-version"))
                .isEqualTo("1");
        assertThat(Json.textAt(jobs.pod("j-w-1"), "metadata", "annotations", "volcano.sh/job-retry-count"))
                .isEqualTo("1");
    }

    @Test
    void theLastRetryFailsAndLeavesWhatEnded() {
        jobs.submit(TestingJobs.THREE + "policies: [{event: PodFailed, action: RestartJob}]");
        for (int i = 0; i < 3; i++) {
            assertThat(jobs.phase()).isEqualTo("Pending");
            jobs.admit();
            jobs.pods("Running", "j-w-0", "j-w-1", "j-w-2");
            jobs.fail("j-w-0", 1);
            jobs.reap();
        }
        assertThat(jobs.phase()).isEqualTo("Failed");
        assertThat(jobs.number("retryCount")).isEqualTo(3);
        assertThat(jobs.pods()).containsExactly("j-w-0");
        assertThat(jobs.groups()).isEmpty();
    }

    @Test
    void aFailedPodIsReplacedAloneWherePoliciesSaySo() {
        jobs.running("policies: [{event: PodFailed, action: RestartPod}]");
        String failed = jobs.uid("j-w-0");
        String survivor = jobs.uid("j-w-1");
        jobs.fail("j-w-0", 1);
        jobs.reap();
        assertThat(jobs.pods()).hasSize(3);
        assertThat(jobs.uid("j-w-0")).isNotEqualTo(failed);
        assertThat(jobs.uid("j-w-1")).isEqualTo(survivor);
        assertThat(jobs.number("retryCount")).isEqualTo(1);
        assertThat(jobs.number("version")).isZero();
        assertThat(jobs.phase()).isEqualTo("Pending");
        jobs.pods("Running", "j-w-0");
        assertThat(jobs.phase()).isEqualTo("Running");
        assertThat(jobs.conditions()).containsExactly("Restarting", "Pending", "Running");
    }

    @Test
    void oneTaskRestartsAlone() {
        jobs.submit("""
                minAvailable: 2
                tasks:
                - {name: a, replicas: 1, template: {spec: {containers: [{name: main, image: i}]}},
                   policies: [{event: PodFailed, action: RestartTask}]}
                - {name: b, replicas: 2, template: {spec: {containers: [{name: main, image: i}]}},
                   policies: [{event: PodFailed, action: RestartTask}]}
                """);
        jobs.admit();
        jobs.pods("Running", "j-a-0", "j-b-0", "j-b-1");
        String other = jobs.uid("j-a-0");
        String neighbour = jobs.uid("j-b-1");
        jobs.fail("j-b-0", 1);
        jobs.reap();
        assertThat(jobs.uid("j-a-0")).isEqualTo(other);
        assertThat(jobs.uid("j-b-1")).isNotEqualTo(neighbour);
    }

    @Test
    void onePartOfATaskRestartsAlone() {
        jobs.submit("""
                minAvailable: 4
                tasks:
                - name: w
                  replicas: 4
                  partitionPolicy: {totalPartitions: 2, partitionSize: 2}
                  template: {spec: {containers: [{name: main, image: i}]}}
                policies: [{event: PodFailed, action: RestartPartition}]
                """);
        jobs.admit();
        jobs.pods("Running", "j-w-0", "j-w-1", "j-w-2", "j-w-3");
        List<String> before = List.of(jobs.uid("j-w-0"), jobs.uid("j-w-1"), jobs.uid("j-w-2"));
        jobs.fail("j-w-3", 1);
        jobs.reap();
        assertThat(List.of(jobs.uid("j-w-0"), jobs.uid("j-w-1"))).isEqualTo(before.subList(0, 2));
        assertThat(jobs.uid("j-w-2")).isNotEqualTo(before.get(2));
    }

    @Test
    void whatHasNoPartsHasNoneToRestart() {
        jobs.running("policies: [{event: PodFailed, action: RestartPartition}]");
        String survivor = jobs.uid("j-w-1");
        jobs.fail("j-w-0", 1);
        jobs.pass(Duration.ofSeconds(1));
        assertThat(jobs.phase()).isEqualTo("Running");
        assertThat(jobs.number("retryCount")).isZero();
        assertThat(jobs.number("failed")).isEqualTo(1);
        assertThat(jobs.uid("j-w-1")).isEqualTo(survivor);
        assertThat(jobs.events()).contains("ExecuteAction: Start to execute action RestartPartition ");
    }

    @Test
    void exitCodesHaveTheirOwnPolicies() {
        jobs.running("policies: [{exitCode: 7, action: AbortJob}, {event: PodFailed, action: TerminateJob}]");
        jobs.fail("j-w-0", 7);
        jobs.reap();
        assertThat(jobs.phase()).isEqualTo("Aborted");
        assertThat(jobs.pods()).containsExactly("j-w-0");
    }

    @Test
    void policiesOfATaskComeFirst() {
        jobs.submit(
                TestingJobs.THREE.replace("  minAvailable: 3\n", "  policies: [{event: PodFailed, action: AbortJob}]\n")
                        + "policies: [{event: PodFailed, action: TerminateJob}]");
        jobs.admit();
        jobs.pods("Running", "j-w-0", "j-w-1", "j-w-2");
        jobs.fail("j-w-2", 1);
        assertThat(jobs.phase()).isEqualTo("Aborting");
    }

    @Test
    void aPodThatIsTakenAwayIsEvicted() {
        jobs.running("policies: [{event: PodEvicted, action: TerminateJob}]");
        jobs.evict("j-w-1");
        jobs.reap();
        assertThat(jobs.phase()).isEqualTo("Terminated");
        assertThat(jobs.pods()).isEmpty();
        assertThat(jobs.groups()).isEmpty();
    }

    @Test
    void aPodThatIsTakenAwayIsReplacedWithoutAPolicy() {
        jobs.running("");
        String before = jobs.uid("j-w-1");
        jobs.evict("j-w-1");
        assertThat(jobs.uid("j-w-1")).isNotEqualTo(before);
        assertThat(jobs.number("retryCount")).isZero();
    }

    @Test
    void podsEndedByTheControllerAreNotEvicted() {
        jobs.running("policies: [{event: PodEvicted, action: RestartJob}]");
        jobs.change(spec -> {
            spec.put("minAvailable", 1);
            Json.ensureObject((ObjectNode) spec.path("tasks").path(0))
                    .put("replicas", 1)
                    .put("minAvailable", 1);
        });
        jobs.reap();
        assertThat(jobs.pods()).containsExactly("j-w-0");
        assertThat(jobs.phase()).isEqualTo("Running");
        assertThat(jobs.number("retryCount")).isZero();
        assertThat(Json.longAt(jobs.group(), 0, "spec", "minMember")).isEqualTo(1);
        assertThat(Json.longAt(jobs.group(), 0, "spec", "minTaskMember", "w")).isEqualTo(1);
    }

    @Test
    void jobsGrowWhileTheyRun() {
        jobs.running("");
        jobs.change(spec ->
                Json.ensureObject((ObjectNode) spec.path("tasks").path(0)).put("replicas", 5));
        assertThat(jobs.pods()).hasSize(5);
        assertThat(jobs.phase()).isEqualTo("Running");
    }

    @Test
    void podsThatStayPendingTooLongRestartTheirJob() {
        jobs.submit(TestingJobs.THREE + "policies: [{event: PodPending, timeout: 10m, action: RestartJob}]");
        jobs.admit();
        jobs.pods("Running", "j-w-0", "j-w-1");
        jobs.pass(Duration.ofMinutes(9));
        assertThat(jobs.number("retryCount")).isZero();
        jobs.pass(Duration.ofMinutes(2));
        assertThat(jobs.number("retryCount")).isEqualTo(1);
    }

    @Test
    void aPodThatRunsInTimeRestartsNothing() {
        jobs.submit(TestingJobs.THREE + "policies: [{event: PodPending, timeout: 10m, action: RestartJob}]");
        jobs.admit();
        jobs.pods("Running", "j-w-0", "j-w-1", "j-w-2");
        jobs.pass(Duration.ofMinutes(20));
        assertThat(jobs.number("retryCount")).isZero();
    }

    @Test
    void actionsWaitForTheirTimeout() {
        jobs.running("policies: [{event: PodFailed, timeout: 1m, action: AbortJob}]");
        jobs.fail("j-w-0", 1);
        jobs.pass(Duration.ofSeconds(50));
        assertThat(jobs.phase()).isEqualTo("Running");
        jobs.pass(Duration.ofSeconds(11));
        assertThat(jobs.phase()).isEqualTo("Aborting");
    }

    @Test
    void anActionThatWaitsIsToldWhenItIsPlannedAndNotAgainWhenItIsDone() {
        jobs.running("policies: [{event: PodFailed, timeout: 1m30s, action: AbortJob}]");
        jobs.fail("j-w-0", 1);
        assertThat(jobs.events()).contains("ExecuteAction: Execute action AbortJob after 1m30s");
        jobs.pass(Duration.ofSeconds(91));
        assertThat(jobs.phase()).isEqualTo("Aborting");
        assertThat(jobs.told("ExecuteAction")).isEqualTo(1);
    }

    @Test
    void podsThatMayWaitTooLongAreToldOfOnceForAllOfThem() {
        jobs.submit(TestingJobs.THREE + "policies: [{event: PodPending, timeout: 10m, action: RestartJob}]");
        jobs.admit();
        jobs.pass(Duration.ofMinutes(1));
        assertThat(jobs.told("ExecuteAction")).isEqualTo(1);
        jobs.pass(Duration.ofMinutes(10));
        assertThat(jobs.number("retryCount")).isEqualTo(1);
        jobs.reap();
        jobs.admit();
        jobs.pass(Duration.ofMinutes(1));
        assertThat(jobs.told("ExecuteAction")).isEqualTo(2);
    }

    @Test
    void aTimeoutOfNothingIsNone() {
        jobs.running("policies: [{event: PodFailed, timeout: 0s, action: AbortJob}]");
        jobs.fail("j-w-0", 1);
        assertThat(jobs.events()).contains("ExecuteAction: Start to execute action AbortJob ");
    }

    @Test
    void whatWasDueBeforeAnybodyToldOfItIsToldWhenItIsDone() {
        jobs.running("policies: [{event: PodFailed, timeout: 1m, action: AbortJob}]");
        jobs.fail("j-w-0", 1);
        jobs.passUnseen(Duration.ofMinutes(2));
        jobs.restart();
        assertThat(jobs.phase()).isEqualTo("Aborting");
        assertThat(jobs.events()).contains("ExecuteAction: Start to execute action AbortJob ");
    }

    @Test
    void resumingAJobThatRunsIsToldAndKeepsNothingElseFromBeingDone() {
        jobs.running("policies: [{exitCode: 7, action: ResumeJob}, {event: PodFailed, action: AbortJob}]");
        jobs.fail("j-w-0", 7);
        jobs.pass(Duration.ofMinutes(1));
        assertThat(jobs.phase()).isEqualTo("Running");
        assertThat(jobs.events()).contains("ExecuteAction: Start to execute action ResumeJob ");
        assertThat(jobs.told("ExecuteAction")).isEqualTo(1);
        jobs.fail("j-w-1", 1);
        assertThat(jobs.phase()).isEqualTo("Aborting");
    }

    @Test
    void aJobThatWasStoppedMeanwhileIsNotResumedByAPolicy() {
        jobs.running("policies: [{event: Unknown, timeout: 1m, action: ResumeJob}]");
        jobs.groupPhase("Unknown");
        jobs.command("AbortJob");
        jobs.reap();
        jobs.pass(Duration.ofMinutes(5));
        assertThat(jobs.phase()).isEqualTo("Aborted");
    }

    @Test
    void jobsThatAreChangedAreNoEvent() {
        jobs.running("policies: [{event: JobUpdated, action: RestartJob}]");
        jobs.change(spec ->
                Json.ensureObject((ObjectNode) spec.path("tasks").path(0)).put("replicas", 4));
        assertThat(jobs.pods()).hasSize(4);
        assertThat(jobs.number("retryCount")).isZero();
    }

    @Test
    void anEvictedPodThatIsBackInTimeChangesNothing() {
        jobs.running("policies: [{event: PodEvicted, timeout: 1m, action: AbortJob}]");
        jobs.evict("j-w-0");
        jobs.pass(Duration.ofSeconds(5));
        jobs.pods("Running", "j-w-0");
        jobs.pass(Duration.ofMinutes(5));
        assertThat(jobs.phase()).isEqualTo("Running");
    }

    @Test
    void containersThatRestartTooOftenFailTheirTask() {
        jobs.running("policies: [{event: TaskFailed, action: TerminateJob}]");
        jobs.containerRestarts("j-w-0", 2);
        assertThat(jobs.phase()).isEqualTo("Running");
        jobs.containerRestarts("j-w-1", 1);
        assertThat(jobs.phase()).isEqualTo("Terminating");
    }

    @Test
    void aGangThatFellApartIsUnknown() {
        jobs.running("policies: [{event: Unknown, action: AbortJob}]");
        jobs.groupPhase("Unknown");
        assertThat(jobs.phase()).isEqualTo("Aborting");
    }
}
