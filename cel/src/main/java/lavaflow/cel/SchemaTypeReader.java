package lavaflow.cel;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.cel.DeclaredType.Details;
import lavaflow.cel.DeclaredType.Form;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** Reads types from OpenAPI schemas, with the sizes that upstream's cost estimate reckons with. */
final class SchemaTypeReader {
    /** The longest text a request can hold. */
    static final long MAX_TEXT = CelLimits.MAX_REQUEST_BYTES - 2;

    /** Keys of maps; upstream knows nothing of their size. */
    static final DeclaredType KEY = new DeclaredType(CelType.STRING, Details.of(Form.STRING, 0, 2));

    private static final int MIN_TEXT_SIZE = 2;
    private static final int MIN_DURATION_SIZE = 3;
    private static final int MAX_DURATION_SIZE = 32;
    private static final int DATE_SIZE = 12;
    private static final int MIN_DATE_TIME_SIZE = 21;
    private static final int MAX_DATE_TIME_SIZE = 32;

    private SchemaTypeReader() {}

    static long maxItems(DeclaredType element) {
        return MAX_TEXT / (element.minSerializedSize() + 1);
    }

    static long maxProperties(DeclaredType value) {
        return MAX_TEXT / (value.minSerializedSize() + 6);
    }

    static @Nullable DeclaredType read(JsonNode schema, boolean resourceRoot) {
        DeclaredType type = unwrapped(schema, resourceRoot);
        if (type == null || !Json.flagAt(schema, "nullable")) {
            return type;
        }
        return new DeclaredType(type.type(), type.details().withNullable(true));
    }

    private static @Nullable DeclaredType unwrapped(JsonNode schema, boolean resourceRoot) {
        if (Json.flagAt(schema, "x-kubernetes-int-or-string")) {
            JsonNode maxLength = schema.get("maxLength");
            long most = maxLength == null ? MAX_TEXT : characters(maxLength);
            return new DeclaredType(CelType.DYN, Details.of(Form.INT_OR_STRING, most, 1));
        }
        return switch (Json.textAt(schema, "type")) {
            case "array" -> array(schema);
            case "object" -> object(schema, resourceRoot);
            case "string" -> text(schema);
            case "boolean" -> new DeclaredType(CelType.BOOL, Details.of(Form.BOOL, 0, 4));
            case "number" -> new DeclaredType(CelType.DOUBLE, Details.of(Form.DOUBLE, 0, 1));
            case "integer" -> new DeclaredType(CelType.INT, Details.of(Form.INT, 0, 1));
            default ->
                resourceRoot && Json.flagAt(schema, "x-kubernetes-embedded-resource") ? object(schema, true) : null;
        };
    }

    private static @Nullable DeclaredType read(@Nullable JsonNode schema) {
        return schema == null || !schema.isObject()
                ? null
                : read(schema, Json.flagAt(schema, "x-kubernetes-embedded-resource"));
    }

    private static long bound(@Nullable JsonNode given, long otherwise) {
        return given == null || !given.isNumber() ? otherwise : Math.max(0, given.longValue());
    }

    /** A character has at most four bytes. */
    private static long characters(JsonNode maxLength) {
        return Math.multiplyExact(Math.min(bound(maxLength, 0), Long.MAX_VALUE / 8), 4L);
    }

    private static @Nullable DeclaredType array(JsonNode schema) {
        DeclaredType element = read(schema.get("items"));
        if (element == null) {
            return null;
        }
        List<String> keys = new ArrayList<>();
        Json.listAt(schema, "x-kubernetes-list-map-keys").forEach(key -> keys.add(key.asText()));
        Form form = switch (Json.textAt(schema, "x-kubernetes-list-type")) {
            case "set" -> Form.SET;
            case "map" -> Form.KEYED_LIST;
            default -> Form.LIST;
        };
        long most = bound(schema.get("maxItems"), maxItems(element));
        return new DeclaredType(
                CelType.list(element.type()), new Details(form, false, most, 2, Map.of(), element, keys));
    }

    private static @Nullable DeclaredType object(JsonNode schema, boolean resourceRoot) {
        JsonNode additional = schema.get("additionalProperties");
        if (!resourceRoot && additional != null && additional.isObject()) {
            DeclaredType value = read(additional);
            if (value == null) {
                return null;
            }
            long most = bound(schema.get("maxProperties"), maxProperties(value));
            return new DeclaredType(
                    CelType.map(CelType.STRING, value.type()),
                    new Details(Form.MAP, false, most, 2, Map.of(), value, List.of()));
        }
        Map<String, DeclaredType> fields = new LinkedHashMap<>();
        long size = fields(schema, fields);
        if (resourceRoot) {
            addIdentity(fields);
        }
        return DeclaredType.object("object", fields, size);
    }

    /** Reads the fields; returns how small an object with the required ones can be. */
    private static long fields(JsonNode schema, Map<String, DeclaredType> fields) {
        Set<String> required = new HashSet<>();
        Json.listAt(schema, "required").forEach(name -> required.add(name.asText()));
        JsonNode properties = schema.get("properties");
        long size = 2;
        if (properties == null) {
            return size;
        }
        for (Map.Entry<String, JsonNode> property : properties.properties()) {
            DeclaredType field = read(property.getValue());
            if (field == null) {
                fields.put(property.getKey(), opaque());
                continue;
            }
            fields.put(property.getKey(), field);
            if (required.contains(property.getKey()) && !property.getValue().has("default")) {
                size += property.getKey().length() + field.minSerializedSize() + 4;
            }
        }
        return size;
    }

    private static DeclaredType opaque() {
        return new DeclaredType(CelType.DYN, Details.of(Form.OPAQUE, 0, 1));
    }

    private static DeclaredType text() {
        return new DeclaredType(CelType.STRING, Details.of(Form.STRING, MAX_TEXT, MIN_TEXT_SIZE));
    }

    private static void addIdentity(Map<String, DeclaredType> fields) {
        fields.put("kind", text());
        fields.put("apiVersion", text());
        fields.put("metadata", DeclaredType.object("object", identity()));
    }

    private static Map<String, DeclaredType> identity() {
        Map<String, DeclaredType> metadata = new LinkedHashMap<>();
        metadata.put("name", text());
        metadata.put("generateName", text());
        return metadata;
    }

    private static DeclaredType text(JsonNode schema) {
        JsonNode maxLength = schema.get("maxLength");
        return switch (Json.textAt(schema, "format")) {
            case "byte" ->
                new DeclaredType(CelType.BYTES, Details.of(Form.BYTES, bound(maxLength, MAX_TEXT), MIN_TEXT_SIZE));
            case "duration" ->
                new DeclaredType(CelType.DURATION, Details.of(Form.DURATION, MAX_DURATION_SIZE, MIN_DURATION_SIZE));
            case "date" -> new DeclaredType(CelType.TIMESTAMP, Details.of(Form.DATE, DATE_SIZE, DATE_SIZE));
            case "date-time" ->
                new DeclaredType(CelType.TIMESTAMP, Details.of(Form.DATE_TIME, MAX_DATE_TIME_SIZE, MIN_DATE_TIME_SIZE));
            default ->
                new DeclaredType(CelType.STRING, Details.of(Form.STRING, longest(schema, maxLength), MIN_TEXT_SIZE));
        };
    }

    private static long longest(JsonNode schema, @Nullable JsonNode maxLength) {
        if (maxLength != null) {
            return characters(maxLength);
        }
        JsonNode values = schema.get("enum");
        if (values == null || values.isEmpty()) {
            return MAX_TEXT;
        }
        long most = 0;
        for (JsonNode value : values) {
            most = Math.max(most, value.isTextual() ? lavaflow.kube.Names.utf8Length(value.textValue()) : 0);
        }
        return most;
    }
}
