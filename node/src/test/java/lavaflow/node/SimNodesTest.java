package lavaflow.node;

import java.time.Duration;
import java.time.Instant;

import lavaflow.controller.Fanout;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.kube.MergePatch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static lavaflow.node.TestingPod.annotations;
import static lavaflow.node.TestingPod.json;
import static org.assertj.core.api.Assertions.assertThat;

/** Simulated nodes and an API. */
class SimNodesTest {
    private static final KubeApi.Kind NAMESPACES = KubeApi.Kind.clusterWide("namespaces");

    private final TestingKubeApi api = new TestingKubeApi()
            .serve(NAMESPACES, "Namespace")
            .serve(SimNodes.PODS, "Pod")
            .serve(SimNodes.NODES, "Node")
            .serve(NodeLease.LEASES, "Lease");
    private Instant now = Instant.parse("2030-01-02T04:00:00Z");
    private Followers followers;
    private SimNodes nodes;

    @BeforeEach
    void join() {
        for (String name : new String[] {"ns", NodeLease.NAMESPACE}) {
            api.createAnywhere(NAMESPACES, "", json("{\"metadata\":{\"name\":\"" + name + "\"}}"));
        }
        begin("[{count: 2, cpu: 2, pods: 3}]");
    }

    private void begin(String shapes) {
        followers = new Followers(api);
        nodes = new SimNodes(
                SimShapes.parse(shapes), api, _ -> api, followers, () -> now, () -> now.toEpochMilli() * 1_000_000, 1);
        nodes.register(Fanout.SEQUENTIAL);
        settle();
    }

    private void settle() {
        boolean moved = true;
        while (moved) {
            followers.pump();
            followers.pump();
            moved = nodes.step();
        }
    }

    private void after(Duration time) {
        now = now.plus(time);
        settle();
    }

    private void pod(String name, String node, String... changes) {
        ObjectNode pod = json("""
                {"apiVersion":"v1","kind":"Pod","metadata":{"name":"%s","namespace":"ns"},
                 "spec":{"nodeName":"%s","restartPolicy":"Always","containers":[{"name":"c","image":"i"}]},"status":{"phase":"Pending"}}""".formatted(name, node));
        for (String change : changes) {
            pod = (ObjectNode) MergePatch.apply(pod, json(change), false);
        }
        api.create(SimNodes.PODS, "ns", pod);
        settle();
    }

    private JsonNode status(String name) {
        return api.get(SimNodes.PODS, "ns", name).get("status");
    }

    private String ready(String node) {
        for (JsonNode condition : Json.listAt(api.get(SimNodes.NODES, "", node), "status", "conditions")) {
            if (Json.textAt(condition, "type").equals("Ready")) {
                return Json.textAt(condition, "status");
            }
        }
        return "";
    }

    private void annotate(String node, String key, String value) {
        ObjectNode patch = json(annotations(key, value));
        api.patch(SimNodes.NODES, "", node, "", KubeApi.Merge.PLAIN, patch);
        settle();
    }

    private String renewed(String node) {
        return Json.textAt(api.get(NodeLease.LEASES, NodeLease.NAMESPACE, node), "spec", "renewTime");
    }

    @Test
    void nodesRegisterWithALease() {
        assertThat(ready("sim-0")).isEqualTo("True");
        JsonNode lease = api.get(NodeLease.LEASES, NodeLease.NAMESPACE, "sim-1");
        assertThat(Json.textAt(lease, "spec", "holderIdentity")).isEqualTo("sim-1");
        assertThat(Json.listAt(lease, "metadata", "ownerReferences")
                        .get(0)
                        .get("uid")
                        .asText())
                .isEqualTo(Json.textAt(api.get(SimNodes.NODES, "", "sim-1"), "metadata", "uid"));
        now = now.plusSeconds(10);
        nodes.beat();
        assertThat(renewed("sim-1")).isEqualTo("2030-01-02T04:00:10.000000Z");
    }

    @Test
    void aBoundPodRuns() {
        pod("p", "sim-0");
        assertThat(Json.textAt(status("p"), "phase")).isEqualTo("Running");
        assertThat(Json.textAt(status("p"), "podIP")).isEqualTo("10.128.0.2");
        assertThat(Json.textAt(status("p"), "hostIP")).isEqualTo("172.16.0.1");
    }

    @Test
    void everyPodHasItsOwnAddressAndGivesItBack() {
        pod("p", "sim-0");
        pod("q", "sim-0");
        assertThat(Json.textAt(status("q"), "podIP")).isEqualTo("10.128.0.3");
        api.delete(SimNodes.PODS, "ns", "p", KubeApi.Deletion.PLAIN);
        settle();
        assertThat(api.has(SimNodes.PODS, "ns", "p")).isFalse();
        pod("r", "sim-0");
        assertThat(Json.textAt(status("r"), "podIP")).isEqualTo("10.128.0.2");
    }

    @Test
    void aPodThatEndedKeepsTellingTheAddressItHad() {
        pod("p", "sim-0", "{\"spec\":{\"restartPolicy\":\"Never\"}}", annotations("duration", "1s"));
        after(Duration.ofSeconds(1));
        pod("q", "sim-0");
        assertThat(Json.textAt(status("q"), "podIP")).isEqualTo("10.128.0.2");
        ObjectNode patch = json("{\"metadata\":{\"labels\":{\"a\":\"b\"}}}");
        api.patch(SimNodes.PODS, "ns", "p", "", KubeApi.Merge.PLAIN, patch);
        settle();
        assertThat(Json.textAt(status("p"), "phase")).isEqualTo("Succeeded");
        assertThat(Json.textAt(status("p"), "podIP")).isEqualTo("10.128.0.2");
    }

    @Test
    void podsOfTheHostNetworkHaveItsAddress() {
        pod("p", "sim-0", "{\"spec\":{\"hostNetwork\":true}}");
        assertThat(Json.textAt(status("p"), "podIP")).isEqualTo("172.16.0.1");
    }

    @Test
    void whatWasWrittenIsNotWrittenAgain() {
        pod("p", "sim-0");
        String version = Json.textAt(api.get(SimNodes.PODS, "ns", "p"), "metadata", "resourceVersion");
        after(Duration.ofMinutes(1));
        assertThat(Json.textAt(api.get(SimNodes.PODS, "ns", "p"), "metadata", "resourceVersion"))
                .isEqualTo(version);
    }

    @Test
    void thingsHappenInTheirTime() {
        pod("p", "sim-0", annotations("start-delay", "5s"));
        assertThat(Json.textAt(status("p"), "phase")).isEqualTo("Pending");
        after(Duration.ofSeconds(5));
        assertThat(Json.textAt(status("p"), "phase")).isEqualTo("Running");
    }

    @Test
    void aFullNodeRefuses() {
        String big =
                "{\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\",\"resources\":{\"requests\":{\"cpu\":\"1500m\"}}}]}}";
        pod("p", "sim-0", big);
        pod("q", "sim-0", big);
        assertThat(Json.textAt(status("q"), "phase")).isEqualTo("Failed");
        assertThat(Json.textAt(status("q"), "reason")).isEqualTo("OutOfcpu");
        assertThat(Json.textAt(status("q"), "message"))
                .isEqualTo(
                        "Pod was rejected: Node didn't have enough resource: cpu, requested: 1500, used: 1500, capacity: 2000");
        for (String name : new String[] {"a", "b", "d"}) {
            pod(name, "sim-0");
        }
        assertThat(Json.textAt(status("d"), "reason")).isEqualTo("OutOfpods");
    }

    @Test
    void aNodeRefusesWhoWantsAPortThatIsTaken() {
        String port = "{\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\",\"ports\":[{\"containerPort\":80,"
                + "\"hostPort\":8080,\"protocol\":\"%s\"}]}]}}";
        pod("p", "sim-0", port.formatted("TCP"));
        pod("q", "sim-0", port.formatted("TCP"));
        pod("u", "sim-0", port.formatted("UDP"));
        assertThat(Json.textAt(status("q"), "reason")).isEqualTo("NodePorts");
        assertThat(Json.textAt(status("q"), "message"))
                .isEqualTo("Pod was rejected: Predicate NodePorts failed: "
                        + "node(s) didn't have free ports for the requested pod ports");
        assertThat(Json.textAt(status("u"), "phase")).isEqualTo("Running");
    }

    @Test
    void aNodeThatDoesNotFitThePodRefuses() {
        pod("p", "sim-0", "{\"spec\":{\"nodeSelector\":{\"disk\":\"ssd\"}}}");
        assertThat(Json.textAt(status("p"), "reason")).isEqualTo("NodeAffinity");
    }

    @Test
    void aNodeMayBeToldNotToBeReady() {
        annotate("sim-0", "state", "not-ready");
        assertThat(ready("sim-0")).isEqualTo("False");
        pod("p", "sim-0");
        assertThat(Json.textAt(status("p"), "phase")).isEqualTo("Pending");
        annotate("sim-0", "state", "ready");
        assertThat(ready("sim-0")).isEqualTo("True");
        assertThat(Json.textAt(status("p"), "phase")).isEqualTo("Running");
    }

    @Test
    void aNodeIsReadyAgainEvenIfNobodyAnsweredThatItWasNot() {
        api.fail("patch nodes/status sim-0", ApiException.of(504, "Timeout", "done, but too late to say so"));
        annotate("sim-0", "state", "not-ready");
        ObjectNode conditions = Json.object();
        Json.ensureObject(conditions, "status")
                .set("conditions", NodeForm.conditions(NodeForm.Health.NOT_READY, now, true));
        api.patch(SimNodes.NODES, "", "sim-0", "status", KubeApi.Merge.STRATEGIC, conditions);

        annotate("sim-0", "state", "ready");
        after(Duration.ofSeconds(1));

        assertThat(ready("sim-0")).isEqualTo("True");
    }

    @Test
    void aNodeThatIsNotReadyStaysSoWhenItsProcessBeginsAnew() {
        annotate("sim-0", "state", "not-ready");
        annotate("sim-1", "state", "lost");
        String silent = renewed("sim-1");
        now = now.plusSeconds(10);
        begin("[{count: 2, cpu: 2, pods: 3}]");

        assertThat(ready("sim-0")).isEqualTo("False");
        assertThat(renewed("sim-1")).isEqualTo(silent);
        annotate("sim-0", "state", "ready");
        assertThat(ready("sim-0")).isEqualTo("True");
    }

    @Test
    void aLostNodeThatWasNotReadyIsReadyWhenItIsBackThoughItsProcessBeganAnew() {
        annotate("sim-0", "state", "not-ready");
        annotate("sim-0", "state", "lost");
        begin("[{count: 2, cpu: 2, pods: 3}]");
        assertThat(ready("sim-0")).isEqualTo("False");

        annotate("sim-0", "state", "ready");

        assertThat(ready("sim-0")).isEqualTo("True");
    }

    @Test
    void aLostNodeIsSilentUntilItIsBack() {
        pod("p", "sim-0");
        annotate("sim-0", "state", "lost");
        String before = renewed("sim-0");
        now = now.plusSeconds(60);
        nodes.beat();
        assertThat(renewed("sim-0")).isEqualTo(before);
        api.delete(SimNodes.PODS, "ns", "p", KubeApi.Deletion.PLAIN);
        settle();
        assertThat(api.has(SimNodes.PODS, "ns", "p")).isTrue();
        annotate("sim-0", "state", "ready");
        assertThat(api.has(SimNodes.PODS, "ns", "p")).isFalse();
    }

    @Test
    void aSlowNodeTakesItsTime() {
        annotate("sim-0", "state", "slow");
        annotate("sim-0", "slowdown", "4");
        pod("p", "sim-0", annotations("start-delay", "5s"));
        after(Duration.ofSeconds(19));
        assertThat(Json.textAt(status("p"), "phase")).isEqualTo("Pending");
        after(Duration.ofSeconds(1));
        assertThat(Json.textAt(status("p"), "phase")).isEqualTo("Running");
    }

    @Test
    void nodesGoOnAfterARestart() {
        pod("p", "sim-0", "{\"spec\":{\"restartPolicy\":\"Never\"}}", annotations("duration", "60s"));
        String address = Json.textAt(status("p"), "podIP");
        now = now.plusSeconds(30);
        begin("[{count: 2, cpu: 2, pods: 3}]");
        assertThat(Json.textAt(status("p"), "phase")).isEqualTo("Running");
        pod("q", "sim-0");
        assertThat(Json.textAt(status("q"), "podIP")).isNotEqualTo(address);
        after(Duration.ofSeconds(30));
        assertThat(Json.textAt(status("p"), "phase")).isEqualTo("Succeeded");
    }

    @Test
    void aRealNodeOfTheSameNameIsLeftAlone() {
        api.create(
                SimNodes.NODES,
                "",
                json("{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"real-0\"}}"));
        pod("p", "real-0");
        begin("[{name: real}]");
        assertThat(Json.at(api.get(SimNodes.NODES, "", "real-0"), "status")).isNull();
        assertThat(Json.textAt(status("p"), "phase")).isEqualTo("Pending");
    }

    @Test
    void conditionsOfOthersStay() {
        pod("p", "sim-0", annotations("ready-after", "5s"));
        ObjectNode patch = json("{\"status\":{\"conditions\":[{\"type\":\"DisruptionTarget\",\"status\":\"True\"}]}}");
        api.patch(SimNodes.PODS, "ns", "p", "status", KubeApi.Merge.STRATEGIC, patch);
        after(Duration.ofSeconds(5));
        assertThat(Json.listAt(status("p"), "conditions").findValuesAsText("type"))
                .contains("DisruptionTarget", "Ready");
    }
}
