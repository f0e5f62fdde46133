package lavaflow;

import java.nio.file.Path;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Queues and PodGroups on a server that runs everything. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(600)
class VolcanoQueuesTest {
    private static final KubeApi.Kind QUEUES = new KubeApi.Kind("scheduling.volcano.sh", "v1beta1", "queues", false);
    private static final KubeApi.Kind GROUPS = new KubeApi.Kind("scheduling.volcano.sh", "v1beta1", "podgroups", true);
    private static final KubeApi.Kind COMMANDS = new KubeApi.Kind("bus.volcano.sh", "v1alpha1", "commands", true);
    private static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");

    private TestingAllInOne testing;
    private KubeApi api;

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        testing = new TestingAllInOne(directory.resolve("data"));
        api = testing.api;
    }

    @AfterAll
    void stop() throws Exception {
        testing.close();
    }

    private void awaitState(String queue, String state) throws InterruptedException {
        testing.awaitQueue(queue, state);
    }

    private ObjectNode queue(String name, String spec) {
        ObjectNode queue = TestingAllInOne.named(name);
        queue.put("apiVersion", "scheduling.volcano.sh/v1beta1").put("kind", "Queue");
        queue.set("spec", Json.parse("{" + spec.replace('\'', '"') + "}"));
        return api.create(QUEUES, "", queue);
    }

    private ObjectNode group(String name, String queue) {
        ObjectNode group = TestingAllInOne.named(name);
        group.put("apiVersion", "scheduling.volcano.sh/v1beta1").put("kind", "PodGroup");
        group.putObject("spec").put("minMember", 1).put("queue", queue);
        return api.create(GROUPS, "default", group);
    }

    private void command(ObjectNode queue, String action) {
        String name = Json.textAt(queue, "metadata", "name");
        ObjectNode command = Json.object();
        command.put("apiVersion", "bus.volcano.sh/v1alpha1")
                .put("kind", "Command")
                .put("action", action);
        command.putObject("metadata").put("generateName", name + "-");
        command.putObject("target")
                .put("apiVersion", "scheduling.volcano.sh/v1beta1")
                .put("kind", "Queue")
                .put("name", name)
                .put("uid", Json.textAt(queue, "metadata", "uid"));
        api.create(COMMANDS, "default", command);
    }

    @Test
    void queuesAreCompletedAndBelowTheRoot() throws InterruptedException {
        ObjectNode made = queue("completed", "");
        assertThat(Json.flagAt(made, "spec", "reclaimable")).isTrue();
        awaitState("completed", "Open");
        assertThat(Json.textAt(api.find(QUEUES, "", "completed").orElseThrow(), "spec", "parent"))
                .isEqualTo("root");
    }

    @Test
    void whatUpstreamsWebhooksRefuseIsRefusedInTheirWords() {
        assertThatThrownBy(() -> queue("greedy", "'deserved':{'cpu':'3'},'capability':{'cpu':'2'}"))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        e -> assertThat(Json.string(e.status()))
                                .isEqualTo(
                                        "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
                                                + "\"message\":\"admission webhook \\\"validatequeue.volcano.sh\\\" denied the request:"
                                                + " requestBody.spec.deserved: Invalid value: \\\"cpu 3000.00, memory 0.00\\\":"
                                                + " deserved should less equal than capability\",\"code\":400}"));
        assertThatThrownBy(() -> api.delete(QUEUES, "", "default", KubeApi.Deletion.PLAIN))
                .hasMessage("admission webhook \"validatequeue.volcano.sh\" denied the request:"
                        + " `default` queue can not be deleted");
        assertThatThrownBy(() -> group("lost", "nowhere"))
                .hasMessage("admission webhook \"validatepodgroup.volcano.sh\" denied the request:"
                        + " unable to find queue: queue.scheduling.volcano.sh \"nowhere\" not found");
        ObjectNode patch = Json.object();
        patch.putObject("spec").put("parent", "nowhere");
        assertThatThrownBy(() -> api.patch(QUEUES, "", "default", "", KubeApi.Merge.PLAIN, patch))
                .hasMessageContaining("failed to get parent queue of queue default");
    }

    @Test
    void aQueueClosesAndOpensByCommand() throws InterruptedException {
        ObjectNode queue = queue("shut", "");
        awaitState("shut", "Open");
        group("last", "shut");
        command(queue, "CloseQueue");
        awaitState("shut", "Closing");
        assertThatThrownBy(() -> group("late", "shut"))
                .hasMessage("admission webhook \"validatepodgroup.volcano.sh\" denied the request: can only submit"
                        + " PodGroup to queue with state `Open`, queue `shut` status is `Closing`. ");
        api.delete(GROUPS, "default", "last", KubeApi.Deletion.PLAIN);
        awaitState("shut", "Closed");
        assertThat(Json.at(api.find(QUEUES, "", "shut").orElseThrow(), "status", "pending"))
                .isNull();
        command(queue, "OpenQueue");
        awaitState("shut", "Open");
        api.delete(QUEUES, "", "shut", KubeApi.Deletion.PLAIN);
        testing.awaitGone(QUEUES, "", "shut");
    }

    @Test
    void aPodThatNamesNoGroupGetsOneInTheQueueOfItsNamespace() throws InterruptedException {
        queue("research", "");
        awaitState("research", "Open");
        ObjectNode namespace = TestingAllInOne.named("lab");
        Json.ensureObject(namespace, "metadata", "annotations").put("scheduling.volcano.sh/queue-name", "research");
        api.create(TestingAllInOne.NAMESPACES, "", namespace);
        testing.awaitThere(TestingAllInOne.ACCOUNTS, "lab", "default");
        ObjectNode pod = TestingAllInOne.named("plain");
        ObjectNode spec = pod.putObject("spec");
        spec.put("schedulerName", "volcano");
        spec.putArray("containers").addObject().put("name", "c").put("image", "i");
        String uid = Json.textAt(api.create(PODS, "lab", pod), "metadata", "uid");
        testing.await(
                PODS,
                "lab",
                "plain",
                found -> Json.textAt(found.orElseThrow(), "metadata", "annotations", "scheduling.k8s.io/group-name")
                        .equals("podgroup-" + uid));
        ObjectNode group = api.find(GROUPS, "lab", "podgroup-" + uid).orElseThrow();
        assertThat(Json.textAt(group, "spec", "queue")).isEqualTo("research");

        api.delete(PODS, "lab", "plain", KubeApi.Deletion.PLAIN);
        testing.awaitGone(GROUPS, "lab", "podgroup-" + uid);
    }
}
