package lavaflow.scheduler;

import java.time.Duration;
import java.util.Random;

import lavaflow.placement.ClusterState;
import lavaflow.placement.NodeTable;
import lavaflow.placement.PodClass;
import lavaflow.placement.ScheduledPod;

import org.junit.jupiter.api.Test;

import static lavaflow.scheduler.TestingCluster.podObject;
import static lavaflow.scheduler.TestingCluster.requests;
import static org.assertj.core.api.Assertions.assertThat;

/** Remembering the order of nodes gives the same answers as looking at all of them. */
class RankingTest {
    private final TestingCluster cluster = new TestingCluster();
    private final Random random = new Random(7);

    private int bestOfAll(PodClass type) {
        NodeTable nodes = cluster.core.state().nodes();
        int best = -1;
        for (int slot = 0; slot < nodes.slots(); slot++) {
            boolean fits = nodes.isKnown(slot) && type.choice.refusal(nodes, slot) == null && nodes.hasRoom(type, slot);
            if (fits && (best < 0 || nodes.rank(type, slot) > nodes.rank(type, best))) {
                best = slot;
            }
        }
        return best;
    }

    @Test
    void theBestIsTheBestWhateverHappened() {
        ClusterState state = cluster.core.state();
        PodClass small = state.retain(
                ScheduledPod.of(podObject("s", requests("{\"cpu\":\"1\"}"))).key());
        PodClass large = state.retain(ScheduledPod.of(podObject("l", requests("{\"cpu\":\"2\",\"memory\":\"3Gi\"}")))
                .key());
        for (int i = 0; i < 3000; i++) {
            int some = random.nextInt(40);
            switch (random.nextInt(6)) {
                case 0 ->
                    cluster.node(
                            "n" + random.nextInt(12), "{\"spec\":{\"unschedulable\":" + random.nextBoolean() + "}}");
                case 1 -> cluster.core.onNodeGone("n" + random.nextInt(12), cluster.now);
                case 2, 3 ->
                    cluster.running(
                            "p" + some, "n" + random.nextInt(12), requests("{\"cpu\":\"" + (1 + some % 2) + "\"}"));
                default -> cluster.gone("p" + some);
            }
            assertThat(state.ranking(small).best(state.nodes())).isEqualTo(bestOfAll(small));
            if (i % 3 == 0) {
                assertThat(state.ranking(large).best(state.nodes())).isEqualTo(bestOfAll(large));
            }
        }
    }

    @Test
    void manyPodsOnManyNodesAreSpread() {
        for (int i = 0; i < 300; i++) {
            cluster.node("n" + i);
        }
        for (int i = 0; i < 1500; i++) {
            cluster.pod("p" + i, requests("{\"cpu\":\"100m\"}"));
        }
        assertThat(cluster.placements()).hasSize(1500);
        NodeTable nodes = cluster.core.state().nodes();
        for (int slot = 0; slot < nodes.slots(); slot++) {
            assertThat(nodes.pods(slot)).hasSize(5);
        }
        assertThat(cluster.later(Duration.ofMinutes(1)).decide()).isEmpty();
    }
}
