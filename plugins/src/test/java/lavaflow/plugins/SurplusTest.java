package lavaflow.plugins;

import java.time.Duration;
import java.util.Map;

import lavaflow.gang.Decision;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What gangs can begin without waits a moment while others are coming. */
class SurplusTest {
    private static final String NEW = "{\"status\":{\"phase\":\"\"}}";

    private final TestingGangs gangs = new TestingGangs();

    @BeforeEach
    void room() {
        gangs.core.awaitOthers();
        gangs.node("n1", 6);
    }

    /** A new gang that could use more pods than it needs. */
    private void elastic(String name, int least, int pods) {
        gangs.group(name, least, NEW);
        pods(name, pods);
    }

    private void pods(String name, int pods) {
        for (int i = 0; i < pods; i++) {
            gangs.pod(name + "-" + i, name);
        }
    }

    private void later(int millis) {
        gangs.now = gangs.now.plusMillis(millis);
    }

    private Map<String, Integer> placed() {
        return gangs.placed();
    }

    @Test
    void gangsThatComeOneAfterTheOtherShareWhatTheFirstCouldTakeAlone() {
        elastic("a", 2, 6);
        assertThat(placed()).containsExactly(Map.entry("a", 2));
        later(200);
        elastic("b", 2, 6);
        assertThat(placed()).containsExactly(Map.entry("b", 2));
        later(400);
        elastic("c", 2, 6);
        assertThat(placed()).containsExactly(Map.entry("c", 2));
    }

    @Test
    void theRestIsSharedOnceNobodyElseComes() {
        elastic("a", 1, 6);
        placed();
        later(200);
        elastic("b", 1, 6);
        placed();
        placed();
        assertThat(gangs.core.nextChange()).as("it is known when to look again").isEqualTo(gangs.now.plusMillis(500));
        later(499);
        assertThat(placed()).isEmpty();
        later(1);
        assertThat(placed()).containsExactly(Map.entry("a", 2), Map.entry("b", 2));
    }

    @Test
    void whoseRestWaitsIsNotRefused() {
        elastic("a", 1, 8);
        assertThat(gangs.decide()).noneMatch(Decision.Wait.class::isInstance);
        assertThat(gangs.decide()).noneMatch(Decision.Wait.class::isInstance);
        later(500);
        assertThat(gangs.decide())
                .filteredOn(Decision.Wait.class::isInstance)
                .extracting(each -> ((Decision.Wait) each).member().spec().pod().name())
                .containsExactly("a-6", "a-7");
    }

    @Test
    void nobodyHasToGoForPodsThatWaitForOthers() {
        gangs.configured("""
                actions: "enqueue, allocate, preempt"
                tiers:
                - plugins:
                  - name: priority
                - plugins:
                  - name: gang
                """);
        gangs.core.onPriority("high", 100, false);
        gangs.runs("low", 1, 4, "n1");
        gangs.group("high", 1, NEW, TestingGangs.spec("{\"priorityClassName\":\"high\"}"));
        for (int i = 0; i < 3; i++) {
            gangs.pod("high-" + i, "high", TestingGangs.spec("{\"priority\":100}"));
        }
        assertThat(gangs.evicted()).isEmpty();
        later(500);
        assertThat(gangs.evicted()).as("it wants more than there is").containsExactly("low-3");
    }

    @Test
    void aGangWhosePodsAreStillMadeIsAwaitedLonger() {
        elastic("a", 2, 6);
        gangs.group("b", 2, NEW);
        assertThat(placed()).containsExactly(Map.entry("a", 2));
        later(700);
        assertThat(placed()).as("there is nothing of it yet").isEmpty();
        pods("b", 6);
        assertThat(placed()).containsExactly(Map.entry("a", 1), Map.entry("b", 3));
    }

    @Test
    void nobodyIsAwaitedForEver() {
        elastic("a", 2, 6);
        gangs.group("never", 2, NEW);
        assertThat(placed()).containsExactly(Map.entry("a", 2));
        later(1999);
        assertThat(placed()).isEmpty();
        later(1);
        assertThat(placed()).containsExactly(Map.entry("a", 4));
    }

    @Test
    void aStreamOfGangsStopsNobody() {
        elastic("a", 1, 6);
        int had = 0;
        for (int i = 0; i < 11; i++) {
            gangs.group("other-" + i, 1, NEW);
            had += placed().getOrDefault("a", 0);
            later(200);
        }
        assertThat(had).isEqualTo(6);
    }

    @Test
    void onAQuietClusterNothingWaits() {
        elastic("a", 1, 2);
        placed();
        later(500);
        assertThat(placed()).containsExactly(Map.entry("a", 1));
        gangs.pod("a-more", "a");
        assertThat(placed()).containsExactly(Map.entry("a", 1));
        assertThat(gangs.decide()).isEmpty();
        assertThat(gangs.core.nextChange()).isNull();
    }

    @Test
    void gangsThatWereHereBeforeTheSchedulerAreNotComing() {
        gangs.group("a", 1);
        pods("a", 3);
        assertThat(placed()).containsExactly(Map.entry("a", 3));
    }

    @Test
    void aGangThatLeftIsNotAwaited() {
        elastic("a", 1, 3);
        gangs.group("b", 1, NEW);
        placed();
        gangs.core.onGroupGone("ns/b");
        later(Duration.ofMillis(500).toMillisPart());
        assertThat(placed()).containsExactly(Map.entry("a", 2));
    }

    @Test
    void thePauseMayBeAnotherOne() {
        gangs.configured("""
                actions: "enqueue, allocate, backfill"
                configurations:
                - name: allocate
                  arguments: {elasticPauseMillis: 0}
                tiers:
                - plugins:
                  - name: gang
                """);
        elastic("a", 1, 3);
        assertThat(placed()).containsExactly(Map.entry("a", 3));
    }
}
