package lavaflow.schema;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Whether the list type of a schema fits its elements. */
final class ListWords {
    private static final String TYPE = "x-kubernetes-list-type";
    private static final String KEYS = "x-kubernetes-list-map-keys";
    private static final String IN_SET = "must be atomic as item of a list with x-kubernetes-list-type=set";

    private ListWords() {}

    static void check(ObjectNode schema, FieldPath path, FieldErrors errors) {
        JsonNode given = Json.at(schema, TYPE);
        ArrayNode keys = Json.listAt(schema, KEYS);
        ObjectNode items = Json.objectAt(schema, "items");
        String type = given == null ? "" : given.asText();
        if (given != null) {
            boolean list = WordsCheck.typed(
                    schema, "array", "must be array if x-kubernetes-list-type is specified", path, errors);
            if (list && type.equals("set") && items != null) {
                set(items, path, errors);
            }
            List<String> known = List.of("atomic", "set", "map");
            if (!known.contains(type)) {
                errors.notSupported(path.child(TYPE), type, known);
            }
        }
        if (!keys.isEmpty() && given == null) {
            errors.required(path.child(TYPE), "must be map if x-kubernetes-list-map-keys is non-empty");
        } else if (!keys.isEmpty() && !type.equals("map")) {
            errors.invalid(path.child(TYPE), type, "must be map if x-kubernetes-list-map-keys is non-empty");
        }
        if (type.equals("map")) {
            map(schema, keys, items, path, errors);
        }
        if (items != null && (type.equals("map") || type.equals("set"))) {
            elements(items, type, StructuralSchema.texts(keys), path.child("items"), errors);
        }
    }

    private static void set(ObjectNode items, FieldPath path, FieldErrors errors) {
        JsonNode listType = Json.at(items, TYPE);
        switch (Json.textAt(items, "type")) {
            case "array" -> {
                if (listType != null && !listType.asText().equals("atomic")) {
                    errors.invalid(path.child("items", TYPE), listType, IN_SET);
                }
            }
            case "object" -> {
                if (!Json.textAt(items, "x-kubernetes-map-type").equals("atomic")) {
                    errors.invalid(path.child("items", "x-kubernetes-map-type"), listType, IN_SET);
                }
            }
            default -> {
                // Scalars are always owned as a whole.
            }
        }
    }

    private static void map(
            ObjectNode schema, ArrayNode keys, @Nullable ObjectNode items, FieldPath path, FieldErrors errors) {
        if (keys.isEmpty()) {
            errors.required(path.child(KEYS), "must not be empty if x-kubernetes-list-type is map");
        }
        if (items == null) {
            if (Json.at(schema, "items") == null) {
                errors.required(path.child("items"), "must have a schema if x-kubernetes-list-type is map");
            }
            return;
        }
        String itemType = Json.textAt(items, "type");
        if (!itemType.equals("object")) {
            errors.invalid(
                    path.child("items", "type"),
                    itemType,
                    "must be object if parent array's x-kubernetes-list-type is map");
            return;
        }
        Set<String> seen = new HashSet<>();
        for (String key : StructuralSchema.texts(keys)) {
            ObjectNode property = Json.objectAt(items, "properties", key);
            String keyType = Json.textAt(property, "type");
            if (property == null) {
                errors.invalid(path.child(KEYS), keys, "entries must all be names of item properties");
            } else if (keyType.equals("array") || keyType.equals("object")) {
                errors.invalid(
                        path.child("items", "properties").key(key).child("type"),
                        itemType,
                        "must be a scalar type if parent array's x-kubernetes-list-type is map");
            }
            if (!seen.add(key)) {
                errors.invalid(path.child(KEYS), keys, "must not contain duplicate entries");
            }
        }
    }

    private static void elements(ObjectNode items, String type, List<String> keys, FieldPath path, FieldErrors errors) {
        if (Json.flagAt(items, "nullable")) {
            errors.forbidden(path.child("nullable"), "cannot be nullable when x-kubernetes-list-type is " + type);
        }
        if (!type.equals("map")) {
            return;
        }
        List<String> required = StructuralSchema.texts(Json.listAt(items, "required"));
        for (String key : keys) {
            ObjectNode property = Json.objectAt(items, "properties", key);
            FieldPath place = path.child("properties").key(key);
            if (property == null) {
                continue;
            }
            if (!required.contains(key) && Json.at(property, "default") == null) {
                errors.required(
                        place.child("default"),
                        "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required"
                                + " property");
            }
            if (Json.flagAt(property, "nullable")) {
                errors.forbidden(
                        place.child("nullable"),
                        "this property is in x-kubernetes-list-map-keys, so it cannot be nullable");
            }
        }
    }
}
