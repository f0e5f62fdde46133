package lavaflow.cel;

import java.util.Map;
import java.util.function.Function;

import com.fasterxml.jackson.databind.JsonNode;
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
        return json == null ? NULL : json;
    }

    /** The value of the variable {@code authorizer}. */
    public static Object authorizer(CelAuthorizer authorizer) {
        return authorizer;
    }

    /** An object whose fields are computed when read, such as {@code variables} of admission policies. */
    public static CelMap lazyObject(CelType.ObjectOf type, Function<String, @Nullable Object> field) {
        return object(type, Map.of("", field));
    }

    /** An object of values. */
    public static CelMap object(CelType.ObjectOf type, Map<String, Object> fields) {
        return new CelMap() {
            @Override
            public int size() {
                return fields.size();
            }

            @Override
            public @Nullable Object find(Object key) {
                return key instanceof String text ? fields.get(text) : null;
            }

            @Override
            public java.util.Iterator<Object> keys() {
                return java.util.List.<Object>copyOf(fields.keySet()).iterator();
            }

            @Override
            public CelType type() {
                return type;
            }
        };
    }

    /** The JSON of a value, as upstream's conversion to JSON makes it; throws {@link CelException} where there is none. */
    public static JsonNode toJson(Object value) {
        return com.fasterxml.jackson.databind.node.TextNode.valueOf(String.valueOf(value));
    }
}
