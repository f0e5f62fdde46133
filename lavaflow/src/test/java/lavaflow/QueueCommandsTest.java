package lavaflow;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;
import lavaflow.node.SimShapes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** What people do with queues by command, on a server that runs everything. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(600)
class QueueCommandsTest {
    private static final KubeApi.Kind GROUPS = new KubeApi.Kind("scheduling.volcano.sh", "v1beta1", "podgroups", true);

    private TestingAllInOne testing;

    private record Said(int code, String text) {}

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        testing = new TestingAllInOne(directory.resolve("data"), AllInOne.Options.usual(true, SimShapes.ofCount(2)));
        testing.awaitReady("sim-0", "sim-1");
    }

    @AfterAll
    void stop() throws Exception {
        testing.close();
    }

    private void awaitOpen(String queue) throws InterruptedException {
        testing.awaitQueue(queue, "Open");
    }

    private Said lava(String... words) {
        StringWriter text = new StringWriter();
        List<String> all = new ArrayList<>(List.of(words));
        all.add("--kubeconfig");
        all.add(testing.home.kubeconfig().toString());
        int code = Lava.run(all, new PrintWriter(text));
        return new Said(code, text.toString());
    }

    private static List<String> lines(Said said) {
        return said.text()
                .lines()
                .map(line -> line.strip().replaceAll(" +", " "))
                .toList();
    }

    @Test
    void aQueueIsMadeShownClosedOpenedAndDeleted() throws InterruptedException {
        assertThat(lava(
                                "queue",
                                "create",
                                "lab",
                                "--weight",
                                "3",
                                "--capability",
                                "cpu=16,memory=32Gi",
                                "--deserved",
                                "cpu=8",
                                "--guarantee",
                                "cpu=2",
                                "--no-reclaim")
                        .code())
                .isZero();
        awaitOpen("lab");
        JsonNode spec =
                Json.parse(lava("queue", "get", "lab", "-o", "json").text()).path("spec");
        assertThat(Json.string(spec.path("capability"))).isEqualTo("{\"cpu\":\"16\",\"memory\":\"32Gi\"}");
        assertThat(Json.flagAt(spec, "reclaimable")).isFalse();
        assertThat(lines(lava("queue", "get", "lab")))
                .contains(
                        "Name lab",
                        "State Open",
                        "Parent root",
                        "Weight 3, priority 0, never reclaimed from",
                        "Capability cpu 16, memory 32Gi",
                        "Guarantee cpu 2",
                        "Allocated none",
                        "PodGroups 0 pending, 0 inqueue, 0 running, 0 unknown, 0 completed");

        assertThat(lava("queue", "close", "lab")).isEqualTo(new Said(0, "Queue lab is closed\n"));
        assertThat(lava("queue", "close", "lab")).isEqualTo(new Said(0, "Queue lab is closed already\n"));
        assertThat(lava("queue", "open", "lab")).isEqualTo(new Said(0, "Queue lab is open\n"));
        assertThat(lava("queue", "delete", "lab")).isEqualTo(new Said(0, "Deleted queue lab\n"));
        assertThat(lava("queue", "get", "lab").code()).isEqualTo(Lava.FAILED);
    }

    @Test
    void whatWaitsInAQueueIsShownAndKeepsItFromBeingDeleted() throws InterruptedException {
        lava("queue", "create", "busy");
        awaitOpen("busy");
        ObjectNode group = TestingAllInOne.named("huge");
        group.put("apiVersion", "scheduling.volcano.sh/v1beta1").put("kind", "PodGroup");
        group.putObject("spec")
                .put("minMember", 4)
                .put("queue", "busy")
                .putObject("minResources")
                .put("nvidia.com/gpu", "4000");
        testing.api.create(GROUPS, "default", group);
        assertThat(lines(lava("queue", "get", "busy")))
                .contains("Waits for nvidia.com/gpu 4000")
                .anyMatch(line -> line.startsWith("default/huge ") && line.contains(" 4 "));
        assertThat(lines(lava("top", "queues")).getFirst())
                .isEqualTo("NAME STATE WEIGHT SHARE RUNNING WAITING CPU MEMORY GPU");
        assertThat(lines(lava("top", "queues"))).contains("busy Open 1 0% 0 1 0/0 0/0 0/0");
        assertThat(lava("queue", "delete", "busy").code()).isEqualTo(Lava.FAILED);
        assertThat(lava("queue", "close", "busy").text())
                .isEqualTo("Queue busy is closing: it takes no more, and is closed once its last PodGroup is gone\n");
        assertThat(lava("queue", "delete", "busy", "--force").code()).isZero();
    }

    @Test
    void queuesAreListedBelowTheirParents() throws InterruptedException {
        lava("queue", "create", "top");
        awaitOpen("top");
        lava("queue", "create", "leaf", "--parent", "top", "--weight", "2", "--priority", "5");
        awaitOpen("leaf");
        List<String> list = lava("queue", "ls").text().lines().toList();
        assertThat(list.getFirst().replaceAll(" +", " "))
                .isEqualTo("NAME STATE WEIGHT PRIORITY PENDING INQUEUE RUNNING UNKNOWN COMPLETED AGE");
        assertThat(list).anyMatch(line -> line.matches("root +Open +1 +0 .*"));
        assertThat(list).anyMatch(line -> line.matches("  top +Open +1 +0 .*"));
        assertThat(list).anyMatch(line -> line.matches("    leaf +Open +2 +5 .*"));
        assertThat(lava("queue", "ls", "-o", "yaml").text()).contains("kind: List", "name: leaf");

        assertThat(lava("queue", "close", "top").code()).isZero();
        assertThat(lava("queue", "open", "leaf").code()).isEqualTo(Lava.FAILED);
        assertThat(lava("queue", "delete", "top").code()).isEqualTo(Lava.FAILED);
        assertThat(lava("queue", "open", "top").code()).isZero();
        awaitOpen("leaf");
    }

    @Test
    void nodesAreShownWithWhatIsTaken() {
        Said table = lava("top", "nodes");
        assertThat(lines(table).getFirst()).isEqualTo("NAME STATUS PODS CPU MEMORY");
        assertThat(lines(table)).anyMatch(line -> line.startsWith("sim-0 "));
        JsonNode document = Json.parse(lava("top", "nodes", "-o", "json").text());
        assertThat(document.path("nodes").size()).isEqualTo(2);
        assertThat(Json.textAt(document.path("nodes").path(0), "allocatable", "cpu"))
                .isNotEmpty();
        JsonNode queues = Json.parse(lava("top", "queues", "-o", "json").text()).path("queues");
        assertThat(Json.textAt(queues.path(0), "name")).isEqualTo("root");
    }

    @Test
    void mistakesSayWhatToDo() {
        assertThat(lava("queue", "get", "nowhere").code()).isEqualTo(Lava.FAILED);
        assertThat(lava("queue", "create", "default").code()).isEqualTo(Lava.FAILED);
        assertThat(lava("queue", "create", "odd", "--capability", "cpu").code()).isEqualTo(Lava.USAGE);
        assertThat(lava("queue", "create", "odd", "--weight", "x").code()).isEqualTo(Lava.USAGE);
        assertThat(lava("queue", "create", "odd", "--parent", "nowhere").code()).isEqualTo(Lava.FAILED);
        assertThat(lava("queue", "close", "root").code()).isEqualTo(Lava.FAILED);
        assertThat(lava("queue", "delete", "default").code()).isEqualTo(Lava.FAILED);
        assertThat(lava("queue", "ls", "-o", "xml").code()).isEqualTo(Lava.USAGE);
        StringWriter text = new StringWriter();
        assertThat(Lava.run(List.of("queue", "ls", "--kubeconfig", "/nowhere/kubeconfig"), new PrintWriter(text)))
                .isEqualTo(Lava.USAGE);
    }
}
