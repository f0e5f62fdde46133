package lavaflow.plugins;

import org.junit.jupiter.api.Test;

import static lavaflow.plugins.TestingGangs.queued;
import static org.assertj.core.api.Assertions.assertThat;

/** Who has to go for whom. */
class EvictionTest {
    private static final String HIGH = "{\"spec\":{\"priorityClassName\":\"high\"}}";

    private final TestingGangs gangs = new TestingGangs().configured("""
            actions: "enqueue, allocate, backfill, preempt, reclaim"
            tiers:
            - plugins:
              - name: priority
              - name: gang
              - name: conformance
            - plugins:
              - name: overcommit
              - name: drf
                enablePreemptable: false
              - name: predicates
              - name: proportion
              - name: nodeorder
            """);

    @Test
    void aMoreImportantGangTakesWhatOthersCanDoWithout() {
        gangs.core.onPriority("high", 100, false);
        gangs.node("n1", 4);
        gangs.runs("low", 1, 4, "n1");
        gangs.gang("high", 2, HIGH);

        assertThat(gangs.evicted()).containsExactlyInAnyOrder("low-3", "low-2");
        assertThat(gangs.evicted()).as("they are going already").isEmpty();
    }

    @Test
    void nobodyGoesForAGangThatWouldNotBeWholeAllTheSame() {
        gangs.core.onPriority("high", 100, false);
        gangs.node("n1", 4);
        gangs.runs("low", 3, 4, "n1");
        gangs.gang("high", 2, HIGH);

        assertThat(gangs.evicted()).isEmpty();
    }

    @Test
    void nobodyGoesWhileThereIsRoomOnAnotherNode() {
        gangs.core.onPriority("high", 100, false);
        gangs.node("n1", 4).node("n2", 4).node("n3", 4);
        gangs.runs("one", 1, 3, "n1");
        gangs.runs("two", 1, 3, "n2");
        gangs.runs("three", 1, 3, "n3");
        gangs.gang("high", 4, HIGH);

        assertThat(gangs.evicted()).hasSize(1);
    }

    @Test
    void aQueueTakesBackNoMoreThanIsMissingOnAllNodesTogether() {
        gangs.configured("""
                actions: "enqueue, allocate, backfill, reclaim"
                tiers:
                - plugins: [{name: priority}, {name: gang}, {name: capacity}, {name: predicates}, {name: nodeorder}]
                """);
        gangs.queue("a", "{\"spec\":{\"deserved\":{\"cpu\":\"3\"}}}");
        gangs.queue("b", "{\"spec\":{\"deserved\":{\"cpu\":\"6\"}}}");
        gangs.node("n1", 4).node("n2", 4).node("n3", 4);
        gangs.runs("one", 1, 3, "n1", queued("a"));
        gangs.runs("two", 1, 3, "n2", queued("a"));
        gangs.runs("three", 1, 3, "n3", queued("a"));
        gangs.gang("poor", 4, queued("b"));

        assertThat(gangs.evicted()).hasSize(1);
    }

    @Test
    void anEquallyImportantGangWaits() {
        gangs.node("n1", 4);
        gangs.runs("first", 1, 4, "n1");
        gangs.gang("second", 2);

        assertThat(gangs.evicted()).isEmpty();
    }

    @Test
    void aQueueTakesBackItsShare() {
        gangs.queue("a").queue("b").node("n1", 4);
        gangs.runs("greedy", 1, 4, "n1", queued("a"));
        gangs.gang("poor", 2, queued("b"));

        assertThat(gangs.evicted()).containsExactlyInAnyOrder("greedy-3", "greedy-2");
    }

    @Test
    void aQueueKeepsItsShare() {
        gangs.queue("a").queue("b").node("n1", 4);
        gangs.runs("even", 1, 2, "n1", queued("a"));
        gangs.runs("other", 1, 2, "n1", queued("b"));
        gangs.gang("more", 1, queued("b"));

        assertThat(gangs.evicted()).isEmpty();
    }

    @Test
    void aQueueThatIsNotReclaimableKeepsAll() {
        gangs.queue("a", "{\"spec\":{\"reclaimable\":false}}").queue("b").node("n1", 4);
        gangs.runs("greedy", 1, 4, "n1", queued("a"));
        gangs.gang("poor", 2, queued("b"));

        assertThat(gangs.evicted()).isEmpty();
    }

    private void goes(String pod) {
        gangs.pod(
                pod,
                "low",
                TestingGangs.running("n1"),
                "{\"metadata\":{\"deletionTimestamp\":\"2026-11-15T10:00:00Z\"}}");
    }

    @Test
    void whatWasPromisedIsGivenOnceTheOthersAreGone() {
        gangs.core.onPriority("high", 100, false);
        gangs.node("n1", 4);
        gangs.runs("low", 1, 4, "n1");
        gangs.gang("high", 2, HIGH);
        assertThat(gangs.evicted()).hasSize(2);

        goes("low-2");
        goes("low-3");
        assertThat(gangs.bindings()).as("they still have their room").isEmpty();
        gangs.core.onPodGone("pod-low-2");
        assertThat(gangs.bindings()).as("half of it is not enough").isEmpty();
        gangs.core.onPodGone("pod-low-3");

        assertThat(gangs.bindings()).containsExactlyInAnyOrder("high-0@n1", "high-1@n1");
    }

    @Test
    void whereOthersHadToGoForAPodItGoesAlsoWhenAnotherNodeWouldBeBetter() {
        gangs.core.onPriority("high", 100, false);
        gangs.node("n1", 4);
        gangs.runs("low", 1, 4, "n1");
        gangs.gang("high", 1, HIGH);
        assertThat(gangs.evicted()).containsExactly("low-3");

        gangs.node("n2", 8);
        goes("low-3");
        gangs.core.onPodGone("pod-low-3");

        assertThat(gangs.bindings()).containsExactly("high-0@n1");
    }

    @Test
    void whereRoomIsMadeForAPodSurvivesARestart() {
        gangs.node("n1", 4).node("n2", 8);
        gangs.group("g", 1).pod("g-0", "g", "{\"status\":{\"nominatedNodeName\":\"n1\"}}");

        assertThat(gangs.bindings()).containsExactly("g-0@n1");
    }

    @Test
    void aPodThatHasToGoIsNotChosenAgainWhenItsStatusChanges() {
        gangs.core.onPriority("high", 100, false);
        gangs.node("n1", 2);
        gangs.runs("low", 1, 2, "n1");
        gangs.gang("high", 1, HIGH);
        assertThat(gangs.evicted()).containsExactly("low-1");

        gangs.pod("low-1", "low", TestingGangs.running("n1"));

        assertThat(gangs.evicted()).isEmpty();
    }

    @Test
    void aPodThatMayNotGoRunsOnAndIsConsideredAgain() {
        gangs.core.onPriority("high", 100, false);
        gangs.node("n1", 2);
        gangs.runs("low", 1, 2, "n1");
        gangs.gang("high", 1, HIGH);
        assertThat(gangs.evicted()).containsExactly("low-1");

        gangs.core.onEvictionFailed("pod-low-1");

        assertThat(gangs.evicted()).containsExactly("low-1");
    }

    @Test
    void aPodThatMayNotGoYetCountsForItsQueueUntilItGoes() {
        gangs.queue("two", TestingGangs.spec("{\"capability\":{\"cpu\":\"2\"}}"));
        gangs.node("n1", 2);
        gangs.runs("low", 1, 2, "n1", queued("two"));
        gangs.gang("needy", 1);
        assertThat(gangs.evicted()).containsExactly("low-1");

        gangs.core.onEvictionRefused("pod-low-1");
        gangs.node("n2", 2);
        gangs.gang("late", 1, queued("two"));
        assertThat(gangs.placed()).as("its queue may not have three").doesNotContainKey("late");

        goes("low-1");
        assertThat(gangs.placed()).containsKey("late");
    }

    @Test
    void aPodThatMayNotGoYetCountsOnceWhenItStaysAfterAll() {
        gangs.core.onPriority("high", 100, false);
        gangs.node("n1", 2);
        gangs.runs("low", 1, 2, "n1");
        gangs.gang("high", 1, HIGH);
        assertThat(gangs.evicted()).containsExactly("low-1");

        gangs.core.onEvictionRefused("pod-low-1");
        gangs.core.onEvictionRefused("pod-low-1");
        gangs.core.onEvictionFailed("pod-low-1");

        assertThat(gangs.holdsRoom("low-1")).isTrue();
        assertThat(gangs.queueNamed("default").allocated())
                .hasToString(gangs.gangNamed("low").allocated().toString());
        assertThat(gangs.evicted()).containsExactly("low-1");
    }

    @Test
    void whoseRoomIsNotNeededAfterAllMayStay() {
        gangs.core.onPriority("high", 100, false);
        gangs.core.onPriority("low", -1, false);
        gangs.node("n1", 4);
        gangs.runs("small", 0, 1, "n1", "{\"spec\":{\"priorityClassName\":\"low\"}}");
        String three = "{\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"3\"}}}]}}";
        gangs.group("large", 0).pod("large-0", "large", TestingGangs.running("n1"), three);
        gangs.group("high", 1, HIGH).pod("high-0", "high", three);

        assertThat(gangs.evicted()).containsExactly("large-0");
    }

    /** A running gang with a pod on each of the nodes, each pod with so many thousandths of a processor. */
    private void runs(String name, int least, String queue, int cpu, String... nodes) {
        gangs.group(name, least, queued(queue));
        for (int i = 0; i < nodes.length; i++) {
            gangs.pod(
                    name + "-" + i,
                    name,
                    TestingGangs.asking("{\"cpu\":\"" + cpu + "m\"}"),
                    TestingGangs.running(nodes[i]));
        }
    }

    @Test
    void whoGoesOnTheFirstNodeIsNotMissedOnTheOthers() {
        gangs.configured("""
                actions: "enqueue, allocate, backfill, reclaim"
                tiers:
                - plugins: [{name: priority}, {name: gang}, {name: conformance}, {name: proportion}, {name: predicates}, {name: nodeorder}]
                """);
        gangs.node("n0", 5).node("n1", 5).node("n2", 5);
        gangs.queue("q0").queue("q1", "{\"spec\":{\"weight\":2}}").queue("q2");
        runs("g0", 2, "q0", 1000, "n0", "n0");
        runs("g1", 3, "q2", 1250, "n0", "n0", "n1", "n1", "n1");
        runs("g2", 2, "q2", 1250, "n1", "n2", "n2", "n2");
        runs("g3", 2, "q0", 500, "n0", "n2", "n2");
        gangs.group("new", 3, queued("q1"));
        for (int i = 0; i < 3; i++) {
            gangs.pod("new-" + i, "new", TestingGangs.asking("{\"cpu\":\"1500m\"}"));
        }

        assertThat(gangs.evicted())
                .as("had both spare pods of g1 to go on n0, there would be room for two pods only")
                .hasSize(4)
                .allMatch(each -> each.startsWith("g1-") || each.startsWith("g2-"));
        assertThat(gangs.evicted()).as("nobody else has to go").isEmpty();
    }
}
