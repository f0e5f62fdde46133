package lavaflow.plugins;

import java.util.List;
import java.util.Map;

import lavaflow.gang.Decision;

import org.junit.jupiter.api.Test;

import static lavaflow.plugins.TestingGangs.queued;
import static org.assertj.core.api.Assertions.assertThat;

/** Queues below each other. */
class HierarchyTest {
    private static String configuration(String arguments) {
        return CapacityTest.FLAT.replace(
                "  - name: capacity\n", "  - name: capacity\n    enableHierarchy: true\n" + arguments);
    }

    private final TestingGangs gangs =
            new TestingGangs().configured(configuration("")).queue("root");

    private TestingGangs queue(String name, String parent, String fields) {
        return gangs.queue(name, "{\"spec\":{\"parent\":\"" + parent + "\"}}", TestingGangs.spec(fields));
    }

    private void singles(String queue, int count) {
        for (int i = 0; i < count; i++) {
            gangs.gang(queue + "-" + i, 1, queued(queue));
        }
    }

    private static long of(Map<String, Integer> placed, String queue) {
        return placed.keySet().stream().filter(name -> name.startsWith(queue)).count();
    }

    @Test
    void whatIsAboveLimitsWhatIsBelow() {
        queue("team", "root", "{\"capability\":{\"cpu\":\"3\"}}");
        queue("dev", "team", "{}");
        queue("prod", "team", "{\"capability\":{\"cpu\":\"2\"}}");
        gangs.node("n1", 8);
        singles("dev", 4);
        singles("prod", 4);
        Map<String, Integer> placed = gangs.placed();

        assertThat(placed).hasSize(3);
        assertThat(of(placed, "prod")).isLessThanOrEqualTo(2);
    }

    @Test
    void branchesShareBeforeLeavesDo() {
        queue("a", "root", "{\"deserved\":{\"cpu\":\"4\"}}");
        queue("a1", "a", "{\"deserved\":{\"cpu\":\"2\"}}");
        queue("a2", "a", "{\"deserved\":{\"cpu\":\"2\"}}");
        queue("b", "root", "{\"deserved\":{\"cpu\":\"4\"}}");
        gangs.node("n1", 8);
        singles("a1", 8);
        singles("a2", 8);
        singles("b", 8);
        Map<String, Integer> placed = gangs.placed();

        assertThat(of(placed, "a1")).isEqualTo(2);
        assertThat(of(placed, "a2")).isEqualTo(2);
        assertThat(of(placed, "b")).isEqualTo(4);
    }

    @Test
    void aQueueWithOthersBelowItTakesNoGangsAndTheRestGoesOn() {
        queue("team", "root", "{}");
        queue("dev", "team", "{}");
        gangs.node("n1", 8);
        singles("team", 1);
        singles("dev", 1);

        assertThat(gangs.placed()).containsOnlyKeys("dev-0");
    }

    @Test
    void queuesThatLeadNowhereTakeNoGangsAndTheRestGoesOn() {
        queue("a", "b", "{}");
        queue("b", "a", "{}");
        queue("lost", "nobody", "{}");
        queue("dev", "root", "{}");
        gangs.node("n1", 8);
        for (String queue : List.of("a", "b", "lost", "dev")) {
            singles(queue, 1);
        }

        assertThat(gangs.placed()).containsOnlyKeys("dev-0");
    }

    @Test
    void gangsAreLetInUpToWhatIsAbove() {
        queue("team", "root", "{\"capability\":{\"cpu\":\"3\"}}");
        queue("dev", "team", "{}");
        queue("prod", "team", "{}");
        gangs.node("n1", 8);
        String pending = "{\"spec\":{\"minResources\":{\"cpu\":\"2\"}},\"status\":{\"phase\":\"Pending\"}}";
        gangs.group("d", 1, queued("dev"), pending).group("p", 1, queued("prod"), pending);

        assertThat(gangs.letIn()).containsExactly("d");
    }

    @Test
    void aGuaranteeBelowIsKeptFromSiblings() {
        queue("team", "root", "{\"capability\":{\"cpu\":\"6\"}}");
        queue("dev", "team", "{}");
        queue("test", "team", "{}");
        queue("prod", "team", "{\"guarantee\":{\"resource\":{\"cpu\":\"2\"}}}");
        gangs.node("n1", 8);
        singles("dev", 4);
        singles("test", 4);
        assertThat(gangs.placed()).hasSize(4);

        singles("prod", 4);
        assertThat(gangs.placed()).hasSize(2);
    }

    @Test
    void relativesGiveFirst() {
        queue("team", "root", "{}");
        queue("dev", "team", "{}");
        queue("prod", "team", "{\"deserved\":{\"cpu\":\"2\"}}");
        queue("far", "root", "{}");
        gangs.node("n1", 4)
                .runs("f", 0, 2, "n1", queued("far"))
                .runs("d", 0, 2, "n1", queued("dev"))
                .gang("p", 2, queued("prod"));

        assertThat(gangs.evicted()).containsExactly("d-1", "d-0");
    }

    @Test
    void whatIsAboveMustHaveTooMuchWhereThatIsAsked() {
        gangs.configured(configuration("    arguments: {ancestorReclaimLevel: 1}\n"));
        queue("even", "root", "{\"deserved\":{\"cpu\":\"2\"}}");
        queue("e1", "even", "{}");
        queue("rich", "root", "{\"deserved\":{\"cpu\":\"1\"}}");
        queue("r1", "rich", "{}");
        queue("poor", "root", "{\"deserved\":{\"cpu\":\"1\"}}");
        gangs.node("n1", 4)
                .runs("e", 0, 2, "n1", queued("e1"))
                .runs("r", 0, 2, "n1", queued("r1"))
                .gang("p", 1, queued("poor"));

        assertThat(gangs.evicted()).containsExactly("r-1");
    }

    @Test
    void aQueueMayTakeWhatTheOneAboveItDeserves() {
        queue("team", "root", "{\"deserved\":{\"cpu\":\"2\"}}");
        queue("dev", "team", "{}");
        queue("far", "root", "{}");
        gangs.node("n1", 2).runs("f", 0, 2, "n1", queued("far")).gang("d", 1, queued("dev"));
        assertThat(gangs.evicted()).isEmpty();

        gangs.configured(configuration("    arguments: {ancestorReclaimLevel: 1}\n"));
        assertThat(gangs.evicted()).containsExactly("f-1");
    }

    @Test
    void siblingsWithoutAnythingDeservedSpareEachOther() {
        gangs.configured(configuration("    arguments: {ancestorReclaimLevel: 1}\n"));
        queue("team", "root", "{\"deserved\":{\"cpu\":\"4\"}}");
        queue("dev", "team", "{}");
        queue("test", "team", "{}");
        gangs.node("n1", 2).runs("t", 0, 2, "n1", queued("test")).gang("d", 1, queued("dev"));

        assertThat(gangs.evicted()).isEmpty();
    }

    @Test
    void withoutARootAllIsTheSame() {
        gangs.core.onQueueGone("root");
        queue("team", "root", "{\"capability\":{\"cpu\":\"1\"}}");
        queue("dev", "team", "{}");
        gangs.node("n1", 8);
        singles("dev", 2);

        assertThat(gangs.decide()).filteredOn(Decision.Bind.class::isInstance).hasSize(1);
    }
}
