package lavaflow.cluster;

import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

import lavaflow.controller.Fanout;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

import static lavaflow.cluster.TestingCluster.DAEMON_SETS;
import static lavaflow.cluster.TestingCluster.NODES;
import static lavaflow.cluster.TestingCluster.PODS;
import static lavaflow.cluster.TestingCluster.REVISIONS;
import static lavaflow.cluster.TestingCluster.named;

/** A DaemonSet named {@code agent} in namespace {@code team}, on nodes that change, and the words of its tests. */
final class TestingDaemonSets {
    final TestingCluster cluster = new TestingCluster();
    final TestingKubeApi api = cluster.api;

    TestingDaemonSets() {
        Mirror<TemplateRevision> templates =
                new Mirror<>(cluster.followers, REVISIONS, TemplateRevision::of, TemplateRevision::words);
        cluster.run(new DaemonSets(
                        api, cluster.followers, templates, Fanout.SEQUENTIAL, cluster.clock(), cluster.nanoTime())
                .controller());
        cluster.namespace("team");
        List.of("a", "b", "c").forEach(this::node);
        cluster.settle();
    }

    void node(String name) {
        ObjectNode node = named(name);
        Json.ensureObject(node, "metadata", "labels").put("disk", "ssd");
        api.create(NODES, "", node);
        cluster.settle();
    }

    void create(Consumer<ObjectNode> more) {
        ObjectNode set = named("agent");
        Json.ensureObject(set, "metadata").put("generation", 1);
        Json.ensureObject(set, "metadata", "annotations").put("deprecated.daemonset.template.generation", "1");
        ObjectNode spec = set.putObject("spec");
        spec.put("revisionHistoryLimit", 10);
        Json.ensureObject(spec, "updateStrategy").put("type", "RollingUpdate");
        limits(spec, 0, 1);
        Json.ensureObject(spec, "selector", "matchLabels").put("app", "agent");
        Json.ensureObject(spec, "template", "metadata", "labels").put("app", "agent");
        Json.ensureObject(spec, "template", "spec")
                .putArray("containers")
                .addObject()
                .put("name", "main")
                .put("image", "one");
        more.accept(spec);
        api.create(DAEMON_SETS, "team", set);
        cluster.settle();
    }

    void create() {
        create(_ -> {});
    }

    static void limits(ObjectNode spec, long surge, long unavailable) {
        Json.ensureObject(spec, "updateStrategy", "rollingUpdate")
                .put("maxSurge", surge)
                .put("maxUnavailable", unavailable);
    }

    private void change(Consumer<ObjectNode> change) {
        api.edit(DAEMON_SETS, "team", "agent", set -> {
            change.accept(Json.ensureObject(set, "spec"));
            ObjectNode metadata = Json.ensureObject(set, "metadata");
            long generation = metadata.path("generation").asLong() + 1;
            metadata.put("generation", generation);
            Json.ensureObject(metadata, "annotations")
                    .put("deprecated.daemonset.template.generation", Long.toString(generation));
            return set;
        });
        cluster.settle();
    }

    void image(String image) {
        change(spec -> ((ObjectNode) spec.at("/template/spec/containers/0")).put("image", image));
    }

    List<ObjectNode> all(KubeApi.Kind kind) {
        return cluster.all(kind, "team");
    }

    /** {@code a:one+} for a ready pod of image one for node a, {@code x} for one that is going. */
    List<String> pods() {
        return all(PODS).stream()
                .map(pod -> DaemonPod.of(pod).target() + ":"
                        + pod.at("/spec/containers/0/image").asText()
                        + (Objects.isDeleting(pod) ? "x" : PodState.of(pod).isReady() ? "+" : ""))
                .sorted()
                .toList();
    }

    Stream<ObjectNode> living(String node) {
        return all(PODS).stream()
                .filter(pod ->
                        !Objects.isDeleting(pod) && DaemonPod.of(pod).target().equals(node));
    }

    String on(String node) {
        return living(node).map(Objects::name).findFirst().orElseThrow();
    }

    void report(String pod, String phase, boolean ready) {
        String node = DaemonPod.of(api.get(PODS, "team", pod)).target();
        cluster.place("team", pod, node);
        cluster.report("team", pod, phase, ready);
        cluster.settle();
    }

    /** Lets the newest pod on each of the nodes run. */
    void ready(String... nodes) {
        for (String node : nodes) {
            living(node)
                    .filter(pod -> !PodState.of(pod).isReady())
                    .map(Objects::name)
                    .toList()
                    .forEach(pod -> report(pod, "Running", true));
        }
    }

    /** Ends what is going. */
    void reap() {
        all(PODS).stream()
                .filter(Objects::isDeleting)
                .forEach(pod -> api.delete(PODS, "team", Objects.name(pod), KubeApi.Deletion.PLAIN.atOnce()));
        cluster.settle();
    }

    long count(String field) {
        return Json.longAt(api.get(DAEMON_SETS, "team", "agent"), 0, "status", field);
    }
}
