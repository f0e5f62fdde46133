package lavaflow.jobs;

import java.time.Duration;

import lavaflow.kube.Json;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Tasks that wait for others, and how many pods a gang needs meanwhile. */
class TaskOrderTest {
    private final TestingJobs jobs = new TestingJobs();

    @Test
    void aJobThatIsToldToNeedMoreIsNotTakenForOneThatGoesOnWithFewer() {
        jobs.submit("minAvailable: 2\ntasks:\n" + task("a", 4, "minAvailable: 1"));
        jobs.admit();
        jobs.pods("Running", "j-a-0", "j-a-1", "j-a-2", "j-a-3");
        jobs.fail("j-a-2", 1);
        jobs.change(spec -> spec.put("minAvailable", 4));
        assertThat(gangSize()).isEqualTo("4 {\"a\":1}");
    }

    @Test
    void tasksWaitForThoseTheyDependOn() {
        jobs.submit("""
                minAvailable: 1
                tasks:
                - {name: a, replicas: 1, minAvailable: 1, template: {spec: {containers: [{name: main, image: i}]}}}
                - {name: b, replicas: 1, minAvailable: 1, template: {spec: {containers: [{name: main, image: i}]}}}
                - {name: any, replicas: 1, dependsOn: {name: [a, b], iteration: any},
                   template: {spec: {containers: [{name: main, image: i}]}}}
                - {name: all, replicas: 1, dependsOn: {name: [a, b], iteration: all},
                   template: {spec: {containers: [{name: main, image: i}]}}}
                """);
        jobs.admit();
        assertThat(jobs.pods()).containsExactly("j-a-0", "j-b-0");
        jobs.pods("Running", "j-a-0");
        assertThat(jobs.pods()).containsExactly("j-a-0", "j-any-0", "j-b-0");
        jobs.pods("Succeeded", "j-b-0");
        assertThat(jobs.pods()).containsExactly("j-a-0", "j-all-0", "j-any-0", "j-b-0");
    }

    private static String task(String name, int replicas, String rest) {
        return "- {name: %s, replicas: %d, %s, template: {spec: {containers: [{name: main, image: i}]}}}\n"
                .formatted(name, replicas, rest);
    }

    @Test
    void aJobFailsWhenWhatATaskWaitsForCannotGetReadyAnyMore() {
        jobs.submit("minAvailable: 1\ntasks:\n"
                + task("data", 2, "minAvailable: 2")
                + task("train", 1, "dependsOn: {name: [data]}, minAvailable: 1")
                + task("report", 2, "dependsOn: {name: [train]}"));
        jobs.admit();
        jobs.fail("j-data-0", 1);
        assertThat(jobs.phase()).isEqualTo("Running");
        jobs.pods("Succeeded", "j-data-1");
        assertThat(jobs.phase()).isEqualTo("Failed");
        assertThat(jobs.events())
                .contains(
                        "DependencyFailed: Task train never began: it depends on data, where 1 of 2 pods failed and 2 must"
                                + " be ready",
                        "DependencyFailed: Task report never began: it depends on train, which never began either");
    }

    @Test
    void aJobGoesOnWhileSomebodyCouldStillBeWaitedFor() {
        jobs.submit("minAvailable: 1\ntasks:\n"
                + task("one", 1, "minAvailable: 1")
                + task("other", 1, "minAvailable: 1")
                + task("any", 1, "dependsOn: {name: [one, other], iteration: any}"));
        jobs.admit();
        jobs.fail("j-one-0", 1);
        jobs.pods("Running", "j-other-0");
        assertThat(jobs.phase()).isEqualTo("Running");
        jobs.pods("Succeeded", "j-other-0", "j-any-0");
        assertThat(jobs.phase()).isEqualTo("Completed");
    }

    @Test
    void aPolicyThatWaitsMayStillSaveAJobWhoseDependencyFailed() {
        jobs.submit("minAvailable: 1\nmaxRetry: 3\n"
                + "policies: [{event: PodFailed, action: RestartJob, timeout: 10s}]\ntasks:\n"
                + task("data", 1, "minAvailable: 1")
                + task("train", 1, "dependsOn: {name: [data]}"));
        jobs.admit();
        jobs.fail("j-data-0", 1);
        assertThat(jobs.phase()).isEqualTo("Running");
        jobs.pass(Duration.ofSeconds(10));
        jobs.reap();
        assertThat(jobs.phase()).isEqualTo("Pending");
        assertThat(jobs.number("retryCount")).isEqualTo(1);
    }

    @Test
    void aJobThatNeedsAllItsPodsBeginsWithThoseThatWaitForNobody() {
        jobs.submit("minAvailable: 4\ntasks:\n"
                + task("data", 2, "minAvailable: 2")
                + task("train", 1, "dependsOn: {name: [data]}, minAvailable: 1")
                + task("report", 1, "dependsOn: {name: [train]}"));
        assertThat(gangSize()).isEqualTo("2 {\"data\":2,\"train\":0,\"report\":0}");
        jobs.admit();
        jobs.pods("Running", "j-data-0");
        assertThat(gangSize()).isEqualTo("2 {\"data\":2,\"train\":0,\"report\":0}");
        jobs.pods("Running", "j-data-1");
        assertThat(gangSize()).isEqualTo("3 {\"data\":2,\"train\":1,\"report\":0}");
        assertThat(jobs.phase()).isEqualTo("Pending");
        jobs.pods("Running", "j-train-0");
        assertThat(gangSize()).isEqualTo("4 {\"data\":2,\"train\":1,\"report\":1}");
        jobs.pods("Running", "j-report-0");
        assertThat(jobs.phase()).isEqualTo("Running");
        jobs.pods("Succeeded", "j-data-0", "j-data-1", "j-train-0", "j-report-0");
        assertThat(jobs.phase()).isEqualTo("Completed");
    }

    @Test
    void aJobThatNeedsAllItsPodsFailsAlsoBeforeItRuns() {
        jobs.submit("minAvailable: 2\ntasks:\n"
                + task("data", 1, "minAvailable: 1")
                + task("train", 1, "dependsOn: {name: [data]}"));
        jobs.admit();
        jobs.fail("j-data-0", 1);
        assertThat(jobs.conditions()).containsExactly("Pending", "Failed");
    }

    @Test
    void aGangThatIsWholeWithoutThoseThatWaitIsAsTheJobSays() {
        jobs.submit("minAvailable: 1\ntasks:\n"
                + task("data", 1, "minAvailable: 1")
                + task("train", 1, "dependsOn: {name: [data]}"));
        assertThat(gangSize()).isEqualTo("1 {\"data\":1,\"train\":1}");
    }

    @Test
    void whoHasBegunGoesOnWithoutThoseItWaitedForOnceTheyFail() {
        jobs.submit("minAvailable: 4\ntasks:\n"
                + task("data", 2, "minAvailable: 2")
                + task("train", 2, "dependsOn: {name: [data]}"));
        jobs.admit();
        jobs.pods("Running", "j-data-0", "j-data-1");
        assertThat(gangSize()).isEqualTo("4 {\"data\":2,\"train\":2}");
        jobs.fail("j-data-0", 1);
        assertThat(gangSize()).isEqualTo("3 {\"data\":1,\"train\":2}");
        jobs.pods("Running", "j-train-0", "j-train-1");
        jobs.pods("Succeeded", "j-data-1", "j-train-0", "j-train-1");
        assertThat(jobs.phase()).isEqualTo("Failed");
    }

    @Test
    void partsOfATaskAreNeededOnceItBegins() {
        jobs.submit("minAvailable: 5\ntasks:\n"
                + task("data", 1, "minAvailable: 1")
                + task(
                        "train",
                        4,
                        "dependsOn: {name: [data]},"
                                + " partitionPolicy: {totalPartitions: 2, partitionSize: 2, minPartitions: 2}"));
        assertThat(leastParts()).isZero();
        jobs.admit();
        jobs.pods("Running", "j-data-0");
        assertThat(leastParts()).isEqualTo(2);
        assertThat(gangSize()).isEqualTo("5 {\"data\":1,\"train\":4}");
    }

    @Test
    void whoIsMadeAnewBesidePodsThatFailedNeedsOnlyThoseThatAreLeft() {
        jobs.submit("minAvailable: 4\ntasks:\n"
                + task("a", 2, "policies: []")
                + task("b", 2, "policies: [{event: TaskCompleted, action: RestartTask}]"));
        jobs.admit();
        jobs.pods("Running", "j-a-0", "j-a-1", "j-b-0", "j-b-1");
        jobs.fail("j-a-0", 1);
        assertThat(gangSize()).as("nobody waits").isEqualTo("4 {\"a\":2,\"b\":2}");
        jobs.pods("Succeeded", "j-b-0", "j-b-1");
        jobs.reap();
        assertThat(gangSize()).isEqualTo("3 {\"a\":1,\"b\":2}");
        jobs.pods("Running", "j-b-0", "j-b-1");
        assertThat(gangSize()).as("it stays so").isEqualTo("3 {\"a\":1,\"b\":2}");
        jobs.evict("j-a-0");
        assertThat(gangSize()).as("what failed is made anew").isEqualTo("4 {\"a\":2,\"b\":2}");
    }

    @Test
    void aJobThatIsResumedNeedsOnlyPodsThatHaveNotFailed() {
        jobs.submit("minAvailable: 3\npolicies: [{event: PodFailed, action: AbortJob}]\ntasks:\n"
                + task("a", 3, "policies: []"));
        jobs.admit();
        jobs.pods("Running", "j-a-0", "j-a-1", "j-a-2");
        jobs.fail("j-a-0", 1);
        jobs.reap();
        assertThat(jobs.phase()).isEqualTo("Aborted");
        jobs.command("ResumeJob");
        jobs.reap();
        assertThat(gangSize()).isEqualTo("2 {\"a\":2}");
    }

    private long leastParts() {
        return Json.longAt(Json.listAt(jobs.group(), "spec", "subGroupPolicy").get(0), -1, "minSubGroups");
    }

    private String gangSize() {
        return Json.longAt(jobs.group(), 0, "spec", "minMember") + " "
                + Json.objectAt(jobs.group(), "spec", "minTaskMember");
    }
}
