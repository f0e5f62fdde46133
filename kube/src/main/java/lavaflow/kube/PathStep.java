package lavaflow.kube;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * One step of a path into an object: a field, the list element with certain keys, the list element with a certain
 * value, or the list element at an index. The order is that of {@code fieldsV1}.
 */
final class PathStep implements Comparable<PathStep> {
    /** A key of a list element and its value. */
    record Key(String name, JsonNode value) {}

    // In the order in which steps of different kinds are sorted.
    private static final char FIELD = 'f';
    private static final char KEYS = 'k';
    private static final char VALUE = 'v';
    private static final char INDEX = 'i';
    private static final String ORDER = "fkvi";

    private final char kind;
    private final String name;
    private final List<Key> keys;
    private final @Nullable JsonNode value;
    private final int index;
    private @Nullable String text;

    private PathStep(char kind, String name, List<Key> keys, @Nullable JsonNode value, int index) {
        this.kind = kind;
        this.name = name;
        this.keys = keys;
        this.value = value;
        this.index = index;
    }

    static PathStep field(String name) {
        return new PathStep(FIELD, name, List.of(), null, 0);
    }

    /** The element that has these keys, in any order. */
    static PathStep keys(List<Key> keys) {
        List<Key> sorted = keys;
        if (keys.size() > 1) {
            sorted = new ArrayList<>(keys);
            sorted.sort(Comparator.comparing(Key::name));
        }
        return new PathStep(KEYS, "", sorted, null, 0);
    }

    static PathStep value(JsonNode value) {
        return new PathStep(VALUE, "", List.of(), value, 0);
    }

    static PathStep index(int index) {
        return new PathStep(INDEX, "", List.of(), null, index);
    }

    boolean isField() {
        return kind == FIELD;
    }

    boolean isKeys() {
        return kind == KEYS;
    }

    /** The name of a field. */
    String name() {
        return name;
    }

    /** Reads the form of {@link #text}; null for a kind of step that is not known (upstream drops those). */
    static @Nullable PathStep parse(String text) {
        if (text.length() < 2) {
            throw ApiException.badRequest("key must be 2 characters long:");
        }
        if (text.charAt(1) != ':') {
            throw ApiException.badRequest("missing colon: " + text);
        }
        String rest = text.substring(2);
        return switch (text.charAt(0)) {
            case FIELD -> field(rest);
            case VALUE -> value(json(rest));
            case KEYS -> keys(keysOf(json(rest)));
            case INDEX -> index(indexOf(rest));
            default -> null;
        };
    }

    private static JsonNode json(String text) {
        try {
            // Not Jackson, which lets halves of surrogate pairs through that cannot be written again.
            JsonNode node = StrictJson.parse(text.getBytes(StandardCharsets.UTF_8), StrictJson.Repeated.JOIN)
                    .root();
            if (!node.isMissingNode()) {
                return node;
            }
        } catch (DecodingException _) {
            // The message below says enough.
        }
        throw ApiException.badRequest("cannot parse path element: " + text);
    }

    private static List<Key> keysOf(JsonNode object) {
        if (!object.isObject() && !object.isNull()) {
            throw ApiException.badRequest("keys of a path element must be an object: " + object);
        }
        List<Key> keys = new ArrayList<>(object.size());
        for (var entry : object.properties()) {
            keys.add(new Key(entry.getKey(), entry.getValue()));
        }
        return keys;
    }

    private static int indexOf(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException _) {
            throw ApiException.badRequest("index of a path element must be a number: " + text);
        }
    }

    /** The name in {@code fieldsV1}: {@code f:spec}, {@code k:{"name":"x"}}, {@code v:"x"}, {@code i:0}. */
    String text() {
        String known = text;
        if (known == null) {
            known = print();
            text = known;
        }
        return known;
    }

    private String print() {
        return switch (kind) {
            case FIELD -> "f:".concat(name);
            case KEYS -> {
                StringBuilder out = new StringBuilder("k:{");
                for (Key key : keys) {
                    if (out.length() > 3) {
                        out.append(',');
                    }
                    GoText.quote(out, key.name(), false);
                    out.append(':');
                    GoText.json(out, key.value());
                }
                yield out.append('}').toString();
            }
            case VALUE -> {
                StringBuilder out = new StringBuilder("v:");
                GoText.json(out, Objects.requireNonNull(value));
                yield out.toString();
            }
            default -> "i:" + index;
        };
    }

    /** As messages show it: {@code .spec}, {@code [name="x"]}, {@code [="x"]}, {@code [0]}. */
    @Override
    public String toString() {
        return switch (kind) {
            case FIELD -> "." + name;
            case KEYS -> {
                StringBuilder out = new StringBuilder("[");
                String separator = "";
                for (Key key : keys) {
                    out.append(separator).append(key.name()).append('=').append(shown(key.value()));
                    separator = ",";
                }
                yield out.append(']').toString();
            }
            case VALUE -> "[=" + shown(Objects.requireNonNull(value)) + "]";
            default -> "[" + index + "]";
        };
    }

    private static String shown(JsonNode value) {
        return value.isTextual() ? FieldErrors.quoted(value.textValue()) : Json.string(value);
    }

    @Override
    public int compareTo(PathStep other) {
        if (kind != other.kind) {
            return Integer.compare(ORDER.indexOf(kind), ORDER.indexOf(other.kind));
        }
        return switch (kind) {
            case FIELD -> name.compareTo(other.name);
            case KEYS -> compareKeys(keys, other.keys);
            case VALUE -> compare(Objects.requireNonNull(value), Objects.requireNonNull(other.value));
            default -> Integer.compare(index, other.index);
        };
    }

    private static int compareKeys(List<Key> left, List<Key> right) {
        for (int i = 0; i < Math.min(left.size(), right.size()); i++) {
            int order = left.get(i).name().compareTo(right.get(i).name());
            if (order == 0) {
                order = compare(left.get(i).value(), right.get(i).value());
            }
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(left.size(), right.size());
    }

    /** Numbers, then strings, booleans, lists, objects, null; numbers by value whatever their type. */
    private static int compare(JsonNode left, JsonNode right) {
        int order = Integer.compare(rank(left), rank(right));
        if (order != 0) {
            return order;
        }
        if (left.isTextual()) {
            return left.textValue().compareTo(right.textValue());
        }
        if (left.isNumber()) {
            return left.isIntegralNumber() && right.isIntegralNumber()
                    ? left.bigIntegerValue().compareTo(right.bigIntegerValue())
                    : Double.compare(number(left), number(right));
        }
        if (left.isBoolean()) {
            return Boolean.compare(left.booleanValue(), right.booleanValue());
        }
        if (left.isArray()) {
            return compareAll(left.values(), right.values());
        }
        return left.isObject() ? compareKeys(keysByName(left), keysByName(right)) : 0;
    }

    private static int compareAll(Iterator<JsonNode> left, Iterator<JsonNode> right) {
        while (left.hasNext() && right.hasNext()) {
            int order = compare(left.next(), right.next());
            if (order != 0) {
                return order;
            }
        }
        return Boolean.compare(left.hasNext(), right.hasNext());
    }

    private static List<Key> keysByName(JsonNode object) {
        List<Key> keys = keysOf(object);
        keys.sort(Comparator.comparing(Key::name));
        return keys;
    }

    /** What is below zero by nothing is written as an integer and read as zero. */
    private static double number(JsonNode node) {
        return node.doubleValue() + 0.0;
    }

    private static int rank(JsonNode node) {
        return switch (node.getNodeType()) {
            case NUMBER -> 0;
            case STRING, BINARY -> 1;
            case BOOLEAN -> 2;
            case ARRAY -> 3;
            case OBJECT, POJO -> 4;
            case NULL, MISSING -> 5;
        };
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof PathStep step && compareTo(step) == 0;
    }

    @Override
    public int hashCode() {
        int hash = kind * 31 + name.hashCode() + index;
        for (Key key : keys) {
            hash = hash * 31 + key.name().hashCode() + hash(key.value());
        }
        return value == null ? hash : hash * 31 + hash(value);
    }

    private static int hash(JsonNode node) {
        if (node.isContainerNode()) {
            // Equal numbers inside may be of different types, and their hashes too.
            return node.size();
        }
        return node.isNumber() ? Double.hashCode(number(node)) : node.hashCode();
    }
}
