package lavaflow.scheduler;

import org.junit.jupiter.api.Test;

import static lavaflow.scheduler.TestingCluster.labels;
import static lavaflow.scheduler.TestingCluster.requests;
import static org.assertj.core.api.Assertions.assertThat;

/** Which of the nodes that could take a pod does. */
class ScoreTest {
    private final TestingCluster cluster = new TestingCluster();

    @Test
    void theEmptierNodeWins() {
        cluster.node("n")
                .node("m")
                .running("r", "n", requests("{\"cpu\":\"2\"}"))
                .pod("p");
        assertThat(cluster.outcome()).isEqualTo("m");
    }

    @Test
    void podsWithoutRequestsAreSpreadOverEqualNodes() {
        cluster.node("n").node("m").node("o");
        for (int i = 0; i < 6; i++) {
            cluster.pod("p" + i);
        }
        assertThat(cluster.placements())
                .containsExactly("p0 on n", "p1 on m", "p2 on o", "p3 on n", "p4 on m", "p5 on o");
    }

    @Test
    void likedLabelsCountMoreThanRoom() {
        cluster.node("n", "{\"metadata\":{\"labels\":{\"disk\":\"ssd\"}}}")
                .node("m")
                .running("r", "n", requests("{\"cpu\":\"2\"}"));
        cluster.pod("p", """
                {"spec":{"affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":10,
                "preference":{"matchExpressions":[{"key":"disk","operator":"In","values":["ssd"]}]}}]}}}}""");
        assertThat(cluster.outcome()).isEqualTo("n");
    }

    @Test
    void nodesThatAskToBeAvoidedAre() {
        cluster.node("n", "{\"spec\":{\"taints\":[{\"key\":\"old\",\"effect\":\"PreferNoSchedule\"}]}}")
                .node("m")
                .running("r", "m", requests("{\"cpu\":\"2\"}"))
                .pod("p");
        assertThat(cluster.outcome()).isEqualTo("m");
    }

    @Test
    void likedNeighboursAttractAndDislikedOnesRepel() {
        cluster.node("n").node("m").running("r", "n", labels("db"));
        String likes = """
                {"spec":{"affinity":{"podAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":100,
                "podAffinityTerm":{"labelSelector":{"matchLabels":{"app":"db"}},"topologyKey":"kubernetes.io/hostname"}}]}}}}""";
        assertThat(cluster.pod("p", likes).outcome()).isEqualTo("n");
        assertThat(cluster.pod("q", likes.replace("podAffinity\"", "podAntiAffinity\""))
                        .outcome())
                .isEqualTo("m");
    }

    @Test
    void softSpreadPrefersTheLessCrowdedPlace() {
        cluster.node("n")
                .node("m", "{\"metadata\":{\"labels\":{\"zone\":\"b\"}}}")
                .running("r", "n", labels("web"))
                .running("s", "n", labels("web"))
                .running("t", "m", requests("{\"cpu\":\"1\"}"));
        cluster.pod("p", labels("web"), """
                {"spec":{"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"ScheduleAnyway",
                "labelSelector":{"matchLabels":{"app":"web"}}}]}}""");
        assertThat(cluster.outcome()).isEqualTo("m");
    }
}
