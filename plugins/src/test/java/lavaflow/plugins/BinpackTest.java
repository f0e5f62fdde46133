package lavaflow.plugins;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Nodes are filled one after the other. */
class BinpackTest {
    private static TestingGangs with(String arguments) {
        return new TestingGangs().configured("""
                actions: "enqueue, allocate, backfill"
                tiers:
                - plugins:
                  - name: gang
                  - name: predicates
                  - name: binpack
                    arguments: {%s}
                """.formatted(arguments));
    }

    private static String asks(String cpu, String memory, String gpu) {
        return """
                {"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"%s","memory":"%s","gpu":"%s"}}}]}}""".formatted(cpu, memory, gpu);
    }

    private static String runs(String node) {
        return "{\"spec\":{\"nodeName\":\"" + node + "\"},\"status\":{\"phase\":\"Running\"}}";
    }

    /** Much of the processors of n1 and much of the memory of n2 and many of the devices of n3 are in use. */
    private static String chosen(TestingGangs gangs) {
        for (int i = 1; i <= 3; i++) {
            gangs.node("n" + i, 8, "{\"status\":{\"allocatable\":{\"gpu\":\"8\"}}}");
        }
        gangs.group("r", 1)
                .pod("r-1", "r", asks("5", "0", "0"), runs("n1"))
                .pod("r-2", "r", asks("0", "5Gi", "0"), runs("n2"))
                .pod("r-3", "r", asks("0", "0", "5"), runs("n3"));
        return gangs.group("g", 1)
                .pod("g-0", "g", asks("1", "1Gi", "1"))
                .bindings()
                .getFirst();
    }

    @Test
    void weightsSayWhatIsFilled() {
        assertThat(chosen(with("binpack.cpu: 5"))).isEqualTo("g-0@n1");
        assertThat(chosen(with("binpack.memory: 5"))).isEqualTo("g-0@n2");
        assertThat(chosen(with("binpack.resources: \"gpu, other\", binpack.resources.gpu: 5")))
                .isEqualTo("g-0@n3");
        assertThat(chosen(with("binpack.cpu: 0, binpack.memory: 1"))).isEqualTo("g-0@n2");
        assertThat(chosen(with("binpack.memory: 5, binpack.weight: 0")))
                .as("off")
                .isEqualTo("g-0@n1");
        assertThat(chosen(with("binpack.memory: 5, binpack.cpu: -7")))
                .as("as if it were 1")
                .isEqualTo("g-0@n2");
    }

    @Test
    void aGangFillsANodeBeforeTheNext() {
        TestingGangs gangs =
                with("binpack.weight: 1").node("n1", 3).node("n2", 4).gang("g", 6);

        assertThat(gangs.bindings()).containsExactly("g-0@n1", "g-1@n1", "g-2@n1", "g-3@n2", "g-4@n2", "g-5@n2");
    }
}
