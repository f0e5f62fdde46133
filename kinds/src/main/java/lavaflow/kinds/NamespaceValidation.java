package lavaflow.kinds;

import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Checks of namespaces. */
final class NamespaceValidation {
    private static final Set<String> STANDARD = Set.of("kubernetes", "orphan", "foregroundDeletion");

    private NamespaceValidation() {}

    /** @param indexed whether complaints name the finalizer's index, as those of the finalize subresource do */
    static void finalizers(ObjectNode object, boolean indexed, FieldErrors errors) {
        FieldPath path = FieldPath.of("spec", "finalizers");
        List<String> finalizers = Nodes.strings(object, "spec", "finalizers");
        for (int i = 0; i < finalizers.size(); i++) {
            String name = finalizers.get(i);
            FieldPath place = indexed ? path.index(i) : path;
            FieldChecks.invalid(place, name, Names.qualifiedName(name), errors);
            if (name.indexOf('/') < 0 && !STANDARD.contains(name)) {
                errors.invalid(place, name, "name is neither a standard finalizer name nor is it fully qualified");
            }
        }
    }

    static void status(ObjectNode object, FieldErrors errors) {
        boolean deleted = Nodes.has(object, "metadata", "deletionTimestamp");
        String needed = deleted ? "Terminating" : "Active";
        String phase = Json.textAt(object, "status", "phase");
        if (!phase.equals(needed)) {
            errors.invalid(
                    FieldPath.of("status", "Phase"),
                    phase,
                    "may only be '" + needed + "' if `deletionTimestamp` is " + (deleted ? "not empty" : "empty"));
        }
    }
}
