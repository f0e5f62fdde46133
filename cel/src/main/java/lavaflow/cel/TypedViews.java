package lavaflow.cel;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.cel.DeclaredType.Form;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** JSON seen as values of declared types. */
final class TypedViews {
    private TypedViews() {}

    static Object of(@Nullable JsonNode json, DeclaredType type) {
        Form form = type.details().form();
        if (form == Form.DYN) {
            return json == null ? CelValues.NULL : JsonViews.of(json);
        }
        if (json == null || json.isNull()) {
            if (type.details().nullable()) {
                return CelValues.NULL;
            }
            throw new CelException("invalid data, got null for schema with nullable=false");
        }
        return switch (form) {
            case DYN, OPAQUE -> JsonViews.of(json);
            case INT_OR_STRING -> intOrString(json);
            case BOOL -> json.isBoolean() ? (Object) json.booleanValue() : wrong("bool", json);
            case INT -> json.isIntegralNumber() ? (Object) json.longValue() : wrong("int", json);
            case DOUBLE -> json.isNumber() ? (Object) json.doubleValue() : wrong("float", json);
            case STRING, BYTES, DURATION, DATE, DATE_TIME ->
                json.isTextual() ? text(form, json.textValue()) : wrong("string", json);
            case LIST -> new TypedList(array(json), element(type));
            case SET -> new SetList(array(json), element(type));
            case KEYED_LIST ->
                new MapList(array(json), element(type), type.details().keys());
            case MAP -> new TypedMap(object(json), element(type));
            case OBJECT -> new TypedObject(object(json), type);
        };
    }

    private static Object wrong(String expected, JsonNode json) {
        throw new CelException("invalid data, expected " + expected + ", got " + goType(json));
    }

    private static String goType(JsonNode json) {
        return switch (json.getNodeType()) {
            case STRING -> "string";
            case BOOLEAN -> "bool";
            case NUMBER -> json.isIntegralNumber() ? "int64" : "float64";
            case ARRAY -> "[]interface {}";
            default -> "map[string]interface {}";
        };
    }

    private static Object intOrString(JsonNode json) {
        if (json.isTextual()) {
            return json.textValue();
        }
        if (json.isIntegralNumber()) {
            return json.longValue();
        }
        throw new CelException("invalid data, expected XIntOrString value to be either a string or integer");
    }

    private static ArrayNode array(JsonNode json) {
        if (json instanceof ArrayNode array) {
            return array;
        }
        throw new CelException("invalid data, expected an array for the provided schema with type=array");
    }

    private static ObjectNode object(JsonNode json) {
        if (json instanceof ObjectNode object) {
            return object;
        }
        throw new CelException("invalid data, expected a map for the provided schema with type=object");
    }

    private static DeclaredType element(DeclaredType type) {
        DeclaredType element = type.details().element();
        return element == null ? DeclaredType.of(CelType.DYN) : element;
    }

    private static Object text(Form form, String text) {
        return switch (form) {
            case DURATION -> StringFormats.duration(text);
            case DATE -> date(text);
            case DATE_TIME -> StringFormats.dateTime(text);
            case BYTES -> bytes(text);
            default -> text;
        };
    }

    private static Object date(String text) {
        try {
            return LocalDate.parse(text).atStartOfDay().atOffset(ZoneOffset.UTC);
        } catch (DateTimeException wrong) {
            throw new CelException("Invalid date formatted string " + text);
        }
    }

    private static Object bytes(String text) {
        try {
            return new CelBytes(Base64.getDecoder().decode(text));
        } catch (IllegalArgumentException wrong) {
            throw new CelException("Invalid byte formatted string " + text);
        }
    }

    private static boolean notComparable(Object other) {
        if (CelValues.NULL.equals(other)) {
            return false;
        }
        throw Errors.noSuchOverload();
    }

    /** An object with declared fields; others exist but cannot be seen. */
    private record TypedObject(ObjectNode json, DeclaredType declared) implements CelMap {
        @Override
        public boolean sameAsOther(Object other) {
            return notComparable(other);
        }

        @Override
        public int size() {
            return json.size();
        }

        private @Nullable JsonNode value(Object key) {
            if (!(key instanceof String identifier)) {
                throw Errors.noSuchOverload();
            }
            String property = Identifiers.unescape(identifier);
            JsonNode value =
                    property == null || !declared.details().fields().containsKey(property) ? null : json.get(property);
            return value == null || value.isNull() ? null : value;
        }

        @Override
        public @Nullable Object find(Object key) {
            JsonNode value = value(key);
            if (value == null) {
                return null;
            }
            DeclaredType field = declared.details().fields().get(Identifiers.unescape((String) key));
            return field == null ? null : of(value, field);
        }

        @Override
        public boolean has(Object key) {
            return value(key) != null;
        }

        @Override
        public boolean sameBeyondKeys(CelMap other) {
            for (Map.Entry<String, JsonNode> field : json.properties()) {
                if (declared.details().fields().containsKey(field.getKey())) {
                    continue;
                }
                if (!(other instanceof TypedObject typed)) {
                    throw Errors.noSuchOverload();
                }
                JsonNode theirs = typed.json.get(field.getKey());
                if (theirs != null && !theirs.equals(field.getValue())) {
                    return false;
                }
            }
            return true;
        }

        @Override
        public Iterator<Object> keys() {
            List<Object> keys = new ArrayList<>();
            json.fieldNames().forEachRemaining(name -> {
                if (declared.details().fields().containsKey(name)) {
                    String identifier = Identifiers.escape(name);
                    keys.add(identifier == null ? name : identifier);
                }
            });
            return keys.iterator();
        }
    }

    /** A map from text to values of one type. */
    private record TypedMap(ObjectNode json, DeclaredType value) implements CelMap {
        @Override
        public boolean sameAsOther(Object other) {
            return notComparable(other);
        }

        @Override
        public int size() {
            return json.size();
        }

        @Override
        public @Nullable Object find(Object key) {
            if (!(key instanceof String name)) {
                throw Errors.noSuchOverload();
            }
            JsonNode found = json.get(name);
            return found == null ? null : of(found, value);
        }

        @Override
        public boolean has(Object key) {
            return key instanceof String name && json.has(name);
        }

        @Override
        public Iterator<Object> keys() {
            return new JsonViews.Names(json.fieldNames());
        }
    }

    /** A list whose order matters. */
    private record TypedList(ArrayNode json, DeclaredType element) implements CelList {
        @Override
        public boolean sameAsOther(Object other) {
            return notComparable(other);
        }

        @Override
        public int size() {
            return json.size();
        }

        @Override
        public Object get(int index) {
            return of(json.get(index), element);
        }
    }

    /** A list without order or duplicates. */
    private record SetList(ArrayNode json, DeclaredType element) implements KeyedList {
        @Override
        public boolean sameAsOther(Object other) {
            return notComparable(other);
        }

        @Override
        public int size() {
            return json.size();
        }

        @Override
        public Object get(int index) {
            return of(json.get(index), element);
        }

        @Override
        public boolean sameAs(CelList other) {
            Work work = new Work();
            for (int i = 0; i < other.size(); i++) {
                if (!Equality.contains(this, other.get(i), work)) {
                    return false;
                }
            }
            return true;
        }

        @Override
        public CelList merged(CelList other) {
            List<Object> all = Lists.elements(this);
            Work work = new Work();
            for (int i = 0; i < other.size(); i++) {
                Object value = other.get(i);
                if (!Equality.contains(new Lists.Values(all), value, work)) {
                    all.add(value);
                }
            }
            return new Merged(new Lists.Values(all), null);
        }
    }

    /** A list of objects that are told apart by some of their fields. */
    private record MapList(ArrayNode json, DeclaredType element, List<String> keys) implements KeyedList {
        @Override
        public boolean sameAsOther(Object other) {
            return notComparable(other);
        }

        @Override
        public int size() {
            return json.size();
        }

        @Override
        public Object get(int index) {
            return of(json.get(index), element);
        }

        @Override
        public boolean sameAs(CelList other) {
            return new Merged(this, keys).sameAs(other);
        }

        @Override
        public CelList merged(CelList other) {
            return new Merged(this, keys).merged(other);
        }
    }

    /** Elements that keep the manner of the list they came from: a set, or by keys. */
    private record Merged(CelList elements, @Nullable List<String> keys) implements KeyedList {
        @Override
        public boolean sameAsOther(Object other) {
            return notComparable(other);
        }

        @Override
        public int size() {
            return elements.size();
        }

        @Override
        public Object get(int index) {
            return elements.get(index);
        }

        private Object key(Object value) {
            if (keys == null || !(value instanceof CelMap map)) {
                return value;
            }
            List<Object> parts = new ArrayList<>();
            for (String key : keys) {
                String identifier = Identifiers.escape(key);
                Object part = map.find(identifier == null ? key : identifier);
                parts.add(part == null ? CelValues.NULL : part);
            }
            return parts;
        }

        private Map<Object, Object> byKey() {
            Map<Object, Object> known = new LinkedHashMap<>();
            for (int i = 0; i < size(); i++) {
                known.put(key(get(i)), get(i));
            }
            return known;
        }

        @Override
        public boolean sameAs(CelList other) {
            Map<Object, Object> known = byKey();
            for (int i = 0; i < other.size(); i++) {
                Object value = other.get(i);
                Object mine = known.get(key(value));
                if (mine == null || !Equality.equal(mine, value)) {
                    return false;
                }
            }
            return true;
        }

        @Override
        public CelList merged(CelList other) {
            Map<Object, Object> all = byKey();
            for (int i = 0; i < other.size(); i++) {
                all.put(key(other.get(i)), other.get(i));
            }
            return new Merged(Lists.of(new ArrayList<>(all.values())), keys);
        }
    }
}
