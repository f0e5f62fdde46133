package lavaflow.kube;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What types mean to server-side apply: what is owned as a whole, what by parts, and what identifies an element of a
 * list.
 *
 * <p>A place in an object is described by its type and, where it is a field of a struct, that field, because lists and
 * maps get their meaning from the field that holds them, if there is one. No type at all stands for content without a schema, whose
 * meaning is deduced: objects by member, lists and scalars as a whole.
 */
record ApplySchema(Types types) {
    private static final ObjectNode NO_MEMBERS = Json.object();
    private static final LongNode ZERO = LongNode.valueOf(0);
    private static final JsonNode NO_TEXT = Json.text("");

    /** How the parts of a value are owned. */
    enum Shape {
        /** As a whole. */
        LEAF,
        /** By member. */
        OBJECT,
        /** By element. */
        LIST
    }

    /** The shape of values at a place; either value may be absent, and nulls take the shape of the other. */
    Shape shape(@Nullable Type type, Struct.@Nullable Field holder, @Nullable JsonNode left, @Nullable JsonNode right) {
        Struct.Field field = meaning(type, holder);
        return switch (type) {
            case null -> deduced(left, right);
            case Type.Ref ref -> isAtomic(field) || types.struct(ref.struct()).atomic() ? Shape.LEAF : Shape.OBJECT;
            case Type.MapOf _ -> isAtomic(field) ? Shape.LEAF : Shape.OBJECT;
            case Type.ListOf _ -> field == null || field.listKind() == Struct.ListKind.ATOMIC ? Shape.LEAF : Shape.LIST;
            case Type.OneOf either -> either.choices().isEmpty() ? deduced(left, right) : Shape.LEAF;
            case Type.Scalar _ -> Shape.LEAF;
        };
    }

    /** What says how a value is owned: the field that holds it, or, in a map or list, its type; null where nothing does. */
    static Struct.@Nullable Field meaning(@Nullable Type type, Struct.@Nullable Field field) {
        if (field != null) {
            return field;
        }
        return switch (type) {
            case Type.ListOf list -> list.meaning();
            case Type.MapOf map -> map.meaning();
            case null -> null;
            case Type.Ref _, Type.Scalar _, Type.OneOf _ -> null;
        };
    }

    private static Shape deduced(@Nullable JsonNode left, @Nullable JsonNode right) {
        return left instanceof ObjectNode || right instanceof ObjectNode ? Shape.OBJECT : Shape.LEAF;
    }

    private static boolean isAtomic(Struct.@Nullable Field field) {
        return field != null && field.atomicMap();
    }

    /** The struct of a place, or null where its members are not declared. */
    @Nullable
    Struct struct(@Nullable Type type) {
        return type instanceof Type.Ref ref ? types.struct(ref.struct()) : null;
    }

    /** The type of the members of a map; null where they have no schema. */
    static @Nullable Type element(@Nullable Type type) {
        return switch (type) {
            case Type.MapOf map -> map.value();
            case Type.ListOf list -> list.element();
            case null -> null;
            case Type.Ref _, Type.Scalar _, Type.OneOf _ -> null;
        };
    }

    /** Whether members that the struct does not declare are content without a schema instead of a mistake. */
    static boolean isOpen(Struct struct) {
        return struct.open() || struct.fields().isEmpty();
    }

    /** What identifies an element of a list that is owned by element. */
    PathStep step(Type type, Struct.Field field, JsonNode item) {
        if (field.listKind() == Struct.ListKind.SET) {
            return switch (item.getNodeType()) {
                case OBJECT, POJO -> throw mismatch("associative list without keys has an element that's a map type");
                case ARRAY -> throw mismatch("not supported: associative list with lists as elements");
                case NULL, MISSING ->
                    throw mismatch("associative list without keys has an element that's an explicit null");
                case STRING, BINARY, NUMBER, BOOLEAN -> PathStep.value(item);
            };
        }
        if (!item.isObject()) {
            throw mismatch(
                    item.isNull()
                            ? "associative list with keys may not have a null element"
                            : "associative list with keys may not have non-map elements");
        }
        List<PathStep.Key> keys = new ArrayList<>(field.listKeys().size());
        Struct struct = struct(element(type));
        for (String name : field.listKeys()) {
            JsonNode value = item.get(name);
            if (value == null && struct != null) {
                Struct.Field key = struct.field(name);
                value = key == null ? null : key.defaultValue();
            }
            if (value != null) {
                keys.add(new PathStep.Key(name, value));
            }
        }
        if (keys.isEmpty()) {
            String names = String.join(
                    " ", field.listKeys().stream().map(FieldErrors::quoted).toList());
            throw mismatch("associative list with keys has an element that omits all key fields [" + names
                    + "] (and doesn't have default values for any key fields)");
        }
        return PathStep.keys(keys);
    }

    /** An object that does not fit its schema. */
    static ApiException mismatch(String message) {
        return ApiException.badRequest(message);
    }

    /**
     * What upstream's typed objects have in a field that is absent from JSON: fields that are never left out count as
     * present, so that nobody owns them just because they were filled. Null where absent means absent.
     */
    @Nullable
    JsonNode absent(Struct.Field field) {
        if (field.omitZero() || (field.omitEmpty() && !isStruct(field))) {
            return null;
        }
        if (field.pointer()) {
            return NullNode.instance;
        }
        return switch (field.type()) {
            case Type.Ref ref -> {
                Struct type = types.struct(ref.struct());
                yield type.atomic() || field.atomicMap() ? zero(type) : NO_MEMBERS;
            }
            case Type.ListOf _, Type.MapOf _, Type.OneOf _ -> NullNode.instance;
            case Type.Scalar scalar -> zero(scalar);
        };
    }

    /** Whether Go has a struct here, which counts as never empty. */
    private static boolean isStruct(Struct.Field field) {
        return !field.pointer()
                && switch (field.type()) {
                    case Type.Ref _, Type.OneOf _ -> true;
                    case Type.ListOf _, Type.MapOf _ -> false;
                    case Type.Scalar scalar ->
                        switch (scalar) {
                            case TIME, MICRO_TIME, QUANTITY, DURATION, INT_OR_STRING, RAW, FIELDS_V1 -> true;
                            case STRING, BOOL, INT32, INT64, FLOAT64, BYTES -> false;
                        };
                };
    }

    private ObjectNode zero(Struct struct) {
        ObjectNode zero = Json.object();
        for (Struct.Field field : struct.fields().values()) {
            JsonNode value = absent(field);
            if (value != null) {
                zero.set(
                        field.name(),
                        field.type() instanceof Type.Ref ref && !field.pointer()
                                ? zero(types.struct(ref.struct()))
                                : value);
            }
        }
        return zero;
    }

    private static JsonNode zero(Type.Scalar scalar) {
        return switch (scalar) {
            case STRING -> NO_TEXT;
            case BOOL -> Json.FACTORY.booleanNode(false);
            case INT32, INT64, FLOAT64, INT_OR_STRING -> ZERO;
            case QUANTITY -> Json.text("0");
            case DURATION -> Json.text("0s");
            case BYTES, TIME, MICRO_TIME, RAW, FIELDS_V1 -> NullNode.instance;
        };
    }

    /** The members of a value, or null where it has none to look at. */
    static @Nullable ObjectNode members(@Nullable JsonNode value) {
        return value instanceof ObjectNode object ? object : null;
    }

    /** The elements of a value, or null where it has none to look at. */
    static @Nullable ArrayNode elements(@Nullable JsonNode value) {
        return value instanceof ArrayNode list ? list : null;
    }

    static boolean isEmpty(@Nullable JsonNode container) {
        return container == null || container.isEmpty();
    }

    private static final Comparator<JsonNode> BY_VALUE = (left, right) -> {
        if (left.isNumber() && right.isNumber()) {
            return Double.compare(left.doubleValue(), right.doubleValue());
        }
        return left.equals(right) ? 0 : 1;
    };

    /** Equality that does not tell 1 from 1.0. */
    static boolean same(JsonNode left, JsonNode right) {
        return left.equals(right) || ((left.isNumber() || left.isContainerNode()) && left.equals(BY_VALUE, right));
    }
}
