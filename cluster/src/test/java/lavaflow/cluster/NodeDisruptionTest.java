package lavaflow.cluster;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingNodes.GRACE;
import static org.assertj.core.api.Assertions.assertThat;

/** How fast nodes are emptied when many fail at once. */
class NodeDisruptionTest {
    private final TestingNodes nodes = new TestingNodes();

    private long emptied(String prefix, int count) {
        return IntStream.range(0, count)
                .filter(i -> nodes.taints(prefix + i).contains("unreachable:NoExecute"))
                .count();
    }

    @Test
    void nodesOfAZoneAreEmptiedOneEveryTenSeconds() {
        IntStream.range(0, 6).forEach(i -> nodes.node("ok" + i));
        IntStream.range(0, 4).forEach(i -> nodes.node("lost" + i));
        String[] alive = IntStream.range(0, 6).mapToObj(i -> "ok" + i).toArray(String[]::new);
        nodes.pass(GRACE, alive);
        assertThat(emptied("lost", 4)).isEqualTo(1);

        nodes.pass(Duration.ofSeconds(10), alive);
        assertThat(emptied("lost", 4)).isEqualTo(2);

        nodes.pass(Duration.ofSeconds(20), alive);
        assertThat(emptied("lost", 4)).isEqualTo(4);
    }

    @Test
    void whereAllNodesAreLostNobodyIsDrivenAway() {
        nodes.node("a");
        nodes.node("b");
        nodes.pod("p", "a");
        nodes.pass(Duration.ofMinutes(5));

        assertThat(nodes.taints("a")).containsExactly("unreachable:NoSchedule");
        assertThat(nodes.taints("b")).containsExactly("unreachable:NoSchedule");
        assertThat(nodes.isGoing("p")).isFalse();
    }

    @Test
    void whereMostOfASmallZoneIsLostEvictionStops() {
        nodes.node("ok");
        IntStream.range(0, 5).forEach(i -> nodes.node("lost" + i));
        nodes.pass(GRACE.plusSeconds(60), "ok");

        assertThat(emptied("lost", 5)).isZero();
    }

    @Test
    void zonesAreJudgedByThemselves() {
        Consumer<ObjectNode> east =
                node -> Json.ensureObject(node, "metadata", "labels").put("topology.kubernetes.io/zone", "east");
        nodes.node("west");
        IntStream.range(0, 2).forEach(i -> nodes.node("east" + i, east));
        nodes.pass(GRACE, "west");
        assertThat(emptied("east", 2)).isEqualTo(1);

        nodes.pass(Duration.ofSeconds(15), "west");
        assertThat(emptied("east", 2)).isEqualTo(2);
    }
}
