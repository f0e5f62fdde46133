package lavaflow.plugins;

import java.time.Duration;
import java.util.List;

import lavaflow.placement.DisruptionBudget;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static lavaflow.plugins.TestingGangs.json;
import static lavaflow.plugins.TestingGangs.queued;
import static org.assertj.core.api.Assertions.assertThat;

/** Who need not go: conformance, pdb and cdp. */
class ProtectionTest {
    private static final String HIGH = "{\"spec\":{\"priorityClassName\":\"high\"}}";

    private final TestingGangs gangs = new TestingGangs();

    private void with(String plugin) {
        gangs.configured("""
                actions: "allocate, preempt, reclaim"
                tiers:
                - plugins:
                  - name: priority
                  - name: gang
                    enablePreemptable: false
                    enableReclaimable: false
                  - name: %s
                - plugins:
                  - name: predicates
                  - name: proportion
                """.formatted(plugin));
        gangs.core.onPriority("high", 100, false);
    }

    private void budget(String name, String app, int allowed, String... going) {
        StringBuilder disrupted = new StringBuilder();
        for (String each : going) {
            disrupted.append(disrupted.isEmpty() ? "" : ",").append("\"" + each + "\":\"2026-11-15T00:00:00Z\"");
        }
        gangs.cluster.putBudget("ns/" + name, DisruptionBudget.of(json("""
                {"metadata":{"namespace":"ns"},"spec":{"selector":{"matchLabels":{"app":"%s"}}},
                 "status":{"disruptionsAllowed":%d,"disruptedPods":{%s}}}""".formatted(app, allowed, disrupted))));
    }

    private void runs(String name, String app) {
        String labels = app.isEmpty() ? "{}" : "{\"metadata\":{\"labels\":{\"app\":\"" + app + "\"}}}";
        gangs.pod(name, "low", TestingGangs.running("n1"), labels);
    }

    @ParameterizedTest
    @CsvSource({
        "system-cluster-critical, ns, false",
        "system-node-critical, ns, false",
        "important, ns, true",
        "'', ns, true",
        "'', kube-system, false"
    })
    void whatTheClusterNeedsStays(String priorityClass, String namespace, boolean goes) {
        with("conformance");
        gangs.node("n1", 1)
                .group("low", 0, "{\"metadata\":{\"namespace\":\"" + namespace + "\"}}")
                .pod(
                        "low-0",
                        "low",
                        TestingGangs.running("n1"),
                        "{\"metadata\":{\"namespace\":\"" + namespace + "\"},\"spec\":{\"priorityClassName\":\""
                                + priorityClass + "\"}}")
                .gang("high", 1, HIGH);

        assertThat(gangs.evicted()).isEqualTo(goes ? List.of("low-0") : List.of());
    }

    @Test
    void aBudgetKeepsPods() {
        with("pdb");
        budget("b", "web", 0);
        gangs.node("n1", 2).group("low", 0);
        runs("low-0", "web");
        runs("low-1", "");
        gangs.gang("high", 1, HIGH);

        assertThat(gangs.evicted()).as("who has no labels is kept by nobody").containsExactly("low-1");
    }

    @Test
    void aBudgetThatAllowsMoreIsReasonToLookAgain() {
        with("pdb");
        budget("b", "web", 0);
        gangs.node("n1", 1).group("low", 0);
        runs("low-0", "web");
        gangs.gang("high", 1, HIGH);
        assertThat(gangs.evicted()).isEmpty();

        budget("b", "web", 1);
        assertThat(gangs.evicted()).containsExactly("low-0");
    }

    @Test
    void severalPodsUseABudgetUp() {
        with("pdb");
        budget("b", "web", 1);
        budget("c", "other", 0);
        gangs.node("n1", 3).group("low", 0);
        runs("low-0", "web");
        runs("low-1", "web");
        runs("low-2", "web");
        gangs.gang("high", 2, HIGH).gang("small", 1, HIGH);

        assertThat(gangs.evicted()).as("two would be too many").containsExactly("low-2");
        assertThat(gangs.evicted()).as("the first counts until the API tells").isEmpty();
    }

    @Test
    void allBudgetsOfAPodCount() {
        with("pdb");
        budget("b", "web", 5);
        budget("c", "web", 0);
        gangs.node("n1", 1).group("low", 0);
        runs("low-0", "web");
        gangs.gang("high", 1, HIGH);

        assertThat(gangs.evicted()).isEmpty();
    }

    @Test
    void whoIsCountedAsGoneDoesNotCountAgain() {
        with("pdb");
        budget("b", "web", 0, "low-0");
        gangs.node("n1", 1).group("low", 0);
        runs("low-0", "web");
        gangs.gang("high", 1, HIGH);

        assertThat(gangs.evicted()).containsExactly("low-0");
    }

    @Test
    void aBudgetAlsoHoldsAgainstOtherQueues() {
        with("pdb");
        budget("b", "web", 0);
        gangs.queue("a").queue("b").node("n1", 2).group("low", 0, queued("a"));
        runs("low-0", "web");
        runs("low-1", "web");
        gangs.gang("poor", 1, queued("b"));

        assertThat(gangs.evicted()).isEmpty();
    }

    @Test
    void whoHasJustGotItsPlaceKeepsItForAWhile() {
        with("cdp");
        String young = """
                {"status":{"phase":"Running","conditions":[{"type":"PodScheduled","status":"True","lastTransitionTime":"%s"}]}}""".formatted(gangs.now.minus(Duration.ofMinutes(5)));
        gangs.node("n1", 3)
                .group("low", 0)
                .pod("low-0", "low", TestingGangs.running("n1"), young, label("10m"))
                .pod(
                        "low-1",
                        "low",
                        TestingGangs.running("n1"),
                        young,
                        TestingGangs.annotated("volcano.sh/cooldown-time", "7m"))
                .pod("low-2", "low", TestingGangs.running("n1"), young, label("tomorrow"))
                .gang("first", 1, HIGH);
        assertThat(gangs.evicted()).containsExactly("low-2");

        gangs.gang("second", 1, HIGH);
        assertThat(gangs.evicted()).isEmpty();
        assertThat(gangs.core.nextChange()).isEqualTo(gangs.now.plus(Duration.ofMinutes(2)));

        gangs.now = gangs.now.plus(Duration.ofMinutes(2));
        assertThat(gangs.evicted()).containsExactly("low-1");
    }

    private static String label(String cooldown) {
        return "{\"metadata\":{\"labels\":{\"volcano.sh/cooldown-time\":\"" + cooldown + "\"}}}";
    }
}
