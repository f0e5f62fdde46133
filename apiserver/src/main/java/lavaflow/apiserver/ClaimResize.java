package lavaflow.apiserver;

import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Lets bound claims ask for more only where their storage class can give more. */
final class ClaimResize implements Admission.Plugin {
    private final Stored stored;

    ClaimResize(Stored stored) {
        this.stored = stored;
    }

    @Override
    public void validate(
            Call call, Admission.Operation operation, @Nullable ObjectNode object, @Nullable ObjectNode old) {
        boolean changed = operation == Admission.Operation.UPDATE
                && call.resource().bucket().equals("persistentvolumeclaims")
                && call.subresource().isEmpty();
        if (!changed || object == null || old == null) {
            return;
        }
        boolean bound = Json.textAt(old, "status", "phase").equals("Bound");
        if (!bound || !grows(object, old)) {
            return;
        }
        String name = Json.textAt(object, "spec", "storageClassName");
        ObjectNode storageClass = name.isEmpty() ? null : stored.find("storage.k8s.io/storageclasses", name);
        if (!Json.flagAt(storageClass, "allowVolumeExpansion")) {
            throw call.resource()
                    .forbidden(
                            Metadata.name(object),
                            "only dynamically provisioned pvc can be resized and the storageclass that provisions the"
                                    + " pvc must support resize");
        }
    }

    private static boolean grows(ObjectNode object, ObjectNode old) {
        try {
            return size(object).compareTo(size(old)) > 0;
        } catch (MalformedException e) {
            return false;
        }
    }

    private static Quantity size(ObjectNode claim) {
        return Quantity.parse(Json.textAt(claim, "spec", "resources", "requests", "storage"));
    }
}
