package lavaflow.cluster;

import java.util.List;
import java.util.function.Consumer;

import lavaflow.controller.Fanout;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

import static lavaflow.cluster.TestingCluster.NODES;
import static lavaflow.cluster.TestingCluster.PODS;
import static lavaflow.cluster.TestingCluster.SERVICES;
import static lavaflow.cluster.TestingCluster.SLICES;
import static lavaflow.cluster.TestingCluster.named;

/** Services, pods that answer for them, and all controllers that write down their addresses. */
final class TestingServices {
    final TestingCluster cluster = new TestingCluster();
    final TestingKubeApi api = cluster.api;

    TestingServices() {
        ServicePods pods = new ServicePods(cluster.followers);
        Mirror<SliceState> slices = EndpointSlices.mirror(cluster.followers);
        cluster.run(new EndpointSlices(
                        api, cluster.followers, pods, slices, Fanout.SEQUENTIAL, cluster.clock(), cluster.nanoTime())
                .controller());
        cluster.run(
                new EndpointsObjects(api, cluster.followers, pods, cluster.clock(), cluster.nanoTime()).controller());
        cluster.run(new EndpointMirroring(
                        api, cluster.followers, slices, Fanout.SEQUENTIAL, cluster.clock(), cluster.nanoTime())
                .controller());
        cluster.namespace("team");
        cluster.settle();
    }

    void node(String name, String zone) {
        ObjectNode node = named(name);
        Json.ensureObject(node, "metadata", "labels").put("topology.kubernetes.io/zone", zone);
        Json.ensureObject(node, "status", "allocatable").put("cpu", "4");
        Json.ensureObject(node, "status")
                .putArray("conditions")
                .addObject()
                .put("type", "Ready")
                .put("status", "True");
        api.create(NODES, "", node);
    }

    /** A service of the pods labelled {@code app: web}, at port 80. */
    void service(String name, Consumer<ObjectNode> more) {
        ObjectNode service = named(name);
        ObjectNode spec = Json.ensureObject(service, "spec");
        spec.putObject("selector").put("app", "web");
        spec.put("clusterIP", "10.96.0.9").putArray("ipFamilies").add("IPv4");
        spec.putArray("ports").addObject().put("port", 80).put("protocol", "TCP");
        more.accept(service);
        api.create(SERVICES, "team", service);
        cluster.settle();
    }

    void editService(Consumer<ObjectNode> change) {
        api.edit(SERVICES, "team", "web", service -> {
            change.accept(service);
            return service;
        });
        cluster.settle();
    }

    /** A pod that runs, and is ready. */
    ObjectNode pod(String name, String node, String ip) {
        return pod(name, node, ip, _ -> {});
    }

    ObjectNode pod(String name, String node, String ip, Consumer<ObjectNode> more) {
        ObjectNode pod = named(name);
        Json.ensureObject(pod, "metadata", "labels").put("app", "web");
        Json.ensureObject(pod, "spec").put("nodeName", node);
        ObjectNode status = Json.ensureObject(pod, "status");
        status.put("phase", "Running").put("podIP", ip);
        status.putArray("podIPs").addObject().put("ip", ip);
        ready(pod, true);
        more.accept(pod);
        return api.create(PODS, "team", pod);
    }

    static void ready(ObjectNode pod, boolean ready) {
        Json.ensureObject(pod, "status")
                .putArray("conditions")
                .addObject()
                .put("type", "Ready")
                .put("status", ready ? "True" : "False")
                .put("lastTransitionTime", "2029-05-05T05:05:05Z");
    }

    void editPod(String name, Consumer<ObjectNode> change) {
        api.edit(PODS, "team", name, pod -> {
            change.accept(pod);
            return pod;
        });
        cluster.settle();
    }

    List<ObjectNode> all(KubeApi.Kind kind) {
        return cluster.all(kind, "team");
    }

    List<ObjectNode> slices() {
        return all(SLICES);
    }

    ObjectNode onlySlice() {
        if (slices().size() != 1) {
            throw new AssertionError("one slice expected: " + slices());
        }
        return slices().getFirst();
    }

    static List<String> addresses(ObjectNode slice) {
        return SliceState.of(slice.deepCopy()).endpoints().stream()
                .flatMap(endpoint -> endpoint.addresses().stream())
                .toList();
    }

    /** Each endpoint's address and the zones its hints name. */
    static List<String> hints(ObjectNode slice) {
        return SliceState.of(slice.deepCopy()).endpoints().stream()
                .map(endpoint -> endpoint.addresses().getFirst() + " " + endpoint.zoneHints())
                .toList();
    }

    List<String> messages() {
        return cluster.messages("team");
    }
}
