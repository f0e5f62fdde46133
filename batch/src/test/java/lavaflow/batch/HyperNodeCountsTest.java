package lavaflow.batch;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class HyperNodeCountsTest {
    private static final KubeApi.Kind NODES = KubeApi.Kind.clusterWide("nodes");

    private final TestingBatch cluster = new TestingBatch();

    @BeforeEach
    void serve() {
        cluster.api.serve(NODES, "Node").serve(Batch.HYPER_NODES, "HyperNode");
    }

    private void node(String name, String rack) {
        cluster.create(
                NODES,
                "",
                name,
                node -> Json.ensureObject(node, "metadata", "labels").put("rack", rack));
        cluster.settle();
    }

    private void part(String name, String member) {
        cluster.create(
                Batch.HYPER_NODES,
                "",
                name,
                part -> Json.ensureObject(part, "spec")
                        .put("tier", 1)
                        .putArray("members")
                        .add(Json.parse(member)));
        cluster.settle();
    }

    private long count(String name) {
        ObjectNode part = cluster.api.get(Batch.HYPER_NODES, "", name);
        return Json.longAt(part, -1, "status", "nodeCount");
    }

    @Test
    void nodesAreCountedByNamePatternAndLabels() {
        node("a-0", "1");
        node("a-1", "2");
        node("b-0", "2");
        part("one", "{\"type\":\"Node\",\"selector\":{\"exactMatch\":{\"name\":\"a-0\"}}}");
        part("some", "{\"type\":\"Node\",\"selector\":{\"regexMatch\":{\"pattern\":\"^a-\"}}}");
        part("rack", "{\"type\":\"Node\",\"selector\":{\"labelMatch\":{\"matchLabels\":{\"rack\":\"2\"}}}}");
        part("missing", "{\"type\":\"Node\",\"selector\":{\"exactMatch\":{\"name\":\"c\"}}}");

        assertThat(count("one")).isEqualTo(1);
        assertThat(count("some")).isEqualTo(2);
        assertThat(count("rack")).isEqualTo(2);
        assertThat(count("missing")).isZero();
    }

    @Test
    void nodesOfPartsCountOnceHoweverManyPartsTheyAreIn() {
        node("a-0", "1");
        node("a-1", "1");
        part("left", "{\"type\":\"Node\",\"selector\":{\"regexMatch\":{\"pattern\":\"a-\"}}}");
        part("left-too", "{\"type\":\"Node\",\"selector\":{\"exactMatch\":{\"name\":\"a-0\"}}}");
        part("spine", "{\"type\":\"HyperNode\",\"selector\":{\"regexMatch\":{\"pattern\":\"left\"}}}");
        part("circle", "{\"type\":\"HyperNode\",\"selector\":{\"regexMatch\":{\"pattern\":\"circle|spine\"}}}");

        assertThat(count("spine")).isEqualTo(2);
        assertThat(count("circle")).isEqualTo(2);
    }

    @Test
    void nodesThatComeGoOrMoveAreCountedAgain() {
        part("rack", "{\"type\":\"Node\",\"selector\":{\"labelMatch\":{\"matchLabels\":{\"rack\":\"1\"}}}}");
        assertThat(count("rack")).isZero();
        node("a", "1");
        node("b", "2");
        assertThat(count("rack")).isEqualTo(1);
        cluster.api.edit(NODES, "", "b", node -> {
            Json.ensureObject(node, "metadata", "labels").put("rack", "1");
            return node;
        });
        cluster.settle();
        assertThat(count("rack")).isEqualTo(2);
        cluster.api.delete(NODES, "", "a", KubeApi.Deletion.PLAIN);
        cluster.settle();
        assertThat(count("rack")).isEqualTo(1);
    }

    @Test
    void nothingIsWrittenWhileNothingChanges() {
        node("a", "1");
        part("rack", "{\"type\":\"Node\",\"selector\":{\"exactMatch\":{\"name\":\"a\"}}}");
        cluster.api.takeWrites();
        cluster.api.edit(NODES, "", "a", node -> {
            Json.ensureObject(node, "status").put("heartbeat", 1);
            return node;
        });
        cluster.settle();
        cluster.restart();
        assertThat(cluster.api.takeWrites()).noneMatch(write -> write.toString().contains("patch hypernodes"));
    }
}
