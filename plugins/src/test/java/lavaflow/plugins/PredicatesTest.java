package lavaflow.plugins;

import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Which nodes a pod of a gang may not go to, and how each rule is turned off. */
class PredicatesTest {
    private static TestingGangs with(String argument) {
        return new TestingGangs().configured("""
                actions: "enqueue, allocate, backfill"
                tiers:
                - plugins:
                  - name: gang
                  - name: predicates
                    arguments:
                      predicate.CacheEnable: true
                %s
                """.formatted(argument.isEmpty() ? "" : "      " + argument));
    }

    private static final String TAINTED =
            "{\"spec\":{\"taints\":[{\"key\":\"k\",\"value\":\"v\",\"effect\":\"NoSchedule\"}]}}";
    private static final String ZONED = "{\"metadata\":{\"labels\":{\"zone\":\"a\"}}}";
    private static final String PORT =
            "{\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"1\"}},"
                    + "\"ports\":[{\"containerPort\":80,\"hostPort\":80,\"protocol\":\"TCP\"}]}]}}";
    private static final String SELECTS = "{\"spec\":{\"nodeSelector\":{\"zone\":\"b\"}}}";
    private static final String ALONE = """
            {"metadata":{"labels":{"app":"a"}},"spec":{"affinity":{"podAntiAffinity":{
             "requiredDuringSchedulingIgnoredDuringExecution":[{"labelSelector":{"matchLabels":{"app":"a"}},
             "topologyKey":"kubernetes.io/hostname"}]}}}}""";
    private static final String SPREAD = """
            {"metadata":{"labels":{"app":"a"}},"spec":{"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"rack",
             "whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"app":"a"}}}]}}""";
    private static final String CLAIM =
            "{\"spec\":{\"volumes\":[{\"name\":\"v\",\"persistentVolumeClaim\":{\"claimName\":\"missing\"}}]}}";

    static Stream<Arguments> rules() {
        return Stream.of(
                Arguments.of("predicate.NodeAffinityEnable", ZONED, SELECTS, 1),
                Arguments.of("predicate.TaintTolerationEnable", TAINTED, "{}", 1),
                Arguments.of("predicate.NodePortsEnable", ZONED, PORT, 2),
                Arguments.of("predicate.PodAffinityEnable", ZONED, ALONE, 2),
                Arguments.of("predicate.PodTopologySpreadEnable", ZONED, SPREAD, 1),
                Arguments.of("predicate.VolumeBindingEnable", ZONED, CLAIM, 1));
    }

    /** A gang that the one node cannot take by a rule can be placed once the rule is off. */
    @ParameterizedTest
    @MethodSource("rules")
    void eachRuleHoldsUnlessItIsTurnedOff(String key, String node, String pod, int pods) {
        for (boolean on : List.of(true, false)) {
            TestingGangs gangs = with(on ? "" : key + ": false");
            gangs.node("n1", 8, node).group("g", pods);
            for (int i = 0; i < pods; i++) {
                gangs.pod("g-" + i, "g", pod);
            }
            assertThat(gangs.bindings()).as("%s: %s", key, on).hasSize(on ? 0 : pods);
        }
    }

    @Test
    void aCordonedNodeTakesNothingWhateverIsOff() {
        assertThat(with("predicate.TaintTolerationEnable: false")
                        .node("n1", 8, "{\"spec\":{\"unschedulable\":true}}")
                        .gang("g", 1)
                        .placed())
                .isEmpty();
    }

    @Test
    void withoutThePluginOnlyRoomCounts() {
        TestingGangs gangs = new TestingGangs().configured("""
                actions: "enqueue, allocate, backfill"
                tiers:
                - plugins:
                  - name: gang
                """);
        gangs.node("n1", 1, TAINTED).gang("large", 2).gang("g", 1);

        assertThat(gangs.bindings()).containsExactly("g-0@n1");
    }

    @Test
    void podsOfAGangAreNotPutBesideWhomTheyAvoid() {
        TestingGangs gangs = with("");
        gangs.node("n1", 8).node("n2", 8).group("g", 2);
        gangs.pod("g-0", "g", ALONE).pod("g-1", "g", ALONE);

        assertThat(gangs.bindings()).containsExactlyInAnyOrder("g-0@n1", "g-1@n2");
    }

    @Test
    void aGangThatCannotBeSpreadWholeWaits() {
        TestingGangs gangs = with("");
        gangs.node("n1", 8, "{\"metadata\":{\"labels\":{\"rack\":\"a\"}}}")
                .node("n2", 1, "{\"metadata\":{\"labels\":{\"rack\":\"b\"}}}")
                .group("g", 4);
        for (int i = 0; i < 4; i++) {
            gangs.pod("g-" + i, "g", SPREAD);
        }
        assertThat(gangs.bindings()).isEmpty();

        gangs.node("n3", 1, "{\"metadata\":{\"labels\":{\"rack\":\"b\"}}}");
        assertThat(gangs.bindings()).hasSize(4);
    }
}
