package lavaflow;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ClusterUseTest {
    private final List<ObjectNode> queues = new ArrayList<>();
    private final List<ObjectNode> groups = new ArrayList<>();
    private final List<ObjectNode> pods = new ArrayList<>();
    private final List<ObjectNode> nodes = new ArrayList<>();

    private static ObjectNode object(String name, String spec) {
        ObjectNode object = TestingAllInOne.named(name);
        Json.ensureObject(object, "metadata").put("namespace", "team");
        object.set("spec", Json.parse(spec.replace('\'', '"')));
        return object;
    }

    private void group(String name, String queue, String phase, String minResources) {
        ObjectNode group = object(name, "{'queue':'" + queue + "','minResources':" + minResources + "}");
        group.putObject("status").put("phase", phase);
        groups.add(group);
    }

    private void pod(String name, String group, String node, String phase, String cpu) {
        ObjectNode pod = object(
                name, "{'nodeName':'" + node + "','containers':[{'resources':{'requests':{'cpu':'" + cpu + "'}}}]}");
        Json.ensureObject(pod, "metadata", "annotations").put("scheduling.k8s.io/group-name", group);
        pod.putObject("status").put("phase", phase);
        pods.add(pod);
    }

    private void node(String name, String cpu) {
        ObjectNode node = object(name, "{}");
        Json.ensureObject(node, "status", "allocatable").put("cpu", cpu).put("pods", "110");
        nodes.add(node);
    }

    private ClusterUse.QueueUse queue(String name) {
        return new ClusterUse(queues, groups, pods, nodes)
                .queues().stream()
                        .filter(each -> each.name().equals(name))
                        .findFirst()
                        .orElseThrow();
    }

    @Test
    void aQueueHasWhatItsPodsOnNodesTakeAndWantsTheRestToo() {
        queues.add(object("root", "{}"));
        queues.add(object("a", "{'parent':'root'}"));
        node("n", "10");
        group("run", "a", "Running", "{'cpu':'100'}");
        group("wait", "a", "Pending", "{'cpu':'3','requests.cpu':'3','count/pods':'1'}");
        group("done", "a", "Completed", "{'cpu':'50'}");
        pod("p1", "run", "n", "Running", "2");
        pod("p2", "run", "", "Pending", "1");
        pod("p3", "run", "n", "Succeeded", "4");
        pod("p4", "other", "n", "Running", "5");
        ClusterUse.QueueUse use = queue("a");
        assertThat(use.allocated()).hasToString("{cpu=2000}");
        assertThat(use.requested()).hasToString("{cpu=6000}");
        assertThat(use.waiting()).isEqualTo(1);
        assertThat(use.groups().running()).isEqualTo(1);
        assertThat(use.share()).isEqualTo(2.0 / 6);
    }

    @Test
    void whatAllWantTogetherIsSharedByWeight() {
        queues.add(object("root", "{}"));
        queues.add(object("a", "{'parent':'root','weight':1}"));
        queues.add(object("b", "{'parent':'root','weight':3}"));
        queues.add(object("c", "{'parent':'root','weight':1,'capability':{'cpu':'1'}}"));
        queues.add(object("d", "{'parent':'root','deserved':{'cpu':'7'}}"));
        node("n", "9");
        for (String queue : new String[] {"a", "b", "c"}) {
            group(queue, queue, "Pending", "{'cpu':'100'}");
        }
        assertThat(queue("root").deserved().get("cpu")).isEqualTo(9000);
        assertThat(queue("a").deserved().get("cpu")).isEqualTo(2000);
        assertThat(queue("b").deserved().get("cpu")).isEqualTo(6000);
        assertThat(queue("c").deserved().get("cpu")).isEqualTo(1000);
        assertThat(queue("d").deserved().get("cpu")).isEqualTo(7000);
    }

    @Test
    void aParentHasWhatItsChildrenHaveAndSharesWhatItDeserves() {
        queues.add(object("root", "{}"));
        queues.add(object("top", "{'parent':'root'}"));
        queues.add(object("left", "{'parent':'top'}"));
        queues.add(object("right", "{'parent':'top'}"));
        node("n", "8");
        group("l", "left", "Running", "{}");
        group("r", "right", "Pending", "{'cpu':'20'}");
        pod("p", "l", "n", "Running", "6");
        assertThat(queue("top").allocated().get("cpu")).isEqualTo(6000);
        assertThat(queue("top").deserved().get("cpu")).isEqualTo(8000);
        assertThat(queue("left").deserved().get("cpu")).isEqualTo(4000);
        assertThat(queue("left").share()).isEqualTo(1.5);
        assertThat(queue("top").groups().pending()).isEqualTo(1);
        assertThat(new ClusterUse(queues, groups, pods, nodes)
                        .queues().stream().map(each -> each.depth() + each.name()))
                .containsExactly("0root", "1top", "2left", "2right");
    }

    @Test
    void amountsAreShort() {
        assertThat(ResourceText.of("cpu", 1500)).isEqualTo("1.5");
        assertThat(ResourceText.of("cpu", 2000)).isEqualTo("2");
        assertThat(ResourceText.of("memory", 3L << 29)).isEqualTo("1.5Gi");
        assertThat(ResourceText.of("nvidia.com/gpu", 4)).isEqualTo("4");
        assertThat(ResourceText.head("nvidia.com/gpu")).isEqualTo("GPU");
    }
}
