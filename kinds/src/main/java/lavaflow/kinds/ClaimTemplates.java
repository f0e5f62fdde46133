package lavaflow.kinds;

import java.util.List;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Claims on storage inside a StatefulSet. */
final class ClaimTemplates {
    private ClaimTemplates() {}

    static void validate(ObjectNode claim, FieldPath path, FieldErrors errors) {
        ClaimSpecRules.spec(Json.ensureObject(claim, "spec"), path.child("spec"), errors);
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
