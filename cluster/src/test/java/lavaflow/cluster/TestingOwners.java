package lavaflow.cluster;

import java.util.List;
import java.util.stream.StreamSupport;

import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import static lavaflow.cluster.TestingCluster.MAPS;
import static lavaflow.cluster.TestingCluster.named;

/** Config maps of namespace {@code team} that own each other, and the collector that follows them. */
final class TestingOwners {
    final TestingCluster cluster = new TestingCluster();
    final TestingKubeApi api = cluster.api;
    final GarbageCollector collector = new GarbageCollector(api, cluster.followers, cluster.nanoTime());

    TestingOwners() {
        cluster.run(collector.controller());
        cluster.namespace("team");
        cluster.namespace("other");
        cluster.settle();
    }

    ObjectNode create(String name) {
        return api.create(MAPS, "team", named(name));
    }

    ObjectNode create(ObjectNode object) {
        return api.create(MAPS, "team", object);
    }

    static ObjectNode owned(String name, ObjectNode... owners) {
        ObjectNode object = named(name);
        for (ObjectNode owner : owners) {
            refer(object, "v1", "ConfigMap", Objects.name(owner), Objects.uid(owner));
        }
        return object;
    }

    static ObjectNode refer(ObjectNode object, String apiVersion, String kind, String name, String uid) {
        ObjectNode reference = Json.ensureObject(object, "metadata")
                .withArray("ownerReferences")
                .addObject();
        reference
                .put("apiVersion", apiVersion)
                .put("kind", kind)
                .put("name", name)
                .put("uid", uid);
        return reference;
    }

    static ObjectNode blocking(ObjectNode object) {
        for (JsonNode reference : Json.listAt(object, "metadata", "ownerReferences")) {
            ((ObjectNode) reference).put("blockOwnerDeletion", true);
        }
        return object;
    }

    void delete(String name, String policy) {
        cluster.delete(MAPS, "team", name, policy);
        cluster.settle();
    }

    boolean has(String name) {
        return api.has(MAPS, "team", name);
    }

    List<String> ownersOf(String name) {
        ObjectNode object = api.get(MAPS, "team", name);
        return StreamSupport.stream(
                        Json.listAt(object, "metadata", "ownerReferences").spliterator(), false)
                .map(reference -> Json.textAt(reference, "name"))
                .toList();
    }
}
