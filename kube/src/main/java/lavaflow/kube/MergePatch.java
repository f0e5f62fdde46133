package lavaflow.kube;

import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** JSON merge patch, RFC 7386. */
public final class MergePatch {
    private MergePatch() {}

    /**
     * The document with the patch merged in; neither argument is changed.
     *
     * @param strict whether the request validates fields (Strict or Warn): a patch that is no object is refused with
     *     another message then, and a list, which replaces the whole object, is refused here and not by the decoder
     */
    public static JsonNode apply(ObjectNode document, JsonNode patch, boolean strict) {
        if (patch.isNull() || patch.isMissingNode()) {
            throw ApiException.badRequest("Invalid JSON Patch");
        }
        if (patch instanceof ObjectNode object) {
            return merged(document.deepCopy(), object.deepCopy());
        }
        if (strict) {
            throw ApiException.badRequest("error decoding patch: json: cannot unmarshal " + GoText.jsonKind(patch)
                    + " into Go value of type map[string]interface {}");
        }
        if (patch instanceof ArrayNode list) {
            ArrayNode replacement = list.deepCopy();
            dropNulls(replacement);
            return replacement;
        }
        throw ApiException.badRequest("Invalid JSON Patch");
    }

    private static ObjectNode merged(ObjectNode document, ObjectNode patch) {
        for (Map.Entry<String, JsonNode> change : patch.properties()) {
            String name = change.getKey();
            JsonNode value = change.getValue();
            JsonNode current = document.get(name);
            if (value.isNull()) {
                document.remove(name);
            } else if (current instanceof ObjectNode present) {
                // A list that replaces an object keeps its nulls, as upstream.
                document.set(name, value instanceof ObjectNode object ? merged(present, object) : value);
            } else {
                dropNulls(value);
                document.set(name, value);
            }
        }
        return document;
    }

    /** Nulls mean removal, and in what is new there is nothing to remove; lists keep theirs as they are values. */
    private static void dropNulls(JsonNode node) {
        if (node instanceof ObjectNode object) {
            object.properties().removeIf(field -> field.getValue().isNull());
        }
        for (JsonNode child : node) {
            dropNulls(child);
        }
    }
}
