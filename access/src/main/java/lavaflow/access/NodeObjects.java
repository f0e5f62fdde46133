package lavaflow.access;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import lavaflow.kube.Json;
import lavaflow.store.BucketView;
import lavaflow.store.Store;
import lavaflow.store.StoredObject;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What nodes have to do with: the objects that the pods on them use. Pods are looked at from the first question of a node
 * on; a cluster without nodes pays nothing.
 */
final class NodeObjects {
    private static final String MIRROR = "kubernetes.io/config.mirror";

    /** The pods of a node, by key, with the objects each uses as "resource/namespace/name". */
    private final Map<String, Map<String, Set<String>>> byNode = new ConcurrentHashMap<>();

    private final Map<String, String> nodeOf = new ConcurrentHashMap<>();
    private final Store store;
    private final BucketView pods;

    NodeObjects(Store store) {
        this.store = store;
        this.pods = new BucketView(store, "pods", new PodListener());
    }

    /** Whether some pod on the node uses an object; the namespace is empty for what has none. */
    boolean related(String node, String resource, String namespace, String name) {
        return switch (resource) {
            case "persistentvolumes" -> usesVolume(node, name);
            case "volumeattachments" -> attachedTo(node, name);
            case "secrets" -> uses(node, "secrets", namespace, name) || volumeSecret(node, namespace, name);
            default -> uses(node, resource, namespace, name);
        };
    }

    private boolean uses(String node, String resource, String namespace, String name) {
        pods.refresh();
        Map<String, Set<String>> of = byNode.get(node);
        String wanted = resource + "/" + namespace + "/" + name;
        return of != null && of.values().stream().anyMatch(used -> used.contains(wanted));
    }

    private boolean usesVolume(String node, String volume) {
        ObjectNode found = find("persistentvolumes", volume);
        String namespace = found == null ? "" : Json.textAt(found, "spec", "claimRef", "namespace");
        String claim = found == null ? "" : Json.textAt(found, "spec", "claimRef", "name");
        return !claim.isEmpty() && uses(node, "persistentvolumeclaims", namespace, claim);
    }

    private boolean attachedTo(String node, String attachment) {
        ObjectNode found = find("storage.k8s.io/volumeattachments", attachment);
        return found != null && Json.textAt(found, "spec", "nodeName").equals(node);
    }

    /** A volume may need a secret to be mounted. */
    private boolean volumeSecret(String node, String namespace, String name) {
        pods.refresh();
        Map<String, Set<String>> of = byNode.getOrDefault(node, Map.of());
        for (Set<String> used : of.values()) {
            for (String object : used) {
                if (object.startsWith("persistentvolumeclaims/")) {
                    ObjectNode claim =
                            find("persistentvolumeclaims", object.substring("persistentvolumeclaims/".length()));
                    String volume = claim == null ? "" : Json.textAt(claim, "spec", "volumeName");
                    ObjectNode found = volume.isEmpty() ? null : find("persistentvolumes", volume);
                    if (found != null && namesSecret(found.path("spec"), namespace, name)) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    private static boolean namesSecret(JsonNode part, String namespace, String name) {
        for (var field : part.properties()) {
            JsonNode value = field.getValue();
            boolean reference = field.getKey().endsWith("ecretRef")
                    && Json.textAt(value, "name").equals(name)
                    && Json.textAt(value, "namespace").equals(namespace);
            if (reference || (value.isObject() && namesSecret(value, namespace, name))) {
                return true;
            }
        }
        return false;
    }

    private @Nullable ObjectNode find(String bucket, String key) {
        StoredObject object = store.get(bucket, key);
        return object == null ? null : Json.parseObject(object.bytes());
    }

    private final class PodListener implements BucketView.Listener {
        @Override
        public void reset() {
            byNode.clear();
            nodeOf.clear();
        }

        @Override
        public void put(StoredObject object) {
            ObjectNode pod = Json.parseObject(object.bytes());
            String node = Json.textAt(pod, "spec", "nodeName");
            remove(object.key());
            // A mirror pod is what a node says of itself; it must not open anything to it.
            if (!node.isEmpty()) {
                boolean mirror = Json.at(pod, "metadata", "annotations", MIRROR) != null;
                nodeOf.put(object.key(), node);
                byNode.computeIfAbsent(node, _ -> new ConcurrentHashMap<>())
                        .put(object.key(), used(pod, object.key(), mirror));
            }
        }

        @Override
        public void remove(String key) {
            String node = nodeOf.remove(key);
            Map<String, Set<String>> pods = node == null ? null : byNode.get(node);
            if (pods != null) {
                pods.remove(key);
            }
        }
    }

    private static Set<String> used(ObjectNode pod, String key, boolean mirror) {
        Set<String> used = new HashSet<>();
        used.add("pods/" + key);
        if (mirror) {
            return used;
        }
        String namespace = Json.textAt(pod, "metadata", "namespace");
        add(used, "serviceaccounts", namespace, Json.textAt(pod, "spec", "serviceAccountName"));
        for (JsonNode secret : Json.listAt(pod, "spec", "imagePullSecrets")) {
            add(used, "secrets", namespace, Json.textAt(secret, "name"));
        }
        collect(pod.path("spec"), namespace, used);
        for (JsonNode volume : Json.listAt(pod, "spec", "volumes")) {
            add(used, "persistentvolumeclaims", namespace, Json.textAt(volume, "persistentVolumeClaim", "claimName"));
            if (volume.has("ephemeral")) {
                add(
                        used,
                        "persistentvolumeclaims",
                        namespace,
                        Json.textAt(pod, "metadata", "name") + "-" + Json.textAt(volume, "name"));
            }
        }
        for (JsonNode claim : Json.listAt(pod, "spec", "resourceClaims")) {
            add(used, "resourceclaims", namespace, Json.textAt(claim, "resourceClaimName"));
        }
        for (JsonNode claim : Json.listAt(pod, "status", "resourceClaimStatuses")) {
            add(used, "resourceclaims", namespace, Json.textAt(claim, "resourceClaimName"));
        }
        return used;
    }

    /** Secrets and maps are named in many places, but always by a few words. */
    private static void collect(JsonNode part, String namespace, Set<String> used) {
        for (var field : part.properties()) {
            JsonNode value = field.getValue();
            switch (field.getKey()) {
                case "secretRef", "secretKeyRef", "nodePublishSecretRef" ->
                    add(used, "secrets", namespace, Json.textAt(value, "name"));
                case "secretName" -> add(used, "secrets", namespace, value.asText());
                case "secret" -> add(used, "secrets", namespace, Json.textAt(value, "name"));
                case "configMapRef", "configMapKeyRef", "configMap" ->
                    add(used, "configmaps", namespace, Json.textAt(value, "name"));
                default -> {}
            }
            collect(value, namespace, used);
        }
        if (part.isArray()) {
            part.forEach(item -> collect(item, namespace, used));
        }
    }

    private static void add(Set<String> used, String resource, String namespace, String name) {
        if (!name.isEmpty()) {
            used.add(resource + "/" + namespace + "/" + name);
        }
    }
}
