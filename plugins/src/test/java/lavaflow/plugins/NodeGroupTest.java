package lavaflow.plugins;

import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static lavaflow.plugins.TestingGangs.queued;
import static org.assertj.core.api.Assertions.assertThat;

/** Which groups of nodes a queue may have. */
class NodeGroupTest {
    private static TestingGangs with(String more) {
        return new TestingGangs().configured("""
                actions: "enqueue, allocate, backfill"
                tiers:
                - plugins:
                  - name: gang
                  - name: predicates
                  - name: nodegroup
                %s""".formatted(more));
    }

    private static String grouped(String group) {
        return "{\"metadata\":{\"labels\":{\"volcano.sh/nodegroup-name\":\"" + group + "\"}}}";
    }

    private static String affinity(String required, String preferred, String never, String rather) {
        return """
                {"spec":{"affinity":{"nodeGroupAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[%s],
                 "preferredDuringSchedulingIgnoredDuringExecution":[%s]},"nodeGroupAntiAffinity":{
                 "requiredDuringSchedulingIgnoredDuringExecution":[%s],
                 "preferredDuringSchedulingIgnoredDuringExecution":[%s]}}}}""".formatted(required, preferred, never, rather);
    }

    private static final String STRICT = "";
    private static final String LOOSE = "    arguments: {strict: false}\n";
    private static final String NONE = "{}";
    private static final String NEEDS_A = affinity("\"a\"", "", "", "");

    static Stream<Arguments> table() {
        return Stream.of(
                // configuration, what the queue says, the node's group ("" for none), whether it takes the pod
                Arguments.of(STRICT, NONE, "", false),
                Arguments.of(LOOSE, NONE, "", true),
                Arguments.of(LOOSE, NEEDS_A, "", false),
                Arguments.of(STRICT, NONE, "a", false),
                Arguments.of(LOOSE, NONE, "a", false),
                Arguments.of(STRICT, NEEDS_A, "a", true),
                Arguments.of(STRICT, NEEDS_A, "b", false),
                Arguments.of(STRICT, affinity("", "\"a\"", "", ""), "a", true),
                Arguments.of(STRICT, affinity("\"a\"", "", "\"a\"", ""), "a", false),
                Arguments.of(STRICT, affinity("", "", "", "\"a\""), "a", true));
    }

    @ParameterizedTest
    @MethodSource("table")
    void whatAQueueSaysDecides(String configuration, String queue, String group, boolean taken) {
        TestingGangs gangs = with(configuration).queue("q", queue);
        gangs.node("n1", 8, group.isEmpty() ? NONE : grouped(group)).gang("g", 1, queued("q"));

        assertThat(gangs.bindings()).hasSize(taken ? 1 : 0);
    }

    @Test
    void requiredGroupsComeBeforePreferredOnesAndThoseToAvoidLast() {
        TestingGangs gangs = with("").queue("q", affinity("\"c\"", "\"b\"", "", "\"a\""));
        gangs.node("n1", 1, grouped("a")).node("n2", 1, grouped("b")).node("n3", 1, grouped("c"));
        gangs.gang("g", 3, queued("q"));

        assertThat(gangs.bindings()).containsExactly("g-0@n3", "g-1@n2", "g-2@n1");
    }

    @Test
    void theOrderOfPreferredGroupsCountsWhereItIsTurnedOn() {
        for (boolean ordered : new boolean[] {true, false}) {
            TestingGangs gangs = with("    arguments: {enablePreferredOrder: " + ordered + "}\n")
                    .queue("q", affinity("", "\"b\", \"a\"", "", ""));
            gangs.node("n1", 1, grouped("a")).node("n2", 1, grouped("b")).gang("g", 1, queued("q"));

            assertThat(gangs.bindings()).containsExactly(ordered ? "g-0@n2" : "g-0@n1");
        }
    }

    @Test
    void aQueueInheritsFromTheNearestAboveItWhereThatIsTurnedOn() {
        for (boolean inherits : new boolean[] {true, false}) {
            TestingGangs gangs = with("    enableHierarchy: " + inherits + "\n")
                    .queue("top", NEEDS_A)
                    .queue("q", "{\"spec\":{\"parent\":\"top\"}}");
            gangs.node("n1", 1, grouped("a")).gang("g", 1, queued("q"));

            assertThat(gangs.bindings()).hasSize(inherits ? 1 : 0);
        }
    }

    @Test
    void aQueueHasNoMoreOfAGroupThanItsLimit() {
        TestingGangs gangs = with("").queue("q", affinity("\"a\", \"b\"", "", "", ""), """
                {"metadata":{"annotations":{"volcano.sh/nodegroup-resource-limits":"{\\"a\\":{\\"cpu\\":\\"2\\"}}"}}}""");
        gangs.node("n1", 8, grouped("a")).node("n2", 1, grouped("b"));
        gangs.gang("large", 4, queued("q")).gang("g", 3, queued("q"));
        assertThat(gangs.placed()).containsOnlyKeys("g").containsEntry("g", 3);

        gangs.gang("more", 1, queued("q"));
        assertThat(gangs.placed())
                .as("what was tried for the large one is given back, what runs counts")
                .isEmpty();
    }
}
