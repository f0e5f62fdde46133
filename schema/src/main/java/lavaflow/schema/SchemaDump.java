package lavaflow.schema;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** A schema as upstream's internal struct prints it in one error message: every field, set or not, by its name in Go. */
final class SchemaDump {
    /** Words of schemas in the order of the struct's fields. */
    private static final List<String> WORDS = List.of(
            "id",
            "$schema",
            "$ref",
            "description",
            "type",
            "nullable",
            "format",
            "title",
            "default",
            "maximum",
            "exclusiveMaximum",
            "minimum",
            "exclusiveMinimum",
            "maxLength",
            "minLength",
            "pattern",
            "maxItems",
            "minItems",
            "uniqueItems",
            "multipleOf",
            "enum",
            "maxProperties",
            "minProperties",
            "required",
            "items",
            "allOf",
            "oneOf",
            "anyOf",
            "not",
            "properties",
            "additionalProperties",
            "patternProperties",
            "dependencies",
            "additionalItems",
            "definitions",
            "externalDocs",
            "example",
            "x-kubernetes-preserve-unknown-fields",
            "x-kubernetes-embedded-resource",
            "x-kubernetes-int-or-string",
            "x-kubernetes-list-map-keys",
            "x-kubernetes-list-type",
            "x-kubernetes-map-type",
            "x-kubernetes-validations");

    private static final Set<String> TEXTS =
            Set.of("id", "$schema", "description", "type", "format", "title", "pattern");
    private static final Set<String> FLAGS = Set.of(
            "nullable",
            "exclusiveMaximum",
            "exclusiveMinimum",
            "uniqueItems",
            "x-kubernetes-embedded-resource",
            "x-kubernetes-int-or-string");
    private static final Set<String> NOT_AT_ROOT = Set.of(
            "id",
            "$schema",
            "$ref",
            "nullable",
            "default",
            "enum",
            "maxProperties",
            "minProperties",
            "allOf",
            "oneOf",
            "anyOf",
            "not",
            "additionalProperties",
            "patternProperties",
            "dependencies",
            "additionalItems",
            "definitions",
            "x-kubernetes-embedded-resource",
            "x-kubernetes-int-or-string",
            "x-kubernetes-list-map-keys",
            "x-kubernetes-list-type",
            "x-kubernetes-map-type");

    private SchemaDump() {}

    /** The first word of a root that is not allowed beside a status subresource, or {@code type}; null if all is well. */
    static @Nullable String refusedAtRoot(ObjectNode schema) {
        for (String word : WORDS) {
            JsonNode value = Json.at(schema, word);
            boolean set = value != null
                    && !(value.isBoolean() && FLAGS.contains(word) && !value.booleanValue())
                    && !(value.isTextual() && value.textValue().isEmpty());
            boolean wrongType =
                    set && word.equals("type") && !Json.textAt(schema, "type").equals("object");
            if (wrongType || (set && NOT_AT_ROOT.contains(word))) {
                return word;
            }
        }
        return null;
    }

    static ObjectNode of(JsonNode schema) {
        ObjectNode dump = Json.object();
        for (String word : WORDS) {
            dump.set(goName(word), value(word, Json.at(schema, word)));
        }
        return dump;
    }

    private static String goName(String word) {
        String plain = word.startsWith("$") ? word.substring(1) : word;
        if (plain.equals("id")) {
            return "ID";
        }
        StringBuilder name = new StringBuilder();
        for (String part : plain.replace("x-kubernetes-", "x-").split("-", -1)) {
            name.append(Character.toUpperCase(part.charAt(0))).append(part.substring(1));
        }
        return name.toString();
    }

    private static JsonNode value(String word, @Nullable JsonNode value) {
        if (value == null) {
            return TEXTS.contains(word)
                    ? Json.text("")
                    : FLAGS.contains(word) ? Json.FACTORY.booleanNode(false) : NullNode.getInstance();
        }
        return switch (word) {
            case "items" -> {
                ObjectNode items = Json.object();
                items.set("Schema", value.isObject() ? of(value) : NullNode.getInstance());
                items.set("JSONSchemas", value.isArray() ? list(value) : NullNode.getInstance());
                yield items;
            }
            case "allOf", "oneOf", "anyOf" -> list(value);
            case "not" -> of(value);
            case "properties", "patternProperties", "definitions" -> {
                Map<String, JsonNode> sorted = new TreeMap<>();
                value.properties().forEach(entry -> sorted.put(entry.getKey(), of(entry.getValue())));
                yield Json.object().setAll(sorted);
            }
            case "additionalProperties", "additionalItems" -> {
                ObjectNode either = Json.object().put("Allows", value.isObject() || value.booleanValue());
                either.set("Schema", value.isObject() ? of(value) : NullNode.getInstance());
                yield either;
            }
            case "externalDocs" ->
                Json.object()
                        .put("Description", Json.textAt(value, "description"))
                        .put("URL", Json.textAt(value, "url"));
            case "x-kubernetes-validations" -> {
                ArrayNode rules = Json.array();
                SchemaRule.parse(Json.object().set("x-kubernetes-validations", value))
                        .forEach(rule -> rules.add(rule.shown()));
                yield rules;
            }
            default -> value;
        };
    }

    private static ArrayNode list(JsonNode schemas) {
        ArrayNode list = Json.array();
        schemas.forEach(schema -> list.add(of(schema)));
        return list;
    }
}
