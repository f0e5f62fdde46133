package lavaflow.kube;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.JsonRecyclerPools;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.NumericNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * The one way to make JSON trees in Lavaflow.
 *
 * <p>Every integer that fits is a {@link LongNode}: with Jackson's own factory {@code 1} parsed and {@code 1} computed
 * may be nodes of different classes that are not equal, and no-op detection compares trees.
 */
public final class Json {
    /**
     * Deeper documents are refused. Upstream gives up at 10,000 levels, on stacks that grow; here comparing two trees of 1,000
     * levels already overflows half a megabyte.
     */
    public static final int MAX_DEPTH = 500;

    private static final class Factory extends JsonNodeFactory {
        @Override
        public ObjectNode objectNode() {
            return new JsonObject(new Members());
        }

        @Override
        public ArrayNode arrayNode() {
            return arrayNode(FEW_ELEMENTS);
        }

        @Override
        public ArrayNode arrayNode(int capacity) {
            return new JsonArray(capacity);
        }

        @Override
        public NumericNode numberNode(byte value) {
            return LongNode.valueOf(value);
        }

        @Override
        public NumericNode numberNode(short value) {
            return LongNode.valueOf(value);
        }

        @Override
        public NumericNode numberNode(int value) {
            return LongNode.valueOf(value);
        }

        @Override
        public com.fasterxml.jackson.databind.node.ValueNode numberNode(BigInteger value) {
            return value.bitLength() < Long.SIZE ? LongNode.valueOf(value.longValue()) : super.numberNode(value);
        }
    }

    /** Most lists have one or two elements; Java's own guess is ten. */
    private static final int FEW_ELEMENTS = 3;

    /** Makes every node; integers become {@link LongNode}s, objects are small (see {@link Members}). */
    public static final JsonNodeFactory FACTORY = new Factory();

    /** Jackson keeps its buffers by thread, which is one request where threads are virtual; a shared pool uses them again. */
    private static final JsonFactory STREAMING = JsonFactory.builder()
            .recyclerPool(JsonRecyclerPools.sharedConcurrentDequePool())
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private static final JsonMapper MAPPER = JsonMapper.builder(STREAMING)
            .nodeFactory(FACTORY)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(JsonGenerator.Feature.WRITE_BIGDECIMAL_AS_PLAIN)
            .build();

    private static final ObjectReader PART = MAPPER.reader().without(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private Json() {}

    /** The streaming factory with our limits, for readers and writers that do not need a tree. */
    public static JsonFactory streaming() {
        return MAPPER.getFactory();
    }

    public static ObjectNode object() {
        return FACTORY.objectNode();
    }

    public static ArrayNode array() {
        return FACTORY.arrayNode();
    }

    public static JsonNode text(String value) {
        return FACTORY.textNode(value);
    }

    public static JsonNode number(long value) {
        return LongNode.valueOf(value);
    }

    /** Parses trusted JSON, such as what we wrote ourselves; malformed input is a programming error. */
    public static JsonNode parse(byte[] bytes) {
        try {
            return StoredJson.parse(bytes);
        } catch (DecodingException e) {
            throw new UncheckedIOException("stored JSON does not parse", new IOException(e));
        }
    }

    /** Parses trusted JSON text. */
    public static JsonNode parse(String text) {
        try {
            return MAPPER.readTree(text);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException("JSON text does not parse", e);
        }
    }

    /** Parses trusted JSON that is known to be an object. */
    public static ObjectNode parseObject(byte[] bytes) {
        return (ObjectNode) parse(bytes);
    }

    /**
     * Parses JSON from outside; the exception's message names line and column.
     *
     * <p>Through a reader, because from bytes Jackson would guess UTF-16 and UTF-32 and refuse malformed UTF-8, while
     * upstream takes everything for UTF-8 and replaces what is malformed.
     */
    public static JsonNode parseUntrusted(byte[] bytes) throws JsonProcessingException {
        try {
            return MAPPER.readTree(new InputStreamReader(new ByteArrayInputStream(bytes), StandardCharsets.UTF_8));
        } catch (JsonProcessingException e) {
            throw e;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The value a streaming reader stands at, as a tree; the reader goes on behind it. */
    public static JsonNode value(JsonParser parser) throws IOException {
        return PART.readTree(parser);
    }

    public static byte[] bytes(JsonNode node) {
        try {
            return MAPPER.writeValueAsBytes(node);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static String string(JsonNode node) {
        try {
            return MAPPER.writeValueAsString(node);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Indented by two spaces, in the style of Go's encoder. */
    public static String pretty(JsonNode node) {
        DefaultIndenter lines = new DefaultIndenter("  ", "\n");
        Separators separators = Separators.createDefaultInstance()
                .withObjectFieldValueSpacing(Separators.Spacing.AFTER)
                .withObjectEmptySeparator("")
                .withArrayEmptySeparator("");
        DefaultPrettyPrinter printer =
                new DefaultPrettyPrinter(separators).withObjectIndenter(lines).withArrayIndenter(lines);
        try {
            return MAPPER.writer(printer).writeValueAsString(node);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The node at a path of field names, or null where any step is absent or JSON null. */
    public static @Nullable JsonNode at(@Nullable JsonNode node, String... path) {
        JsonNode current = node;
        for (String step : path) {
            current = at(current, step);
        }
        return current;
    }

    // Most paths have one step or two; an array made for each was a twentieth of all garbage.

    public static @Nullable JsonNode at(@Nullable JsonNode node, String step) {
        JsonNode found = node == null ? null : node.get(step);
        return found == null || found.isNull() ? null : found;
    }

    public static @Nullable JsonNode at(@Nullable JsonNode node, String first, String second) {
        return at(at(node, first), second);
    }

    /** The string at a path, or the empty string, as Go's zero value. */
    public static String textAt(@Nullable JsonNode node, String... path) {
        return text(at(node, path));
    }

    public static String textAt(@Nullable JsonNode node, String step) {
        return text(at(node, step));
    }

    public static String textAt(@Nullable JsonNode node, String first, String second) {
        return text(at(node, first, second));
    }

    private static String text(@Nullable JsonNode found) {
        return found == null || !found.isTextual() ? "" : found.textValue();
    }

    /** The integer at a path, or the given value where it is absent. */
    public static long longAt(@Nullable JsonNode node, long absent, String... path) {
        JsonNode found = at(node, path);
        return found == null || !found.isNumber() ? absent : found.longValue();
    }

    /** The boolean at a path, or false. */
    public static boolean flagAt(@Nullable JsonNode node, String... path) {
        JsonNode found = at(node, path);
        return found != null && found.asBoolean(false);
    }

    /** The object at a path, or null where it is absent or something else. */
    public static @Nullable ObjectNode objectAt(@Nullable JsonNode node, String... path) {
        return at(node, path) instanceof ObjectNode object ? object : null;
    }

    public static @Nullable ObjectNode objectAt(@Nullable JsonNode node, String step) {
        return at(node, step) instanceof ObjectNode object ? object : null;
    }

    public static @Nullable ObjectNode objectAt(@Nullable JsonNode node, String first, String second) {
        return at(node, first, second) instanceof ObjectNode object ? object : null;
    }

    /** The list at a path, or an empty one that is not attached to the tree. */
    public static ArrayNode listAt(@Nullable JsonNode node, String... path) {
        return list(at(node, path));
    }

    public static ArrayNode listAt(@Nullable JsonNode node, String step) {
        return list(at(node, step));
    }

    public static ArrayNode listAt(@Nullable JsonNode node, String first, String second) {
        return list(at(node, first, second));
    }

    private static ArrayNode list(@Nullable JsonNode found) {
        return found instanceof ArrayNode list ? list : FACTORY.arrayNode(0);
    }

    /** The object at a path; missing steps are made. */
    public static ObjectNode ensureObject(ObjectNode node, String... path) {
        ObjectNode current = node;
        for (String step : path) {
            current = current.get(step) instanceof ObjectNode child ? child : current.putObject(step);
        }
        return current;
    }
}
