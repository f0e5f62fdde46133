package lavaflow.cluster;

import java.time.Duration;
import java.util.stream.IntStream;

import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingCluster.NODES;
import static lavaflow.cluster.TestingCluster.PODS;
import static lavaflow.cluster.TestingNodes.FOREVER;
import static lavaflow.cluster.TestingNodes.GRACE;
import static org.assertj.core.api.Assertions.assertThat;

/** Pods nobody will end are removed. */
class PodGarbageTest {
    private final TestingNodes nodes = new TestingNodes();
    private final TestingCluster cluster = nodes.cluster;
    private final TestingKubeApi api = nodes.api;

    @Test
    void podsOfANodeThatIsGoneAreFailedAndRemoved() {
        nodes.node("a");
        nodes.pod("p", "a");
        api.edit(PODS, "team", "p", pod -> TestingCluster.withFinalizers(pod, "example.com/wait"));
        nodes.pass(Duration.ofSeconds(5), "a");
        api.delete(NODES, "", "a", KubeApi.Deletion.PLAIN);
        nodes.pass(Duration.ofSeconds(30));
        assertThat(nodes.isGoing("p")).isFalse();

        nodes.pass(Duration.ofSeconds(35));
        assertThat(nodes.isGoing("p")).isTrue();
        assertThat(Json.textAt(api.get(PODS, "team", "p"), "status", "phase")).isEqualTo("Failed");
        JsonNode why = nodes.condition(PODS, "team", "p", "DisruptionTarget");
        assertThat(Json.textAt(why, "reason")).isEqualTo("DeletionByPodGC");
        assertThat(Json.textAt(why, "message")).isEqualTo("PodGC: node no longer exists");
        assertThat(cluster.messages("default")).contains("RemovingNode: Node a event: Removing Node a from Controller");
    }

    @Test
    void ofPodsThatEndedTheOldestGoWhenThereAreTooMany() {
        nodes.node("a");
        for (int i = 0; i < 5; i++) {
            nodes.pod("p" + i, "a");
            int number = i;
            api.edit(PODS, "team", "p" + i, pod -> {
                Json.ensureObject(pod, "status").put("phase", number == 4 ? "Failed" : "Succeeded");
                if (number == 4) {
                    Json.ensureObject(pod, "status").put("reason", "Evicted");
                }
                return pod;
            });
        }
        nodes.pass(Duration.ofSeconds(20), "a");

        assertThat(IntStream.range(0, 5).filter(i -> nodes.isGoing("p" + i))).containsExactly(0, 4);
    }

    @Test
    void aDeletedPodOfANodeOutOfServiceGoes() {
        nodes.node("a");
        nodes.node("b");
        nodes.pod("p", "b", FOREVER);
        api.delete(PODS, "team", "p", KubeApi.Deletion.PLAIN);
        nodes.pass(GRACE, "a");
        assertThat(api.has(PODS, "team", "p")).isTrue();

        nodes.edit(
                "b",
                node -> Json.ensureObject(node, "spec")
                        .withArray("taints")
                        .addObject()
                        .put("key", "node.kubernetes.io/out-of-service")
                        .put("effect", "NoExecute"));
        nodes.pass(Duration.ofSeconds(20), "a");
        assertThat(api.has(PODS, "team", "p")).isFalse();
    }
}
