package lavaflow.plugins;

import java.util.Map;

import org.junit.jupiter.api.Test;

import static lavaflow.plugins.TestingGangs.asking;
import static lavaflow.plugins.TestingGangs.queued;
import static lavaflow.plugins.TestingGangs.spec;
import static org.assertj.core.api.Assertions.assertThat;

/** Queues that have what they deserve, resource by resource, side by side. */
class CapacityTest {
    static final String FLAT = """
            actions: "enqueue, allocate, backfill, reclaim, preempt"
            tiers:
            - plugins:
              - name: priority
              - name: gang
                enablePreemptable: false
              - name: conformance
            - plugins:
              - name: drf
                enablePreemptable: false
              - name: predicates
              - name: capacity
              - name: nodeorder
            """;

    private final TestingGangs gangs = new TestingGangs().configured(FLAT);

    private void singles(String queue, int count) {
        for (int i = 0; i < count; i++) {
            gangs.gang(queue + i, 1, queued(queue));
        }
    }

    private long placed(Map<String, Integer> placed, String queue) {
        return placed.keySet().stream().filter(name -> name.startsWith(queue)).count();
    }

    @Test
    void aQueueTakesWhatOthersDoNotNeed() {
        gangs.queue("a", spec("{\"deserved\":{\"cpu\":\"2\"}}"))
                .queue("b", spec("{\"deserved\":{\"cpu\":\"6\"}}"))
                .node("n1", 8);
        singles("a", 10);

        assertThat(gangs.placed()).hasSize(8);
    }

    @Test
    void theQueueWithTheSmallerPartOfWhatItDeservesComesFirst() {
        gangs.queue("a", spec("{\"deserved\":{\"cpu\":\"2\"}}"))
                .queue("b", spec("{\"deserved\":{\"cpu\":\"6\"}}"))
                .node("n1", 8);
        singles("a", 10);
        singles("b", 10);
        Map<String, Integer> placed = gangs.placed();

        assertThat(placed(placed, "a")).isEqualTo(2);
        assertThat(placed(placed, "b")).isEqualTo(6);
    }

    @Test
    void aQueueThatDeservesNothingComesLast() {
        gangs.queue("a").queue("b", spec("{\"deserved\":{\"cpu\":\"3\"}}")).node("n1", 4);
        singles("a", 4);
        singles("b", 3);
        Map<String, Integer> placed = gangs.placed();

        assertThat(placed(placed, "a")).isEqualTo(1);
        assertThat(placed(placed, "b")).isEqualTo(3);
    }

    @Test
    void theMoreImportantQueueComesFirst() {
        gangs.queue("a", spec("{\"deserved\":{\"cpu\":\"4\"}}"))
                .queue("b", spec("{\"priority\":7}"))
                .node("n1", 4);
        singles("a", 4);
        singles("b", 3);
        Map<String, Integer> placed = gangs.placed();

        assertThat(placed(placed, "a")).isEqualTo(1);
        assertThat(placed(placed, "b")).isEqualTo(3);
    }

    @Test
    void nobodyHasMoreThanItsCapability() {
        gangs.queue("a", spec("{\"capability\":{\"cpu\":\"3\"}}")).node("n1", 8);
        singles("a", 5);

        assertThat(gangs.placed()).hasSize(3);
    }

    @Test
    void nothingIsNoLimitOfProcessorsOrMemory() {
        gangs.queue("a", spec("{\"capability\":{\"cpu\":\"0\",\"pods\":\"1\"}}"))
                .node("n1", 8);
        singles("a", 3);

        assertThat(gangs.placed()).as("neither is the number of pods").hasSize(3);
    }

    @Test
    void whatIsGuaranteedIsNotLent() {
        gangs.queue("a")
                .queue("b")
                .queue("c", spec("{\"guarantee\":{\"resource\":{\"cpu\":\"3\"}}}"))
                .node("n1", 8);
        singles("a", 5);
        singles("b", 5);
        assertThat(gangs.placed()).hasSize(5);

        singles("c", 3);
        assertThat(gangs.placed()).hasSize(3);
    }

    @Test
    void aClosedQueueTakesNobody() {
        gangs.queue("a", "{\"status\":{\"state\":\"Closed\"}}").node("n1", 8);
        singles("a", 1);
        gangs.group(
                "g",
                1,
                queued("a"),
                "{\"spec\":{\"minResources\":{\"cpu\":\"1\"}},\"status\":{\"phase\":\"Pending\"}}");

        assertThat(gangs.phases()).containsExactly("a0 Inqueue", "g Pending");
    }

    @Test
    void gangsAreLetInUpToTheCapability() {
        gangs.queue("a", spec("{\"capability\":{\"cpu\":\"3\"}}")).node("n1", 8);
        for (int i = 0; i < 3; i++) {
            gangs.group(
                    "g" + i,
                    1,
                    queued("a"),
                    "{\"spec\":{\"minResources\":{\"cpu\":\"2\",\"requests.cpu\":\"2\"}},\"status\":{\"phase\":\"Pending\"}}");
        }

        assertThat(gangs.letIn()).containsExactly("g0");
        assertThat(gangs.letIn()).isEmpty();
    }

    @Test
    void aQueueTakesBackWhatItDeserves() {
        gangs.queue("a", spec("{\"deserved\":{\"cpu\":\"2\"}}"))
                .queue("b", spec("{\"deserved\":{\"cpu\":\"2\"}}"))
                .node("n1", 4)
                .runs("greedy", 1, 4, "n1", queued("a"))
                .gang("poor", 2, queued("b"));

        assertThat(gangs.evicted()).containsExactly("greedy-3", "greedy-2");
    }

    @Test
    void aQueueDoesNotTakeMoreThanItDeserves() {
        gangs.queue("a", spec("{\"deserved\":{\"cpu\":\"2\"}}"))
                .queue("b", spec("{\"deserved\":{\"cpu\":\"2\"}}"))
                .node("n1", 4)
                .runs("greedy", 1, 4, "n1", queued("a"))
                .gang("poor", 3, queued("b"));

        assertThat(gangs.evicted()).isEmpty();
    }

    @Test
    void whatIsPromisedCountsForWhatAQueueDeserves() {
        gangs.queue("a")
                .queue("b", spec("{\"deserved\":{\"cpu\":\"2\"}}"))
                .node("n1", 6)
                .runs("lent", 0, 6, "n1", queued("a"));
        singles("b", 5);

        assertThat(gangs.evicted()).as("not more than it deserves in one round").hasSize(2);
    }

    @Test
    void whoDeservesNothingOfItGivesFirst() {
        gangs.queue("a", spec("{\"deserved\":{\"memory\":\"2Gi\"}}"))
                .queue("b", spec("{\"deserved\":{\"cpu\":\"2\"}}"))
                .node("n1", 4)
                .runs("lent", 0, 4, "n1", queued("a"))
                .gang("poor", 2, queued("b"));

        assertThat(gangs.evicted()).containsExactly("lent-3", "lent-2");
    }

    @Test
    void aGuaranteeIsKept() {
        gangs.queue("a", spec("{\"guarantee\":{\"resource\":{\"cpu\":\"3\"}}}"))
                .queue("b", spec("{\"deserved\":{\"cpu\":\"1\"}}"))
                .node("n1", 4)
                .runs("mine", 0, 4, "n1", queued("a"))
                .gang("first", 1, queued("b"))
                .gang("second", 1, queued("b"));

        assertThat(gangs.evicted()).containsExactly("mine-3");
    }

    @Test
    void podsWithoutWhatIsNeededStay() {
        gangs.queue("a")
                .queue("b", spec("{\"deserved\":{\"nvidia.com/gpu\":\"1\"}}"))
                .node("n1", 4, "{\"status\":{\"allocatable\":{\"nvidia.com/gpu\":\"1\"}}}");
        gangs.runs("gpu", 0, 0, "n1", queued("a"))
                .pod("gpu-0", "gpu", TestingGangs.running("n1"), asking("{\"nvidia.com/gpu\":\"1\"}"))
                .runs("cpu", 0, 3, "n1", queued("a"))
                .group("poor", 1, queued("b"))
                .pod("poor-0", "poor", asking("{\"nvidia.com/gpu\":\"1\"}"));

        assertThat(gangs.evicted()).containsExactly("gpu-0");
    }
}
