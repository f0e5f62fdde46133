package lavaflow.kinds;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * The shape of the schema of a custom kind: every value has a type, and nothing is used that pruning could not follow.
 *
 * <p>Defaults, patterns and expressions inside are judged where they can be run.
 */
final class DefinitionSchema {
    private static final List<String> TYPES = List.of("array", "boolean", "integer", "number", "object", "string");
    private static final String[] UNSUPPORTED = {"$ref", "id", "definitions", "dependencies", "patternProperties"};
    private static final String[] NOT_IN_ALTERNATIVES = {"type", "description", "title", "nullable"};
    private static final Set<String> KNOWN_FORMATS = Set.of(
            "bsonobjectid",
            "uri",
            "email",
            "hostname",
            "ipv4",
            "ipv6",
            "cidr",
            "mac",
            "uuid",
            "uuid3",
            "uuid4",
            "uuid5",
            "isbn",
            "isbn10",
            "isbn13",
            "creditcard",
            "ssn",
            "hexcolor",
            "rgbcolor",
            "byte",
            "password",
            "date",
            "duration",
            "datetime",
            "date-time",
            "int32",
            "int64",
            "float",
            "double",
            "k8s-short-name",
            "k8s-long-name");

    private DefinitionSchema() {}

    static void validate(ObjectNode schema, boolean status, FieldPath path, FieldErrors errors) {
        String type = Json.textAt(schema, "type");
        if (status && !type.isEmpty() && !type.equals("object")) {
            errors.invalid(
                    FieldPath.of(path + ".type"),
                    type,
                    "only \"object\" is allowed as the type at the root of the schema if the status subresource is"
                            + " enabled");
        }
        if (Json.flagAt(schema, "nullable")) {
            errors.forbidden(path.child("nullable"), "nullable cannot be true at the root");
        }
        if (type.isEmpty()) {
            errors.required(path.child("type"), "must not be empty at the root");
        } else if (!type.equals("object")) {
            errors.invalid(path.child("type"), type, "must be object at the root");
        }
        structure(schema, path, errors);
        resourceFields(schema, path, errors);
        words(schema, path, true, errors);
    }

    private static void structure(ObjectNode schema, FieldPath path, FieldErrors errors) {
        Nodes.entries(schema, "properties").forEach((name, value) -> {
            FieldPath place = path.child("properties").key(name);
            typed(value, place, "must not be empty for specified object fields", errors);
            structure((ObjectNode) value, place, errors);
        });
        if (schema.get("items") instanceof ObjectNode items) {
            typed(items, path.child("items"), "must not be empty for specified array items", errors);
            structure(items, path.child("items"), errors);
        } else if (Json.textAt(schema, "type").equals("array")) {
            errors.required(path.child("items"), "must be specified");
        }
        if (schema.get("additionalProperties") instanceof ObjectNode values) {
            FieldPath place = path.child("additionalProperties");
            typed(values, place, "must not be empty for specified object fields", errors);
            structure(values, place, errors);
        }
        embedded(schema, path, errors);
        alternatives(schema, path, errors);
    }

    private static void typed(JsonNode schema, FieldPath path, String why, FieldErrors errors) {
        String type = Json.textAt(schema, "type");
        boolean open = Json.flagAt(schema, "x-kubernetes-int-or-string")
                || Json.flagAt(schema, "x-kubernetes-preserve-unknown-fields");
        if (type.isEmpty() && !open) {
            errors.required(path.child("type"), why);
        }
    }

    private static void embedded(ObjectNode schema, FieldPath path, FieldErrors errors) {
        if (!Json.flagAt(schema, "x-kubernetes-embedded-resource")) {
            return;
        }
        if (Nodes.emptyAt(schema, "properties") && !Json.flagAt(schema, "x-kubernetes-preserve-unknown-fields")) {
            errors.required(
                    path.child("properties"),
                    "must not be empty if x-kubernetes-embedded-resource is true without"
                            + " x-kubernetes-preserve-unknown-fields");
        }
        String type = Json.textAt(schema, "type");
        if (!type.equals("object")) {
            errors.invalid(path.child("type"), type, "must be object if x-kubernetes-embedded-resource is true");
        }
    }

    /** Alternatives may narrow values down; types must be known without them. */
    private static void alternatives(ObjectNode schema, FieldPath path, FieldErrors errors) {
        boolean either = Json.flagAt(schema, "x-kubernetes-int-or-string");
        for (String field : new String[] {"allOf", "anyOf", "oneOf"}) {
            List<ObjectNode> choices = Nodes.objects(schema, field);
            for (int i = 0; i < choices.size(); i++) {
                if (!either || choices.get(i).size() > 1) {
                    bare(choices.get(i), path.child(field).index(i), errors);
                }
            }
        }
        if (schema.get("not") instanceof ObjectNode not) {
            bare(not, path.child("not"), errors);
        }
    }

    private static void bare(ObjectNode choice, FieldPath path, FieldErrors errors) {
        for (String word : NOT_IN_ALTERNATIVES) {
            if (Nodes.has(choice, word)) {
                errors.forbidden(path.child(word), "must be empty to be structural");
            }
        }
        Nodes.entries(choice, "properties")
                .forEach((name, value) ->
                        bare((ObjectNode) value, path.child("properties").key(name), errors));
    }

    private static void resourceFields(ObjectNode schema, FieldPath path, FieldErrors errors) {
        for (String name : new String[] {"kind", "apiVersion"}) {
            String type = Json.textAt(schema, "properties", name, "type");
            if (!type.isEmpty() && !type.equals("string")) {
                errors.invalid(path.child("properties").key(name).child("type"), type, "must be string");
            }
        }
        ObjectNode metadata = Json.objectAt(schema, "properties", "metadata");
        if (metadata == null) {
            return;
        }
        FieldPath place = path.child("properties").key("metadata");
        String type = Json.textAt(metadata, "type");
        if (!type.isEmpty() && !type.equals("object")) {
            errors.invalid(place.child("type"), type, "must be object");
        }
        for (Map.Entry<String, JsonNode> entry :
                Nodes.entries(metadata, "properties").entrySet()) {
            if (!entry.getKey().equals("name") && !entry.getKey().equals("generateName")) {
                errors.forbidden(
                        place,
                        "must not specify anything other than name and generateName, but metadata is implicitly"
                                + " specified");
                return;
            }
            if (Nodes.has(entry.getValue(), "default")) {
                errors.forbidden(
                        place.child("properties").key(entry.getKey()).child("default"),
                        "must not be set in top-level metadata");
            }
        }
    }

    private static void words(ObjectNode schema, FieldPath path, boolean root, FieldErrors errors) {
        String type = Json.textAt(schema, "type");
        if (!type.isEmpty() && !TYPES.contains(type)) {
            errors.notSupported(path.child("type"), type, TYPES);
        }
        if (Json.flagAt(schema, "uniqueItems")) {
            errors.forbidden(
                    path.child("uniqueItems"),
                    "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
        }
        for (String word : UNSUPPORTED) {
            JsonNode value = Json.at(schema, word);
            boolean used = value != null && !(value.isContainerNode() && value.isEmpty());
            if (used) {
                errors.forbidden(path.child(word), word + " is not supported");
            }
        }
        boolean additional = Json.at(schema, "additionalProperties") != null;
        if (additional && !Nodes.emptyAt(schema, "properties")) {
            errors.forbidden(
                    path.child("additionalProperties"), "additionalProperties and properties are mutual exclusive");
        } else if (additional && root) {
            errors.forbidden(path.child("additionalProperties"), "must not be used at the root");
        }
        listType(schema, type, path, errors);
        mapType(schema, type, path, errors);
        Nodes.entries(schema, "properties")
                .forEach((name, value) ->
                        words((ObjectNode) value, path.child("properties").key(name), false, errors));
        for (String field : new String[] {"items", "additionalProperties"}) {
            if (schema.get(field) instanceof ObjectNode inner) {
                words(inner, path.child(field), false, errors);
            }
        }
    }

    private static void listType(ObjectNode schema, String type, FieldPath path, FieldErrors errors) {
        String list = Json.textAt(schema, "x-kubernetes-list-type");
        if (list.isEmpty()) {
            return;
        }
        if (!type.equals("array")) {
            errors.invalid(path.child("type"), type, "must be array if x-kubernetes-list-type is specified");
        }
        List<String> known = List.of("atomic", "set", "map");
        if (!known.contains(list)) {
            errors.notSupported(path.child("x-kubernetes-list-type"), list, known);
        }
        ArrayNode keys = Json.listAt(schema, "x-kubernetes-list-map-keys");
        FieldPath keysPath = path.child("x-kubernetes-list-map-keys");
        if (!list.equals("map")) {
            if (!keys.isEmpty()) {
                errors.invalid(
                        path.child("x-kubernetes-list-type"),
                        list,
                        "must be map if x-kubernetes-list-map-keys is non-empty");
            }
            return;
        }
        if (keys.isEmpty()) {
            errors.required(keysPath, "must not be empty if x-kubernetes-list-type is map");
        }
        String itemType = Json.textAt(schema, "items", "type");
        if (!itemType.equals("object")) {
            errors.invalid(
                    path.child("items", "type"),
                    itemType,
                    "must be object if parent array's x-kubernetes-list-type is map");
        }
        Map<String, JsonNode> properties = Nodes.entries(schema, "items", "properties");
        boolean unknown = Nodes.strings(schema, "x-kubernetes-list-map-keys").stream()
                .anyMatch(key -> !properties.containsKey(key));
        if (unknown) {
            errors.invalid(keysPath, keys, "entries must all be names of item properties");
        }
    }

    private static void mapType(ObjectNode schema, String type, FieldPath path, FieldErrors errors) {
        String map = Json.textAt(schema, "x-kubernetes-map-type");
        if (map.isEmpty()) {
            return;
        }
        if (!type.equals("object")) {
            errors.invalid(path.child("type"), type, "must be object if x-kubernetes-map-type is specified");
        }
        List<String> known = List.of("atomic", "granular");
        if (!known.contains(map)) {
            errors.notSupported(path.child("x-kubernetes-map-type"), map, known);
        }
    }

    /** Formats that are kept but mean nothing to the server. */
    static List<String> unknownFormats(ObjectNode definition) {
        Set<String> found = new LinkedHashSet<>();
        for (ObjectNode version : Nodes.objects(definition, "spec", "versions")) {
            ObjectNode schema = Json.objectAt(version, "schema", "openAPIV3Schema");
            if (schema != null) {
                collectFormats(schema, found);
            }
        }
        return new ArrayList<>(found);
    }

    private static void collectFormats(JsonNode schema, Set<String> found) {
        String format = Json.textAt(schema, "format");
        if (!format.isEmpty() && !KNOWN_FORMATS.contains(format.replace("-", "")) && !KNOWN_FORMATS.contains(format)) {
            found.add(format);
        }
        Nodes.entries(schema, "properties").values().forEach(value -> collectFormats(value, found));
        for (String field : new String[] {"items", "additionalProperties"}) {
            if (schema.get(field) instanceof ObjectNode inner) {
                collectFormats(inner, found);
            }
        }
        for (String field : new String[] {"allOf", "anyOf", "oneOf"}) {
            Nodes.objects(schema, field).forEach(choice -> collectFormats(choice, found));
        }
    }
}
