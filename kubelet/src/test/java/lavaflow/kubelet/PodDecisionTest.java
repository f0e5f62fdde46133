package lavaflow.kubelet;

import java.time.Duration;

import lavaflow.node.PodPhase;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PodDecisionTest {
    private static final String ONE = "containers: [{name: a, image: i}]";
    private static final String NEVER = "{restartPolicy: Never, containers: [{name: a, image: i}]}";
    private static final String TWO = "containers: [{name: a, image: i}, {name: b, image: i}]";
    private static final String INITS = """
            initContainers: [{name: i1, image: i}, {name: i2, image: i}]
            containers: [{name: a, image: i}]
            """;
    private static final String SIDECARS = """
            initContainers:
            - {name: s1, image: i, restartPolicy: Always}
            - {name: s2, image: i, restartPolicy: Always}
            containers: [{name: a, image: i}]
            """;

    // ---- the beginning ----

    @Test
    void aNewPodGetsItsPlaceFirst() {
        assertThat(TestingPod.of(ONE).withoutPlace().actions()).containsExactly("prepare");
    }

    @Test
    void aPlaceThatCouldNotBeMadeIsTriedAgainLater() {
        TestingPod pod = TestingPod.of(ONE).noPlaceUntil(TestingPod.NOW.plusSeconds(3));

        assertThat(pod.actions()).isEmpty();
        assertThat(pod.decide().wakeAt()).isEqualTo(TestingPod.NOW.plusSeconds(3));
        assertThat(TestingPod.of(ONE).noPlaceUntil(TestingPod.NOW).actions()).containsExactly("prepare");
    }

    @Test
    void containersAreStartedOneAfterTheOther() {
        assertThat(TestingPod.of(TWO).actions()).containsExactly("start a 0");
        assertThat(TestingPod.of(TWO).starting("a").actions()).isEmpty();
        assertThat(TestingPod.of(TWO).running("a").actions()).containsExactly("start b 0");
    }

    @Test
    void aContainerThatCannotBeStartedDoesNotHoldUpTheNext() {
        TestingPod pod = TestingPod.of(TWO).failing("a", "ImagePullBackOff", "", TestingPod.NOW.plusSeconds(10));

        assertThat(pod.actions()).containsExactly("start b 0");
        assertThat(pod.decide().wakeAt()).isEqualTo(TestingPod.NOW.plusSeconds(10));
    }

    @Test
    void nothingIsToBeDoneWhileAllRun() {
        PodDecision.Decision decision =
                TestingPod.of(TWO).running("a").running("b").decide();

        assertThat(decision.actions()).isEmpty();
        assertThat(decision.wakeAt()).isNull();
    }

    // ---- init containers ----

    @Test
    void initContainersRunInTheirOrder() {
        assertThat(TestingPod.of(INITS).actions()).containsExactly("start i1 0");
        assertThat(TestingPod.of(INITS).running("i1").actions()).isEmpty();
        assertThat(TestingPod.of(INITS).ended("i1", 1, 0).actions()).containsExactly("start i2 0");
        assertThat(TestingPod.of(INITS).ended("i1", 1, 0).ended("i2", 1, 0).actions())
                .containsExactly("start a 0");
    }

    @Test
    void aFailedInitContainerIsTriedAgain() {
        assertThat(TestingPod.of(INITS).ended("i1", 1, 1).actions()).containsExactly("start i1 1");
    }

    @Test
    void aFailedInitContainerEndsAPodThatNeverRestarts() {
        TestingPod pod = TestingPod.of("restartPolicy: Never\n" + INITS).ended("i1", 1, 1);

        assertThat(pod.actions()).containsExactly("finish");
        assertThat(pod.phase()).isEqualTo(PodPhase.FAILED);
    }

    @Test
    void initContainersDoNotRunAgainWhenAMainOneRestarts() {
        assertThat(TestingPod.of(INITS).ended("a", 1, 1).actions()).containsExactly("start a 1");
    }

    @Test
    void initContainersRunAgainInANewPlace() {
        Attempt lost = new Attempt("x", 0, "", "", "", "SIGTERM", TestingPod.NOW, null)
                .ended(new Attempt.Exit(0, "Completed", "", TestingPod.NOW.minusSeconds(700)));
        Attempt lostMain = lost.ended(new Attempt.Exit(137, "Error", "", TestingPod.NOW.minusSeconds(700)));
        TestingPod pod = TestingPod.of(INITS)
                .know("i1", PodFacts.Work.NONE, false, false, lost)
                .know("i2", PodFacts.Work.NONE, false, false, lost)
                .know("a", PodFacts.Work.NONE, false, false, lostMain);

        assertThat(pod.actions()).containsExactly("start i1 1");
    }

    // ---- sidecars ----

    @Test
    void aSidecarMustHaveStartedBeforeTheNextContainer() {
        assertThat(TestingPod.of(SIDECARS).actions()).containsExactly("start s1 0");
        assertThat(TestingPod.of(SIDECARS)
                        .know(
                                "s1",
                                PodFacts.Work.NONE,
                                false,
                                false,
                                TestingPod.of(SIDECARS).life("s1", 0).started(TestingPod.NOW))
                        .actions())
                .isEmpty();
        assertThat(TestingPod.of(SIDECARS).running("s1").running("s2").actions())
                .containsExactly("start a 0");
    }

    @Test
    void aSidecarThatEndsIsStartedAgainBesideTheOthers() {
        assertThat(TestingPod.of(SIDECARS)
                        .ended("s1", 1, 0)
                        .running("s2")
                        .running("a")
                        .actions())
                .containsExactly("start s1 1");
    }

    @Test
    void sidecarsEndAfterTheMainContainersAndInReverseOrder() {
        String never = "restartPolicy: Never\n" + SIDECARS;

        assertThat(TestingPod.of(never)
                        .running("s1")
                        .running("s2")
                        .running("a")
                        .deleted()
                        .actions())
                .containsExactly("stop a: Stopping container a");
        assertThat(TestingPod.of(never)
                        .running("s1")
                        .running("s2")
                        .ended("a", 1, 0)
                        .actions())
                .containsExactly("stop s2: Stopping container s2");
        assertThat(TestingPod.of(never)
                        .running("s1")
                        .ended("s2", 0, 143)
                        .ended("a", 1, 0)
                        .actions())
                .containsExactly("stop s1: Stopping container s1");
        assertThat(TestingPod.of(never)
                        .ended("s1", 0, 143)
                        .ended("s2", 0, 143)
                        .ended("a", 1, 0)
                        .actions())
                .containsExactly("finish");
    }

    // ---- restarts ----

    @Test
    void theFirstCrashIsFollowedByAStartAtOnce() {
        assertThat(TestingPod.of(ONE).ended("a", 0, 1).actions()).containsExactly("start a 1");
    }

    @Test
    void laterCrashesAreFollowedByAPause() {
        TestingPod pod = TestingPod.of(ONE)
                .ended("a", 4, 1, 1)
                .backOff("a", new BackOff(Duration.ofSeconds(10), TestingPod.NOW.minusSeconds(20)));

        assertThat(pod.actions()).containsExactly("hold a: back-off 10s restarting failed container=a pod=p_ns(uid-1)");
        assertThat(pod.decide().wakeAt()).isEqualTo(TestingPod.NOW.plusSeconds(6));
    }

    @Test
    void afterThePauseItIsStartedAgain() {
        assertThat(TestingPod.of(ONE)
                        .ended("a", 10, 1, 1)
                        .backOff("a", new BackOff(Duration.ofSeconds(10), TestingPod.NOW.minusSeconds(20)))
                        .actions())
                .containsExactly("start a 2");
    }

    @Test
    void whoRanLongEnoughIsForgiven() {
        assertThat(TestingPod.of(ONE)
                        .ended("a", 0, 1, 1)
                        .backOff("a", new BackOff(Duration.ofMinutes(5), TestingPod.NOW.minusSeconds(601)))
                        .actions())
                .containsExactly("start a 2");
    }

    @Test
    void policiesDecideWhetherAnEndIsTheEnd() {
        assertThat(TestingPod.of(NEVER).ended("a", 1, 1).actions()).containsExactly("finish");
        assertThat(TestingPod.of("{restartPolicy: OnFailure, containers: [{name: a, image: i}]}")
                        .ended("a", 1, 0)
                        .actions())
                .containsExactly("finish");
        assertThat(TestingPod.of("{restartPolicy: OnFailure, containers: [{name: a, image: i}]}")
                        .ended("a", 1, 2)
                        .actions())
                .containsExactly("start a 1");
        assertThat(TestingPod.of(ONE).ended("a", 1, 0).actions()).containsExactly("start a 1");
    }

    @Test
    void aContainerMayHavePoliciesOfItsOwn() {
        String rules = """
                restartPolicy: Never
                containers:
                - name: a
                  image: i
                  restartPolicy: Never
                  restartPolicyRules: [{action: Restart, exitCodes: {operator: In, values: [42]}}]
                """;

        assertThat(TestingPod.of(rules).ended("a", 1, 42).actions()).containsExactly("start a 1");
        assertThat(TestingPod.of(rules).ended("a", 1, 41).actions()).containsExactly("finish");
    }

    // ---- probes and changes ----

    @Test
    void aContainerThatFailsItsLivenessProbeIsEndedAndStartedAgain() {
        assertThat(TestingPod.of(ONE)
                        .running("a")
                        .verdict("a", PodFacts.Verdict.LIVENESS_FAILED)
                        .actions())
                .containsExactly("stop a: Container a failed liveness probe, will be restarted");
        assertThat(TestingPod.of(NEVER)
                        .running("a")
                        .verdict("a", PodFacts.Verdict.STARTUP_FAILED)
                        .actions())
                .containsExactly("stop a: Container a failed startup probe");
    }

    @Test
    void aContainerWithAnotherImageIsMadeAnew() {
        TestingPod pod = TestingPod.of(ONE);
        Attempt old = new Attempt("x", 0, "old", "", "other", "SIGTERM", TestingPod.NOW, null);

        assertThat(pod.know("a", PodFacts.Work.NONE, true, true, old).actions())
                .containsExactly("stop a: Container a definition changed, will be restarted");
    }

    @Test
    void aPodChangesUntilTheNewContainerIsThere() {
        Attempt old = new Attempt("x", 0, "old", "", "other", "SIGTERM", TestingPod.NOW, null);
        Attempt ended = old.ended(new Attempt.Exit(137, "Error", "", TestingPod.NOW));
        Attempt made = TestingPod.of(ONE).life("a", 1);

        assertThat(changes(ONE, PodFacts.Work.STOPPING, old)).isFalse();
        assertThat(changes(ONE, PodFacts.Work.STOPPING, ended)).isTrue();
        assertThat(changes(ONE, PodFacts.Work.STARTING, ended)).isTrue();
        assertThat(changes(ONE, PodFacts.Work.STARTING, ended, made)).isTrue();
        assertThat(changes(ONE, PodFacts.Work.STARTING, ended, made.started(TestingPod.NOW)))
                .isTrue();
        assertThat(changes(ONE, PodFacts.Work.NONE, ended, made.started(TestingPod.NOW)))
                .isFalse();
    }

    @Test
    void aPodThatEndsOrCannotGoOnDoesNotChange() {
        Attempt ended = new Attempt("x", 0, "old", "", "other", "SIGTERM", TestingPod.NOW, null)
                .ended(new Attempt.Exit(137, "Error", "", TestingPod.NOW));
        TestingPod pod = TestingPod.of(ONE).know("a", PodFacts.Work.NONE, false, false, ended);

        assertThat(pod.failing("a", "ErrImagePull", "no", TestingPod.NOW)
                        .facts()
                        .isChanging())
                .isFalse();
        assertThat(TestingPod.of(ONE)
                        .know("a", PodFacts.Work.STARTING, false, false, ended)
                        .deleted()
                        .facts()
                        .isChanging())
                .isFalse();
    }

    @Test
    void anInitContainerThatIsDoneStaysDoneWhateverItsImageIsNow() {
        String spec = "containers: [{name: a, image: i}]\ninitContainers: [{name: init, image: i}]";
        Attempt done = new Attempt("x", 0, "old", "", "other", "SIGTERM", TestingPod.NOW, null)
                .ended(new Attempt.Exit(0, "Completed", "", TestingPod.NOW));
        TestingPod pod = TestingPod.of(spec).running("a").know("init", PodFacts.Work.NONE, false, false, done);

        assertThat(pod.facts().isChanging()).isFalse();
    }

    private static boolean changes(String spec, PodFacts.Work work, Attempt... lives) {
        return TestingPod.of(spec).know("a", work, false, false, lives).facts().isChanging();
    }

    @Test
    void ephemeralContainersStartOnceBesideTheOthers() {
        String spec = "containers: [{name: a, image: i}]\nephemeralContainers: [{name: debug, image: i}]";

        assertThat(TestingPod.of(spec).running("a").actions()).containsExactly("start debug 0");
        assertThat(TestingPod.of(spec).running("a").ended("debug", 1, 1).actions())
                .isEmpty();
    }

    // ---- the end ----

    @Test
    void aDeletedPodEndsItsContainers() {
        assertThat(TestingPod.of(TWO).running("a").running("b").deleted().actions())
                .containsExactly("stop a: Stopping container a", "stop b: Stopping container b");
    }

    @Test
    void aPodThatIsGoneEndsToo() {
        assertThat(TestingPod.of(ONE).running("a").vanished().actions())
                .containsExactly("stop a: Stopping container a");
    }

    @Test
    void aPodThatMustEndIsNotRestarted() {
        assertThat(TestingPod.of(ONE).ended("a", 1, 1).deleted().actions()).containsExactly("finish");
        assertThat(TestingPod.of(ONE).ended("a", 1, 1).ends("Evicted", "low").actions())
                .containsExactly("finish");
    }

    @Test
    void aPodThatIsOverStaysOver() {
        assertThat(TestingPod.of(ONE).status("phase: Succeeded").actions()).containsExactly("finish");
    }

    // ---- all containers once more ----

    private static final String ALL_ANEW = """
            restartPolicy: Never
            initContainers: [{name: i, image: i}]
            containers:
            - name: a
              image: i
              restartPolicy: Never
              restartPolicyRules: [{action: RestartAllContainers, exitCodes: {operator: In, values: [42]}}]
            - {name: b, image: i}
            """;

    @Test
    void theOthersAreKilledWhenAContainerWantsAllToBeginAnew() {
        TestingPod pod =
                TestingPod.of(ALL_ANEW).ended("i", 60, 0).ended("a", 0, 42).running("b");

        assertThat(pod.actions()).containsExactly("kill b: killing");
        assertThat(pod.phase()).isEqualTo(PodPhase.RUNNING);
    }

    @Test
    void whatTheyDidIsForgottenOnceNothingRuns() {
        TestingPod pod =
                TestingPod.of(ALL_ANEW).ended("i", 60, 0).ended("a", 5, 42).ended("b", 0, 137);

        assertThat(pod.actions()).containsExactly("reset");
        assertThat(pod.phase()).isEqualTo(PodPhase.RUNNING);
    }

    @Test
    void thenTheyBeginAsThoseOfANewPod() {
        TestingPod pod = TestingPod.of(ALL_ANEW);
        for (String each : new String[] {"i", "a", "b"}) {
            pod.know(each, PodFacts.Work.NONE, false, false, pod.life(each, 0).removed(TestingPod.NOW));
        }

        assertThat(pod.actions()).containsExactly("start i 1");
        assertThat(pod.phase()).isEqualTo(PodPhase.RUNNING);

        pod.know(
                "i",
                PodFacts.Work.NONE,
                false,
                false,
                pod.life("i", 1).started(TestingPod.NOW).ended(new Attempt.Exit(0, "Completed", "", TestingPod.NOW)));
        assertThat(pod.actions()).containsExactly("start a 1");
    }

    @Test
    void thatIsNotDoneAgainAndAgainWithoutAPause() {
        TestingPod pod = TestingPod.of(ALL_ANEW)
                .ended("i", 60, 0)
                .ended("a", 1, 42)
                .ended("b", 0, 137)
                .backOff("a", new BackOff(Duration.ofSeconds(10), TestingPod.NOW.minusSeconds(5)));

        assertThat(pod.actions()).containsExactly("hold a: back-off 10s restarting failed container=a pod=p_ns(uid-1)");
        assertThat(pod.decide().wakeAt()).isEqualTo(TestingPod.NOW.plusSeconds(9));
    }

    @Test
    void otherCodesAreWhatTheyWere() {
        TestingPod pod =
                TestingPod.of(ALL_ANEW).ended("i", 60, 0).ended("a", 5, 41).ended("b", 0, 0);

        assertThat(pod.actions()).containsExactly("finish");
        assertThat(pod.phase()).isEqualTo(PodPhase.FAILED);
    }

    @Test
    void aPodThatIsDeletedDoesNotBeginAnew() {
        TestingPod pod = TestingPod.of(ALL_ANEW)
                .ended("i", 60, 0)
                .ended("a", 5, 42)
                .running("b")
                .deleted();

        assertThat(pod.actions()).containsExactly("stop b: Stopping container b");
    }
}
