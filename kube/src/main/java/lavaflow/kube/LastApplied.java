package lavaflow.kube;

import java.nio.charset.StandardCharsets;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * The annotation in which kubectl keeps what it applied on the client's side, and how server-side apply by kubectl takes
 * over from it: fields that still are as the annotation says may be taken without force, and the annotation follows what
 * is applied.
 */
final class LastApplied {
    /** The only manager for whom the annotation matters. */
    static final String MANAGER = "kubectl";

    private static final String ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration";
    private static final int MAX_ANNOTATIONS_BYTES = 256 * 1024;

    private LastApplied() {}

    /** The fields that are in the live object as they were applied. */
    static FieldSet unchangedFields(FieldTracker tracker, ObjectNode live) {
        ManagedFields.Endpoint endpoint = tracker.endpoint();
        ObjectNode config = config(Json.textAt(live, "metadata", "annotations", ANNOTATION));
        if (config == null
                || !Json.textAt(config, "apiVersion").equals(endpoint.apiVersion())
                || AppliedCheck.problem(tracker.schema(), tracker.root(), config) != null) {
            return FieldSet.EMPTY;
        }
        Comparison changes = Comparison.of(endpoint.types(), endpoint.struct(), config, live);
        return tracker.fields()
                .of(tracker.root(), config)
                .difference(changes.modified())
                .difference(changes.added())
                .difference(changes.removed());
    }

    private static @Nullable ObjectNode config(String text) {
        try {
            JsonNode node = Json.parseUntrusted(text.getBytes(StandardCharsets.UTF_8));
            return node instanceof ObjectNode object ? object : null;
        } catch (JsonProcessingException _) {
            return null;
        }
    }

    /** Sets the annotation to a configuration if the object has it; one that would be too long is dropped. */
    static void refresh(ObjectNode object, ObjectNode config) {
        ObjectNode annotations = Json.objectAt(object, "metadata", "annotations");
        if (annotations == null || Json.textAt(annotations, ANNOTATION).isEmpty()) {
            return;
        }
        ObjectNode copy = config.deepCopy();
        ObjectNode applied = Json.objectAt(copy, "metadata", "annotations");
        if (applied != null) {
            applied.remove(ANNOTATION);
        }
        StringBuilder text = new StringBuilder();
        GoText.json(text, copy);
        annotations.put(ANNOTATION, text.append('\n').toString());
        long bytes = 0;
        for (var entry : annotations.properties()) {
            bytes += utf8(entry.getKey()) + utf8(entry.getValue().asText());
        }
        if (bytes > MAX_ANNOTATIONS_BYTES) {
            annotations.remove(ANNOTATION);
        }
    }

    private static int utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
