package lavaflow.kubelet;

import java.time.Instant;
import java.util.List;

import lavaflow.sandbox.ContainerExit;
import lavaflow.sandbox.ContainerState;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What a new process knows of the lives of containers: from the machine, and from what the API was told. */
class AdoptionTest {
    private static final Instant NOW = TestingPod.NOW;
    private final TestingPod pod = TestingPod.of("containers: [{name: a, image: i}]");

    private Attempt ended(int number, int code) {
        return pod.life("a", number)
                .started(NOW.minusSeconds(20))
                .ended(new Attempt.Exit(code, "Error", "", NOW.minusSeconds(10)));
    }

    private Attempt running(int number) {
        return pod.life("a", number).started(NOW.minusSeconds(5));
    }

    /** Its number, and how it ended, of each life. */
    private static List<String> lives(List<Attempt> found, String told) {
        return Adoption.lives(found, TestingPod.yaml(told), false, false, NOW).stream()
                .map(each -> {
                    Attempt.Exit exit = each.exit();
                    return each.number() + " " + (exit == null ? "runs" : exit.code() + " " + exit.reason());
                })
                .toList();
    }

    private static String terminated(String id, int code) {
        return "{terminated: {containerID: runc://" + id + ", exitCode: " + code
                + ", reason: Error, startedAt: '2026-11-15T11:00:00Z', finishedAt: '2026-11-15T11:30:00Z'}}";
    }

    private static String running() {
        return "{running: {startedAt: '2026-11-15T11:00:00Z'}}";
    }

    @Test
    void aLifeTheMachineHasForgottenIsTakenFromTheStatusThatNamedItLast() {
        assertThat(lives(List.of(running(2)), "{restartCount: 1, state: " + terminated("x", 5) + ", lastState: {}}"))
                .containsExactly("1 5 Error", "2 runs");
        assertThat(lives(
                        List.of(running(2)),
                        "{restartCount: 2, state: " + running() + ", lastState: " + terminated("x", 5) + "}"))
                .containsExactly("1 5 Error", "2 runs");
        assertThat(lives(
                        List.of(running(2)),
                        "{restartCount: 1, state: {waiting: {reason: CrashLoopBackOff}}, lastState: "
                                + terminated("x", 5) + "}"))
                .containsExactly("1 5 Error", "2 runs");
    }

    @Test
    void theMachineKnowsBetterThanTheStatus() {
        assertThat(lives(
                        List.of(ended(0, 3), ended(1, 4)),
                        "{restartCount: 1, state: " + running() + ", lastState: " + terminated("a-0", 9) + "}"))
                .containsExactly("0 3 Error", "1 4 Error");
    }

    @Test
    void aLaterLifeThanTheMachineKnowsIsNotUndone() {
        assertThat(lives(
                        List.of(ended(0, 3)),
                        "{restartCount: 1, state: {waiting: {reason: RunContainerError}}, lastState: "
                                + terminated("x", 128) + "}"))
                .containsExactly("0 3 Error", "1 128 Error");
    }

    @Test
    void whatTheMachineHasForgottenAltogetherIsRememberedWithWhatWasBefore() {
        assertThat(lives(
                        List.of(),
                        "{restartCount: 3, state: " + terminated("x", 5) + ", lastState: " + terminated("y", 6) + "}"))
                .containsExactly("2 6 Error", "3 5 Error");
        assertThat(lives(List.of(), "{restartCount: 0, state: {waiting: {reason: ContainerCreating}}, lastState: {}}"))
                .isEmpty();
    }

    @Test
    void howAContainerEndedThatNobodyFindsIsUnknown() {
        assertThat(lives(
                        List.of(),
                        "{restartCount: 1, state: " + running() + ", lastState: " + terminated("x", 5) + "}"))
                .containsExactly("0 5 Error", "1 137 ContainerStatusUnknown");
    }

    @Test
    void anEndIsNotMadeUpForALifeThatAnotherFollowed() {
        assertThat(lives(List.of(running(2)), "{restartCount: 1, state: " + running() + ", lastState: {}}"))
                .containsExactly("2 runs");
    }

    @Test
    void whatCameFirstInAPlaceThatWasTakenAwayIsDoneAgainInTheNextOne() {
        TestingPod staged = TestingPod.of("""
                restartPolicy: Never
                initContainers: [{name: i, image: i}]
                containers: [{name: a, image: i}]
                """);
        for (boolean departed : List.of(false, true)) {
            ContainerState state = new ContainerState(
                    "i-0",
                    "uid-1",
                    ContainerLabels.ofContainer(staged.view(), staged.container("i"), staged.life("i", 0)),
                    ContainerState.Phase.EXITED,
                    NOW.minusSeconds(30),
                    NOW.minusSeconds(30),
                    0,
                    new ContainerExit("i-0", 0, false, NOW.minusSeconds(20), null),
                    departed);
            Attempt life =
                    ContainerLabels.attempt(state).exited(new Attempt.Exit(0, "Completed", "", NOW.minusSeconds(20)));

            assertThat(staged.know("i", PodFacts.Work.NONE, false, false, life).actions())
                    .containsExactly(departed ? "start i 1" : "start a 0");
        }
    }

    @Test
    void livesAreForgottenOnceTwoLaterOnesAreTold() {
        ContainerLife life = new ContainerLife("a");
        life.attempts.addAll(List.of(ended(0, 1), ended(1, 1), pod.life("a", 2)));
        life.work = PodFacts.Work.STARTING;
        assertThat(life.forgetOld()).isEmpty();

        life.work = PodFacts.Work.NONE;
        assertThat(life.forgetOld()).containsExactly("a-0");
        assertThat(life.attempts).hasSize(2);
    }

    @Test
    void whatWasTakenAwaySoThatAllContainersBeginAnewIsNoFailure() {
        List<Attempt> lives = Adoption.lives(
                List.of(), TestingPod.yaml("{restartCount: 0, state: " + running() + "}"), false, true, NOW);

        assertThat(lives).singleElement().satisfies(life -> {
            Attempt.Exit exit = life.exit();
            assertThat(exit != null && exit.isBegunAnew()).isTrue();
        });
    }
}
