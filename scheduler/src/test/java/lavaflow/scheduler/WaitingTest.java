package lavaflow.scheduler;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static lavaflow.scheduler.TestingCluster.labels;
import static lavaflow.scheduler.TestingCluster.priority;
import static lavaflow.scheduler.TestingCluster.requests;
import static org.assertj.core.api.Assertions.assertThat;

/** Who waits, for what, and for how long. */
class WaitingTest {
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final String BIG = requests("{\"cpu\":\"3\"}");

    private final TestingCluster cluster = new TestingCluster();

    @Test
    void importantPodsComeFirstThenThoseThatWaitedLongest() {
        cluster.pod("a").pod("b").pod("c", priority(5)).node("n");
        assertThat(cluster.placements()).containsExactly("c on n", "a on n", "b on n");
    }

    @Test
    void aNewNodeWakesWhoWaited() {
        assertThat(cluster.pod("p").placements()).isEmpty();
        cluster.later(PAUSE).node("n");
        assertThat(cluster.placements()).containsExactly("p on n");
    }

    @Test
    void whoFailedLatelyWaitsALittle() {
        assertThat(cluster.pod("p").placements()).isEmpty();
        cluster.node("n");
        assertThat(cluster.placements()).isEmpty();
        assertThat(cluster.core.nextDue()).isEqualTo(cluster.now.plus(PAUSE));
        assertThat(cluster.later(PAUSE).placements()).containsExactly("p on n");
    }

    @Test
    void changesThatCannotHelpWakeNobody() {
        cluster.node("n").running("r", "n", BIG).pod("p", BIG);
        assertThat(cluster.placements()).isEmpty();
        cluster.later(PAUSE).node("n", "{\"metadata\":{\"labels\":{\"new\":\"label\"}}}");
        assertThat(cluster.core.next(cluster.now)).isNull();
        assertThat(cluster.core.nextDue()).isNull();
    }

    @Test
    void aPodThatGoesWakesWhoFitsNow() {
        cluster.node("n").running("r", "n", BIG).pod("p", BIG);
        assertThat(cluster.placements()).isEmpty();
        assertThat(cluster.later(PAUSE).gone("r").placements()).containsExactly("p on n");
    }

    @Test
    void aTaintThatGoesWakesWhoItKeptOff() {
        cluster.node("n", "{\"spec\":{\"taints\":[{\"key\":\"k\",\"effect\":\"NoSchedule\"}]}}")
                .pod("p");
        assertThat(cluster.placements()).isEmpty();
        assertThat(cluster.later(PAUSE).node("n").placements()).containsExactly("p on n");
    }

    @Test
    void aNeighbourThatComesWakesWhoMustBeNear() {
        cluster.node("n").pod("p", """
                {"spec":{"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[
                {"labelSelector":{"matchLabels":{"app":"db"}},"topologyKey":"zone"}]}}}}""");
        assertThat(cluster.placements()).isEmpty();
        cluster.later(PAUSE).running("r", "n", labels("db"));
        assertThat(cluster.placements()).containsExactly("p on n");
    }

    @Test
    void whatHoldsForOnePodHoldsForThoseLikeItOnly() {
        cluster.node("n").running("r", "n", BIG);
        cluster.pod("shy", BIG, priority(5), "{\"spec\":{\"preemptionPolicy\":\"Never\"}}")
                .pod("bold", BIG, priority(5));
        assertThat(cluster.decide())
                .anySatisfy(action -> assertThat(action)
                        .isInstanceOfSatisfying(
                                Action.Evict.class,
                                evict -> assertThat(evict.by().name()).isEqualTo("bold")));
    }

    @Test
    void heartbeatsChangeNothing() {
        cluster.node("n").running("r", "n", BIG).pod("p", BIG);
        assertThat(cluster.placements()).isEmpty();
        long version = cluster.core.state().version();
        cluster.later(PAUSE).node("n");
        assertThat(cluster.core.state().version()).isEqualTo(version);
        assertThat(cluster.placements()).isEmpty();
    }

    @Test
    void aPodThatChangesItselfIsTriedAgain() {
        cluster.node("n", "{\"spec\":{\"taints\":[{\"key\":\"k\",\"effect\":\"NoSchedule\"}]}}")
                .pod("p");
        assertThat(cluster.placements()).isEmpty();
        cluster.pod("p", "{\"spec\":{\"tolerations\":[{\"operator\":\"Exists\"}]}}");
        assertThat(cluster.placements()).containsExactly("p on n");
    }

    @Test
    void whatCouldNotBeBoundIsTriedAgain() {
        cluster.node("n", "{\"status\":{\"allocatable\":{\"pods\":\"1\"}}}").pod("p");
        assertThat(cluster.placements()).containsExactly("p on n");
        cluster.core.onBindingFailed("uid-p", cluster.now);
        assertThat(cluster.placements()).isEmpty();
        assertThat(cluster.later(PAUSE).placements()).containsExactly("p on n");
    }

    @Test
    void roomIsTakenBeforeTheBindingIsSeen() {
        cluster.node("n", "{\"status\":{\"allocatable\":{\"pods\":\"1\"}}}")
                .pod("p")
                .pod("q");
        assertThat(cluster.placements()).containsExactly("p on n");
        // An older look at the pod does not give the room back.
        cluster.later(PAUSE).pod("p", "{\"metadata\":{\"annotations\":{\"a\":\"b\"}}}");
        assertThat(cluster.placements()).isEmpty();
    }

    @Test
    void nothingIsKeptOfPodsThatAreGone() {
        cluster.node("n").pod("p", labels("web")).pod("q", labels("db"));
        cluster.decide();
        cluster.gone("p").gone("q");
        assertThat(cluster.core.state().classCount()).isZero();
    }
}
