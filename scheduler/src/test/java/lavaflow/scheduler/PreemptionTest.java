package lavaflow.scheduler;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import lavaflow.kube.LabelSelector;
import lavaflow.placement.DisruptionBudget;

import org.junit.jupiter.api.Test;

import static lavaflow.scheduler.TestingCluster.json;
import static lavaflow.scheduler.TestingCluster.labels;
import static lavaflow.scheduler.TestingCluster.priority;
import static lavaflow.scheduler.TestingCluster.requests;
import static org.assertj.core.api.Assertions.assertThat;

/** Important pods make room for themselves. */
class PreemptionTest {
    private static final String BIG = requests("{\"cpu\":\"3\"}");

    private final TestingCluster cluster = new TestingCluster();

    private List<String> victims() {
        return cluster.decide().stream()
                .filter(Action.Evict.class::isInstance)
                .map(action -> ((Action.Evict) action).victim().name())
                .toList();
    }

    @Test
    void lessImportantPodsGoAndTheNodeIsKeptForThePod() {
        cluster.node("n").running("r", "n", BIG).pod("p", BIG, priority(10));
        List<Action> actions = cluster.decide();
        assertThat(actions).hasSize(2);
        assertThat(actions.getFirst()).isInstanceOfSatisfying(Action.Evict.class, evict -> {
            assertThat(evict.victim().name()).isEqualTo("r");
            assertThat(evict.node()).isEqualTo("n");
        });
        assertThat(actions.getLast()).isInstanceOfSatisfying(Action.Refuse.class, refuse -> {
            assertThat(refuse.message()).isEqualTo("0/1 nodes are available: 1 Insufficient cpu.");
            assertThat(refuse.nominated()).isEqualTo("n");
        });
        cluster.later(Duration.ofSeconds(2)).gone("r");
        assertThat(cluster.placements()).containsExactly("p on n");
    }

    @Test
    void equallyImportantPodsStay() {
        cluster.node("n").running("r", "n", BIG, priority(10)).pod("p", BIG, priority(10));
        assertThat(victims()).isEmpty();
    }

    @Test
    void aPodMayForbidItself() {
        cluster.node("n")
                .running("r", "n", BIG)
                .pod("p", BIG, priority(10), "{\"spec\":{\"preemptionPolicy\":\"Never\"}}");
        assertThat(cluster.outcome())
                .isEqualTo("0/1 nodes are available: 1 Insufficient cpu."
                        + " no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.");
    }

    @Test
    void asFewAsPossibleGo() {
        cluster.node("n")
                .running("small", "n", requests("{\"cpu\":\"1\"}"), priority(1))
                .running("big", "n", BIG)
                .pod("p", requests("{\"cpu\":\"2\"}"), priority(10));
        assertThat(victims()).containsExactly("big");
    }

    @Test
    void theNodeWithTheLeastImportantVictimsIsChosen() {
        cluster.node("n")
                .node("m")
                .running("r", "n", BIG, priority(5))
                .running("s", "m", BIG, priority(1))
                .pod("p", BIG, priority(10));
        assertThat(victims()).containsExactly("s");
    }

    @Test
    void budgetsAreKeptWherePossible() {
        cluster.node("n")
                .node("m")
                .running("r", "n", BIG, labels("web"))
                .running("s", "m", BIG, priority(5))
                .with(state -> state.putBudget(
                        "default/web",
                        new DisruptionBudget(
                                "default",
                                LabelSelector.fromJson(json("{\"matchLabels\":{\"app\":\"web\"}}")),
                                0,
                                Set.of())))
                .pod("p", BIG, priority(10));
        assertThat(victims()).containsExactly("s");
    }

    @Test
    void aBudgetDoesNotSaveTheLastChoice() {
        cluster.node("n")
                .running("r", "n", BIG, labels("web"))
                .with(state -> state.putBudget(
                        "default/web",
                        new DisruptionBudget(
                                "default",
                                LabelSelector.fromJson(json("{\"matchLabels\":{\"app\":\"web\"}}")),
                                0,
                                Set.of())))
                .pod("p", BIG, priority(10));
        assertThat(victims()).containsExactly("r");
    }

    @Test
    void theRoomIsNotGivenToLessImportantPods() {
        cluster.node("n").running("r", "n", BIG).pod("p", BIG, priority(10));
        assertThat(victims()).containsExactly("r");
        cluster.gone("r").pod("q", BIG, priority(5));
        assertThat(cluster.placements()).isEmpty();
        cluster.later(Duration.ofSeconds(2));
        assertThat(cluster.placements()).containsExactly("p on n");
    }

    @Test
    void whileVictimsEndNoMoreAreChosen() {
        cluster.node("n")
                .node("m")
                .running("r", "n", BIG)
                .running("s", "m", BIG)
                .pod("p", BIG, priority(10));
        assertThat(victims()).hasSize(1);
        cluster.running("r", "n", BIG, "{\"metadata\":{\"deletionTimestamp\":\"2026-11-15T12:00:30Z\"}}")
                .later(Duration.ofSeconds(2))
                .node("m", "{\"metadata\":{\"labels\":{\"new\":\"label\"}}}");
        assertThat(victims()).isEmpty();
    }

    @Test
    void neighboursThatKeepItAwayGoToo() {
        cluster.node("n").running("r", "n", labels("web")).pod("p", priority(10), """
                {"spec":{"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[
                {"labelSelector":{"matchLabels":{"app":"web"}},"topologyKey":"kubernetes.io/hostname"}]}}}}""");
        assertThat(victims()).containsExactly("r");
    }
}
