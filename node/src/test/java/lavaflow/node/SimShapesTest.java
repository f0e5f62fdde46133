package lavaflow.node;

import java.time.Duration;
import java.util.List;

import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;
import lavaflow.kube.Taint;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class SimShapesTest {
    @Test
    void aNumberMeansUsualNodes() {
        SimShape shape = SimShapes.ofCount(3).getFirst();
        assertThat(SimNode.all(List.of(shape)).stream().map(SimNode::name)).containsExactly("sim-0", "sim-1", "sim-2");
        assertThat(shape.resources())
                .containsEntry("cpu", "32")
                .containsEntry("memory", "256Gi")
                .containsEntry("pods", "110");
    }

    @Test
    void shapesSayEverything() {
        List<SimShape> shapes = SimShapes.parse("""
                shapes:
                - name: gpu
                  count: 3
                  cpu: 64
                  memory: 512Gi
                  pods: 50
                  gpus: 8
                  resources: {example.com/nic: 4}
                  labels: {tier: fast}
                  taints: ["gpu=yes:NoSchedule", {key: old, effect: PreferNoSchedule}]
                  zones: [a, b]
                  startDelay: 1500ms
                  duration: 1m
                """);
        SimShape shape = shapes.getFirst();
        assertThat(shape.resources()).containsEntry("nvidia.com/gpu", "8").containsEntry("example.com/nic", "4");
        assertThat(shape.taints())
                .containsExactly(new Taint("gpu", "yes", "NoSchedule"), new Taint("old", "", "PreferNoSchedule"));
        assertThat(shape.defaults().startDelay()).isEqualTo(Duration.ofMillis(1500));
        assertThat(shape.defaults().duration()).isEqualTo(Duration.ofMinutes(1));
        assertThat(SimNode.all(shapes).stream().map(SimNode::zone)).containsExactly("a", "b", "a");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {}                                       | shapes: a list of shapes is needed
            [{count: 0}]                             | shapes[0].count: a number from 1 to 20000 is needed
            [{cores: 4}]                             | shapes[0].cores: there is no such field
            [{cpu: many}]                            | shapes[0].cpu: '"many"' is no amount
            [{name: A_b}]                            | shapes[0].name: 'A_b' cannot begin the name of a node
            [{}, {}]                                 | shapes[1].name: 'sim' is there twice
            [{taints: ["x:Sometimes"]}]              | shapes[0].taints[0]: a taint is key=value:NoSchedule, PreferNoSchedule or NoExecute
            [{startDelay: soon}]                     | shapes[0].startDelay: 'soon' is no duration such as 500ms or 1m
            [{name: a, count: 15000}, {count: 9000}] | shapes: at most 20000 nodes can be simulated, not 24000
            """)
    void whatIsWrongIsToldWithItsPlace(String yaml, String message) {
        assertThatThrownBy(() -> SimShapes.parse(yaml))
                .isInstanceOf(MalformedException.class)
                .hasMessage(message);
    }

    @Test
    void nodesLookLikeThoseOfAKubelet() {
        SimNode node = SimNode.all(SimShapes.parse("[{name: gpu, count: 2, gpus: 8, zones: [a]}]"))
                .get(1);
        ObjectNode object = NodeForm.node(node, TestingPod.START);
        assertThat(Json.textAt(object, "metadata", "labels", "kubernetes.io/hostname"))
                .isEqualTo("gpu-1");
        assertThat(Json.textAt(object, "metadata", "labels", "topology.kubernetes.io/zone"))
                .isEqualTo("a");
        assertThat(Json.textAt(object, "spec", "podCIDR")).isEqualTo("10.128.1.0/24");
        assertThat(Json.textAt(object, "status", "allocatable", "nvidia.com/gpu"))
                .isEqualTo("8");
        assertThat(Json.listAt(object, "status", "conditions").findValuesAsText("type"))
                .containsExactly("MemoryPressure", "DiskPressure", "PIDPressure", "Ready");
        assertThat(node.address()).isEqualTo("172.16.0.2");
    }

    @Test
    void nodesOfManyPodsHaveLargerNetworks() {
        SimNode node = SimNode.all(SimShapes.parse("[{count: 2, pods: 500}]")).get(1);
        assertThat(node.podNetwork()).isEqualTo("10.128.2.0/23");
        assertThat(node.addresses().ofPod(1, 0)).isEqualTo("10.128.2.2");
        assertThat(node.addresses().podOf(1, "10.128.3.1")).isEqualTo(255);
        assertThat(node.addresses().podOf(1, "10.128.0.2")).isEqualTo(-1);
    }
}
