package lavaflow.kube;

import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * What upstream says of a tree that does not fit a struct when it converts trees instead of decoding JSON, which it does
 * after a strategic merge patch.
 */
public final class TreeConversion {
    private TreeConversion() {}

    /** The first misfit; null where there is none that this conversion has words of its own for. */
    public static @Nullable String problem(Types types, String struct, JsonNode tree) {
        return problem(types, new Type.Ref(struct), tree);
    }

    private static @Nullable String problem(Types types, Type type, JsonNode value) {
        if (value.isNull()) {
            return null;
        }
        return switch (type) {
            case Type.Ref ref ->
                value.isObject() ? inStruct(types, types.struct(ref.struct()), value) : noStruct(value);
            case Type.MapOf map -> value.isObject() ? inMap(types, map.value(), value) : no("map", value);
            case Type.ListOf list -> value.isArray() ? inList(types, list.element(), value) : no("slice", value);
            case Type.Scalar scalar -> scalar(scalar, value);
            case Type.OneOf _ -> null;
        };
    }

    private static String no(String wanted, JsonNode found) {
        return "cannot restore " + wanted + " from " + kind(found);
    }

    private static String noStruct(JsonNode found) {
        return "cannot restore struct from: " + kind(found);
    }

    private static @Nullable String inStruct(Types types, Struct struct, JsonNode object) {
        for (Struct.Field field : struct.fields().values()) {
            JsonNode value = object.get(field.name());
            String problem = value == null ? null : problem(types, field.type(), value);
            if (problem != null) {
                return problem;
            }
        }
        return null;
    }

    private static @Nullable String inMap(Types types, Type element, JsonNode object) {
        for (Map.Entry<String, JsonNode> entry : object.properties()) {
            String problem = problem(types, element, entry.getValue());
            if (problem != null) {
                return problem;
            }
        }
        return null;
    }

    private static @Nullable String inList(Types types, Type element, JsonNode list) {
        for (JsonNode item : list) {
            String problem = problem(types, element, item);
            if (problem != null) {
                return problem;
            }
        }
        return null;
    }

    private static @Nullable String scalar(Type.Scalar scalar, JsonNode value) {
        String kind = kind(value);
        return switch (scalar) {
            case STRING ->
                kind.equals("string") ? null : kind.equals("int64") ? convert(kind, "string") : unknown("string");
            case BOOL -> kind.equals("bool") ? null : unknown("bool");
            case INT32, INT64 -> integer(scalar.goName(), kind, value);
            case FLOAT64 -> kind.equals("int64") || kind.equals("float64") ? null : unknown("float64");
            case BYTES -> kind.equals("string") ? null : no("slice", value);
            case TIME, MICRO_TIME, DURATION ->
                kind.equals("string")
                        ? null
                        : "json: cannot unmarshal " + GoText.jsonKind(value) + " into Go value of type string";
            case QUANTITY, INT_OR_STRING, RAW, FIELDS_V1 -> null;
        };
    }

    private static @Nullable String integer(String wanted, String kind, JsonNode value) {
        return switch (kind) {
            case "int64" -> null;
            case "float64" -> value.doubleValue() == Math.rint(value.doubleValue()) ? null : convert(kind, wanted);
            default -> unknown(wanted);
        };
    }

    private static String convert(String from, String to) {
        return "cannot convert " + from + " to " + to;
    }

    private static String unknown(String wanted) {
        return "unrecognized type: " + wanted;
    }

    private static String kind(JsonNode value) {
        return switch (value.getNodeType()) {
            case OBJECT, POJO -> "map";
            case ARRAY -> "slice";
            case STRING, BINARY, BOOLEAN, NUMBER, NULL, MISSING -> GoText.type(value);
        };
    }
}
