package lavaflow.kube;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Parses JSON from outside the way Go does: the same documents are accepted, complaints have the same words, bytes that
 * are no UTF-8 become replacement characters, and every repeated key is remembered instead of refused.
 *
 * <p>Written by hand because Jackson stops at the first repeated key, refuses what Go repairs, and lets through halves
 * of surrogate pairs that it cannot write again.
 */
public final class StrictJson {
    /** What happens when a key comes twice. */
    public enum Repeated {
        /** Objects are joined, other values replaced: what Go does when it decodes into a struct. */
        JOIN,
        /** The last value stands: what Go does when it decodes into an untyped map. */
        REPLACE
    }

    /** A key that came again when {@code position} keys of its object had been seen. */
    record Duplicate(String key, int position) {}

    /**
     * A parsed document.
     *
     * @param root the tree
     * @param duplicates keys that came more than once, by the object they are in
     * @param duplicatePaths the same as paths ({@code spec.ports[0].name}) in the order of the document, each once
     */
    public record Document(
            JsonNode root, IdentityHashMap<ObjectNode, List<Duplicate>> duplicates, List<String> duplicatePaths) {
        /** A document in which no key is repeated. */
        public static Document of(JsonNode root) {
            return new Document(root, new IdentityHashMap<>(0), List.of());
        }
    }

    /** Upstream, too, stops collecting there. */
    static final int MAX_REPORTED = 100;

    private final JsonScanner in;
    private final Repeated repeated;
    private final int maxDepth;
    private final IdentityHashMap<ObjectNode, List<Duplicate>> duplicates = new IdentityHashMap<>(0);
    private final List<String> duplicatePaths = new ArrayList<>(0);
    private Object[] path = new Object[16];
    private int depth;

    private StrictJson(byte[] in, Repeated repeated, int maxDepth) {
        this.in = new JsonScanner(in);
        this.repeated = repeated;
        this.maxDepth = maxDepth;
    }

    /** Parses one document; anything but white space after it is an error. */
    public static Document parse(byte[] bytes, Repeated repeated) throws DecodingException {
        return parse(bytes, repeated, Json.MAX_DEPTH);
    }

    /** Parses a document that will stand somewhere inside another one. */
    static Document parse(byte[] bytes, Repeated repeated, int maxDepth) throws DecodingException {
        StrictJson parser = new StrictJson(bytes, repeated, maxDepth);
        JsonNode root = parser.value();
        parser.in.finish();
        return new Document(root, parser.duplicates, parser.duplicatePaths);
    }

    private JsonNode value() throws DecodingException {
        in.skipSpace();
        return switch (in.current()) {
            case '{' -> object();
            case '[' -> array();
            default -> in.scalar();
        };
    }

    private ObjectNode object() throws DecodingException {
        enter();
        ObjectNode object = Json.FACTORY.objectNode();
        boolean more = in.begin('}');
        while (more) {
            String key = in.member();
            path[depth - 1] = key;
            JsonNode value = value();
            JsonNode before = object.replace(key, value);
            if (before != null) {
                repeat(object, key, before, value);
            }
            more = in.goOn('}', "after object key:value pair");
        }
        depth--;
        return object;
    }

    private ArrayNode array() throws DecodingException {
        enter();
        ArrayNode array = Json.FACTORY.arrayNode();
        boolean more = in.begin(']');
        while (more) {
            path[depth - 1] = array;
            array.add(value());
            more = in.goOn(']', "after array element");
        }
        depth--;
        return array;
    }

    private void enter() throws DecodingException {
        if (++depth > maxDepth) {
            throw new DecodingException("exceeded max depth");
        }
        if (depth > path.length) {
            path = java.util.Arrays.copyOf(path, path.length * 2);
        }
    }

    private void repeat(ObjectNode object, String key, JsonNode before, JsonNode value) {
        if (duplicatePaths.size() < MAX_REPORTED) {
            String text = pathText();
            if (!duplicatePaths.contains(text)) {
                duplicatePaths.add(text);
                duplicates.computeIfAbsent(object, _ -> new ArrayList<>()).add(new Duplicate(key, object.size()));
            }
        }
        if (repeated == Repeated.JOIN && before instanceof ObjectNode first && value instanceof ObjectNode second) {
            join(first, second);
            object.set(key, first);
        }
    }

    private void join(ObjectNode first, ObjectNode second) {
        List<Duplicate> more = duplicates.remove(second);
        if (more != null) {
            duplicates.computeIfAbsent(first, _ -> new ArrayList<>()).addAll(more);
        }
        for (Map.Entry<String, JsonNode> entry : second.properties()) {
            JsonNode before = first.get(entry.getKey());
            if (before instanceof ObjectNode inner && entry.getValue() instanceof ObjectNode other) {
                join(inner, other);
            } else {
                first.set(entry.getKey(), entry.getValue());
            }
        }
    }

    private String pathText() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < depth; i++) {
            if (path[i] instanceof ArrayNode array) {
                text.append('[').append(array.size()).append(']');
            } else {
                text.append(text.isEmpty() ? "" : ".").append(path[i]);
            }
        }
        return text.toString();
    }
}
