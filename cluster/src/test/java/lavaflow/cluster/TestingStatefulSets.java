package lavaflow.cluster;

import java.util.List;
import java.util.function.Consumer;

import lavaflow.controller.Fanout;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

import static lavaflow.cluster.TestingCluster.PODS;
import static lavaflow.cluster.TestingCluster.REVISIONS;
import static lavaflow.cluster.TestingCluster.STATEFUL_SETS;
import static lavaflow.cluster.TestingCluster.named;

/**
 * A StatefulSet named {@code web} in namespace {@code team} whose pods become ready when told, and the words of its
 * tests.
 */
final class TestingStatefulSets {
    final TestingCluster cluster = new TestingCluster();
    final TestingKubeApi api = cluster.api;

    TestingStatefulSets() {
        Mirror<TemplateRevision> templates =
                new Mirror<>(cluster.followers, REVISIONS, TemplateRevision::of, TemplateRevision::words);
        cluster.run(new StatefulSets(
                        api, cluster.followers, templates, Fanout.SEQUENTIAL, cluster.clock(), cluster.nanoTime())
                .controller());
        cluster.namespace("team");
        cluster.settle();
    }

    void create(long replicas, Consumer<ObjectNode> more) {
        ObjectNode set = named("web");
        Json.ensureObject(set, "metadata").put("generation", 1);
        ObjectNode spec = set.putObject("spec");
        spec.put("replicas", replicas).put("serviceName", "svc").put("revisionHistoryLimit", 10);
        spec.put("podManagementPolicy", "OrderedReady");
        Json.ensureObject(spec, "updateStrategy", "rollingUpdate").put("partition", 0);
        Json.ensureObject(spec, "updateStrategy").put("type", "RollingUpdate");
        Json.ensureObject(spec, "selector", "matchLabels").put("app", "web");
        Json.ensureObject(spec, "template", "metadata", "labels").put("app", "web");
        Json.ensureObject(spec, "template", "spec")
                .putArray("containers")
                .addObject()
                .put("name", "main")
                .put("image", "one");
        more.accept(spec);
        api.create(STATEFUL_SETS, "team", set);
        cluster.settle();
    }

    void create(long replicas) {
        create(replicas, _ -> {});
    }

    static void parallel(ObjectNode spec) {
        spec.put("podManagementPolicy", "Parallel");
    }

    static void claims(ObjectNode spec, String whenDeleted, String whenScaled) {
        ObjectNode template = spec.putArray("volumeClaimTemplates").addObject();
        template.putObject("metadata").put("name", "data");
        template.putObject("spec").putArray("accessModes").add("ReadWriteOnce");
        spec.putObject("persistentVolumeClaimRetentionPolicy")
                .put("whenDeleted", whenDeleted)
                .put("whenScaled", whenScaled);
    }

    static void image(ObjectNode spec, String image) {
        ((ObjectNode) spec.at("/template/spec/containers/0")).put("image", image);
    }

    void change(Consumer<ObjectNode> change) {
        api.edit(STATEFUL_SETS, "team", "web", set -> {
            change.accept(Json.ensureObject(set, "spec"));
            ObjectNode metadata = Json.ensureObject(set, "metadata");
            metadata.put("generation", metadata.path("generation").asLong() + 1);
            return set;
        });
        cluster.settle();
    }

    void scale(long replicas) {
        change(spec -> spec.put("replicas", replicas));
    }

    List<ObjectNode> all(KubeApi.Kind kind) {
        return cluster.all(kind, "team");
    }

    /** {@code web-0:one+} for a ready pod of image one. */
    List<String> pods() {
        return all(PODS).stream()
                .map(pod -> Objects.name(pod) + ":"
                        + pod.at("/spec/containers/0/image").asText()
                        + (Objects.isDeleting(pod) ? "x" : PodState.of(pod).isReady() ? "+" : ""))
                .toList();
    }

    void report(String name, String phase, boolean ready) {
        cluster.report("team", name, phase, ready);
        cluster.settle();
    }

    void ready(String... names) {
        for (String name : names) {
            report(name, "Running", true);
        }
    }

    void allReady() {
        for (int i = 0; i < 100; i++) {
            List<String> waiting = all(PODS).stream()
                    .filter(pod -> !Objects.isDeleting(pod) && !PodState.of(pod).isReady())
                    .map(Objects::name)
                    .toList();
            if (waiting.isEmpty()) {
                return;
            }
            ready(waiting.getFirst());
        }
    }

    void kill(String name) {
        api.delete(PODS, "team", name, KubeApi.Deletion.PLAIN.atOnce());
        cluster.settle();
    }

    ObjectNode set() {
        return api.get(STATEFUL_SETS, "team", "web");
    }

    long count(String field) {
        return Json.longAt(set(), 0, "status", field);
    }
}
