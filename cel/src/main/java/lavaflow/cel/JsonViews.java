package lavaflow.cel;

import java.util.Iterator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** JSON seen as values without a declared type. */
final class JsonViews {
    private JsonViews() {}

    static Object of(JsonNode json) {
        return switch (json.getNodeType()) {
            case OBJECT -> new JsonMap((ObjectNode) json);
            case ARRAY -> new JsonList((ArrayNode) json);
            case STRING -> json.textValue();
            case BOOLEAN -> json.booleanValue();
            case NUMBER -> number(json);
            case NULL, MISSING -> CelValues.NULL;
            default -> throw new CelException("unsupported JSON value");
        };
    }

    static Object number(JsonNode json) {
        return json.isIntegralNumber() && json.canConvertToLong() ? (Object) json.longValue() : json.doubleValue();
    }

    /** An object. */
    private record JsonMap(ObjectNode json) implements CelMap {
        @Override
        public int size() {
            return json.size();
        }

        @Override
        public @Nullable Object find(Object key) {
            JsonNode value = key instanceof String name ? json.get(name) : null;
            return value == null ? null : of(value);
        }

        @Override
        public boolean has(Object key) {
            return key instanceof String name && json.has(name);
        }

        @Override
        public Iterator<Object> keys() {
            return new Names(json.fieldNames());
        }
    }

    /** Names of fields as keys. */
    record Names(Iterator<String> names) implements Iterator<Object> {
        @Override
        public boolean hasNext() {
            return names.hasNext();
        }

        @Override
        public Object next() {
            return names.next();
        }
    }

    /** An array. */
    private record JsonList(ArrayNode json) implements CelList {
        @Override
        public int size() {
            return json.size();
        }

        @Override
        public Object get(int index) {
            return of(json.get(index));
        }
    }
}
