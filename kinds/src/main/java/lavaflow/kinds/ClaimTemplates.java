package lavaflow.kinds;

import java.util.List;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Claims on storage inside a StatefulSet. */
final class ClaimTemplates {
    private static final List<String> MODES =
            List.of("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod");

    private ClaimTemplates() {}

    static void validate(ObjectNode claim, FieldPath path, FieldErrors errors) {
        JsonNode spec = Json.at(claim, "spec");
        FieldPath specPath = path.child("spec");
        List<String> modes = Nodes.strings(spec, "accessModes");
        if (modes.isEmpty()) {
            errors.required(specPath.child("accessModes"), "at least 1 access mode is required");
        }
        for (String mode : modes) {
            if (!MODES.contains(mode)) {
                errors.notSupported(specPath.child("accessModes"), mode, MODES);
            }
        }
        FieldPath storagePath = specPath.child("resources").key("storage");
        if (!Nodes.has(spec, "resources", "requests", "storage")) {
            errors.required(storagePath);
        } else if (storage(claim).signum() <= 0) {
            errors.invalid(storagePath, storage(claim).toString(), "must be greater than zero");
        }
    }

    static List<String> warnings(ObjectNode claim, FieldPath path) {
        Quantity storage = storage(claim);
        return storage.milliValue() % 1_000 == 0
                ? List.of()
                : List.of(path.child("resources", "requests").key("storage") + ": fractional byte value "
                        + FieldErrors.quoted(storage.toString()) + " is invalid, must be an integer");
    }

    private static Quantity storage(ObjectNode claim) {
        return Quantity.at(Json.at(claim, "spec", "resources", "requests"), "storage");
    }
}
