package lavaflow.cluster;

import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.Json;

import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingCluster.NODES;
import static lavaflow.cluster.TestingCluster.named;
import static org.assertj.core.api.Assertions.assertThat;

/** What else every node is given: a range of addresses, and how long secrets may be kept. */
class NodeRangesTest {
    private final TestingNodes nodes = new TestingNodes();
    private final TestingKubeApi api = nodes.api;
    private final TestingCluster cluster = nodes.cluster;

    @Test
    void everyNodeHasARangeOfAddresses() {
        nodes.node("a", node -> Json.ensureObject(node, "spec").put("podCIDR", "10.244.0.0/24"));
        nodes.node("b");
        nodes.node("c");
        assertThat(Json.textAt(api.get(NODES, "", "b"), "spec", "podCIDR")).isEqualTo("10.244.1.0/24");
        assertThat(api.get(NODES, "", "c").at("/spec/podCIDRs/0").asText()).isEqualTo("10.244.2.0/24");
    }

    @Test
    void whenRangesRunOutANodeWaitsForTheNextThatIsFree() {
        for (int i = 0; i < 256; i++) {
            api.create(NODES, "", named("n" + i));
        }
        cluster.settle();
        api.create(NODES, "", named("late"));
        cluster.settle();
        assertThat(Json.textAt(api.get(NODES, "", "late"), "spec", "podCIDR")).isEmpty();
        assertThat(cluster.messages("default")).contains("CIDRNotAvailable: Node late status is now: CIDRNotAvailable");

        String freed = Json.textAt(api.get(NODES, "", "n7"), "spec", "podCIDR");
        api.delete(NODES, "", "n7", KubeApi.Deletion.PLAIN);
        cluster.settle();
        assertThat(Json.textAt(api.get(NODES, "", "late"), "spec", "podCIDR")).isEqualTo(freed);
        assertThat(Json.textAt(api.get(NODES, "", "late"), "metadata", "annotations", "node.alpha.kubernetes.io/ttl"))
                .isEqualTo("15");
        assertThat(Json.textAt(api.get(NODES, "", "n0"), "metadata", "annotations", "node.alpha.kubernetes.io/ttl"))
                .isIn("0", "15");
    }
}
