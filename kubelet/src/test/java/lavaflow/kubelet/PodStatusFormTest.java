package lavaflow.kubelet;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;
import lavaflow.node.PodPhase;
import lavaflow.sandbox.ContainerUser;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PodStatusFormTest {
    private static final String ONE = "containers: [{name: a, image: i}]";
    private static final String NEVER = "{restartPolicy: Never, containers: [{name: a, image: i}]}";

    private static String condition(ObjectNode status, String type) {
        for (JsonNode each : Json.listAt(status, "conditions")) {
            if (Json.textAt(each, "type").equals(type)) {
                String reason = Json.textAt(each, "reason");
                String message = Json.textAt(each, "message");
                return Json.textAt(each, "status")
                        + (reason.isEmpty() ? "" : " " + reason)
                        + (message.isEmpty() ? "" : ": " + message);
            }
        }
        return "";
    }

    private static JsonNode container(ObjectNode status) {
        return Json.listAt(status, "containerStatuses").get(0);
    }

    @Test
    void aNewPodIsBeingCreated() {
        ObjectNode status = TestingPod.of(ONE).withoutPlace().rendered();

        assertThat(Json.textAt(status, "phase")).isEqualTo("Pending");
        assertThat(Json.textAt(container(status), "state", "waiting", "reason")).isEqualTo("ContainerCreating");
        assertThat(condition(status, "PodReadyToStartContainers")).isEqualTo("False");
        assertThat(condition(status, "Initialized")).isEqualTo("True");
        assertThat(condition(status, "Ready"))
                .isEqualTo("False ContainersNotReady: containers with unready status: [a]");
        assertThat(condition(status, "PodScheduled")).isEqualTo("True");
    }

    @Test
    void aPodWithInitContainersIsInitializing() {
        ObjectNode status =
                TestingPod.of("initContainers: [{name: i, image: i}]\n" + ONE).rendered();

        assertThat(Json.textAt(container(status), "state", "waiting", "reason")).isEqualTo("PodInitializing");
        assertThat(condition(status, "Initialized"))
                .isEqualTo("False ContainersNotInitialized: containers with incomplete status: [i]");
    }

    @Test
    void anInitContainerIsStartedWhileItRunsAndReadyOnceItIsThrough() {
        TestingPod pod = TestingPod.of("initContainers: [{name: i, image: i}]\n" + ONE);
        JsonNode running = Json.listAt(pod.running("i").rendered(), "initContainerStatuses")
                .get(0);
        assertThat(Json.flagAt(running, "started")).isTrue();
        assertThat(Json.flagAt(running, "ready")).isFalse();
        JsonNode through = Json.listAt(pod.ended("i", 1, 0).rendered(), "initContainerStatuses")
                .get(0);
        assertThat(Json.flagAt(through, "started")).isFalse();
        assertThat(Json.flagAt(through, "ready")).isTrue();
    }

    @Test
    void whoAContainerRunsAsIsTold() {
        TestingPod pod = TestingPod.of(ONE);
        Attempt life =
                pod.life("a", 0).started(TestingPod.NOW).runningAs(new ContainerUser(1000, 50, List.of(50L, 7L)));
        ObjectNode status = pod.know("a", PodFacts.Work.NONE, true, true, life).rendered();

        assertThat(Json.at(container(status), "user").toString())
                .isEqualTo("{\"linux\":{\"gid\":50,\"supplementalGroups\":[50,7],\"uid\":1000}}");
        assertThat(Json.at(container(TestingPod.of(ONE).running("a").rendered()), "user"))
                .isNull();
    }

    @Test
    void allImagesOfAPodAreInUse() {
        TestingPod pod = TestingPod.of("""
                initContainers: [{name: i, image: first}]
                containers: [{name: a, image: i}]
                volumes: [{name: v, image: {reference: files}}, {name: w, emptyDir: {}}]
                """);
        assertThat(Housekeeping.images(pod.running("a").facts()))
                .containsExactlyInAnyOrder("first", "i", "image", "sha256:1", "files");
    }

    @Test
    void aRunningPodIsReady() {
        ObjectNode status = TestingPod.of(ONE).running("a").rendered();

        assertThat(Json.textAt(status, "phase")).isEqualTo("Running");
        assertThat(condition(status, "Ready")).isEqualTo("True");
        assertThat(Json.textAt(container(status), "state", "running", "startedAt"))
                .isEqualTo("2026-11-15T11:59:00Z");
        assertThat(Json.textAt(container(status), "containerID")).isEqualTo("runc://a-0");
        assertThat(Json.flagAt(container(status), "started")).isTrue();
        assertThat(Json.textAt(status, "podIP")).isEqualTo("10.0.0.7");
    }

    @Test
    void aReadinessGateKeepsAPodFromBeingReady() {
        ObjectNode status = TestingPod.of(ONE + "\nreadinessGates: [{conditionType: www}]")
                .running("a")
                .rendered();

        assertThat(condition(status, "ContainersReady")).isEqualTo("True");
        assertThat(condition(status, "Ready"))
                .isEqualTo(
                        "False ReadinessGatesNotReady: corresponding condition of pod readiness gate \"www\" does not"
                                + " exist.");
    }

    @Test
    void aContainerInACrashLoopWaitsWithItsLastEndInView() {
        ObjectNode status = TestingPod.of(ONE)
                .ended("a", 4, 1, 2)
                .failing("a", "CrashLoopBackOff", "back-off 10s", TestingPod.NOW.plusSeconds(6))
                .rendered();

        assertThat(Json.textAt(status, "phase")).isEqualTo("Running");
        assertThat(Json.textAt(container(status), "state", "waiting", "reason")).isEqualTo("CrashLoopBackOff");
        assertThat(Json.longAt(container(status), 0, "lastState", "terminated", "exitCode"))
                .isEqualTo(2);
        assertThat(Json.longAt(container(status), 0, "restartCount")).isEqualTo(1);
    }

    @Test
    void aLifeThatBeginsLeavesThoseBeforeItInView() {
        TestingPod pod = TestingPod.of(ONE).ended("a", 4, 1, 2);
        List<Attempt> lives = new ArrayList<>(pod.facts().of(pod.container("a")).attempts());
        lives.add(pod.life("a", 2));
        ObjectNode status = pod.know("a", PodFacts.Work.STARTING, false, false, lives.toArray(Attempt[]::new))
                .rendered();

        assertThat(Json.longAt(container(status), 0, "restartCount")).isEqualTo(1);
        assertThat(Json.longAt(container(status), 0, "state", "terminated", "exitCode"))
                .isEqualTo(2);
        assertThat(Json.longAt(container(status), 0, "lastState", "terminated", "exitCode"))
                .isEqualTo(1);
    }

    @Test
    void aContainerWhoseHookAfterTheStartRunsIsNotShownRunning() {
        TestingPod pod = TestingPod.of(ONE);
        ObjectNode status = pod.know(
                        "a",
                        PodFacts.Work.STARTING,
                        false,
                        false,
                        pod.life("a", 0).started(TestingPod.NOW))
                .rendered();

        assertThat(Json.textAt(container(status), "state", "waiting", "reason")).isEqualTo("ContainerCreating");
        assertThat(Json.textAt(status, "phase")).isEqualTo("Pending");
    }

    @Test
    void aContainerThatIsMadeButDoesNotRunYetIsBeingCreated() {
        TestingPod pod = TestingPod.of(ONE);
        ObjectNode status = pod.know("a", PodFacts.Work.STARTING, false, false, pod.life("a", 0))
                .rendered();

        assertThat(Json.textAt(container(status), "state", "waiting", "reason")).isEqualTo("ContainerCreating");
        assertThat(container(status).has("containerID")).isFalse();
    }

    @Test
    void aPodThatSucceededSaysSo() {
        ObjectNode status = TestingPod.of(NEVER).ended("a", 1, 0).rendered();

        assertThat(Json.textAt(status, "phase")).isEqualTo("Succeeded");
        assertThat(condition(status, "Ready")).isEqualTo("False PodCompleted");
        assertThat(condition(status, "Initialized")).isEqualTo("True PodCompleted");
        assertThat(condition(status, "PodReadyToStartContainers")).isEqualTo("False");
    }

    @Test
    void nobodyHearsOfTheEndWhileASidecarRuns() {
        String spec = """
                restartPolicy: Never
                initContainers: [{name: s, image: i, restartPolicy: Always}]
                containers: [{name: a, image: i}]
                """;
        TestingPod pod =
                TestingPod.of(spec).status("phase: Running").running("s").ended("a", 1, 0);

        assertThat(pod.phase()).isEqualTo(PodPhase.RUNNING);
        assertThat(pod.ended("s", 0, 143).phase()).isEqualTo(PodPhase.SUCCEEDED);
    }

    @Test
    void aPodEndedByTheNodeTellsWhy() {
        ObjectNode status = TestingPod.of(ONE)
                .ended("a", 1, 137)
                .ends("DeadlineExceeded", "Pod was active on the node longer than the specified deadline")
                .rendered();

        assertThat(Json.textAt(status, "phase")).isEqualTo("Failed");
        assertThat(Json.textAt(status, "reason")).isEqualTo("DeadlineExceeded");
    }

    @Test
    void aDeletedPodFailsUnlessAllItsContainersSucceeded() {
        assertThat(TestingPod.of(ONE).ended("a", 1, 143).deleted().phase()).isEqualTo(PodPhase.FAILED);
        assertThat(TestingPod.of(ONE).ended("a", 1, 0).deleted().phase()).isEqualTo(PodPhase.SUCCEEDED);
        assertThat(TestingPod.of(ONE).running("a").deleted().phase()).isEqualTo(PodPhase.RUNNING);
    }

    @Test
    void aContainerThatNeverRanIsUnknownAtTheEnd() {
        ObjectNode status = TestingPod.of(ONE).deleted().rendered();

        assertThat(Json.textAt(container(status), "state", "terminated", "reason"))
                .isEqualTo("ContainerStatusUnknown");
    }

    // ---- all containers once more ----

    private static final String ALL_ANEW = """
            initContainers: [{name: i, image: i}]
            containers:
            - name: a
              image: i
              restartPolicy: Never
              restartPolicyRules: [{action: RestartAllContainers, exitCodes: {operator: In, values: [42]}}]
            """;

    @Test
    void aPodWhoseContainersAllBeginAnewSaysSo() {
        TestingPod pod = TestingPod.of(ALL_ANEW).ended("i", 60, 0).ended("a", 0, 42);

        assertThat(condition(pod.rendered(), "AllContainersRestarting"))
                .isEqualTo("True RestartAllContainersStarted: container exited with restart policy rule");
        assertThat(condition(TestingPod.of(ALL_ANEW).running("a").rendered(), "AllContainersRestarting"))
                .isEqualTo("False");
        assertThat(condition(TestingPod.of(ONE).running("a").rendered(), "AllContainersRestarting"))
                .isEmpty();
    }

    @Test
    void containersThatBeginAnewWaitAndThePodStaysInitialized() {
        TestingPod pod =
                TestingPod.of(ALL_ANEW).status("{phase: Running, conditions: [{type: Initialized, status: 'True'}]}");
        for (String each : new String[] {"i", "a"}) {
            pod.know(each, PodFacts.Work.NONE, false, false, pod.life(each, 0).removed(TestingPod.NOW));
        }
        ObjectNode status = pod.rendered();

        assertThat(Json.textAt(status, "phase")).isEqualTo("Running");
        assertThat(condition(status, "Initialized")).isEqualTo("True");
        assertThat(Json.textAt(container(status), "state", "waiting", "reason")).isEqualTo("RestartingAllContainers");
        assertThat(Json.textAt(container(status), "lastState", "terminated", "reason"))
                .isEqualTo("RestartingAllContainers");
        assertThat(Json.longAt(container(status), 0, "lastState", "terminated", "exitCode"))
                .isEqualTo(137);
    }
}
