package lavaflow.cel;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Base64;
import java.util.Iterator;
import java.util.Map;
import java.util.function.Function;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Values of the language, as Java objects: {@link #NULL}, Boolean, Long (int), {@link UnsignedLong} (uint), Double,
 * String, {@link CelBytes}, {@link java.time.OffsetDateTime} (timestamp), {@link java.time.Duration}, {@link CelList},
 * {@link CelMap} (maps and objects), {@link CelOptional}, {@link CelType} (type values), {@link JsonPatchOperation}, and
 * Kubernetes' own.
 */
public final class CelValues {
    /** The null of the language. */
    public static final Object NULL = new Object() {
        @Override
        public String toString() {
            return "null";
        }
    };

    private CelValues() {}

    /** A JSON tree as a value without declared type. */
    public static Object of(@Nullable JsonNode json) {
        return json == null ? NULL : JsonViews.of(json);
    }

    /** The value of the variable {@code authorizer}. */
    public static Object authorizer(CelAuthorizer authorizer) {
        return new AuthorizerFunctions.AuthorizerValue(authorizer, null);
    }

    /** The value of the variable {@code authorizer.requestResource}: a check of everything but the verb. */
    public static Object resourceCheck(CelAuthorizer authorizer, CelAuthorizer.Check check) {
        return new AuthorizerFunctions.ResourceCheck(new AuthorizerFunctions.AuthorizerValue(authorizer, null), check);
    }

    /**
     * An object whose fields are computed when read, such as {@code variables} of admission policies. The function may
     * throw {@link CelException}; it answers null for a field that is not set.
     */
    public static CelMap lazyObject(CelType.ObjectOf type, Function<String, @Nullable Object> field) {
        return new Maps.Lazy(type, field);
    }

    /** An object of values. */
    public static CelMap object(CelType.ObjectOf type, Map<String, Object> fields) {
        return new Maps.Made(type, fields);
    }

    /** The JSON of a value, as upstream's conversion to JSON makes it; throws {@link CelException} where there is none. */
    public static JsonNode toJson(Object value) {
        return toJson(value, new Work(), false);
    }

    /** As {@link #toJson}, but bytes are binary nodes: who checks types can tell them from texts. */
    public static JsonNode toJsonWithBytes(Object value) {
        return toJson(value, new Work(), true);
    }

    private static JsonNode toJson(Object value, Work work, boolean binary) {
        work.step();
        return switch (value) {
            case Boolean bool -> Json.FACTORY.booleanNode(bool);
            case Long number -> Json.number(number);
            case UnsignedLong number -> Json.FACTORY.numberNode(number.bits());
            case Double number -> Json.FACTORY.numberNode(number);
            case String text -> Json.text(text);
            case CelBytes bytes ->
                binary
                        ? Json.FACTORY.binaryNode(bytes.bytes())
                        : Json.text(Base64.getEncoder().encodeToString(bytes.bytes()));
            case OffsetDateTime time -> Json.text(Times.format(time));
            case Duration duration -> Json.text(Times.seconds(duration));
            case CelList list -> array(list, work, binary);
            case CelMap map -> object(map, work, binary);
            case QuantityFunctions.QuantityValue quantity -> Json.text(quantity.toString());
            default -> {
                if (NULL.equals(value)) {
                    yield Json.FACTORY.nullNode();
                }
                throw new CelException("type conversion error from '" + Types.name(value) + "' to JSON");
            }
        };
    }

    private static JsonNode array(CelList list, Work work, boolean binary) {
        ArrayNode array = Json.array();
        for (int i = 0; i < list.size(); i++) {
            array.add(toJson(list.get(i), work, binary));
        }
        return array;
    }

    private static JsonNode object(CelMap map, Work work, boolean binary) {
        ObjectNode object = Json.object();
        for (Iterator<Object> keys = map.keys(); keys.hasNext(); ) {
            Object key = keys.next();
            Object value = map.find(key);
            object.set(GoFormat.value(key), value == null ? Json.FACTORY.nullNode() : toJson(value, work, binary));
        }
        return object;
    }
}
