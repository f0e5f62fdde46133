package lavaflow.plugins;

import java.time.Duration;

import lavaflow.placement.DisruptionBudget;

import org.junit.jupiter.api.Test;

import static lavaflow.plugins.TestingGangs.annotated;
import static lavaflow.plugins.TestingGangs.json;
import static lavaflow.plugins.TestingGangs.queued;
import static lavaflow.plugins.TestingGangs.running;
import static lavaflow.plugins.TestingGangs.spec;
import static org.assertj.core.api.Assertions.assertThat;

/** Plugins of several tiers that have to agree. */
class TogetherTest {
    private static final String HIGH = "{\"spec\":{\"priorityClassName\":\"high\"}}";

    private final TestingGangs gangs = new TestingGangs().configured("""
            actions: "enqueue, allocate, backfill, reclaim, preempt"
            tiers:
            - plugins:
              - name: priority
              - name: gang
              - name: conformance
              - name: sla
            - plugins:
              - name: overcommit
              - name: drf
                enablePreemptable: false
              - name: predicates
              - name: capacity
              - name: nodeorder
              - name: pdb
              - name: cdp
            """);

    TogetherTest() {
        gangs.core.onPriority("high", 100, false);
    }

    @Test
    void aVictimMustBeOneForEveryPlugin() {
        gangs.queue("a", spec("{\"deserved\":{\"cpu\":\"1\"}}"))
                .queue("b", spec("{\"deserved\":{\"cpu\":\"4\"}}"))
                .node("n1", 5)
                .group("greedy", 1, queued("a"));
        gangs.cluster.putBudget(
                "ns/kept",
                DisruptionBudget.of(json(
                        "{\"metadata\":{\"namespace\":\"ns\"},\"spec\":{\"selector\":{\"matchLabels\":{\"app\":\"kept\"}}},"
                                + "\"status\":{\"disruptionsAllowed\":0}}")));
        String scheduled =
                "{\"status\":{\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"True\",\"lastTransitionTime\":\""
                        + gangs.now.minus(Duration.ofMinutes(1)) + "\"}]}}";
        gangs.pod("greedy-0", "greedy", running("n1"))
                .pod("greedy-1", "greedy", running("n1"), "{\"metadata\":{\"labels\":{\"app\":\"kept\"}}}")
                .pod("greedy-2", "greedy", running("n1"), scheduled, annotated("volcano.sh/cooldown-time", "5m"))
                .pod("greedy-3", "greedy", running("n1"), spec("{\"priorityClassName\":\"system-node-critical\"}"))
                .pod("greedy-4", "greedy", running("n1"))
                .gang("first", 1, queued("b"))
                .gang("second", 1, queued("b"))
                .gang("third", 1, queued("b"));

        assertThat(gangs.evicted()).containsExactly("greedy-4", "greedy-0");
    }

    @Test
    void priorityGoesBeforeTheDeadlineAndTheDeadlineBeforeTheShare() {
        gangs.node("n1", 3)
                .runs("late", 0, 1, "n1", annotated("sla-waiting-time", "24h"))
                .pod("late-8", "late")
                .gang("none", 1)
                .gang("high", 1, HIGH)
                .gang("soon", 1, annotated("sla-waiting-time", "13h"));

        assertThat(gangs.bindings()).containsExactly("high-0@n1", "soon-0@n1");
    }

    @Test
    void importanceDoesNotHelpAcrossQueues() {
        gangs.queue("a", spec("{\"deserved\":{\"cpu\":\"2\"}}"))
                .queue("b", spec("{\"deserved\":{\"cpu\":\"2\"}}"))
                .node("n1", 4)
                .runs("even", 0, 2, "n1", queued("a"))
                .runs("own", 0, 2, "n1", queued("b"))
                .gang("high", 1, queued("b"), HIGH);

        assertThat(gangs.evicted()).as("it takes the place of its own queue's").containsExactly("own-1");
    }
}
