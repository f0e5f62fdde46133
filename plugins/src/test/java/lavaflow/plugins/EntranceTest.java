package lavaflow.plugins;

import java.time.Duration;
import java.util.List;

import lavaflow.gang.Surroundings.Quota;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static lavaflow.plugins.TestingGangs.annotated;
import static lavaflow.plugins.TestingGangs.json;
import static lavaflow.plugins.TestingGangs.queued;
import static lavaflow.plugins.TestingGangs.spec;
import static org.assertj.core.api.Assertions.assertThat;

/** Which gangs are let into their queues: overcommit, proportion, sla and resourcequota. */
class EntranceTest {
    private final TestingGangs gangs = new TestingGangs();

    private TestingGangs with(String... plugins) {
        StringBuilder file = new StringBuilder("actions: \"enqueue, allocate\"\ntiers:\n- plugins:\n");
        for (String plugin : plugins) {
            file.append("  - name: ").append(plugin).append('\n');
        }
        return gangs.configured(file.toString());
    }

    // ---- overcommit ----

    @ParameterizedTest
    @CsvSource({"1.2, 12", "1.0, 10", "2, 20", "0.5, 12", "'\"3\"', 12", "1.55, 15"})
    void asManyAreLetInAsTheFactorAllows(String factor, int expected) {
        with("overcommit\n    arguments: {overcommit-factor: " + factor + "}").node("n1", 10);
        for (int i = 0; i < 25; i++) {
            gangs.waiting("g" + i, "{\"cpu\":\"1\"}");
        }

        assertThat(gangs.letIn()).hasSize(expected);
    }

    @Test
    void whatIsUsedAndWhatWasPromisedCounts() {
        with("overcommit").node("n1", 10).runs("r", 1, 6, "n1").waiting("a", "{\"cpu\":\"4\"}");
        assertThat(gangs.letIn()).containsExactly("a");

        gangs.waiting("b", "{\"cpu\":\"3\"}");
        assertThat(gangs.letIn()).isEmpty();
        assertThat(gangs.entrance("overcommit", "b")).isEqualTo("NO: resource in cluster is overused: overused cpu");
    }

    @Test
    void onlyWhatIsAskedForCounts() {
        with("overcommit").node("n1", 2).runs("r", 1, 3, "n1").waiting("m", "{\"memory\":\"1Gi\"}");

        assertThat(gangs.letIn()).containsExactly("m");
    }

    @Test
    void whoSaysNothingIsLetIn() {
        with("overcommit").group("g", 1, "{\"status\":{\"phase\":\"Pending\"}}");

        assertThat(gangs.letIn()).containsExactly("g");
    }

    // ---- proportion ----

    @Test
    void aQueueLetsInWhatItMayHave() {
        with("proportion")
                .node("n1", 10)
                .queue("a", spec("{\"capability\":{\"cpu\":\"3\"}}"))
                .waiting("g0", "{\"cpu\":\"2\"}", queued("a"))
                .waiting("g1", "{\"cpu\":\"2\"}", queued("a"))
                .waiting("g2", "{\"cpu\":\"1\"}", queued("a"));

        assertThat(gangs.letIn())
                .as("one that does not fit does not hold others up")
                .containsExactly("g0", "g2");
        assertThat(gangs.entrance("proportion", "g1"))
                .isEqualTo("NO: queue resource quota insufficient: insufficient cpu");
    }

    @Test
    void whatAGangHasBeyondItsMinimumDoesNotCount() {
        with("gang", "proportion")
                .node("n1", 10)
                .queue("a", spec("{\"capability\":{\"cpu\":\"4\"}}"))
                .runs(
                        "elastic",
                        1,
                        3,
                        "n1",
                        queued("a"),
                        "{\"spec\":{\"minResources\":{\"cpu\":\"1\"}},\"status\":{\"phase\":\"Running\"}}")
                .waiting("g", "{\"cpu\":\"3\"}", queued("a"));

        assertThat(gangs.letIn()).containsExactly("g");
    }

    @Test
    void whatAGangHasThatNamedNoMinimumDoesNotCountEither() {
        with("gang", "proportion")
                .node("n1", 10)
                .queue("a", spec("{\"capability\":{\"cpu\":\"4\"}}"))
                .runs("silent", 1, 3, "n1", queued("a"), "{\"status\":{\"phase\":\"Running\"}}")
                .waiting("g", "{\"cpu\":\"3\"}", queued("a"));

        assertThat(gangs.letIn()).containsExactly("g");
    }

    @Test
    void podsThatMayNotBePlacedYetAreNotWaitedFor() {
        with("overcommit")
                .node("n1", 2)
                .group("gated", 1, "{\"spec\":{\"minResources\":{\"cpu\":\"2\"}}}")
                .pod("gated-0", "gated", spec("{\"schedulingGates\":[{\"name\":\"later\"}]}"))
                .pod("gated-1", "gated", spec("{\"schedulingGates\":[{\"name\":\"later\"}]}"))
                .waiting("g", "{\"cpu\":\"2\"}");

        assertThat(gangs.letIn()).containsExactly("g");
    }

    @Test
    void aClosedQueueLetsNobodyIn() {
        with("proportion")
                .node("n1", 10)
                .queue("a", "{\"status\":{\"state\":\"Closing\"}}")
                .waiting("g", "{\"cpu\":\"1\"}", queued("a"));

        assertThat(gangs.letIn()).isEmpty();
    }

    // ---- sla ----

    @Test
    void whoHasToBeServedSoonestComesFirst() {
        with("sla\n    arguments: {sla-waiting-time: 3h}", "overcommit")
                .node("n1", 1)
                .waiting("usual", "{\"cpu\":\"1\"}")
                .waiting("never", "{\"cpu\":\"1\"}", annotated("sla-waiting-time", "-1h"))
                .waiting("soon", "{\"cpu\":\"1\"}", annotated("volcano.sh/sla-waiting-time", "90m"));
        gangs.now = gangs.now.minus(Duration.ofHours(11));

        assertThat(gangs.letIn()).containsExactly("soon");
    }

    @Test
    void whoHasWaitedLongEnoughIsLetIn() {
        gangs.configured("""
                actions: "enqueue"
                tiers:
                - plugins:
                  - name: sla
                    arguments: {sla-waiting-time: 1h30m}
                - plugins:
                  - name: overcommit
                """);
        gangs.node("n1", 1).waiting("large", "{\"cpu\":\"5\"}");
        gangs.now = gangs.gangNamed("large").spec().created().plus(Duration.ofMinutes(89));
        assertThat(gangs.letIn()).isEmpty();
        assertThat(gangs.core.nextChange())
                .isEqualTo(gangs.gangNamed("large").spec().created().plus(Duration.ofMinutes(90)));

        gangs.now = gangs.now.plus(Duration.ofMinutes(1));
        assertThat(gangs.letIn()).containsExactly("large");
        assertThat(gangs.core.nextChange()).isNull();
    }

    @Test
    void aRefusalInTheSameTierStillCounts() {
        with("sla\n    arguments: {sla-waiting-time: 1s}", "overcommit")
                .node("n1", 1)
                .waiting("large", "{\"cpu\":\"5\"}");

        assertThat(gangs.letIn()).isEmpty();
    }

    // ---- resourcequota ----

    private static Quota quota(String hard, String used) {
        return Quota.of(json("{\"metadata\":{\"namespace\":\"ns\",\"name\":\"q\"},\"status\":{\"hard\":" + hard
                + ",\"used\":" + used + "}}"));
    }

    @Test
    void quotasCountWithWhatIsLetInInTheSameRound() {
        with("resourcequota");
        gangs.core
                .surroundings()
                .put(quota("{\"cpu\":\"3\",\"requests.cpu\":\"2500m\"}", "{\"requests.cpu\":\"500m\"}"));
        gangs.waiting("a", "{\"cpu\":\"1\",\"requests.cpu\":\"1\"}")
                .waiting("b", "{\"cpu\":\"1\",\"requests.cpu\":\"1500m\"}")
                .waiting("c", "{\"cpu\":\"1\",\"requests.cpu\":\"1\"}");

        assertThat(gangs.letIn()).containsExactly("a", "c");
        assertThat(gangs.entrance("resourcequota", "b"))
                .isEqualTo(
                        "NO: resource quota insufficient, requested: {requests.cpu=1500m}, used: {requests.cpu=2500m},"
                                + " limited: {requests.cpu=2500m}");
    }

    @Test
    void whatAQuotaDoesNotNameIsFree() {
        with("resourcequota");
        gangs.core.surroundings().put(quota("{\"memory\":\"1Gi\"}", "{}"));
        gangs.waiting("a", "{\"cpu\":\"100\"}").waiting("b", "{\"memory\":\"2Gi\"}");

        assertThat(gangs.letIn()).containsExactly("a");
        gangs.core.surroundings().removeQuota("ns", "q");
        assertThat(gangs.letIn()).containsExactly("b");
    }

    @Test
    void aQuotaOfAnotherNamespaceDoesNotCount() {
        with("resourcequota");
        gangs.core
                .surroundings()
                .put(
                        Quota.of(
                                json(
                                        "{\"metadata\":{\"namespace\":\"other\",\"name\":\"q\"},\"status\":{\"hard\":{\"cpu\":\"0\"}}}")));
        gangs.waiting("a", "{\"cpu\":\"100\"}");

        assertThat(gangs.letIn()).isEqualTo(List.of("a"));
    }

    // ---- together ----

    @Test
    void whoeverRefusesDecides() {
        with("proportion", "resourcequota", "overcommit").node("n1", 10);
        gangs.core.surroundings().put(quota("{\"cpu\":\"6\"}", "{}"));
        gangs.queue("a", spec("{\"capability\":{\"cpu\":\"2\"}}"))
                .waiting("a0", "{\"cpu\":\"3\"}", queued("a"))
                .waiting("a1", "{\"cpu\":\"2\"}", queued("a"))
                .waiting("d0", "{\"cpu\":\"3\"}")
                .waiting("d1", "{\"cpu\":\"4\"}");

        assertThat(gangs.letIn()).containsExactlyInAnyOrder("d0", "a1");
    }
}
