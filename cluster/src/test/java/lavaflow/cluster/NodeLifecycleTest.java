package lavaflow.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import lavaflow.controller.Fanout;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingCluster.EVENTS;
import static lavaflow.cluster.TestingCluster.LEASES;
import static lavaflow.cluster.TestingCluster.NODES;
import static lavaflow.cluster.TestingCluster.PODS;
import static lavaflow.cluster.TestingCluster.named;
import static org.assertj.core.api.Assertions.assertThat;

/** Nodes that fail and recover, and what becomes of their pods. */
class NodeLifecycleTest {
    /** Nodes are looked at every five seconds; fifty after the first look they are given up. */
    private static final Duration GRACE = Duration.ofSeconds(60);

    private static final String FOREVER = "{\"operator\":\"Exists\"}";

    private final TestingCluster cluster = new TestingCluster();
    private final TestingKubeApi api = cluster.api;

    @BeforeEach
    void start() {
        Mirror<NodeState> nodes = NodeLifecycle.mirror(cluster.followers);
        Mirror<NodePod> pods = NodePod.mirror(cluster.followers);
        cluster.run(new NodeLifecycle(
                        api, cluster.followers, nodes, pods, Fanout.SEQUENTIAL, cluster.clock(), cluster.nanoTime())
                .controller());
        cluster.run(new TaintEviction(api, cluster.followers, nodes, pods, cluster.clock(), cluster.nanoTime())
                .controller());
        cluster.run(new PodGarbage(
                        api, cluster.followers, nodes, pods, Fanout.SEQUENTIAL, 3, cluster.clock(), cluster.nanoTime())
                .controller());
        cluster.run(new NodeRanges(api, cluster.followers, cluster.clock(), cluster.nanoTime()).controller());
        cluster.run(new NodeTtl(api, cluster.followers, cluster.nanoTime()).controller());
        cluster.namespace("team");
        cluster.namespace("default");
        cluster.namespace("kube-node-lease");
        cluster.settle();
    }

    // ---- words of the tests

    private void node(String name, Consumer<ObjectNode> more) {
        ObjectNode node = named(name);
        condition(node, "Ready", "True");
        more.accept(node);
        api.create(NODES, "", node);
        ObjectNode lease = named(name);
        api.create(LEASES, "kube-node-lease", lease);
        renew(name);
        cluster.settle();
    }

    private void node(String name) {
        node(name, _ -> {});
    }

    private void condition(ObjectNode node, String type, String status) {
        Json.ensureObject(node, "status")
                .withArray("conditions")
                .addObject()
                .put("type", type)
                .put("status", status)
                .put("lastHeartbeatTime", GoTime.seconds(cluster.clock().instant()));
    }

    private void renew(String name) {
        api.edit(LEASES, "kube-node-lease", name, lease -> {
            Json.ensureObject(lease, "spec")
                    .put("renewTime", GoTime.micros(cluster.clock().instant()));
            return lease;
        });
    }

    /** Lets time pass while some nodes go on renewing their leases. */
    private void pass(Duration time, String... alive) {
        for (long left = time.toSeconds(); left > 0; left -= 5) {
            Stream.of(alive).forEach(this::renew);
            cluster.pass(Duration.ofSeconds(Math.min(left, 5)));
        }
    }

    private void pod(String name, String node, String... tolerations) {
        ObjectNode pod = named(name);
        Json.ensureObject(pod, "metadata").put("generation", 1);
        ObjectNode spec = Json.ensureObject(pod, "spec");
        if (!node.isEmpty()) {
            spec.put("nodeName", node);
        }
        for (String toleration : tolerations) {
            spec.withArray("tolerations").add(Json.parse(toleration));
        }
        Json.ensureObject(pod, "status")
                .put("phase", "Running")
                .putArray("conditions")
                .addObject()
                .put("type", "Ready")
                .put("status", "True");
        api.create(PODS, "team", pod);
        cluster.settle();
    }

    private static String toleration(String key, int seconds) {
        return "{\"key\":\"" + key + "\",\"operator\":\"Exists\",\"effect\":\"NoExecute\",\"tolerationSeconds\":"
                + seconds + "}";
    }

    private List<String> taints(String node) {
        List<String> taints = new ArrayList<>();
        for (JsonNode taint : Json.listAt(api.get(NODES, "", node), "spec", "taints")) {
            taints.add(
                    Json.textAt(taint, "key").replace("node.kubernetes.io/", "") + ":" + Json.textAt(taint, "effect"));
        }
        taints.sort(null);
        return taints;
    }

    private JsonNode condition(KubeApi.Kind kind, String namespace, String name, String type) {
        for (JsonNode condition : Json.listAt(api.get(kind, namespace, name), "status", "conditions")) {
            if (Json.textAt(condition, "type").equals(type)) {
                return condition;
            }
        }
        return Json.object();
    }

    private boolean isGoing(String pod) {
        return !api.has(PODS, "team", pod) || Objects.isDeleting(api.get(PODS, "team", pod));
    }

    private List<String> messages(String namespace) {
        return api.list(EVENTS, namespace, KubeApi.View.WHOLE).items().stream()
                .map(event -> Json.textAt(event, "reason") + ": " + Json.textAt(event, "message"))
                .toList();
    }

    private void edit(String node, Consumer<ObjectNode> change) {
        api.edit(NODES, "", node, each -> {
            change.accept(each);
            return each;
        });
        cluster.settle();
    }

    // ---- silence

    @Test
    void aNodeThatFallsSilentIsUnknownAndUnreachable() {
        node("a");
        node("b");
        pod("p", "b", FOREVER);
        pass(GRACE, "a");

        JsonNode ready = condition(NODES, "", "b", "Ready");
        assertThat(Json.textAt(ready, "status")).isEqualTo("Unknown");
        assertThat(Json.textAt(ready, "reason")).isEqualTo("NodeStatusUnknown");
        assertThat(Json.textAt(ready, "message")).isEqualTo("Kubelet stopped posting node status.");
        JsonNode pressure = condition(NODES, "", "b", "PIDPressure");
        assertThat(Json.textAt(pressure, "reason")).isEqualTo("NodeStatusNeverUpdated");
        assertThat(Json.textAt(pressure, "message")).isEqualTo("Kubelet never posted node status.");
        assertThat(taints("b")).containsExactly("unreachable:NoExecute", "unreachable:NoSchedule");
        assertThat(taints("a")).isEmpty();
        assertThat(Json.textAt(condition(PODS, "team", "p", "Ready"), "status")).isEqualTo("False");
        assertThat(messages("team")).containsExactly("NodeNotReady: Node is not ready");
        assertThat(messages("default"))
                .contains(
                        "RegisteredNode: Node b event: Registered Node b in Controller",
                        "NodeNotReady: Node b status is now: NodeNotReady");
    }

    @Test
    void aNodeWhoseLeaseIsRenewedIsNotSilentAndCostsNoRequest() {
        node("a");
        node("b");
        cluster.pass(Duration.ofSeconds(5));
        pass(Duration.ofSeconds(20), "a", "b");
        api.takeWrites();

        cluster.pass(Duration.ofSeconds(5));
        cluster.pass(Duration.ofSeconds(5));

        assertThat(api.requestCount()).isZero();
        pass(GRACE, "a", "b");
        assertThat(taints("a")).isEmpty();
        assertThat(taints("b")).isEmpty();
    }

    @Test
    void aStatusThatIsPostedCountsAsALeaseDoes() {
        node("a");
        node("b");
        pass(Duration.ofSeconds(40), "a");
        edit(
                "b",
                node -> ((ObjectNode) node.at("/status/conditions/0"))
                        .put("lastHeartbeatTime", "2031-01-01T00:00:00Z"));
        pass(Duration.ofSeconds(40), "a");

        assertThat(taints("b")).isEmpty();
    }

    @Test
    void aNodeThatComesBackLosesItsTaints() {
        node("a");
        node("b");
        pass(GRACE, "a");
        assertThat(taints("b")).hasSize(2);

        edit("b", node -> {
            Json.ensureObject(node, "status").remove("conditions");
            condition(node, "Ready", "True");
        });
        renew("b");
        pass(Duration.ofSeconds(5), "a", "b");

        assertThat(taints("b")).isEmpty();
    }

    @Test
    void aNodeThatNeverReportedHasAMinute() {
        node("a");
        api.create(NODES, "", named("young"));
        pass(Duration.ofSeconds(55), "a");
        assertThat(taints("young")).isEmpty();

        pass(Duration.ofSeconds(15), "a");
        assertThat(Json.textAt(condition(NODES, "", "young", "Ready"), "reason"))
                .isEqualTo("NodeStatusNeverUpdated");
        assertThat(taints("young")).containsExactly("unreachable:NoExecute", "unreachable:NoSchedule");
    }

    // ---- taints

    @Test
    void conditionsBecomeTaintsAndTaintsGoWithThem() {
        node("a", node -> {
            condition(node, "MemoryPressure", "True");
            condition(node, "DiskPressure", "True");
            condition(node, "PIDPressure", "True");
            condition(node, "NetworkUnavailable", "True");
            Json.ensureObject(node, "spec")
                    .put("unschedulable", true)
                    .putArray("taints")
                    .addObject()
                    .put("key", "mine")
                    .put("effect", "NoSchedule");
        });
        assertThat(taints("a"))
                .containsExactly(
                        "disk-pressure:NoSchedule",
                        "memory-pressure:NoSchedule",
                        "mine:NoSchedule",
                        "network-unavailable:NoSchedule",
                        "pid-pressure:NoSchedule",
                        "unschedulable:NoSchedule");

        edit("a", node -> {
            Json.ensureObject(node, "status").remove("conditions");
            condition(node, "Ready", "True");
            Json.ensureObject(node, "spec").remove("unschedulable");
        });
        assertThat(taints("a")).containsExactly("mine:NoSchedule");
    }

    @Test
    void aNodeThatSaysItIsNotReadyIsTaintedAsSuchAndUnreachableOnceItIsSilent() {
        node("a");
        node("b", node -> ((ObjectNode) node.at("/status/conditions/0")).put("status", "False"));
        pass(Duration.ofSeconds(6), "a", "b");
        assertThat(taints("b")).containsExactly("not-ready:NoExecute", "not-ready:NoSchedule");

        pass(GRACE.plusSeconds(10), "a");
        assertThat(taints("b")).containsExactly("unreachable:NoExecute", "unreachable:NoSchedule");
    }

    @Test
    void betaLabelsFollowTheStableOnes() {
        node(
                "a",
                node -> Json.ensureObject(node, "metadata", "labels")
                        .put("kubernetes.io/os", "linux")
                        .put("kubernetes.io/arch", "arm64")
                        .put("beta.kubernetes.io/arch", "wrong"));

        JsonNode labels = api.get(NODES, "", "a").path("metadata").path("labels");
        assertThat(Json.textAt(labels, "beta.kubernetes.io/os")).isEqualTo("linux");
        assertThat(Json.textAt(labels, "beta.kubernetes.io/arch")).isEqualTo("arm64");
    }

    // ---- disruption

    private long emptied(String prefix, int count) {
        return IntStream.range(0, count)
                .filter(i -> taints(prefix + i).contains("unreachable:NoExecute"))
                .count();
    }

    @Test
    void nodesOfAZoneAreEmptiedOneEveryTenSeconds() {
        IntStream.range(0, 6).forEach(i -> node("ok" + i));
        IntStream.range(0, 4).forEach(i -> node("lost" + i));
        String[] alive = IntStream.range(0, 6).mapToObj(i -> "ok" + i).toArray(String[]::new);
        pass(GRACE, alive);
        assertThat(emptied("lost", 4)).isEqualTo(1);

        pass(Duration.ofSeconds(10), alive);
        assertThat(emptied("lost", 4)).isEqualTo(2);

        pass(Duration.ofSeconds(20), alive);
        assertThat(emptied("lost", 4)).isEqualTo(4);
    }

    @Test
    void whereAllNodesAreLostNobodyIsDrivenAway() {
        node("a");
        node("b");
        pod("p", "a");
        pass(Duration.ofMinutes(5));

        assertThat(taints("a")).containsExactly("unreachable:NoSchedule");
        assertThat(taints("b")).containsExactly("unreachable:NoSchedule");
        assertThat(isGoing("p")).isFalse();
    }

    @Test
    void whereMostOfASmallZoneIsLostEvictionStops() {
        node("ok");
        IntStream.range(0, 5).forEach(i -> node("lost" + i));
        pass(GRACE.plusSeconds(60), "ok");

        assertThat(emptied("lost", 5)).isZero();
    }

    @Test
    void zonesAreJudgedByThemselves() {
        Consumer<ObjectNode> east =
                node -> Json.ensureObject(node, "metadata", "labels").put("topology.kubernetes.io/zone", "east");
        node("west");
        IntStream.range(0, 2).forEach(i -> node("east" + i, east));
        pass(GRACE, "west");
        assertThat(emptied("east", 2)).isEqualTo(1);

        pass(Duration.ofSeconds(15), "west");
        assertThat(emptied("east", 2)).isEqualTo(2);
    }

    // ---- eviction by taints

    private void taint(String node, String key) {
        edit(
                node,
                each -> Json.ensureObject(each, "spec")
                        .putArray("taints")
                        .addObject()
                        .put("key", key)
                        .put("effect", "NoExecute"));
    }

    @Test
    void podsLeaveATaintedNodeAsTheyTolerateIt() {
        node("a");
        pod("none", "a");
        pod("briefly", "a", toleration("evil", 60));
        pod("ever", "a", FOREVER);
        taint("a", "evil");

        assertThat(isGoing("none")).isTrue();
        JsonNode why = condition(PODS, "team", "none", "DisruptionTarget");
        assertThat(Json.textAt(why, "reason")).isEqualTo("DeletionByTaintManager");
        assertThat(Json.textAt(why, "message")).isEqualTo("Taint manager: deleting due to NoExecute taint");
        assertThat(Json.longAt(why, 0, "observedGeneration")).isEqualTo(1);
        assertThat(messages("team")).containsExactly("TaintManagerEviction: Marking for deletion Pod team/none");
        assertThat(isGoing("briefly")).isFalse();

        pass(Duration.ofSeconds(61), "a");
        assertThat(isGoing("briefly")).isTrue();
        assertThat(isGoing("ever")).isFalse();
    }

    @Test
    void aTaintThatGoesInTimeSparesThePod() {
        node("a");
        pod("briefly", "a", toleration("evil", 60));
        taint("a", "evil");
        pass(Duration.ofSeconds(30), "a");
        edit("a", node -> Json.ensureObject(node, "spec").remove("taints"));
        pass(Duration.ofSeconds(60), "a");

        assertThat(isGoing("briefly")).isFalse();
        assertThat(messages("team")).containsExactly("TaintManagerEviction: Cancelling deletion of Pod team/briefly");
    }

    @Test
    void aPodThatArrivesOnATaintedNodeLeavesAtOnce() {
        node("a");
        taint("a", "evil");
        pod("late", "a");

        assertThat(isGoing("late")).isTrue();
    }

    @Test
    void theShortestPatienceCounts() {
        assertThat(TaintEviction.patience(
                        List.of(NodeState.Taint.noExecute("x"), NodeState.Taint.noExecute("y")),
                        List.of(
                                NodePod.Toleration.of(Json.parse(toleration("x", 30))),
                                NodePod.Toleration.of(Json.parse(toleration("y", 20))))))
                .isEqualTo(Duration.ofSeconds(20));
    }

    // ---- garbage

    @Test
    void podsOfANodeThatIsGoneAreFailedAndRemoved() {
        node("a");
        pod("p", "a");
        api.edit(PODS, "team", "p", pod -> TestingCluster.withFinalizers(pod, "example.com/wait"));
        pass(Duration.ofSeconds(5), "a");
        api.delete(NODES, "", "a", KubeApi.Deletion.PLAIN);
        pass(Duration.ofSeconds(30));
        assertThat(isGoing("p")).isFalse();

        pass(Duration.ofSeconds(35));
        assertThat(isGoing("p")).isTrue();
        assertThat(Json.textAt(api.get(PODS, "team", "p"), "status", "phase")).isEqualTo("Failed");
        JsonNode why = condition(PODS, "team", "p", "DisruptionTarget");
        assertThat(Json.textAt(why, "reason")).isEqualTo("DeletionByPodGC");
        assertThat(Json.textAt(why, "message")).isEqualTo("PodGC: node no longer exists");
        assertThat(messages("default")).contains("RemovingNode: Node a event: Removing Node a from Controller");
    }

    @Test
    void ofPodsThatEndedTheOldestGoWhenThereAreTooMany() {
        node("a");
        for (int i = 0; i < 5; i++) {
            pod("p" + i, "a");
            int number = i;
            api.edit(PODS, "team", "p" + i, pod -> {
                Json.ensureObject(pod, "status").put("phase", number == 4 ? "Failed" : "Succeeded");
                if (number == 4) {
                    Json.ensureObject(pod, "status").put("reason", "Evicted");
                }
                return pod;
            });
        }
        pass(Duration.ofSeconds(20), "a");

        assertThat(IntStream.range(0, 5).filter(i -> isGoing("p" + i))).containsExactly(0, 4);
    }

    @Test
    void aDeletedPodOfANodeOutOfServiceGoes() {
        node("a");
        node("b");
        pod("p", "b", FOREVER);
        api.delete(PODS, "team", "p", KubeApi.Deletion.PLAIN);
        pass(GRACE, "a");
        assertThat(api.has(PODS, "team", "p")).isTrue();

        edit(
                "b",
                node -> Json.ensureObject(node, "spec")
                        .withArray("taints")
                        .addObject()
                        .put("key", "node.kubernetes.io/out-of-service")
                        .put("effect", "NoExecute"));
        pass(Duration.ofSeconds(20), "a");
        assertThat(api.has(PODS, "team", "p")).isFalse();
    }

    // ---- addresses and times

    @Test
    void everyNodeHasARangeOfAddresses() {
        node("a", node -> Json.ensureObject(node, "spec").put("podCIDR", "10.244.0.0/24"));
        node("b");
        node("c");
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
        assertThat(messages("default")).contains("CIDRNotAvailable: Node late status is now: CIDRNotAvailable");

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
