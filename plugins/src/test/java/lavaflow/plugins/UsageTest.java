package lavaflow.plugins;

import java.time.Duration;

import lavaflow.gang.Plugin;
import lavaflow.gang.Surroundings.Usage;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static lavaflow.plugins.TestingGangs.asking;
import static lavaflow.plugins.TestingGangs.running;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/** What is really used of nodes: usage and rescheduling. */
class UsageTest {
    private final TestingGangs gangs = new TestingGangs();

    private void with(String plugin) {
        gangs.configured("""
                actions: "allocate"
                tiers:
                - plugins:
                  - name: gang
                  - name: predicates
                  - name: %s
                """.formatted(plugin));
    }

    private void used(String node, double processors, double memory) {
        gangs.core.surroundings().put(node, new Usage(gangs.now, processors, memory));
    }

    private double score(String pod, int slot) {
        gangs.decide();
        return ((Plugin.MemberScore) gangs.plugins.get("usage")).score(gangs.memberNamed(pod), slot);
    }

    // ---- usage ----

    @Test
    void theIdlerNodeIsBetter() {
        with("usage");
        gangs.node("a", 4).node("b", 4).gang("g", 1);
        used("a", 50, 50);
        used("b", 10, 10);

        assertThat(gangs.bindings()).containsExactly("g-0@b");
    }

    @ParameterizedTest
    @CsvSource({"81, 0, false", "80, 80, true", "0, 81, false"})
    void aBusyNodeTakesNobody(double processors, double memory, boolean takes) {
        with("usage");
        gangs.node("a", 4).gang("g", 1);
        used("a", processors, memory);

        assertThat(gangs.bindings()).hasSize(takes ? 1 : 0);
    }

    @Test
    void thresholdsCanBeTold() {
        with("usage\n    arguments: {thresholds: {cpu: 20, mem: 90}}");
        gangs.node("a", 4).gang("g", 1);
        used("a", 21, 85);

        assertThat(gangs.bindings()).isEmpty();
    }

    @Test
    void whatIsOldOrUnknownSaysNothing() {
        with("usage");
        gangs.node("a", 4).node("b", 4).gang("g", 2);
        used("a", 100, 100);
        gangs.now = gangs.now.plus(Duration.ofSeconds(301));

        assertThat(gangs.placed()).containsEntry("g", 2);
    }

    @Test
    void scoresAreWeighed() {
        with("usage\n    arguments: {usage.weight: 3, cpu.weight: 1, memory.weight: 3}");
        gangs.node("a", 4).group("g", 2).pod("g-0", "g");
        used("a", 20, 40);

        assertThat(score("g-0", 0)).isCloseTo((0.8 * 1 + 0.6 * 3) / 4 * 100 * 3, within(1e-6));
    }

    @Test
    void podsThatAreNotMeasuredYetAreGuessed() {
        with("usage\n    arguments: {memory.weight: 0, usage.weight: 1}");
        gangs.node("a", 10).group("g", 2).pod("g-0", "g").group("r", 0);
        gangs.pod("r-0", "r", running("a"), asking("{\"cpu\":\"2\"}"));
        used("a", 20, 0);
        assertThat(score("g-0", 0)).as("2 of 10 processors, at 0.7").isCloseTo(100 - 20 - 14, within(1e-6));

        gangs.pod("r-1", "r", running("a"), asking("{\"cpu\":\"5\"}"));
        assertThat(score("g-0", 0))
                .as("more than 60 percent: at 1.2 times as much")
                .isCloseTo(100 - 20 - (14 + 35) * 1.2, within(1e-6));

        String old = "{\"status\":{\"startTime\":\"" + gangs.now.minus(Duration.ofSeconds(31)) + "\"}}";
        gangs.pod("r-1", "r", running("a"), asking("{\"cpu\":\"5\"}"), old);
        assertThat(score("g-0", 0)).isCloseTo(100 - 20 - 14, within(1e-6));

        gangs.pod("r-2", "r", running("a"), asking("null"));
        assertThat(score("g-0", 0)).as("who asks for nothing uses 250m").isCloseTo(100 - 20 - 14 - 2.5, within(1e-6));
    }

    @Test
    void limitsCountWhereThatIsTold() {
        with(
                "usage\n    arguments: {memory.weight: 0, usage.weight: 1, estimator: {request_ratio: 1.0, burst_ratio: 0.5}}");
        gangs.node("a", 10).group("g", 2).pod("g-0", "g").group("r", 0);
        gangs.pod("r-0", "r", running("a"), """
                {"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"1"},"limits":{"cpu":"3"}}}]}}""");
        used("a", 0, 0);

        assertThat(score("g-0", 0)).isCloseTo(100 - 20, within(1e-6));
    }

    // ---- rescheduling ----

    private static final String LOW = """
            rescheduling
                arguments:
                  interval: 10m
                  strategies:
                  - name: lowNodeUtilization
                    params:
                      thresholds: {cpu: 20, memory: 20, pods: 20}
                      targetThresholds: {cpu: 50, memory: 50, pods: 50}
            """;

    private String[] busy() {
        gangs.node("busy", 10).node("idle", 10).group("g", 0);
        for (int i = 0; i < 8; i++) {
            gangs.pod("g-" + i, "g", running("busy"), "{\"spec\":{\"priority\":" + (10 - i) + "}}");
        }
        used("busy", 80, 10);
        used("idle", 5, 5);
        return new String[] {"g-0", "g-1", "g-2", "g-3", "g-4", "g-5", "g-6", "g-7"};
    }

    @Test
    void podsLeaveBusyNodesUntilTheyAreNotTooBusy() {
        with(LOW.stripTrailing());

        assertThat(gangs.shuffled("rescheduling", busy()))
                .as("the least important first")
                .containsExactly("g-7", "g-6", "g-5");
    }

    @Test
    void thatHappensNowAndThen() {
        with(LOW.stripTrailing());
        String[] all = busy();
        assertThat(gangs.shuffled("rescheduling", all)).hasSize(3);
        gangs.now = gangs.now.plus(Duration.ofMinutes(9));
        assertThat(gangs.shuffled("rescheduling", all)).isEmpty();
        assertThat(gangs.core.nextChange()).isEqualTo(gangs.now.plus(Duration.ofMinutes(1)));
        gangs.now = gangs.now.plus(Duration.ofMinutes(1));
        assertThat(gangs.shuffled("rescheduling", all)).hasSize(3);
    }

    @Test
    void nobodyLeavesWhereNobodyIsIdle() {
        with(LOW.stripTrailing());
        String[] all = busy();
        used("idle", 30, 5);
        assertThat(gangs.shuffled("rescheduling", all)).isEmpty();
    }

    @Test
    void nobodyLeavesForANodeThatIsClosed() {
        with(LOW.stripTrailing());
        String[] all = busy();
        gangs.node("idle", 10, "{\"spec\":{\"unschedulable\":true}}");
        assertThat(gangs.shuffled("rescheduling", all)).isEmpty();
    }

    @Test
    void whoIsImportantOrMayNotGoStays() {
        with(LOW.stripTrailing() + "\n          thresholdPriorityClassName: important");
        gangs.core.onPriority("important", 5, false);
        String[] all = busy();
        gangs.pod("g-7", "g", running("busy"), TestingGangs.annotated("volcano.sh/preemptable", "false"));

        assertThat(gangs.shuffled("rescheduling", all)).containsExactly("g-6");
    }

    @Test
    void podsThatWouldFitNowhereStay() {
        with(LOW.stripTrailing());
        String[] all = busy();
        gangs.node("idle", 10, "{\"status\":{\"allocatable\":{\"cpu\":\"500m\"}}}");
        assertThat(gangs.shuffled("rescheduling", all)).isEmpty();
    }
}
