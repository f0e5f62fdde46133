package lavaflow.jobs;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import lavaflow.batch.Batch;
import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class JobsTest {
    private final TestingJobs jobs = new TestingJobs();

    @Test
    void podsComeOnceTheGangIsAdmitted() {
        jobs.submit(TestingJobs.THREE);
        assertThat(jobs.phase()).isEqualTo("Pending");
        assertThat(jobs.pods()).isEmpty();
        assertThat(jobs.groups()).containsExactly("j-" + Json.textAt(jobs.job(), "metadata", "uid"));
        jobs.admit();
        assertThat(jobs.pods()).containsExactly("j-w-0", "j-w-1", "j-w-2");
        assertThat(jobs.phase()).isEqualTo("Pending");
        jobs.pods("Running", "j-w-0", "j-w-1");
        assertThat(jobs.phase()).isEqualTo("Pending");
        jobs.pods("Running", "j-w-2");
        assertThat(jobs.phase()).isEqualTo("Running");
        assertThat(jobs.number("running")).isEqualTo(3);
    }

    @Test
    void aJobWhosePodsSucceedIsCompletedAndLeavesItsPodsOnly() {
        jobs.running("");
        jobs.pass(Duration.ofSeconds(30));
        jobs.pods("Succeeded", "j-w-0", "j-w-1", "j-w-2");
        assertThat(jobs.phase()).isEqualTo("Completed");
        assertThat(jobs.conditions()).containsExactly("Pending", "Running", "Completed");
        assertThat(jobs.number("succeeded")).isEqualTo(3);
        assertThat(Json.longAt(jobs.status(), 0, "taskStatusCount", "w", "phase", "Succeeded"))
                .isEqualTo(3);
        assertThat(Json.textAt(jobs.status(), "runningDuration")).isEqualTo("30s");
        assertThat(jobs.groups()).isEmpty();
        assertThat(jobs.pods()).hasSize(3);
    }

    @Test
    void finishedPodsAreRememberedInNumbersWhenTheyGo() {
        jobs.running("");
        jobs.pods("Succeeded", "j-w-0", "j-w-1", "j-w-2");
        jobs.evict("j-w-0");
        jobs.pass(Duration.ofMinutes(1));
        assertThat(jobs.phase()).isEqualTo("Completed");
        assertThat(jobs.number("succeeded")).isEqualTo(3);
        assertThat(jobs.pods()).containsExactly("j-w-1", "j-w-2");
    }

    @Test
    void aCompletedTaskCompletesTheJobWherePoliciesSaySo() {
        jobs.running("policies: [{event: TaskCompleted, action: CompleteJob}]");
        jobs.pods("Succeeded", "j-w-0", "j-w-1", "j-w-2");
        assertThat(jobs.conditions()).containsExactly("Pending", "Running", "Completing", "Completed");
        assertThat(jobs.events()).contains("ExecuteAction: Start to execute action CompleteJob ");
        assertThat(jobs.number("version")).isEqualTo(1);
    }

    @Test
    void enoughSuccessCompletesAJobAndEndsTheRest() {
        jobs.running("minSuccess: 1");
        jobs.pods("Succeeded", "j-w-1");
        assertThat(jobs.phase()).isEqualTo("Completed");
        jobs.reap();
        jobs.pass(Duration.ofSeconds(2));
        assertThat(jobs.pods()).containsExactly("j-w-1");
        assertThat(jobs.number("succeeded")).isEqualTo(1);
        assertThat(jobs.number("terminating")).isZero();
        assertThat(jobs.status().path("taskStatusCount").toString()).doesNotContain("Running");
    }

    @Test
    void tooManyFailuresFailAJob() {
        jobs.running("");
        jobs.pods("Succeeded", "j-w-0");
        jobs.fail("j-w-1", 1);
        jobs.fail("j-w-2", 1);
        assertThat(jobs.phase()).isEqualTo("Failed");
        assertThat(jobs.pods()).hasSize(3);
        assertThat(jobs.number("failed")).isEqualTo(2);
    }

    // ---- commands

    @Test
    void nobodyKeepsCommandsForAJobThatIsDeleted() {
        jobs.running("");
        jobs.api.edit(Volcano.JOBS, TestingJobs.TEAM, "j", job -> {
            Json.ensureObject(job, "metadata").putArray("finalizers").add("example.com/kept");
            Json.ensureObject(job, "metadata").put("deletionTimestamp", "2030-01-02T03:04:05Z");
            return job;
        });
        jobs.command("AbortJob");
        assertThat(jobs.names(Batch.COMMANDS)).isEmpty();
        assertThat(jobs.phase()).isEqualTo("Running");
    }

    @Test
    void jobsAreAbortedAndResumed() {
        jobs.running("");
        jobs.pods("Succeeded", "j-w-0");
        String kept = jobs.uid("j-w-0");
        jobs.command("AbortJob");
        assertThat(jobs.phase()).isEqualTo("Aborting");
        jobs.reap();
        assertThat(jobs.phase()).isEqualTo("Aborted");
        assertThat(jobs.pods()).containsExactly("j-w-0");
        assertThat(jobs.groups()).isEmpty();
        assertThat(jobs.names(Batch.COMMANDS)).isEmpty();
        jobs.command("ResumeJob");
        jobs.admit();
        assertThat(jobs.pods()).hasSize(3);
        assertThat(jobs.uid("j-w-0")).isEqualTo(kept);
        assertThat(jobs.number("retryCount")).isEqualTo(1);
        assertThat(jobs.events())
                .contains("CommandIssued: Start to execute command AbortJob, and clean it up to make sure executed not"
                        + " more than once.");
    }

    @Test
    void aCommandIsObeyedOnceAlthoughItsDeletionFails() {
        jobs.running("");
        jobs.give("RestartJob");
        String command = jobs.names(Batch.COMMANDS).getFirst();
        jobs.api.fail("delete commands.bus.volcano.sh team/" + command, ApiException.internal("lost"));
        jobs.settle();
        jobs.restart();
        jobs.pass(Duration.ofSeconds(1));
        jobs.reap();
        assertThat(jobs.number("retryCount")).isEqualTo(1);
        assertThat(jobs.names(Batch.COMMANDS)).isEmpty();
        assertThat(jobs.phase()).isEqualTo("Pending");
    }

    @Test
    void aJobThatRestartsIsAbortedAfterwards() {
        jobs.running("");
        jobs.command("RestartJob");
        assertThat(jobs.phase()).isEqualTo("Restarting");
        jobs.command("AbortJob");
        assertThat(jobs.phase()).isEqualTo("Restarting");
        jobs.reap();
        assertThat(jobs.phase()).isEqualTo("Aborted");
        assertThat(jobs.names(Batch.COMMANDS)).isEmpty();
    }

    @Test
    void commandsForNobodyGo() {
        jobs.running("");
        jobs.give("AbortJob");
        jobs.api.delete(Volcano.JOBS, TestingJobs.TEAM, "j", KubeApi.Deletion.PLAIN);
        jobs.settle();
        assertThat(jobs.names(Batch.COMMANDS)).isEmpty();
    }

    // ---- belongings

    @Test
    void aJobWhoseClaimIsMissingHoldsNoRoomInItsQueue() {
        jobs.submit(TestingJobs.THREE + "volumes: [{mountPath: /in, volumeClaimName: mine}]\n");
        assertThat(jobs.events()).anyMatch(event -> event.startsWith("PVCError: "));
        assertThat(jobs.names(Batch.POD_GROUPS)).isEmpty();
        assertThat(jobs.status().has("controlledResources")).isFalse();
        jobs.create(Volcano.CLAIMS, TestingJobs.TEAM, "mine", _ -> {});
        jobs.pass(Duration.ofMinutes(2));
        assertThat(jobs.names(Batch.POD_GROUPS)).hasSize(1);
        jobs.admit();
        assertThat(Json.textAt(jobs.status(), "controlledResources", "volume-pvc-mine"))
                .isEqualTo("mine");
    }

    @Test
    void claimsAreMadeAndNamedOnce() {
        jobs.submit(TestingJobs.THREE + """
                volumes:
                - mountPath: /in
                  volumeClaim: {accessModes: [ReadWriteOnce]}
                - mountPath: /in2
                  volumeClaimName: mine
                """);
        assertThat(jobs.phase()).isEqualTo("Pending");
        assertThat(jobs.events()).anyMatch(event -> event.startsWith("PVCError: "));
        jobs.create(Volcano.CLAIMS, TestingJobs.TEAM, "mine", _ -> {});
        jobs.pass(Duration.ofMinutes(2));
        jobs.restart();
        List<String> claims = jobs.names(Volcano.CLAIMS);
        assertThat(claims).hasSize(2);
        String made = claims.getFirst();
        assertThat(made).matches("j-pvc-[a-z0-9]{12}");
        assertThat(Json.textAt(Json.listAt(jobs.job(), "spec", "volumes").get(0), "volumeClaimName"))
                .isEqualTo(made);
        assertThat(Json.textAt(jobs.status(), "controlledResources", "volume-pvc-" + made))
                .isEqualTo(made);
        jobs.admit();
        assertThat(jobs.pod("j-w-0").path("spec").path("volumes").toString()).contains(made, "mine");
    }

    @Test
    void whatPluginsMadeGoesWithTheLastPods() {
        jobs.running("plugins: {svc: [], ssh: []}");
        assertThat(jobs.names(Volcano.SERVICES)).containsExactly("j");
        assertThat(jobs.names(Volcano.CONFIG_MAPS)).containsExactly("j-svc");
        assertThat(jobs.names(Volcano.SECRETS)).containsExactly("j-ssh");
        assertThat(jobs.names(Volcano.NETWORK_POLICIES)).containsExactly("j");
        assertThat(jobs.status().path("controlledResources").toString())
                .isEqualTo("{\"plugin-ssh\":\"ssh\",\"plugin-svc\":\"svc\"}");
        jobs.command("AbortJob");
        jobs.reap();
        assertThat(jobs.phase()).isEqualTo("Aborted");
        assertThat(jobs.names(Volcano.SERVICES)).isEmpty();
        assertThat(jobs.names(Volcano.CONFIG_MAPS)).isEmpty();
        assertThat(jobs.names(Volcano.SECRETS)).isEmpty();
        assertThat(jobs.names(Volcano.NETWORK_POLICIES)).isEmpty();
        assertThat(jobs.status().has("controlledResources")).isFalse();
        jobs.command("ResumeJob");
        jobs.admit();
        assertThat(jobs.names(Volcano.SERVICES)).containsExactly("j");
        assertThat(jobs.pods()).hasSize(3);
    }

    @Test
    void aPodThatIsReplacedAloneKeepsTheKeysOfItsNeighbours() {
        jobs.running("plugins: {svc: [], ssh: []}\npolicies: [{event: PodFailed, action: RestartPod}]");
        String keys = Json.textAt(jobs.api.get(Volcano.SECRETS, TestingJobs.TEAM, "j-ssh"), "metadata", "uid");
        jobs.fail("j-w-0", 1);
        jobs.reap();
        assertThat(jobs.pods()).hasSize(3);
        assertThat(Json.textAt(jobs.api.get(Volcano.SECRETS, TestingJobs.TEAM, "j-ssh"), "metadata", "uid"))
                .isEqualTo(keys);
    }

    @Test
    void hostsFollowTheSizeOfAJob() {
        jobs.running("plugins: {svc: []}");
        jobs.change(spec ->
                Json.ensureObject((ObjectNode) spec.path("tasks").path(0)).put("replicas", 4));
        assertThat(Json.textAt(jobs.api.get(Volcano.CONFIG_MAPS, TestingJobs.TEAM, "j-svc"), "data", "VC_W_NUM"))
                .isEqualTo("4");
    }

    @Test
    void hostFilesFollowAlsoWhereNumbersChangeByAsMuch() {
        jobs.submit("""
                minAvailable: 5
                plugins: {svc: []}
                tasks:
                - {name: a, replicas: 3, minAvailable: 3, template: {spec: {containers: [{name: main, image: i}]}}}
                - {name: b, replicas: 2, minAvailable: 2, template: {spec: {containers: [{name: main, image: i}]}}}
                """);
        jobs.admit();
        jobs.pods("Running", "j-a-0", "j-a-1", "j-a-2", "j-b-0", "j-b-1");
        jobs.change(spec -> {
            spec.put("minAvailable", 1);
            ((ObjectNode) spec.path("tasks").path(1)).put("replicas", 0).put("minAvailable", 0);
        });
        assertThat(Json.textAt(jobs.api.get(Volcano.CONFIG_MAPS, TestingJobs.TEAM, "j-svc"), "data", "VC_B_NUM"))
                .isEqualTo("0");
    }

    @Test
    void whatAJobNeededWhenItWasStoppedStaysInItsStatus() {
        jobs.running("");
        jobs.command("AbortJob");
        jobs.reap();
        jobs.change(spec -> spec.put("minAvailable", 1));
        jobs.pass(Duration.ofSeconds(1));
        assertThat(jobs.phase()).isEqualTo("Aborted");
        assertThat(jobs.number("minAvailable")).isEqualTo(3);
        jobs.command("ResumeJob");
        jobs.admit();
        assertThat(jobs.number("minAvailable")).isEqualTo(1);
    }

    @Test
    void whatMakesNothingIsNotAmongWhatIsControlled() {
        jobs.running("plugins: {env: [], hcclrank: []}");
        assertThat(jobs.status().path("controlledResources").toString()).isEqualTo("{\"plugin-env\":\"env\"}");
    }

    @Test
    void anUnknownPluginIsTold() {
        jobs.submit(TestingJobs.THREE + "plugins: {nonsense: []}");
        assertThat(jobs.events())
                .contains("PluginError: Execute plugin when job add failed, err: failed to get plugin nonsense");
        assertThat(jobs.names(Batch.POD_GROUPS)).isEmpty();
        assertThat(jobs.pods()).isEmpty();
    }

    @Test
    void aJobTheServerRefusesForeverIsTerminated() {
        jobs.submit(TestingJobs.THREE + "plugins: {nonsense: []}");
        for (int i = 0; i < 20; i++) {
            jobs.pass(Duration.ofMinutes(2));
        }
        assertThat(jobs.phase()).isEqualTo("Terminated");
        assertThat(jobs.events()).contains("ExecuteAction: Job failed on action SyncJob for retry limit reached");
    }

    @Test
    void aJobIsGivenUpOnlyWhileItIsRefused() {
        Duration pause = Duration.ofMinutes(2);
        jobs.submit(TestingJobs.THREE + "plugins: {nonsense: []}");
        int passes = 0;
        while (!jobs.phase().equals("Terminated")) {
            jobs.pass(pause);
            passes++;
        }
        TestingJobs others = new TestingJobs();
        others.submit(TestingJobs.THREE + "plugins: {nonsense: []}");
        for (int i = 1; i < passes; i++) {
            others.pass(pause);
        }
        others.api.edit(Volcano.JOBS, TestingJobs.TEAM, "j", job -> {
            Json.ensureObject(job, "spec").remove("plugins");
            return job;
        });
        others.pass(pause);
        assertThat(others.phase()).isEqualTo("Pending");
        assertThat(others.groups()).hasSize(1);
    }

    @Test
    void aJobWaitsForItsQueue() {
        jobs.submit(TestingJobs.THREE.replace("queue: default", "queue: later"));
        assertThat(jobs.phase()).isEqualTo("Pending");
        jobs.create(Batch.QUEUES, "", "later", _ -> {});
        jobs.settle();
        jobs.admit();
        assertThat(jobs.pods()).hasSize(3);
    }

    @Test
    void whyAGangWaitsIsTold() {
        jobs.submit(TestingJobs.THREE);
        jobs.api.edit(Batch.POD_GROUPS, TestingJobs.TEAM, jobs.groups().getFirst(), group -> {
            Json.ensureObject(group, "status")
                    .put("phase", "Pending")
                    .putArray("conditions")
                    .addObject()
                    .put("type", "Unschedulable")
                    .put("status", "True")
                    .put("message", "3/3 tasks in gang unschedulable");
            return group;
        });
        jobs.settle();
        jobs.settle();
        assertThat(jobs.events())
                .containsOnlyOnce(
                        "PodGroupPending: PodGroup team:j unschedulable, reason: 3/3 tasks in gang" + " unschedulable");
    }

    @Test
    void finishedJobsGoAfterTheirTime() {
        jobs.running("ttlSecondsAfterFinished: 60");
        jobs.pods("Succeeded", "j-w-0", "j-w-1", "j-w-2");
        jobs.pass(Duration.ofSeconds(59));
        assertThat(Json.at(jobs.job(), "metadata", "deletionTimestamp")).isNull();
        jobs.pass(Duration.ofSeconds(2));
        assertThat(Json.at(jobs.job(), "metadata", "deletionTimestamp")).isNotNull();
        assertThat(Json.listAt(jobs.job(), "metadata", "finalizers").toString()).contains("foregroundDeletion");
    }

    // ---- crashes and counting

    @Test
    void aJobOfManyPodsIsWrittenAboutRarely() {
        jobs.submit(TestingJobs.THREE.replace(": 3", ": 200"));
        jobs.admit();
        assertThat(jobs.pods()).hasSize(200);
        IntStream.range(0, 200).forEach(i -> jobs.pods("Running", "j-w-" + i));
        IntStream.range(0, 200).forEach(i -> jobs.pods("Succeeded", "j-w-" + i));
        assertThat(jobs.phase()).isEqualTo("Completed");
        List<String> writes = jobs.api.takeWrites();
        assertThat(writes.stream().filter(write -> write.startsWith("create pods")))
                .hasSize(200);
        assertThat(writes.stream().filter(write -> write.contains("jobs.batch.volcano.sh/status")))
                .hasSize(3);
    }

    @Test
    void numbersAreWrittenAfterAWhile() {
        jobs.running("");
        jobs.pods("Succeeded", "j-w-0");
        assertThat(jobs.number("succeeded")).isZero();
        jobs.pass(Duration.ofSeconds(1));
        assertThat(jobs.number("succeeded")).isEqualTo(1);
    }

    @Test
    void aRestartThatWasInterruptedGoesOn() {
        jobs.running("policies: [{event: PodFailed, action: RestartJob}]");
        jobs.api.fail("delete pods team/j-w-1", ApiException.internal("away"));
        jobs.fail("j-w-0", 1);
        jobs.restart();
        jobs.pass(Duration.ofSeconds(1));
        jobs.reap();
        assertThat(jobs.phase()).isEqualTo("Pending");
        assertThat(jobs.number("retryCount")).isEqualTo(1);
        assertThat(jobs.pods()).isEmpty();
    }

    @Test
    void aPodThatFailedWhileNobodyLookedIsNoticed() {
        jobs.running("policies: [{event: PodFailed, action: AbortJob}]");
        jobs.restart();
        jobs.fail("j-w-0", 1);
        assertThat(jobs.phase()).isEqualTo("Aborting");
    }

    @Test
    void podsRefusedByTheServerAreTriedAgain() {
        jobs.submit(TestingJobs.THREE);
        jobs.api.fail("create pods team/j-w-1", ApiException.forbidden("", "pods", "j-w-1", "exceeded quota: few"));
        jobs.admit();
        jobs.pass(Duration.ofSeconds(1));
        assertThat(jobs.pods()).hasSize(3);
        assertThat(jobs.events()).anyMatch(event -> event.startsWith("FailedCreate: Error creating pods: "));
    }
}
