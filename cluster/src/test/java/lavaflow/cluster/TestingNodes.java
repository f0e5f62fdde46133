package lavaflow.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

import lavaflow.controller.Fanout;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import static lavaflow.cluster.TestingCluster.LEASES;
import static lavaflow.cluster.TestingCluster.NODES;
import static lavaflow.cluster.TestingCluster.PODS;
import static lavaflow.cluster.TestingCluster.named;

/** Nodes that fail and recover, their pods in namespace {@code team}, and the controllers that watch them. */
final class TestingNodes {
    /** Nodes are looked at every five seconds; fifty after the first look they are given up. */
    static final Duration GRACE = Duration.ofSeconds(60);

    static final String FOREVER = "{\"operator\":\"Exists\"}";
    final TestingCluster cluster = new TestingCluster();
    final TestingKubeApi api = cluster.api;

    TestingNodes() {
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

    void node(String name, Consumer<ObjectNode> more) {
        ObjectNode node = named(name);
        condition(node, "Ready", "True");
        more.accept(node);
        api.create(NODES, "", node);
        ObjectNode lease = named(name);
        api.create(LEASES, "kube-node-lease", lease);
        renew(name);
        cluster.settle();
    }

    void node(String name) {
        node(name, _ -> {});
    }

    void condition(ObjectNode node, String type, String status) {
        Json.ensureObject(node, "status")
                .withArray("conditions")
                .addObject()
                .put("type", type)
                .put("status", status)
                .put("lastHeartbeatTime", GoTime.seconds(cluster.clock().instant()));
    }

    void renew(String name) {
        api.edit(LEASES, "kube-node-lease", name, lease -> {
            Json.ensureObject(lease, "spec")
                    .put("renewTime", GoTime.micros(cluster.clock().instant()));
            return lease;
        });
    }

    /** Lets time pass while some nodes go on renewing their leases. */
    void pass(Duration time, String... alive) {
        for (long left = time.toSeconds(); left > 0; left -= 5) {
            Stream.of(alive).forEach(this::renew);
            cluster.pass(Duration.ofSeconds(Math.min(left, 5)));
        }
    }

    void pod(String name, String node, String... tolerations) {
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

    static String toleration(String key, int seconds) {
        return "{\"key\":\"" + key + "\",\"operator\":\"Exists\",\"effect\":\"NoExecute\",\"tolerationSeconds\":"
                + seconds + "}";
    }

    List<String> taints(String node) {
        List<String> taints = new ArrayList<>();
        for (JsonNode taint : Json.listAt(api.get(NODES, "", node), "spec", "taints")) {
            taints.add(
                    Json.textAt(taint, "key").replace("node.kubernetes.io/", "") + ":" + Json.textAt(taint, "effect"));
        }
        taints.sort(null);
        return taints;
    }

    JsonNode condition(KubeApi.Kind kind, String namespace, String name, String type) {
        for (JsonNode condition : Json.listAt(api.get(kind, namespace, name), "status", "conditions")) {
            if (Json.textAt(condition, "type").equals(type)) {
                return condition;
            }
        }
        return Json.object();
    }

    boolean isGoing(String pod) {
        return !api.has(PODS, "team", pod) || Objects.isDeleting(api.get(PODS, "team", pod));
    }

    void edit(String node, Consumer<ObjectNode> change) {
        api.edit(NODES, "", node, each -> {
            change.accept(each);
            return each;
        });
        cluster.settle();
    }

    void taint(String node, String key) {
        edit(
                node,
                each -> Json.ensureObject(each, "spec")
                        .putArray("taints")
                        .addObject()
                        .put("key", key)
                        .put("effect", "NoExecute"));
    }
}
