package lavaflow;

import java.util.Map;
import java.util.TreeMap;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** The JSON patch that makes one object of another. Lists are replaced whole. */
final class JsonChanges {
    private final ArrayNode patch = Json.array();

    private JsonChanges() {}

    static ArrayNode between(ObjectNode before, ObjectNode after) {
        JsonChanges changes = new JsonChanges();
        changes.compare("", before, after);
        return changes.patch;
    }

    private void compare(String path, ObjectNode before, ObjectNode after) {
        Map<String, JsonNode> all = new TreeMap<>();
        before.properties().forEach(field -> all.put(field.getKey(), field.getValue()));
        after.properties().forEach(field -> all.put(field.getKey(), field.getValue()));
        for (String name : all.keySet()) {
            JsonNode was = before.get(name);
            JsonNode is = after.get(name);
            String place = path + "/" + name.replace("~", "~0").replace("/", "~1");
            if (is == null) {
                patch.addObject().put("op", "remove").put("path", place);
            } else if (was instanceof ObjectNode old && is instanceof ObjectNode made) {
                compare(place, old, made);
            } else if (!is.equals(was)) {
                patch.addObject()
                        .put("op", was == null ? "add" : "replace")
                        .put("path", place)
                        .set("value", is);
            }
        }
    }
}
