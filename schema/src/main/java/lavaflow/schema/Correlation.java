package lavaflow.schema;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * A value and what it was before, which is known of members and of elements of lists with keys. What has not changed is
 * tolerated even if it is wrong, so that a schema can become stricter without locking its objects.
 */
final class Correlation {
    private final @Nullable Correlation parent;
    private final JsonNode value;
    private final JsonNode old;
    private final StructuralSchema schema;
    private @Nullable Map<Object, JsonNode> oldByKey;
    private boolean known;
    private boolean unchanged;

    private Correlation(@Nullable Correlation parent, JsonNode value, JsonNode old, StructuralSchema schema) {
        this.parent = parent;
        this.value = value;
        this.old = old;
        this.schema = schema;
    }

    static Correlation of(JsonNode value, JsonNode old, StructuralSchema schema) {
        return new Correlation(null, value, old, schema);
    }

    JsonNode old() {
        return old;
    }

    /** The member of a name, or null where it is new or the schema does not know it. */
    @Nullable
    Correlation member(String name) {
        StructuralSchema member = schema.member(name);
        JsonNode now = value.isObject() ? value.get(name) : null;
        JsonNode before = old.isObject() ? old.get(name) : null;
        return member == null || now == null || before == null ? null : new Correlation(this, now, before, member);
    }

    /** The element at a position, or null where it cannot be told what it was. */
    @Nullable
    Correlation element(int position) {
        StructuralSchema items = schema.items();
        if (items == null || !isKeyed() || !(value instanceof ArrayNode) || !(old instanceof ArrayNode)) {
            return null;
        }
        JsonNode now = value.get(position);
        JsonNode before = now.isObject() ? oldByKey().get(keyOf(now, schema)) : null;
        return before == null ? null : new Correlation(this, now, before, items);
    }

    private boolean isKeyed() {
        return schema.shape().listType().equals("map");
    }

    private Map<Object, JsonNode> oldByKey() {
        Map<Object, JsonNode> byKey = oldByKey;
        if (byKey == null) {
            byKey = byKey((ArrayNode) old, schema);
            oldByKey = byKey;
        }
        return byKey;
    }

    static Map<Object, JsonNode> byKey(ArrayNode list, StructuralSchema schema) {
        Map<Object, JsonNode> byKey = new HashMap<>();
        for (JsonNode element : list) {
            if (element.isObject()) {
                byKey.putIfAbsent(keyOf(element, schema), element);
            }
        }
        return byKey;
    }

    static Object keyOf(JsonNode element, StructuralSchema schema) {
        List<JsonNode> key = new ArrayList<>(schema.shape().listMapKeys().size());
        for (String name : schema.shape().listMapKeys()) {
            JsonNode part = element.get(name);
            key.add(part == null ? MissingNode.getInstance() : part);
        }
        return key;
    }

    /** Whether nothing changed; once something below is known to have changed, so has everything above. */
    boolean isUnchanged() {
        if (!known) {
            known = true;
            unchanged = same(value, old, schema);
            for (Correlation above = unchanged ? null : parent; above != null && !above.known; above = above.parent) {
                above.known = true;
            }
        }
        return unchanged;
    }

    /** Equality by schema: order does not count in lists with keys, and what the schema does not know is never the same. */
    private static boolean same(JsonNode now, JsonNode before, StructuralSchema schema) {
        if (now.isNull() || before.isNull()) {
            return now.isNull() && before.isNull();
        }
        if (now instanceof ObjectNode object && before instanceof ObjectNode other) {
            return sameMembers(object, other, schema);
        }
        if (now instanceof ArrayNode list && before instanceof ArrayNode other) {
            StructuralSchema items = schema.items();
            if (items != null && schema.shape().listType().equals("map") && !list.isEmpty()) {
                return sameElements(list, other, schema, items);
            }
            return list.equals(other);
        }
        return now.equals(before);
    }

    private static boolean sameMembers(ObjectNode now, ObjectNode before, StructuralSchema schema) {
        if (now.size() != before.size()) {
            return false;
        }
        for (Map.Entry<String, JsonNode> entry : now.properties()) {
            StructuralSchema member = schema.member(entry.getKey());
            JsonNode other = before.get(entry.getKey());
            if (member == null || other == null || !same(entry.getValue(), other, member)) {
                return false;
            }
        }
        return true;
    }

    private static boolean sameElements(
            ArrayNode now, ArrayNode before, StructuralSchema schema, StructuralSchema items) {
        if (now.size() != before.size()) {
            return false;
        }
        Map<Object, JsonNode> byKey = byKey(before, schema);
        for (JsonNode element : now) {
            JsonNode other = element.isObject() ? byKey.get(keyOf(element, schema)) : null;
            if (other == null || !same(element, other, items)) {
                return false;
            }
        }
        return true;
    }
}
