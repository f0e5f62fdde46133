package lavaflow.kube;

import java.util.Map;
import java.util.TreeMap;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Objects without a struct, as Go's maps show them: keys sorted, whole numbers without a fraction. */
public final class Untyped {
    private Untyped() {}

    /** The canonical form of a tree; leaves are shared with it. */
    public static JsonNode canonical(JsonNode node) {
        return switch (node) {
            case ObjectNode object -> canonical(object);
            case ArrayNode array -> {
                ArrayNode list = Json.FACTORY.arrayNode(array.size());
                for (JsonNode element : array) {
                    list.add(canonical(element));
                }
                yield list;
            }
            default -> {
                JsonNode whole = node.isFloatingPointNumber() ? ScalarDecoder.wholeIfPossible(node) : node;
                boolean changed = node.isFloatingPointNumber() && whole.isIntegralNumber();
                yield changed ? new WholeFloat(whole.longValue()) : node;
            }
        };
    }

    /** The canonical form of an object. */
    public static ObjectNode canonical(ObjectNode object) {
        TreeMap<String, JsonNode> sorted = new TreeMap<>();
        for (Map.Entry<String, JsonNode> entry : object.properties()) {
            sorted.put(entry.getKey(), canonical(entry.getValue()));
        }
        return Json.object().setAll(sorted);
    }
}
