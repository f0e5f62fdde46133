package lavaflow.access;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import lavaflow.kube.Json;
import lavaflow.store.Content;
import lavaflow.store.Mutation;
import lavaflow.store.Store;
import lavaflow.store.StoreOptions;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** A store to put objects into as the API server would, without one. */
final class TestingRoles implements AutoCloseable {
    private static final String GROUP = "rbac.authorization.k8s.io/";

    final Store store;

    TestingRoles(Path directory) throws Exception {
        store = Store.open(directory, StoreOptions.defaults());
    }

    void put(String bucket, String key, String json) {
        ObjectNode object = Json.parseObject(json.getBytes(StandardCharsets.UTF_8));
        int slash = key.indexOf('/');
        ObjectNode metadata = Json.ensureObject(object, "metadata");
        metadata.put("name", key.substring(slash + 1));
        if (slash >= 0) {
            metadata.put("namespace", key.substring(0, slash));
        }
        metadata.put("resourceVersion", "");
        byte[] bytes = Json.bytes(object);
        String text = new String(bytes, StandardCharsets.UTF_8);
        int gap = text.indexOf("\"resourceVersion\":\"\"") + "\"resourceVersion\":\"".length();
        store.commit(new Mutation.Put(bucket, key, Mutation.ANY, new Content(bytes, gap), false));
    }

    void role(String key, String rules) {
        put(GROUP + (key.contains("/") ? "roles" : "clusterroles"), key, "{\"rules\":[" + rules + "]}");
    }

    void bind(String key, String kind, String role, String subjects) {
        put(
                GROUP + (key.contains("/") ? "rolebindings" : "clusterrolebindings"),
                key,
                "{\"roleRef\":{\"kind\":\"" + kind + "\",\"name\":\"" + role + "\"},\"subjects\":[" + subjects + "]}");
    }

    static String rule(String verb, String group, String resource) {
        return "{\"verbs\":[\"" + verb + "\"],\"apiGroups\":[\"" + group + "\"],\"resources\":[\"" + resource + "\"]}";
    }

    static String user(String name) {
        return "{\"kind\":\"User\",\"name\":\"" + name + "\"}";
    }

    @Override
    public void close() throws java.io.IOException {
        store.close();
    }
}
