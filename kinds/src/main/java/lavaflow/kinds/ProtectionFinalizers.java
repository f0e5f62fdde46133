package lavaflow.kinds;

import java.util.Map;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Finalizers that keep storage from vanishing under those who use it; new objects get them. */
public final class ProtectionFinalizers {
    private static final Map<String, String> FINALIZERS = Map.of(
            "/persistentvolumes", "kubernetes.io/pv-protection",
            "/persistentvolumeclaims", "kubernetes.io/pvc-protection",
            "storage.k8s.io/volumeattributesclasses", "kubernetes.io/vac-protection");

    private ProtectionFinalizers() {}

    /** Adds the finalizer of a new object's kind, if it has one. */
    public static void apply(String group, String resource, ObjectNode object) {
        String finalizer = FINALIZERS.get(group + "/" + resource);
        if (finalizer == null || Nodes.strings(object, "metadata", "finalizers").contains(finalizer)) {
            return;
        }
        ObjectNode metadata = Json.ensureObject(object, "metadata");
        ArrayNode finalizers = Json.listAt(metadata, "finalizers");
        metadata.set("finalizers", finalizers.add(finalizer));
    }
}
