package lavaflow.plugins;

import java.util.List;

import lavaflow.gang.Decision;
import lavaflow.gang.Stage;

import org.junit.jupiter.api.Test;

import static lavaflow.plugins.TestingGangs.running;
import static org.assertj.core.api.Assertions.assertThat;

/** What a gang may rely on before the API has told: not on pods that others took, nor on bindings that were refused. */
class UnconfirmedTest {
    private final TestingGangs gangs = new TestingGangs().node("n1", 2);

    /** A gang that needs two of three pods, of which two are being bound. */
    private void beginTwoOfThree() {
        gangs.group("g", 2).pod("g-0", "g").pod("g-1", "g").pod("g-2", "g");
        assertThat(gangs.bindings()).hasSize(2);
    }

    @Test
    void aPodBeyondTheMinimumDoesNotBeginWithoutThoseThatWereTaken() {
        beginTwoOfThree();
        gangs.core.onTaken("pod-g-0");
        gangs.core.onTaken("pod-g-1");
        gangs.node("n2", 1);

        assertThat(gangs.bindings()).as("g-2 alone is no gang").isEmpty();
    }

    @Test
    void whatIsToldOfATakenPodMeanwhileChangesNothing() {
        beginTwoOfThree();
        gangs.core.onTaken("pod-g-0");
        gangs.pod("g-0", "g");
        assertThat(gangs.memberNamed("g-0").stage()).isEqualTo(Stage.RELEASING);
        gangs.pod("g-0", "g", running("n1"));
        assertThat(gangs.memberNamed("g-0").stage()).isEqualTo(Stage.RELEASING);
    }

    @Test
    void aTakenPodThatMayStayCountsAgain() {
        beginTwoOfThree();
        String before = gangs.gangNamed("g").allocated().toString();
        gangs.core.onTaken("pod-g-0");
        gangs.core.onEvictionRefused("pod-g-0");
        gangs.core.onEvictionFailed("pod-g-0");
        gangs.node("n2", 1);

        assertThat(gangs.memberNamed("g-0").stage()).isEqualTo(Stage.BINDING);
        assertThat(gangs.gangNamed("g").allocated()).hasToString(before);
        assertThat(gangs.bindings()).hasSize(1).first().asString().startsWith("g-2@");
    }

    @Test
    void aTakenPodThatWasNotBoundWaitsAgain() {
        beginTwoOfThree();
        gangs.core.onTaken("pod-g-0");
        gangs.core.onTaken("pod-g-1");
        gangs.core.onBindingFailed("pod-g-0");
        gangs.core.onBindingFailed("pod-g-1");

        assertThat(gangs.bindings())
                .as("nobody holds room, and the gang begins anew")
                .hasSize(2);
    }

    @Test
    void noMoreGoThanAreLeftToSpare() {
        gangs.core.onPriority("high", 100, false);
        gangs.runs("low", 1, 2, "n1");
        gangs.core.onTaken("pod-low-0");
        gangs.gang("high", 2, "{\"spec\":{\"priorityClassName\":\"high\"}}");

        assertThat(gangs.evicted()).as("low needs the other one").isEmpty();
    }

    @Test
    void othersWaitForOneWhoseBindingWasRefused() {
        gangs.gang("g", 2);
        assertThat(gangs.bindings()).hasSize(2);
        gangs.core.onBindingRefused("pod-g-0");
        gangs.core.onPodGone("pod-g-1");
        gangs.pod("g-1-again", "g");
        assertThat(gangs.bindings()).as("it may be refused again").isEmpty();

        gangs.core.onBindingFailed("pod-g-0");
        assertThat(gangs.bindings()).hasSize(2);
    }

    @Test
    void theRoomOfOneWhoseBindingWasRefusedIsKeptForItsGang() {
        gangs.gang("g", 2);
        assertThat(gangs.bindings()).hasSize(2);
        gangs.core.onBindingRefused("pod-g-0");
        gangs.gang("other", 1);
        assertThat(gangs.bindings()).isEmpty();

        gangs.core.onBindingFailed("pod-g-0");
        List<Decision> decisions = gangs.decide();
        assertThat(decisions)
                .filteredOn(Decision.Bind.class::isInstance)
                .hasSize(1)
                .allSatisfy(bind -> assertThat(
                                ((Decision.Bind) bind).member().gang().spec().name())
                        .isEqualTo("g"));
    }

    @Test
    void whoOnlyHasAReservationNeedNotGo() {
        gangs.group("old", 1)
                .pod("old-0", "old", running("n1"), "{\"metadata\":{\"deletionTimestamp\":\"2026-11-15T01:00:00Z\"}}");
        gangs.gang("g", 2);
        assertThat(gangs.bindings()).isEmpty();
        assertThat(gangs.gangNamed("g").tally().of(Stage.ALLOCATED)).isEqualTo(1);
        String reserved = gangs.memberNamed("g-0").stage() == Stage.ALLOCATED ? "pod-g-0" : "pod-g-1";

        assertThat(gangs.core.onTaken(reserved)).isFalse();
        assertThat(gangs.gangNamed("g").tally().of(Stage.ALLOCATED)).isZero();
        assertThat(gangs.gangNamed("g").allocated().isEmpty()).isTrue();
        gangs.core.onPodGone("pod-old-0");
        assertThat(gangs.bindings()).hasSize(2);
    }
}
