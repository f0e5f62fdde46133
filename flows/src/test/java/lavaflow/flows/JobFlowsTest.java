package lavaflow.flows;

import java.time.Duration;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static lavaflow.flows.TestingFlows.SPACE;
import static lavaflow.flows.TestingFlows.yaml;
import static org.assertj.core.api.Assertions.assertThat;

class JobFlowsTest {
    private final TestingFlows testing = new TestingFlows();

    private void chain(String retain, String annotations) {
        testing.template("a");
        testing.template("b");
        testing.make(Flows.JOB_FLOWS, """
                metadata: {name: f, annotations: {%s}}
                spec:
                  jobRetainPolicy: %s
                  flows:
                  - {name: a}
                  - {name: b, dependsOn: {targets: [a]}}
                """.formatted(annotations, retain));
    }

    @Test
    void aJobIsMadeOfItsTemplate() {
        chain("retain", "");
        assertThat(testing.jobs()).containsExactly("f-a");
        ObjectNode job = testing.find(Flows.JOBS, "f-a");
        for (String field : new String[] {"labels", "annotations"}) {
            assertThat(job.path("metadata").path(field))
                    .isEqualTo(yaml("{volcano.sh/createdByJobTemplate: team.a, volcano.sh/createdByJobFlow: team.f}"));
        }
        ObjectNode flow = testing.find(Flows.JOB_FLOWS, "f");
        assertThat(Json.listAt(job, "metadata", "ownerReferences").path(0))
                .isEqualTo(yaml("{apiVersion: flow.volcano.sh/v1alpha1, kind: JobFlow, name: f, uid: " + Flows.uid(flow)
                        + ", controller: true, blockOwnerDeletion: true}"));
        assertThat(job.path("spec"))
                .isEqualTo(testing.find(Flows.JOB_TEMPLATES, "a").path("spec"));
        assertThat(testing.events()).contains("Normal Created create a job named f-a!");
    }

    @Test
    void whoDependsOnOthersBeginsAfterTheirEnd() {
        chain("retain", "");
        assertThat(testing.flowPhase("f")).isEqualTo("Pending");
        testing.job("f-a", "Running");
        assertThat(testing.flowPhase("f")).isEqualTo("Running");
        assertThat(testing.hasJob("f-b")).isFalse();
        testing.job("f-a", "Completed");
        assertThat(testing.hasJob("f-b")).isTrue();
        assertThat(testing.flowPhase("f")).isEqualTo("Running");
        testing.job("f-b", "Completed");
        assertThat(testing.flowPhase("f")).isEqualTo("Succeed");
        assertThat(testing.jobs()).containsExactly("f-a", "f-b");
        assertThat(testing.metrics()).contains("volcano_jobflow_succeed_phase_count{jobflow_namespace=\"team\"} 1\n");
    }

    @Test
    void whatAJobWentThroughLongAgoIsForgotten() {
        chain("retain", "");
        for (int i = 0; i < FlowStatus.REMEMBERED; i++) {
            testing.job("f-a", "Running");
            testing.job("f-a", "Restarting");
        }
        testing.job("f-a", "Completed");
        ObjectNode flow = testing.find(Flows.JOB_FLOWS, "f");
        JsonNode histories =
                Json.listAt(Json.listAt(flow, "status", "jobStatusList").path(0), "runningHistories");
        assertThat(histories).hasSize(FlowStatus.REMEMBERED);
        assertThat(Json.textAt(histories.get(FlowStatus.REMEMBERED - 1), "state"))
                .isEqualTo("Completed");
        assertThat(Json.textAt(histories.get(FlowStatus.REMEMBERED - 2), "state"))
                .isEqualTo("Restarting");
    }

    @Test
    void theStatusTellsWhatEachJobWentThrough() {
        chain("retain", "");
        testing.job("f-a", "Pending");
        testing.pass(Duration.ofSeconds(10));
        testing.job("f-a", "Running");
        testing.pass(Duration.ofSeconds(10));
        testing.api.edit(Flows.JOBS, SPACE, "f-a", job -> {
            Json.ensureObject(job, "status")
                    .put("runningDuration", "1m5s")
                    .put("retryCount", 2)
                    .set("taskStatusCount", yaml("t: {phase: {Succeeded: 2}}"));
            return job;
        });
        testing.job("f-a", "Completed");
        assertThat(testing.find(Flows.JOB_FLOWS, "f").path("status")).isEqualTo(yaml("""
                pendingJobs: [f-b]
                completedJobs: [f-a]
                jobStatusList:
                - name: f-a
                  state: Completed
                  startTimestamp: "2030-01-02T03:04:05Z"
                  endTimestamp: "2030-01-02T03:05:10Z"
                  restartCount: 2
                  runningHistories:
                  - {startTimestamp: "2030-01-02T03:04:05Z", endTimestamp: "2030-01-02T03:04:15Z", state: Pending}
                  - {startTimestamp: "2030-01-02T03:04:15Z", endTimestamp: "2030-01-02T03:04:25Z", state: Running}
                  - {startTimestamp: "2030-01-02T03:04:25Z", state: Completed}
                - {name: f-b, startTimestamp: "2030-01-02T03:04:05Z"}
                conditions:
                  f-a:
                    phase: Completed
                    createTime: "2030-01-02T03:04:05Z"
                    runningDuration: 1m5s
                    taskStatusCount: {t: {phase: {Succeeded: 2}}}
                  f-b: {createTime: "2030-01-02T03:04:05Z"}
                state: {phase: Running}
                """));
    }

    @ParameterizedTest
    @CsvSource({
        "Running, runningJobs, Running",
        "Completing, '', Pending",
        "Restarting, unKnowJobs, Pending",
        "Aborted, unKnowJobs, Pending",
        "Failed, failedJobs, Failed",
        "Terminated, terminatedJobs, Failed",
        "Completed, completedJobs, Running"
    })
    void phasesOfJobsMakeThePhaseOfTheFlow(String phase, String list, String whole) {
        chain("retain", "");
        testing.job("f-a", phase);
        assertThat(testing.flowPhase("f")).isEqualTo(whole);
        if (!list.isEmpty()) {
            assertThat(Json.string(Json.listAt(testing.find(Flows.JOB_FLOWS, "f"), "status", list)))
                    .isEqualTo("[\"f-a\"]");
        }
    }

    @Test
    void aFlowThatKeepsNothingDeletesItsJobsAndMakesThemNotAgain() {
        chain("delete", "");
        testing.job("f-a", "Completed");
        testing.job("f-b", "Completed");
        assertThat(testing.jobs()).isEmpty();
        testing.restart();
        assertThat(testing.jobs()).isEmpty();
        assertThat(testing.flowPhase("f")).isEqualTo("Succeed");
        assertThat(Json.string(Json.listAt(testing.find(Flows.JOB_FLOWS, "f"), "status", "completedJobs")))
                .isEqualTo("[\"f-a\",\"f-b\"]");
    }

    @Test
    void aFailedFlowStandsStillUntilSomebodyDeletesWhatFailed() {
        chain("retain", "");
        testing.job("f-a", "Failed");
        assertThat(testing.flowPhase("f")).isEqualTo("Failed");
        assertThat(testing.metrics()).contains("volcano_jobflow_failed_phase_count{jobflow_namespace=\"team\"} 1\n");
        testing.api.delete(Flows.JOBS, SPACE, "f-a", KubeApi.Deletion.PLAIN);
        testing.settle();
        assertThat(testing.hasJob("f-a")).isTrue();
        assertThat(testing.flowPhase("f")).isEqualTo("Pending");
    }

    @Test
    void whatFailedIsMadeAnewAsOftenAsTheFlowSays() {
        chain("retain", "lavaflow.io/max-retry: '2'");
        for (String attempt : new String[] {"1", "2"}) {
            testing.job("f-a", "Failed");
            assertThat(Json.textAt(testing.find(Flows.JOBS, "f-a"), "metadata", "annotations", Flows.ATTEMPT))
                    .isEqualTo(attempt);
            assertThat(testing.flowPhase("f")).isEqualTo("Pending");
        }
        testing.job("f-a", "Failed");
        assertThat(testing.flowPhase("f")).isEqualTo("Failed");
        assertThat(testing.events()).contains("Normal Retry job f-a failed and is made anew");
    }

    @Test
    void aRetryThatIsInterruptedIsCountedOnce() {
        chain("retain", "lavaflow.io/max-retry: '1'");
        testing.api.fail("delete jobs.batch.volcano.sh team/f-a", ApiException.of(503, "ServiceUnavailable", "crash"));
        testing.job("f-a", "Failed");
        testing.restart();
        testing.pass(Duration.ofMinutes(1));
        assertThat(Json.textAt(testing.find(Flows.JOBS, "f-a"), "metadata", "annotations", Flows.ATTEMPT))
                .isEqualTo("1");
        assertThat(Json.textAt(testing.find(Flows.JOB_FLOWS, "f"), "metadata", "annotations", Flows.ATTEMPTS))
                .isEqualTo("{\"a\":1}");
    }

    @Test
    void aJobThatIsRefusedHoldsUpNobodyElse() {
        testing.template("a");
        testing.template("b");
        for (int i = 0; i < 3; i++) {
            testing.api.fail(
                    "create jobs.batch.volcano.sh team/f-a", ApiException.of(400, "BadRequest", "no such queue"));
        }
        testing.make(Flows.JOB_FLOWS, "{metadata: {name: f}, spec: {flows: [{name: a}, {name: b}]}}");
        assertThat(testing.jobs()).containsExactly("f-b");
        assertThat(testing.flowPhase("f")).isEqualTo("Pending");
        assertThat(testing.events()).contains("Warning FailedCreate job f-a cannot be made: no such queue");
        testing.pass(Duration.ofMinutes(1));
        testing.pass(Duration.ofMinutes(1));
        assertThat(testing.jobs()).containsExactly("f-a", "f-b");
    }

    @Test
    void aTemplateThatComesLateIsWaitedFor() {
        testing.make(Flows.JOB_FLOWS, "{metadata: {name: f}, spec: {flows: [{name: a}]}}");
        testing.pass(Duration.ofSeconds(3));
        assertThat(testing.jobs()).isEmpty();
        assertThat(testing.events()).containsExactly("Warning TemplateNotFound there is no JobTemplate named a yet");
        testing.template("a");
        assertThat(testing.jobs()).containsExactly("f-a");
    }

    @Test
    void nothingIsSaidOfATemplateThatComesRightAfterTheFlow() {
        ObjectNode flow = testing.make(Flows.JOB_FLOWS, "{metadata: {name: f}, spec: {flows: [{name: a}]}}");
        assertThat(testing.find(Flows.JOB_FLOWS, "f"))
                .as("whoever changes it right after making it finds it as it was")
                .isEqualTo(flow);
        testing.template("a");

        assertThat(testing.jobs()).containsExactly("f-a");
        assertThat(testing.events()).noneMatch(event -> event.contains("TemplateNotFound"));
    }

    @Test
    void aPatchChangesWhatTheTemplateSays() {
        testing.template("a");
        testing.make(Flows.JOB_FLOWS, """
                metadata: {name: f}
                spec:
                  flows:
                  - name: a
                    patch:
                      jobSpec:
                        queue: default
                        minAvailable: 5
                        tasks:
                        - {name: t, replicas: 5, template: {spec: {containers: [{name: main, image: new}]}}}
                        - {name: u, replicas: 1}
                """);
        assertThat(testing.find(Flows.JOBS, "f-a").path("spec")).isEqualTo(yaml("""
                minAvailable: 5
                queue: default
                maxRetry: 3
                tasks:
                - {name: t, replicas: 5, template: {spec: {containers: [{name: main, image: new}]}}}
                - {name: u, replicas: 1}
                """));
    }

    private void probing(String probe) {
        testing.template("a");
        testing.template("b");
        testing.make(Flows.JOB_FLOWS, """
                metadata: {name: f}
                spec:
                  flows:
                  - {name: a}
                  - {name: b, dependsOn: {targets: [a], probe: %s}}
                """.formatted(probe));
        testing.job("f-a", "Running");
        assertThat(testing.hasJob("f-b")).isFalse();
    }

    private void podOfA(String address) {
        testing.make(Flows.PODS, """
                metadata:
                  name: p
                  labels: {volcano.sh/task-spec: t}
                  ownerReferences: [{kind: Job, name: f-a, uid: %s, controller: true}]
                status: {podIP: %s}
                """.formatted(Flows.uid(testing.find(Flows.JOBS, "f-a")), address));
    }

    @Test
    void aProbeOfTasksHoldsBeforeTheEnd() {
        probing("{taskStatusList: [{taskName: t, phase: Running}]}");
        testing.api.edit(Flows.JOBS, SPACE, "f-a", job -> {
            Json.ensureObject(job, "status").set("taskStatusCount", yaml("t: {phase: {Running: 1}}"));
            return job;
        });
        testing.settle();
        assertThat(testing.hasJob("f-b")).isFalse();
        testing.api.edit(Flows.JOBS, SPACE, "f-a", job -> {
            Json.ensureObject(job, "status").set("taskStatusCount", yaml("t: {phase: {Running: 2}}"));
            return job;
        });
        testing.settle();
        assertThat(testing.hasJob("f-b")).isTrue();
    }

    @Test
    void aProbeOfAPortAsksUntilSomebodyAccepts() {
        probing("{tcpSocketList: [{taskName: t, port: 2222}]}");
        podOfA("10.0.0.1");
        testing.pass(Duration.ofSeconds(2));
        assertThat(testing.hasJob("f-b")).isFalse();
        testing.answering.add("10.0.0.1:2222");
        testing.pass(Duration.ofSeconds(2));
        assertThat(testing.hasJob("f-b")).isTrue();
    }

    @Test
    void aProbeOfAPathAsksUntilItIsAnswered() {
        probing("{httpGetList: [{taskName: t, path: /ready, port: 80}]}");
        podOfA("10.0.0.1");
        testing.answering.add("10.0.0.1:80/other");
        testing.pass(Duration.ofSeconds(2));
        assertThat(testing.hasJob("f-b")).isFalse();
        testing.answering.add("10.0.0.1:80/ready");
        testing.pass(Duration.ofSeconds(2));
        assertThat(testing.hasJob("f-b")).isTrue();
    }

    @Test
    void whoeverHasEndedNeedsNoProbe() {
        probing("{tcpSocketList: [{taskName: t, port: 2222}]}");
        testing.job("f-a", "Completed");
        assertThat(testing.hasJob("f-b")).isTrue();
    }

    @Test
    void aJobOfSomebodyElseIsLeftAlone() {
        testing.template("a");
        testing.make(Flows.JOBS, "{metadata: {name: f-a}, status: {state: {phase: Failed}}}");
        testing.make(
                Flows.JOB_FLOWS,
                "{metadata: {name: f, annotations: {lavaflow.io/max-retry: '3'}}, spec: {flows: [{name: a}]}}");
        assertThat(testing.events()).containsExactly("Warning ForeignJob job f-a exists and is not of this JobFlow");
        assertThat(testing.hasJob("f-a")).isTrue();
    }

    @Test
    void nothingIsMadeTwiceWhereAnAnswerIsLost() {
        testing.api.fail("update jobflows.flow.volcano.sh team/f", ApiException.of(503, "ServiceUnavailable", "crash"));
        chain("retain", "");
        testing.restart();
        testing.pass(Duration.ofMinutes(1));
        assertThat(testing.jobs()).containsExactly("f-a");
        assertThat(testing.flowPhase("f")).isEqualTo("Pending");
        testing.api.takeWrites();
        testing.restart();
        assertThat(testing.api.takeWrites()).isEmpty();
    }

    @Test
    void aFlowThatIsBeingDeletedMakesNothing() {
        testing.template("a");
        testing.make(
                Flows.JOB_FLOWS,
                "{metadata: {name: f, finalizers: [x.y/z]}, spec: {flows: [{name: a}, {name: b, dependsOn: {targets: [a]}}]}}");
        testing.template("b");
        testing.api.delete(Flows.JOB_FLOWS, SPACE, "f", KubeApi.Deletion.PLAIN);
        testing.settle();
        assertThat(testing.flowPhase("f")).isEqualTo("Terminating");
        testing.job("f-a", "Completed");
        assertThat(testing.hasJob("f-b")).isFalse();
    }

    @Test
    void templatesTellWhatWasMadeOfThem() {
        chain("retain", "");
        testing.job("f-a", "Completed");
        assertThat(Json.string(testing.find(Flows.JOB_TEMPLATES, "a").path("status")))
                .isEqualTo("{\"jobDependsOnList\":[\"f-a\"]}");
        testing.api.delete(Flows.JOBS, SPACE, "f-b", KubeApi.Deletion.PLAIN);
        testing.settle();
        assertThat(Json.string(testing.find(Flows.JOB_TEMPLATES, "b").path("status")))
                .isEqualTo("{\"jobDependsOnList\":[\"f-b\"]}"); // made again
    }
}
