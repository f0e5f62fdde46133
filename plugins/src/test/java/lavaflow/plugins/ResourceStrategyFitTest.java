package lavaflow.plugins;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Which node is best by resource, and what has to stay free. */
class ResourceStrategyFitTest {
    private static TestingGangs with(String arguments) {
        return new TestingGangs().configured("""
                actions: "enqueue, allocate, backfill"
                tiers:
                - plugins:
                  - name: gang
                  - name: predicates
                  - name: resource-strategy-fit
                    arguments:
                      resourceStrategyFitWeight: 10
                %s""".formatted(arguments.indent(6)));
    }

    private static String asks(String requests) {
        return "{\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":" + requests + "}}]}}";
    }

    private static String gpus(int count) {
        return "{\"status\":{\"allocatable\":{\"nvidia.com/gpu\":\"" + count + "\"}}}";
    }

    /** Half of n2 is in use. */
    private static TestingGangs twoNodes(TestingGangs gangs) {
        gangs.node("n1", 8, gpus(8)).node("n2", 8, gpus(8)).group("r", 1);
        return gangs.pod(
                "r-0",
                "r",
                asks("{\"cpu\":\"4\",\"memory\":\"4Gi\",\"nvidia.com/gpu\":\"4\"}"),
                "{\"spec\":{\"nodeName\":\"n2\"},\"status\":{\"phase\":\"Running\"}}");
    }

    private static final String GPU_POD = asks("{\"cpu\":\"1\",\"memory\":\"1Gi\",\"nvidia.com/gpu\":\"1\"}");

    private static String chosen(TestingGangs gangs, String... pod) {
        return gangs.group("g", 1).pod("g-0", "g", pod).bindings().getFirst();
    }

    @Test
    void byDefaultPodsAreSpreadByProcessorsAndMemory() {
        assertThat(chosen(twoNodes(with("")), GPU_POD)).isEqualTo("g-0@n1");
    }

    @Test
    void eachResourceHasItsOwnStrategyAndWeight() {
        assertThat(chosen(twoNodes(with("""
                resources:
                  cpu: {type: LeastAllocated, weight: 1}
                  nvidia.com/gpu: {type: MostAllocated, weight: 3}
                """)), GPU_POD)).isEqualTo("g-0@n2");
        assertThat(chosen(twoNodes(with("""
                resources:
                  cpu: {type: LeastAllocated, weight: 5}
                  nvidia.com/gpu: {type: MostAllocated, weight: 1}
                """)), GPU_POD)).isEqualTo("g-0@n1");
    }

    @Test
    void aPatternStandsForAllNamesThatBeginLikeIt() {
        assertThat(chosen(twoNodes(with("resources: {\"nvidia.com/*\": {type: MostAllocated, weight: 1}}")), GPU_POD))
                .isEqualTo("g-0@n2");
    }

    @Test
    void aPodMaySayOtherwise() {
        String fills =
                "{\"metadata\":{\"annotations\":{\"" + ResourceStrategyFitPlugin.TYPE + "\":\"MostAllocated\"}}}";
        assertThat(chosen(twoNodes(with("")), GPU_POD, fills)).isEqualTo("g-0@n2");

        String weighs =
                "{\"metadata\":{\"annotations\":{\"" + ResourceStrategyFitPlugin.WEIGHT + "\":\"{\\\"cpu\\\":0}\"}}}";
        String both = """
                resources:
                  cpu: {type: LeastAllocated, weight: 5}
                  nvidia.com/gpu: {type: MostAllocated, weight: 1}
                """;
        assertThat(chosen(twoNodes(with(both)), GPU_POD, weighs)).isEqualTo("g-0@n2");
    }

    @Test
    void podsThatNeedNothingScarceGoWhereNothingScarceIs() {
        String sra = """
                resources: {none: {type: LeastAllocated, weight: 1}}
                sra: {enable: true, resources: "nvidia.com/gpu", weight: 10, resourceWeight: {nvidia.com/gpu: 1}}
                """;
        TestingGangs gangs = with(sra).node("n1", 8, gpus(8)).node("n2", 8);

        assertThat(chosen(gangs)).isEqualTo("g-0@n2");
    }

    @Test
    void enoughStaysFreeForDevicesThatAre() {
        String proportional = """
                proportional: {enable: true, resources: "nvidia.com/gpu",
                  resourceProportion: {nvidia.com/gpu.cpu: 1, nvidia.com/gpu.memory: 0}}
                """;
        TestingGangs gangs = with(proportional).node("n1", 8, gpus(6));
        gangs.group("g", 1);
        for (int i = 0; i < 4; i++) {
            gangs.pod("g-" + i, "g");
        }
        assertThat(gangs.bindings()).as("six processors stay for six devices").hasSize(2);

        gangs.group("d", 1).pod("d-0", "d", GPU_POD);
        assertThat(gangs.bindings()).containsExactly("d-0@n1");
    }
}
