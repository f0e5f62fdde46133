package lavaflow.cluster;

import java.time.Duration;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingCluster.PODS;
import static lavaflow.cluster.TestingNodes.FOREVER;
import static lavaflow.cluster.TestingNodes.toleration;
import static org.assertj.core.api.Assertions.assertThat;

/** When pods leave nodes that are tainted. */
class TaintEvictionTest {
    private final TestingNodes nodes = new TestingNodes();
    private final TestingCluster cluster = nodes.cluster;

    @Test
    void podsLeaveATaintedNodeAsTheyTolerateIt() {
        nodes.node("a");
        nodes.pod("none", "a");
        nodes.pod("briefly", "a", toleration("evil", 60));
        nodes.pod("ever", "a", FOREVER);
        nodes.taint("a", "evil");

        assertThat(nodes.isGoing("none")).isTrue();
        JsonNode why = nodes.condition(PODS, "team", "none", "DisruptionTarget");
        assertThat(Json.textAt(why, "reason")).isEqualTo("DeletionByTaintManager");
        assertThat(Json.textAt(why, "message")).isEqualTo("Taint manager: deleting due to NoExecute taint");
        assertThat(Json.longAt(why, 0, "observedGeneration")).isEqualTo(1);
        assertThat(cluster.messages("team"))
                .containsExactly("TaintManagerEviction: Marking for deletion Pod team/none");
        assertThat(nodes.isGoing("briefly")).isFalse();

        nodes.pass(Duration.ofSeconds(61), "a");
        assertThat(nodes.isGoing("briefly")).isTrue();
        assertThat(nodes.isGoing("ever")).isFalse();
    }

    @Test
    void aTaintThatGoesInTimeSparesThePod() {
        nodes.node("a");
        nodes.pod("briefly", "a", toleration("evil", 60));
        nodes.taint("a", "evil");
        nodes.pass(Duration.ofSeconds(30), "a");
        nodes.edit("a", node -> Json.ensureObject(node, "spec").remove("taints"));
        nodes.pass(Duration.ofSeconds(60), "a");

        assertThat(nodes.isGoing("briefly")).isFalse();
        assertThat(cluster.messages("team"))
                .containsExactly("TaintManagerEviction: Cancelling deletion of Pod team/briefly");
    }

    @Test
    void aPodThatArrivesOnATaintedNodeLeavesAtOnce() {
        nodes.node("a");
        nodes.taint("a", "evil");
        nodes.pod("late", "a");

        assertThat(nodes.isGoing("late")).isTrue();
    }

    @Test
    void theShortestPatienceCounts() {
        assertThat(TaintEviction.patience(
                        List.of(NodeState.Taint.noExecute("x"), NodeState.Taint.noExecute("y")),
                        List.of(
                                NodePod.Toleration.of(Json.parse(toleration("x", 30))),
                                NodePod.Toleration.of(Json.parse(toleration("y", 20))))))
                .isEqualTo(Duration.ofSeconds(20));
    }
}
