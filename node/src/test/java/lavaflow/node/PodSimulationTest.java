package lavaflow.node;

import java.time.Duration;

import lavaflow.kube.Json;

import org.junit.jupiter.api.Test;

import static lavaflow.node.TestingPod.annotations;
import static lavaflow.node.TestingPod.restartPolicy;
import static org.assertj.core.api.Assertions.assertThat;

/** What becomes of pods on simulated nodes. */
class PodSimulationTest {
    private static final String INITS = """
            {"spec":{"initContainers":[{"name":"one","image":"i"},{"name":"two","image":"i"}]}}""";
    private static final String SIDECAR =
            "{\"spec\":{\"initContainers\":[{\"name\":\"s\",\"image\":\"i\",\"restartPolicy\":\"Always\"}]}}";

    // ---- start ----

    @Test
    void withoutWishesAPodRunsAtOnceAndForEver() {
        TestingPod pod = new TestingPod();
        assertThat(pod.phase()).isEqualTo("Running");
        assertThat(pod.state("c")).isEqualTo("Running");
        assertThat(pod.condition("Ready")).isEqualTo("True");
        assertThat(pod.pause()).isNull();
    }

    @Test
    void aStartMayTakeTime() {
        TestingPod pod = new TestingPod(annotations("start-delay", "3s"));
        assertThat(pod.phase()).isEqualTo("Pending");
        assertThat(pod.state("c")).isEqualTo("ContainerCreating");
        assertThat(pod.condition("PodReadyToStartContainers")).isEqualTo("False");
        assertThat(pod.pause()).isEqualTo(Duration.ofSeconds(3));
        assertThat(pod.after(3).phase()).isEqualTo("Running");
        assertThat(pod.condition("PodReadyToStartContainers")).isEqualTo("True");
    }

    @Test
    void readinessMayTakeTime() {
        TestingPod pod = new TestingPod(annotations("ready-after", "5s"));
        assertThat(pod.phase()).isEqualTo("Running");
        assertThat(pod.condition("Ready")).isEqualTo("False ContainersNotReady");
        assertThat(pod.pause()).isEqualTo(Duration.ofSeconds(5));
        assertThat(pod.after(5).condition("Ready")).isEqualTo("True");
    }

    @Test
    void probesSucceedAfterTheirInitialDelay() {
        TestingPod pod = new TestingPod("""
                {"spec":{"containers":[{"name":"c","image":"i","startupProbe":{"initialDelaySeconds":2},
                "readinessProbe":{"initialDelaySeconds":3}}]}}""");
        assertThat(Json.flagAt(pod.container("c"), "started")).isFalse();
        assertThat(Json.flagAt(pod.after(2).container("c"), "started")).isTrue();
        assertThat(pod.condition("ContainersReady")).isEqualTo("False ContainersNotReady");
        assertThat(pod.after(3).condition("ContainersReady")).isEqualTo("True");
    }

    @Test
    void readinessGatesHoldReadinessBack() {
        TestingPod pod = new TestingPod("{\"spec\":{\"readinessGates\":[{\"conditionType\":\"lb\"}]}}");
        assertThat(pod.condition("ContainersReady")).isEqualTo("True");
        assertThat(pod.condition("Ready")).isEqualTo("False ReadinessGatesNotReady");
        Json.listAt(pod.object, "status", "conditions")
                .addObject()
                .put("type", "lb")
                .put("status", "True");
        assertThat(pod.step().condition("Ready")).isEqualTo("True");
    }

    // ---- init containers ----

    @Test
    void initContainersRunOneAfterTheOther() {
        TestingPod pod = new TestingPod(INITS, annotations("duration.one", "2s", "duration.two", "3s"));
        assertThat(pod.phase()).isEqualTo("Pending");
        assertThat(pod.state("one")).isEqualTo("Running");
        assertThat(pod.state("two")).isEqualTo("PodInitializing");
        assertThat(pod.state("c")).isEqualTo("PodInitializing");
        assertThat(pod.condition("Initialized")).isEqualTo("False ContainersNotInitialized");
        pod.after(2);
        assertThat(pod.state("one")).isEqualTo("Completed 0");
        assertThat(pod.state("two")).isEqualTo("Running");
        pod.after(3);
        assertThat(pod.state("two")).isEqualTo("Completed 0");
        assertThat(pod.state("c")).isEqualTo("Running");
        assertThat(pod.condition("Initialized")).isEqualTo("True");
        assertThat(pod.phase()).isEqualTo("Running");
    }

    @Test
    void anInitContainerThatFailsEndsAPodThatIsNotRestarted() {
        TestingPod pod = new TestingPod(INITS, restartPolicy("Never"), annotations("exit-code.one", "3"));
        assertThat(pod.phase()).isEqualTo("Failed");
        assertThat(pod.state("one")).isEqualTo("Error 3");
        assertThat(pod.state("c")).isEqualTo("PodInitializing");
    }

    @Test
    void anInitContainerThatFailsIsTriedAgainOtherwise() {
        TestingPod pod = new TestingPod(INITS, annotations("exit-code.one", "3"));
        assertThat(pod.phase()).isEqualTo("Pending");
        assertThat(pod.state("one")).isEqualTo("CrashLoopBackOff");
    }

    @Test
    void sidecarsGoOnBesideTheOthersAndEndAfterThem() {
        TestingPod pod = new TestingPod(SIDECAR, restartPolicy("Never"), annotations("duration.c", "5s"));
        assertThat(pod.state("s")).isEqualTo("Running");
        assertThat(pod.state("c")).isEqualTo("Running");
        pod.after(5);
        assertThat(pod.phase()).isEqualTo("Succeeded");
        assertThat(pod.state("s")).isEqualTo("Completed 0");
    }

    @Test
    void othersWaitUntilASidecarHasStarted() {
        TestingPod pod = new TestingPod("""
                {"spec":{"initContainers":[{"name":"s","image":"i","restartPolicy":"Always","startupProbe":{"initialDelaySeconds":4}}]}}""");
        assertThat(pod.state("c")).isEqualTo("PodInitializing");
        assertThat(pod.phase()).isEqualTo("Pending");
        assertThat(pod.after(4).state("c")).isEqualTo("Running");
    }

    // ---- ends and restarts ----

    @Test
    void aPodThatMayEndSucceeds() {
        TestingPod pod = new TestingPod(restartPolicy("OnFailure"), annotations("duration", "10s"));
        assertThat(pod.pause()).isEqualTo(Duration.ofSeconds(10));
        pod.after(10);
        assertThat(pod.phase()).isEqualTo("Succeeded");
        assertThat(pod.condition("Ready")).isEqualTo("False PodCompleted");
        assertThat(pod.pause()).isNull();
    }

    @Test
    void anExitCodeMakesItFail() {
        TestingPod pod = new TestingPod(restartPolicy("Never"), annotations("duration", "1s", "exit-code", "42"));
        pod.after(1);
        assertThat(pod.phase()).isEqualTo("Failed");
        assertThat(pod.state("c")).isEqualTo("Error 42");
        assertThat(pod.condition("Ready")).isEqualTo("False PodFailed");
    }

    @Test
    void aContainerThatKeepsEndingWaitsLongerAndLonger() {
        TestingPod pod = new TestingPod(annotations("duration", "1s", "exit-code", "1"));
        pod.after(1);
        // The first time it is started again at once.
        assertThat(pod.state("c")).isEqualTo("Running");
        assertThat(Json.longAt(pod.container("c"), 0, "restartCount")).isEqualTo(1);
        pod.after(1);
        assertThat(pod.state("c")).isEqualTo("CrashLoopBackOff");
        assertThat(Json.textAt(pod.container("c"), "state", "waiting", "message"))
                .isEqualTo("back-off 10s restarting failed container=c pod=p_ns(u)");
        assertThat(pod.phase()).isEqualTo("Running");
        assertThat(pod.condition("Ready")).isEqualTo("False ContainersNotReady");
        assertThat(pod.pause()).isEqualTo(Duration.ofSeconds(10));
        assertThat(pod.after(10).state("c")).isEqualTo("Running");
        pod.after(1);
        assertThat(pod.pause()).isEqualTo(Duration.ofSeconds(20));
    }

    @Test
    void pausesEndAtFiveMinutes() {
        TestingPod pod = new TestingPod(annotations("duration", "0s", "exit-code", "1"));
        for (int i = 0; i < 8; i++) {
            pod.after(pod.pause());
        }
        assertThat(pod.pause()).isEqualTo(Duration.ofMinutes(5));
    }

    @Test
    void whoRanForLongIsStartedAtOnce() {
        TestingPod pod = new TestingPod(annotations("duration", "15m", "exit-code", "1"));
        pod.after(Duration.ofMinutes(15)).after(Duration.ofMinutes(15)).after(Duration.ofMinutes(15));
        assertThat(pod.state("c")).isEqualTo("Running");
        assertThat(Json.longAt(pod.container("c"), 0, "restartCount")).isEqualTo(3);
    }

    @Test
    void onFailureRestartsOnlyWhatFailed() {
        TestingPod pod = new TestingPod(
                restartPolicy("OnFailure"),
                "{\"spec\":{\"containers\":[{\"name\":\"a\",\"image\":\"i\"},{\"name\":\"b\",\"image\":\"i\"}]}}",
                annotations("duration", "1s", "exit-code.b", "1"));
        pod.after(1);
        assertThat(pod.state("a")).isEqualTo("Completed 0");
        assertThat(pod.state("b")).isEqualTo("Running");
        assertThat(pod.phase()).isEqualTo("Running");
    }

    @Test
    void chanceIsTheSameEveryTime() {
        int failed = 0;
        for (int i = 0; i < 100; i++) {
            String[] changes = {
                restartPolicy("Never"),
                annotations("duration", "0s", "fail-probability", "0.3"),
                "{\"metadata\":{\"uid\":\"u" + i + "\"}}"
            };
            String phase = new TestingPod(changes).phase();
            assertThat(new TestingPod(changes).phase()).isEqualTo(phase);
            failed += phase.equals("Failed") ? 1 : 0;
        }
        assertThat(failed).isBetween(15, 45);
    }

    @Test
    void aDeadlineEndsAPod() {
        TestingPod pod = new TestingPod("{\"spec\":{\"activeDeadlineSeconds\":7}}");
        assertThat(pod.pause()).isEqualTo(Duration.ofSeconds(7));
        pod.after(7);
        assertThat(pod.phase()).isEqualTo("Failed");
        assertThat(Json.textAt(pod.object, "status", "reason")).isEqualTo("DeadlineExceeded");
        assertThat(Json.textAt(pod.object, "status", "message"))
                .isEqualTo("Pod was active on the node longer than the specified deadline");
        assertThat(pod.state("c")).isEqualTo("Error 137");
    }

    // ---- deletion ----

    @Test
    void aDeletedPodStopsAndIsGone() {
        TestingPod pod = new TestingPod().delete(30);
        assertThat(pod.next.gone()).isTrue();
        assertThat(pod.state("c")).isEqualTo("Error 143");
        assertThat(pod.phase()).isEqualTo("Failed");
    }

    @Test
    void stoppingMayTakeTime() {
        TestingPod pod = new TestingPod(annotations("stop-delay", "5s")).delete(30);
        assertThat(pod.next.gone()).isFalse();
        assertThat(pod.state("c")).isEqualTo("Running");
        assertThat(pod.pause()).isEqualTo(Duration.ofSeconds(5));
        assertThat(pod.after(5).next.gone()).isTrue();
    }

    @Test
    void whoTakesTooLongIsKilled() {
        TestingPod pod = new TestingPod(annotations("stop-delay", "1h")).delete(3);
        assertThat(pod.pause()).isEqualTo(Duration.ofSeconds(3));
        pod.after(3);
        assertThat(pod.next.gone()).isTrue();
        assertThat(pod.state("c")).isEqualTo("Error 137");
    }

    @Test
    void aPodThatNeverStartedIsGoneAtOnceAndHasFailed() {
        TestingPod pod = new TestingPod(annotations("start-delay", "1h")).delete(30);
        assertThat(pod.next.gone()).isTrue();
        // Jobs count what has ended; a pod that is neither here nor there would keep them waiting for ever.
        assertThat(pod.phase()).isEqualTo("Failed");
        assertThat(pod.state("c")).isEqualTo("ContainerStatusUnknown 137");
    }

    @Test
    void aPodThatWasStillInitializingHasFailed() {
        TestingPod pod = new TestingPod(INITS, annotations("duration.one", "1h")).delete(30);
        assertThat(pod.next.gone()).isTrue();
        assertThat(pod.phase()).isEqualTo("Failed");
    }

    @Test
    void aPodThatWaitsToBeStartedAgainHasFailedAsItDidLast() {
        TestingPod pod = new TestingPod(restartPolicy("OnFailure"), annotations("duration", "1s", "exit-code", "3"));
        pod.after(1).after(1).delete(30);
        assertThat(pod.next.gone()).isTrue();
        assertThat(pod.phase()).isEqualTo("Failed");
        assertThat(pod.state("c")).isEqualTo("Error 3");
    }

    @Test
    void aPodThatEndedStaysUntilItIsDeleted() {
        TestingPod pod = new TestingPod(restartPolicy("Never"), annotations("duration", "0s"));
        assertThat(pod.next.gone()).isFalse();
        assertThat(pod.delete(30).next.gone()).isTrue();
        assertThat(pod.phase()).isEqualTo("Succeeded");
    }

    // ---- going on after a restart of the node ----

    @Test
    void aNodeThatWasAwayGoesOnWhereItStopped() {
        TestingPod pod = new TestingPod(INITS, restartPolicy("Never"), annotations("duration.c", "60s"));
        PodRun restored = PodRestoring.of(pod.object, pod.pod(), pod.now);
        assertThat(restored).isNotNull();
        assertThat(restored.mains()).isEqualTo(pod.run.mains());
        assertThat(restored.inits()).isEqualTo(pod.run.inits());
        assertThat(PodSimulation.advance(pod.pod(), restored, pod.now, 1).wakeAt())
                .isEqualTo(TestingPod.START.plusSeconds(60));
    }

    @Test
    void aPodNobodyBeganWithHasNothingToRestore() {
        TestingPod pod = new TestingPod();
        pod.change("{\"status\":null}");
        assertThat(PodRestoring.of(pod.object, pod.pod(), pod.now)).isNull();
    }
}
