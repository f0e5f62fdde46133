package lavaflow.schema;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Untyped;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Lists that are sets have no element twice, and lists that are maps no key. */
final class ListTypes {
    private ListTypes() {}

    static void check(ObjectNode object, StructuralSchema schema, FieldPath path, FieldErrors errors) {
        for (Map.Entry<String, JsonNode> entry : object.properties()) {
            JsonNode value = entry.getValue();
            if (!value.isContainerNode()) {
                continue;
            }
            StructuralSchema property = schema.property(entry.getKey());
            if (property != null) {
                value(value, property, path.child(entry.getKey()), errors);
            } else if (schema.additional() != null) {
                value(value, schema.additional(), path.key(entry.getKey()), errors);
            }
        }
    }

    private static void value(JsonNode value, StructuralSchema schema, FieldPath path, FieldErrors errors) {
        if (value instanceof ObjectNode object) {
            check(object, schema, path, errors);
        } else if (value instanceof ArrayNode list) {
            list(list, schema, path, errors);
        }
    }

    private static void list(ArrayNode list, StructuralSchema schema, FieldPath path, FieldErrors errors) {
        switch (schema.shape().listType()) {
            case "set" -> set(list, path, errors);
            case "map" -> map(list, schema.shape().listMapKeys(), path, errors);
            default -> {
                // Other lists may hold anything twice.
            }
        }
        if (schema.items() != null) {
            for (int i = 0; i < list.size(); i++) {
                if (list.get(i).isContainerNode()) {
                    value(list.get(i), schema.items(), path.index(i), errors);
                }
            }
        }
    }

    /** Complains about the second of equal elements, not about further ones. */
    private static void set(ArrayNode list, FieldPath path, FieldErrors errors) {
        Map<JsonNode, Integer> seen = new HashMap<>();
        for (int i = 0; i < list.size(); i++) {
            if (seen.merge(list.get(i), 1, Integer::sum) == 2) {
                errors.duplicate(path.index(i), Untyped.canonical(list.get(i)));
            }
        }
    }

    private static void map(ArrayNode list, List<String> keys, FieldPath path, FieldErrors errors) {
        for (int i = 0; i < list.size(); i++) {
            JsonNode element = list.get(i);
            if (!element.isNull() && !element.isObject()) {
                errors.invalid(path.index(i), element, "must be an object for an array of list-type map");
                return;
            }
        }
        ArrayNode found = Json.array();
        for (JsonNode element : list) {
            ObjectNode key = found.addObject();
            for (String name : keys) {
                JsonNode part = element.get(name);
                if (part != null) {
                    key.set(name, part);
                }
            }
        }
        set(found, path, errors);
    }
}
