package lavaflow.kube;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;

/** A list node whose copies have just the room they need. */
@SuppressWarnings("unchecked") // Jackson's deepCopy answers with whatever type is asked for.
final class JsonArray extends ArrayNode {
    private static final long serialVersionUID = 1;

    JsonArray(int capacity) {
        super(Json.FACTORY, capacity);
    }

    @Override
    public ArrayNode deepCopy() {
        JsonArray copy = new JsonArray(size());
        for (int i = 0; i < size(); i++) {
            JsonNode element = get(i);
            copy.add(element.deepCopy());
        }
        return copy;
    }
}
