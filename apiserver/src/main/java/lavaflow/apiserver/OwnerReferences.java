package lavaflow.apiserver;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.TreeSet;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** An object names each of its owners once. */
final class OwnerReferences {
    private OwnerReferences() {}

    /** Removes repeated references, with a warning: old controllers are known to send them. */
    static void withoutRepeats(Call call, ObjectNode object) {
        ArrayNode references = Json.listAt(object, "metadata", "ownerReferences");
        Set<JsonNode> distinct = new LinkedHashSet<>();
        Set<String> repeated = new TreeSet<>();
        for (JsonNode reference : references) {
            if (!distinct.add(reference)) {
                repeated.add(Json.textAt(reference, "uid"));
            }
        }
        if (repeated.isEmpty()) {
            return;
        }
        ArrayNode kept = Json.array();
        distinct.forEach(kept::add);
        Metadata.of(object).set("ownerReferences", kept);
        call.warn(
                ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and"
                        + " may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: "
                        + String.join(", ", repeated));
    }
}
