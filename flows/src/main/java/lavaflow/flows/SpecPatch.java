package lavaflow.flows;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** What a step of a flow changes of its template: objects are merged, and so are lists whose items have names, such as tasks. Pure. */
final class SpecPatch {
    private SpecPatch() {}

    static ObjectNode of(ObjectNode template, ObjectNode patch) {
        ObjectNode given = patch.deepCopy();
        // The server fills these in where nobody said anything; they are no wish.
        if (Json.textAt(given, "queue").equals("default")) {
            given.remove("queue");
        }
        if (Json.longAt(given, -1, "maxRetry") == 3) {
            given.remove("maxRetry");
        }
        return merged(template, given);
    }

    private static ObjectNode merged(ObjectNode base, ObjectNode patch) {
        ObjectNode result = base.deepCopy();
        patch.properties().forEach(field -> {
            JsonNode before = result.get(field.getKey());
            JsonNode value = field.getValue();
            if (value.isNull()) {
                result.remove(field.getKey());
            } else if (before instanceof ObjectNode was && value instanceof ObjectNode is) {
                result.set(field.getKey(), merged(was, is));
            } else if (before instanceof ArrayNode was
                    && value instanceof ArrayNode is
                    && isNamed(was)
                    && isNamed(is)) {
                result.set(field.getKey(), byName(was, is));
            } else {
                result.set(field.getKey(), value.deepCopy());
            }
        });
        return result;
    }

    private static boolean isNamed(ArrayNode list) {
        return list.valueStream().allMatch(item -> !Json.textAt(item, "name").isEmpty());
    }

    private static ArrayNode byName(ArrayNode base, ArrayNode patch) {
        List<JsonNode> items = new ArrayList<>();
        base.forEach(items::add);
        for (JsonNode change : patch) {
            int at = 0;
            while (at < items.size() && !Json.textAt(items.get(at), "name").equals(Json.textAt(change, "name"))) {
                at++;
            }
            if (at == items.size()) {
                items.add(change);
            } else {
                items.set(at, merged((ObjectNode) items.get(at), (ObjectNode) change));
            }
        }
        ArrayNode result = Json.array();
        items.forEach(item -> result.add(item.deepCopy()));
        return result;
    }
}
