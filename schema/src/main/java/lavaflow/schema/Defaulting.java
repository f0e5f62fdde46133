package lavaflow.schema;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Fills in the defaults of a schema. Also runs on what is read from storage, because a schema may gain defaults. */
public final class Defaulting {
    private Defaulting() {}

    /**
     * Completes an object in place. Null counts as absent where it is not allowed: it gives way to the default, or vanishes
     * where there is none.
     */
    public static void apply(ObjectNode object, StructuralSchema schema) {
        dropNulls(object, schema);
        fill(object, schema);
    }

    private static boolean isUnwantedNull(@Nullable JsonNode value, @Nullable StructuralSchema schema) {
        return value != null && value.isNull() && schema != null && !schema.isNullable();
    }

    /** Removes members that are null, may not be, and have no default. */
    static void dropNulls(JsonNode value, @Nullable StructuralSchema schema) {
        if (value instanceof ObjectNode object) {
            Iterator<Map.Entry<String, JsonNode>> entries = object.properties().iterator();
            while (entries.hasNext()) {
                Map.Entry<String, JsonNode> entry = entries.next();
                StructuralSchema member = schema == null ? null : schema.member(entry.getKey());
                if (member != null && isUnwantedNull(entry.getValue(), member) && member.defaultValue() == null) {
                    entries.remove();
                } else if (entry.getValue().isContainerNode()) {
                    dropNulls(entry.getValue(), member);
                }
            }
        } else if (value instanceof ArrayNode list) {
            StructuralSchema items = schema == null ? null : schema.items();
            for (JsonNode element : list) {
                if (element.isContainerNode()) {
                    dropNulls(element, items);
                }
            }
        }
    }

    /** Sets what is missing, then looks below, also into what was just set. */
    static void fill(JsonNode value, StructuralSchema schema) {
        if (value instanceof ObjectNode object) {
            fillMissing(object, schema);
            fillMembers(object, schema);
        } else if (value instanceof ArrayNode list && schema.items() != null) {
            StructuralSchema items = schema.items();
            for (int i = 0; i < list.size(); i++) {
                if (isUnwantedNull(list.get(i), items)) {
                    list.set(i, copyOfDefault(items));
                }
                fill(list.get(i), items);
            }
        }
    }

    private static void fillMissing(ObjectNode object, StructuralSchema schema) {
        for (int i = 0; i < schema.size(); i++) {
            StructuralSchema property = schema.property(i);
            JsonNode defaultValue = property.defaultValue();
            if (defaultValue != null) {
                JsonNode present = object.get(schema.name(i));
                if (present == null || isUnwantedNull(present, property)) {
                    object.set(schema.name(i), defaultValue.deepCopy());
                }
            }
        }
    }

    private static void fillMembers(ObjectNode object, StructuralSchema schema) {
        List<String> nulls = new ArrayList<>(0);
        for (Map.Entry<String, JsonNode> entry : object.properties()) {
            StructuralSchema property = schema.property(entry.getKey());
            if (property != null) {
                fill(entry.getValue(), property);
            } else if (schema.additional() != null) {
                if (isUnwantedNull(entry.getValue(), schema.additional())) {
                    nulls.add(entry.getKey());
                } else {
                    fill(entry.getValue(), schema.additional());
                }
            }
        }
        if (schema.additional() != null) {
            for (String name : nulls) {
                JsonNode filled = copyOfDefault(schema.additional());
                object.set(name, filled);
                fill(filled, schema.additional());
            }
        }
    }

    private static JsonNode copyOfDefault(StructuralSchema schema) {
        JsonNode value = schema.defaultValue();
        return value == null ? NullNode.getInstance() : value.deepCopy();
    }
}
