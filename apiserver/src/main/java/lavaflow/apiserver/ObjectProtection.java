package lavaflow.apiserver;

import java.util.Map;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what others depend on: volumes and claims in use get a finalizer that a controller takes off when nobody uses
 * them, nodes start out tainted until something says they are ready, and the system's priority classes stay.
 */
final class ObjectProtection implements Admission.Plugin {
    private static final Map<String, String> FINALIZERS = Map.of(
            "persistentvolumeclaims", "kubernetes.io/pvc-protection",
            "persistentvolumes", "kubernetes.io/pv-protection",
            "storage.k8s.io/volumeattributesclasses", "kubernetes.io/vac-protection");
    private static final String NOT_READY = "node.kubernetes.io/not-ready";

    private final boolean finalizers;
    private final boolean taints;

    ObjectProtection(AdmissionSwitches on) {
        this.finalizers = on.has("StorageObjectInUseProtection");
        this.taints = on.has("TaintNodesByCondition");
    }

    @Override
    public void mutate(Call call, Admission.Operation operation, ObjectNode object, @Nullable ObjectNode old) {
        if (operation != Admission.Operation.CREATE) {
            return;
        }
        String bucket = call.resource().bucket();
        String finalizer = FINALIZERS.get(bucket);
        if (finalizer != null && finalizers) {
            addFinalizer(object, finalizer);
        }
        if (bucket.equals("nodes") && taints) {
            taint(object);
        }
    }

    private static void addFinalizer(ObjectNode object, String finalizer) {
        ArrayNode held = Json.listAt(object, "metadata", "finalizers");
        for (JsonNode present : held) {
            if (present.asText().equals(finalizer)) {
                return;
            }
        }
        Metadata.of(object).set("finalizers", held.add(finalizer));
    }

    private static void taint(ObjectNode node) {
        ObjectNode spec = Json.ensureObject(node, "spec");
        ArrayNode held = Json.listAt(spec, "taints");
        for (JsonNode taint : held) {
            boolean same = Json.textAt(taint, "key").equals(NOT_READY)
                    && Json.textAt(taint, "effect").equals("NoSchedule");
            if (same) {
                return;
            }
        }
        held.addObject().put("key", NOT_READY).put("effect", "NoSchedule");
        spec.set("taints", held);
    }

    @Override
    public void validate(
            Call call, Admission.Operation operation, @Nullable ObjectNode object, @Nullable ObjectNode old) {
        boolean systemClass = operation == Admission.Operation.DELETE
                && call.resource().bucket().equals("scheduling.k8s.io/priorityclasses")
                && old != null
                && Metadata.name(old).startsWith("system-");
        if (systemClass && old != null) {
            throw call.resource()
                    .forbidden(Metadata.name(old), "this is a system priority class and cannot be deleted");
        }
    }
}
