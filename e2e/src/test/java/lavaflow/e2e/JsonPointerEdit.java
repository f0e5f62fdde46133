package lavaflow.e2e;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Sets or removes one place of a tree, for edits inside lists that a merge cannot reach. */
final class JsonPointerEdit {
    private JsonPointerEdit() {}

    static JsonNode set(JsonNode root, String pointer, JsonNode value) {
        JsonPointer path = JsonPointer.compile(pointer);
        JsonNode copy = root.deepCopy();
        JsonNode parent = copy.at(path.head());
        String last = path.last().getMatchingProperty();
        switch (parent) {
            case ObjectNode object when value.isNull() -> object.remove(last);
            case ObjectNode object -> object.set(last, value);
            case ArrayNode array when last.equals("-") -> array.add(value);
            case ArrayNode array when value.isNull() -> array.remove(Integer.parseInt(last));
            case ArrayNode array -> array.set(Integer.parseInt(last), value);
            default -> throw new IllegalArgumentException("nothing to edit at " + pointer + " of " + root);
        }
        return copy;
    }
}
