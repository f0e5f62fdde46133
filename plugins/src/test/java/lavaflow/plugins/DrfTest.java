package lavaflow.plugins;

import java.util.Map;

import org.junit.jupiter.api.Test;

import static lavaflow.plugins.TestingGangs.asking;
import static lavaflow.plugins.TestingGangs.queued;
import static org.assertj.core.api.Assertions.assertThat;

/** The gang, or the branch of queues, comes first that has least of what it has most of. */
class DrfTest {
    private static final String HIERARCHICAL = """
            actions: "enqueue, allocate, reclaim"
            tiers:
            - plugins:
              - name: gang
                enableReclaimable: false
            - plugins:
              - name: drf
                enableHierarchy: true
              - name: predicates
            """;

    private final TestingGangs gangs = new TestingGangs();

    private void queue(String name, String hierarchy, String weights) {
        gangs.queue(name, """
                {"metadata":{"annotations":{"volcano.sh/hierarchy":"%s","volcano.sh/hierarchy-weights":"%s"}}}""".formatted(hierarchy, weights));
    }

    private static long of(Map<String, Integer> placed, String prefix) {
        return placed.entrySet().stream()
                .filter(each -> each.getKey().startsWith(prefix))
                .mapToInt(Map.Entry::getValue)
                .sum();
    }

    private void elastic(String name, int pods, String requests, String queue) {
        gangs.group(name, 0, queued(queue));
        for (int i = 0; i < pods; i++) {
            gangs.pod(name + "-" + i, name, asking(requests));
        }
    }

    @Test
    void gangsTakeTurnsByTheirDominantShares() {
        gangs.node("n1", 9, "{\"status\":{\"allocatable\":{\"memory\":\"18Gi\"}}}");
        elastic("cpu", 20, "{\"cpu\":\"1\",\"memory\":\"4Gi\"}", "default");
        elastic("memory", 20, "{\"cpu\":\"3\",\"memory\":\"1Gi\"}", "default");
        Map<String, Integer> placed = gangs.placed();

        assertThat(placed).as("the example of the paper").isEqualTo(Map.of("cpu", 3, "memory", 2));
    }

    @Test
    void aGangTakesFromOneThatHasMore() {
        gangs.configured("""
                actions: "allocate, preempt"
                tiers:
                - plugins:
                  - name: gang
                    enablePreemptable: false
                  - name: drf
                  - name: predicates
                """);
        gangs.node("n1", 4).runs("much", 0, 4, "n1").gang("first", 2).gang("second", 2);

        assertThat(gangs.evicted()).as("up to the same").containsExactly("much-3", "much-2");
    }

    @Test
    void branchesShareByTheirWeights() {
        gangs.configured(HIERARCHICAL).node("n1", 12);
        queue("a", "root/sci/a", "1/1/1");
        queue("b", "root/eng/b", "1/2/1");
        elastic("a", 20, "{\"cpu\":\"1\"}", "a");
        elastic("b", 20, "{\"cpu\":\"1\"}", "b");
        Map<String, Integer> placed = gangs.placed();

        assertThat(of(placed, "a")).isEqualTo(4);
        assertThat(of(placed, "b")).isEqualTo(8);
    }

    @Test
    void leavesShareWhatTheirBranchGets() {
        gangs.configured(HIERARCHICAL).node("n1", 12);
        queue("a", "root/sci/a", "1/1/1");
        queue("b", "root/sci/b", "1/1/2");
        queue("c", "root/eng/c", "1/1/1");
        for (String queue : new String[] {"a", "b", "c"}) {
            elastic(queue, 20, "{\"cpu\":\"1\"}", queue);
        }
        Map<String, Integer> placed = gangs.placed();

        assertThat(of(placed, "c")).isBetween(4L, 6L);
        assertThat(of(placed, "b")).isGreaterThan(of(placed, "a"));
    }

    @Test
    void aBranchThatHasAllItWantsDoesNotHoldOthersBack() {
        gangs.configured(HIERARCHICAL).node("n1", 12);
        queue("a", "root/sci/a", "1/1/1");
        queue("b", "root/eng/b", "1/1/1");
        elastic("a", 2, "{\"cpu\":\"1\"}", "a");
        elastic("b", 20, "{\"cpu\":\"1\"}", "b");
        Map<String, Integer> placed = gangs.placed();

        assertThat(of(placed, "a")).isEqualTo(2);
        assertThat(of(placed, "b")).isEqualTo(10);
    }

    @Test
    void weightsBelowOneAndWhatIsNoNumberCountAsOne() {
        gangs.configured(HIERARCHICAL).node("n1", 12);
        queue("a", "root/a", "1/0.1");
        queue("b", "root/b", "much");
        elastic("a", 20, "{\"cpu\":\"1\"}", "a");
        elastic("b", 20, "{\"cpu\":\"1\"}", "b");
        Map<String, Integer> placed = gangs.placed();

        assertThat(of(placed, "a")).isEqualTo(6);
        assertThat(of(placed, "b")).isEqualTo(6);
    }

    @Test
    void aBranchTakesBackFromOneThatHasMore() {
        gangs.configured(HIERARCHICAL).node("n1", 4);
        queue("a", "root/a", "1/1");
        queue("b", "root/b", "1/1");
        gangs.runs("much", 0, 4, "n1", queued("a"))
                .gang("first", 1, queued("b"))
                .gang("second", 1, queued("b"));

        assertThat(gangs.evicted()).as("as long as it would have less").containsExactly("much-3");
    }
}
