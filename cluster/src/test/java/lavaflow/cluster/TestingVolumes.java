package lavaflow.cluster;

import java.util.List;
import java.util.function.Consumer;

import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

import static lavaflow.cluster.TestingCluster.CLAIMS;
import static lavaflow.cluster.TestingCluster.PODS;
import static lavaflow.cluster.TestingCluster.STORAGE_CLASSES;
import static lavaflow.cluster.TestingCluster.VOLUMES;
import static lavaflow.cluster.TestingCluster.named;

/** Words of tests about claims and volumes. */
final class TestingVolumes {
    final TestingCluster cluster = new TestingCluster();
    final TestingKubeApi api = cluster.api;

    TestingVolumes() {
        cluster.run(new VolumeBinder(api, cluster.followers, cluster.clock(), cluster.nanoTime()).controller());
        cluster.namespace("team");
        cluster.namespace("default");
    }

    void storageClass(String name, String provisioner, Consumer<ObjectNode> more) {
        ObjectNode storageClass = named(name);
        storageClass.put("provisioner", provisioner).put("reclaimPolicy", "Delete");
        more.accept(storageClass);
        api.create(STORAGE_CLASSES, "", storageClass);
        cluster.settle();
    }

    static void waits(ObjectNode storageClass) {
        storageClass.put("volumeBindingMode", "WaitForFirstConsumer");
    }

    void volume(String name, String size, Consumer<ObjectNode> more) {
        ObjectNode volume = named(name);
        ObjectNode spec = volume.putObject("spec");
        spec.putObject("capacity").put("storage", size);
        spec.putArray("accessModes").add("ReadWriteOnce");
        spec.put("storageClassName", "manual").put("persistentVolumeReclaimPolicy", "Retain");
        spec.put("volumeMode", "Filesystem");
        more.accept(volume);
        api.create(VOLUMES, "", volume);
        cluster.settle();
    }

    void volume(String name, String size) {
        volume(name, size, _ -> {});
    }

    void claim(String name, String size, Consumer<ObjectNode> more) {
        ObjectNode claim = named(name);
        ObjectNode spec = claim.putObject("spec");
        spec.putArray("accessModes").add("ReadWriteOnce");
        spec.put("storageClassName", "manual").put("volumeMode", "Filesystem");
        Json.ensureObject(spec, "resources", "requests").put("storage", size);
        claim.putObject("status").put("phase", "Pending");
        more.accept(claim);
        api.create(CLAIMS, "team", claim);
        cluster.settle();
    }

    void claim(String name, String size) {
        claim(name, size, _ -> {});
    }

    void pod(String name, String node, String claim) {
        ObjectNode pod = named(name);
        ObjectNode spec = pod.putObject("spec");
        if (!node.isEmpty()) {
            spec.put("nodeName", node);
        }
        spec.putArray("volumes")
                .addObject()
                .put("name", "v")
                .putObject("persistentVolumeClaim")
                .put("claimName", claim);
        api.create(PODS, "team", pod);
        cluster.settle();
    }

    ObjectNode claim(String name) {
        return api.get(CLAIMS, "team", name);
    }

    ObjectNode volume(String name) {
        return api.get(VOLUMES, "", name);
    }

    String phase(String claim) {
        return Json.textAt(claim(claim), "status", "phase");
    }

    String volumePhase(String volume) {
        return Json.textAt(volume(volume), "status", "phase");
    }

    /** The volume of a claim. */
    String of(String claim) {
        return Json.textAt(claim(claim), "spec", "volumeName");
    }

    void edit(KubeApi.Kind kind, String namespace, String name, Consumer<ObjectNode> change) {
        api.edit(kind, namespace, name, object -> {
            change.accept(object);
            return object;
        });
        cluster.settle();
    }

    void delete(KubeApi.Kind kind, String namespace, String name) {
        api.delete(kind, namespace, name, KubeApi.Deletion.PLAIN);
        cluster.settle();
    }

    List<String> messages(String namespace) {
        return cluster.messages(namespace);
    }
}
