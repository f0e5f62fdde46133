package lavaflow.cluster;

import java.time.Duration;

import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingCluster.NODES;
import static lavaflow.cluster.TestingCluster.PODS;
import static lavaflow.cluster.TestingCluster.named;
import static lavaflow.cluster.TestingNodes.FOREVER;
import static lavaflow.cluster.TestingNodes.GRACE;
import static org.assertj.core.api.Assertions.assertThat;

/** What is told of nodes that fail and recover. */
class NodeLifecycleTest {
    private final TestingNodes nodes = new TestingNodes();
    private final TestingKubeApi api = nodes.api;
    private final TestingCluster cluster = nodes.cluster;

    // ---- silence

    @Test
    void aNodeThatFallsSilentIsUnknownAndUnreachable() {
        nodes.node("a");
        nodes.node("b");
        nodes.pod("p", "b", FOREVER);
        nodes.pass(GRACE, "a");

        JsonNode ready = nodes.condition(NODES, "", "b", "Ready");
        assertThat(Json.textAt(ready, "status")).isEqualTo("Unknown");
        assertThat(Json.textAt(ready, "reason")).isEqualTo("NodeStatusUnknown");
        assertThat(Json.textAt(ready, "message")).isEqualTo("Kubelet stopped posting node status.");
        JsonNode pressure = nodes.condition(NODES, "", "b", "PIDPressure");
        assertThat(Json.textAt(pressure, "reason")).isEqualTo("NodeStatusNeverUpdated");
        assertThat(Json.textAt(pressure, "message")).isEqualTo("Kubelet never posted node status.");
        assertThat(nodes.taints("b")).containsExactly("unreachable:NoExecute", "unreachable:NoSchedule");
        assertThat(nodes.taints("a")).isEmpty();
        assertThat(Json.textAt(nodes.condition(PODS, "team", "p", "Ready"), "status"))
                .isEqualTo("False");
        assertThat(cluster.messages("team")).containsExactly("NodeNotReady: Node is not ready");
        assertThat(cluster.messages("default"))
                .contains(
                        "RegisteredNode: Node b event: Registered Node b in Controller",
                        "NodeNotReady: Node b status is now: NodeNotReady");
    }

    @Test
    void aNodeWhoseLeaseIsRenewedIsNotSilentAndCostsNoRequest() {
        nodes.node("a");
        nodes.node("b");
        cluster.pass(Duration.ofSeconds(5));
        nodes.pass(Duration.ofSeconds(20), "a", "b");
        api.takeWrites();

        cluster.pass(Duration.ofSeconds(5));
        cluster.pass(Duration.ofSeconds(5));

        assertThat(api.requestCount()).isZero();
        nodes.pass(GRACE, "a", "b");
        assertThat(nodes.taints("a")).isEmpty();
        assertThat(nodes.taints("b")).isEmpty();
    }

    @Test
    void aStatusThatIsPostedCountsAsALeaseDoes() {
        nodes.node("a");
        nodes.node("b");
        nodes.pass(Duration.ofSeconds(40), "a");
        nodes.edit(
                "b",
                node -> ((ObjectNode) node.at("/status/conditions/0"))
                        .put("lastHeartbeatTime", "2031-01-01T00:00:00Z"));
        nodes.pass(Duration.ofSeconds(40), "a");

        assertThat(nodes.taints("b")).isEmpty();
    }

    @Test
    void aNodeThatComesBackLosesItsTaints() {
        nodes.node("a");
        nodes.node("b");
        nodes.pass(GRACE, "a");
        assertThat(nodes.taints("b")).hasSize(2);

        nodes.edit("b", node -> {
            Json.ensureObject(node, "status").remove("conditions");
            nodes.condition(node, "Ready", "True");
        });
        nodes.renew("b");
        nodes.pass(Duration.ofSeconds(5), "a", "b");

        assertThat(nodes.taints("b")).isEmpty();
    }

    @Test
    void aNodeThatNeverReportedHasAMinute() {
        nodes.node("a");
        api.create(NODES, "", named("young"));
        nodes.pass(Duration.ofSeconds(55), "a");
        assertThat(nodes.taints("young")).isEmpty();

        nodes.pass(Duration.ofSeconds(15), "a");
        assertThat(Json.textAt(nodes.condition(NODES, "", "young", "Ready"), "reason"))
                .isEqualTo("NodeStatusNeverUpdated");
        assertThat(nodes.taints("young")).containsExactly("unreachable:NoExecute", "unreachable:NoSchedule");
    }

    // ---- taints

    @Test
    void conditionsBecomeTaintsAndTaintsGoWithThem() {
        nodes.node("a", node -> {
            nodes.condition(node, "MemoryPressure", "True");
            nodes.condition(node, "DiskPressure", "True");
            nodes.condition(node, "PIDPressure", "True");
            nodes.condition(node, "NetworkUnavailable", "True");
            Json.ensureObject(node, "spec")
                    .put("unschedulable", true)
                    .putArray("taints")
                    .addObject()
                    .put("key", "mine")
                    .put("effect", "NoSchedule");
        });
        assertThat(nodes.taints("a"))
                .containsExactly(
                        "disk-pressure:NoSchedule",
                        "memory-pressure:NoSchedule",
                        "mine:NoSchedule",
                        "network-unavailable:NoSchedule",
                        "pid-pressure:NoSchedule",
                        "unschedulable:NoSchedule");

        nodes.edit("a", node -> {
            Json.ensureObject(node, "status").remove("conditions");
            nodes.condition(node, "Ready", "True");
            Json.ensureObject(node, "spec").remove("unschedulable");
        });
        assertThat(nodes.taints("a")).containsExactly("mine:NoSchedule");
    }

    @Test
    void aNodeThatSaysItIsNotReadyIsTaintedAsSuchAndUnreachableOnceItIsSilent() {
        nodes.node("a");
        nodes.node("b", node -> ((ObjectNode) node.at("/status/conditions/0")).put("status", "False"));
        nodes.pass(Duration.ofSeconds(6), "a", "b");
        assertThat(nodes.taints("b")).containsExactly("not-ready:NoExecute", "not-ready:NoSchedule");

        nodes.pass(GRACE.plusSeconds(10), "a");
        assertThat(nodes.taints("b")).containsExactly("unreachable:NoExecute", "unreachable:NoSchedule");
    }

    @Test
    void betaLabelsFollowTheStableOnes() {
        nodes.node(
                "a",
                node -> Json.ensureObject(node, "metadata", "labels")
                        .put("kubernetes.io/os", "linux")
                        .put("kubernetes.io/arch", "arm64")
                        .put("beta.kubernetes.io/arch", "wrong"));

        JsonNode labels = api.get(NODES, "", "a").path("metadata").path("labels");
        assertThat(Json.textAt(labels, "beta.kubernetes.io/os")).isEqualTo("linux");
        assertThat(Json.textAt(labels, "beta.kubernetes.io/arch")).isEqualTo("arm64");
    }
}
