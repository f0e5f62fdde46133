package lavaflow.kube;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.Base64;

import lavaflow.kube.Struct.Field;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Turns Kubernetes' protobuf bodies into JSON trees, driven by the field numbers of {@link Struct}s.
 *
 * <p>By hand, without descriptors: the structs know everything already, and upstream's encoding has rules of its own that
 * no protobuf library knows (kinds in an envelope, messages that JSON flattens, values that are sent although empty).
 */
public final class ProtobufDecoder {
    /** The frame around every object; what it says of the kind may be empty. */
    public static final class Envelope {
        private final String apiVersion;
        private final String kind;
        private final byte[] raw;

        private Envelope(String apiVersion, String kind, byte[] raw) {
            this.apiVersion = apiVersion;
            this.kind = kind;
            this.raw = raw;
        }

        public String apiVersion() {
            return apiVersion;
        }

        public String kind() {
            return kind;
        }
    }

    /** More messages than any object of the allowed size has; each costs far more memory than its two bytes. */
    private static final int MAX_MESSAGES = 500_000;

    private static final int MAGIC_LENGTH = 4;

    private static final long ZERO_TIME_SECONDS = -62_135_596_800L;

    private final Types types;
    private int depth;
    private int messages;

    private ProtobufDecoder(Types types) {
        this.types = types;
    }

    /** Whether bytes start as every protobuf body does. */
    public static boolean recognizes(byte[] body) {
        return body.length >= MAGIC_LENGTH && body[0] == 'k' && body[1] == '8' && body[2] == 's' && body[3] == 0;
    }

    /** Opens the frame. */
    public static Envelope envelope(byte[] body) throws DecodingException {
        if (body.length == 0) {
            throw new DecodingException("empty data");
        }
        if (!recognizes(body)) {
            throw new DecodingException(
                    "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
        }
        if (body.length == MAGIC_LENGTH) {
            throw new DecodingException("empty body");
        }
        String apiVersion = "";
        String kind = "";
        byte[] raw = {};
        WireReader frame = WireReader.of(body, MAGIC_LENGTH);
        while (frame.next()) {
            switch (frame.number()) {
                case 1 -> {
                    WireReader type = frame.message();
                    while (type.next()) {
                        switch (type.number()) {
                            case 1 -> apiVersion = type.string();
                            case 2 -> kind = type.string();
                            default -> type.skip();
                        }
                    }
                }
                case 2 -> raw = frame.bytes();
                default -> frame.skip();
            }
        }
        return new Envelope(apiVersion, kind, raw);
    }

    /** Decodes the message of a struct into the canonical object that the same object in JSON would give. */
    public static ObjectNode decode(Types types, String structName, Envelope envelope) throws DecodingException {
        Struct struct = types.struct(structName);
        ObjectNode tree = new ProtobufDecoder(types).struct(struct, WireReader.of(envelope.raw, 0));
        if (struct.field("kind") != null) {
            tree.put("kind", envelope.kind).put("apiVersion", envelope.apiVersion);
        }
        return TypedDecoder.decode(types, structName, tree).object();
    }

    private ObjectNode struct(Struct struct, WireReader message) throws DecodingException {
        enter();
        ObjectNode object = Json.object();
        fields(struct, struct.wire(), message, object);
        depth--;
        return object;
    }

    private void enter() throws DecodingException {
        if (++depth > Json.MAX_DEPTH) {
            throw new DecodingException("exceeded max depth");
        }
        if (++messages > MAX_MESSAGES) {
            throw new DecodingException("object has too many parts");
        }
    }

    private void fields(Struct struct, WirePlan plan, WireReader message, ObjectNode object) throws DecodingException {
        while (message.next()) {
            WirePlan flattened = plan.flattened(message.number());
            int position = plan.position(message.number());
            if (flattened != null) {
                enter();
                fields(struct, flattened, message.message(), object);
                depth--;
            } else if (position < 0) {
                message.skip();
            } else {
                field(struct.at(position), message, object);
            }
        }
    }

    private void field(Field field, WireReader message, ObjectNode object) throws DecodingException {
        switch (field.type()) {
            case Type.ListOf list -> {
                ArrayNode array =
                        object.get(field.name()) instanceof ArrayNode present ? present : object.putArray(field.name());
                element(list.element(), message, array);
            }
            case Type.MapOf map -> {
                ObjectNode entries = object.get(field.name()) instanceof ObjectNode present
                        ? present
                        : object.putObject(field.name());
                entry(map.value(), message, entries);
            }
            case Type.Scalar _, Type.Ref _, Type.OneOf _ -> object.set(field.name(), value(field.type(), message));
        }
    }

    private void element(Type type, WireReader message, ArrayNode array) throws DecodingException {
        boolean number = type == Type.Scalar.INT32 || type == Type.Scalar.INT64 || type == Type.Scalar.BOOL;
        if (number && message.wireType() == WireReader.BYTES) {
            WireReader packed = message.packed();
            while (!packed.atEnd()) {
                array.add(varint((Type.Scalar) type, packed.varint()));
            }
        } else {
            enter();
            array.add(value(type, message));
            depth--;
        }
    }

    private void entry(Type type, WireReader message, ObjectNode entries) throws DecodingException {
        enter();
        WireReader entry = message.message();
        String key = "";
        JsonNode value = NullNode.getInstance();
        while (entry.next()) {
            switch (entry.number()) {
                case 1 -> key = entry.string();
                case 2 -> value = value(type, entry);
                default -> entry.skip();
            }
        }
        entries.set(key, value);
        depth--;
    }

    private JsonNode value(Type type, WireReader field) throws DecodingException {
        return switch (type) {
            case Type.Scalar scalar -> scalar(scalar, field);
            case Type.Ref ref -> struct(types.struct(ref.struct()), field.message());
            case Type.ListOf list -> items(list.element(), field.message());
            case Type.OneOf either -> either(either, field.message());
            case Type.MapOf _ -> throw new DecodingException("a map cannot stand in a list or map");
        };
    }

    /** A list inside a list or map is a message with the elements in field 1. */
    private ArrayNode items(Type element, WireReader message) throws DecodingException {
        ArrayNode array = Json.array();
        while (message.next()) {
            if (message.number() == 1) {
                element(element, message, array);
            } else {
                message.skip();
            }
        }
        return array;
    }

    private JsonNode scalar(Type.Scalar type, WireReader field) throws DecodingException {
        return switch (type) {
            case STRING -> Json.text(field.string());
            case BOOL, INT32, INT64 -> {
                field.expect(WireReader.VARINT);
                yield varint(type, field.varint());
            }
            case FLOAT64 -> {
                field.expect(WireReader.FIXED64);
                yield float64(Double.longBitsToDouble(field.fixed64()));
            }
            case BYTES -> Json.text(Base64.getEncoder().encodeToString(field.bytes()));
            case QUANTITY -> Json.text(textIn(field.message()));
            case TIME, MICRO_TIME -> time(type, field.message());
            case DURATION -> Json.text(GoDuration.formatNanos(numberIn(field.message())));
            case INT_OR_STRING -> intOrString(field.message());
            case RAW, FIELDS_V1 -> raw(field.message());
        };
    }

    private static JsonNode varint(Type.Scalar type, long value) {
        return switch (type) {
            case BOOL -> Json.FACTORY.booleanNode(value != 0);
            case INT32 -> Json.FACTORY.numberNode((int) value);
            default -> Json.number(value);
        };
    }

    private static JsonNode float64(double value) throws DecodingException {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            throw new DecodingException("json: unsupported value: " + value);
        }
        return Json.FACTORY.numberNode(value);
    }

    private static String textIn(WireReader message) throws DecodingException {
        String text = "0";
        while (message.next()) {
            if (message.number() == 1) {
                text = message.string();
            } else {
                message.skip();
            }
        }
        return text;
    }

    private static long numberIn(WireReader message) throws DecodingException {
        long number = 0;
        while (message.next()) {
            if (message.number() == 1) {
                message.expect(WireReader.VARINT);
                number = message.varint();
            } else {
                message.skip();
            }
        }
        return number;
    }

    /** An empty message is the zero time; nanoseconds are cut to what the JSON form shows. */
    private static JsonNode time(Type.Scalar type, WireReader message) throws DecodingException {
        if (message.atEnd()) {
            return NullNode.getInstance();
        }
        long seconds = 0;
        int nanos = 0;
        while (message.next()) {
            switch (message.number()) {
                case 1 -> {
                    message.expect(WireReader.VARINT);
                    seconds = message.varint();
                }
                case 2 -> {
                    message.expect(WireReader.VARINT);
                    nanos = (int) message.varint();
                }
                default -> message.skip();
            }
        }
        if (seconds == ZERO_TIME_SECONDS && nanos == 0) {
            return NullNode.getInstance();
        }
        try {
            Instant time = Instant.ofEpochSecond(seconds, nanos);
            return Json.text(
                    type == Type.Scalar.TIME ? GoTime.seconds(Instant.ofEpochSecond(seconds)) : GoTime.micros(time));
        } catch (DateTimeException | ArithmeticException e) {
            throw new DecodingException("time is out of range: " + seconds + " seconds");
        }
    }

    private static JsonNode intOrString(WireReader message) throws DecodingException {
        long kind = 0;
        int number = 0;
        String text = "";
        while (message.next()) {
            switch (message.number()) {
                case 1 -> {
                    message.expect(WireReader.VARINT);
                    kind = message.varint();
                }
                case 2 -> {
                    message.expect(WireReader.VARINT);
                    number = (int) message.varint();
                }
                case 3 -> text = message.string();
                default -> message.skip();
            }
        }
        return kind == 0 ? Json.number(number) : Json.text(text);
    }

    private JsonNode raw(WireReader message) throws DecodingException {
        byte[] json = {};
        while (message.next()) {
            if (message.number() == 1) {
                json = message.bytes();
            } else {
                message.skip();
            }
        }
        return json.length == 0
                ? NullNode.getInstance()
                : StrictJson.parse(json, StrictJson.Repeated.REPLACE, Json.MAX_DEPTH - depth)
                        .root();
    }

    /** A schema or something else: field numbers are told apart by the types they may hold. */
    private JsonNode either(Type.OneOf type, WireReader message) throws DecodingException {
        boolean flag = type.choices().contains(Type.Scalar.BOOL);
        int schemaNumber = flag ? 2 : 1;
        JsonNode schema = null;
        JsonNode other = flag ? Json.FACTORY.booleanNode(false) : null;
        ArrayNode list = Json.array();
        while (message.next()) {
            if (message.number() == schemaNumber) {
                schema = value(type.choices().getFirst(), message);
            } else if (message.number() > 2) {
                message.skip();
            } else if (type.choices().getLast() instanceof Type.ListOf elements) {
                element(elements.element(), message, list);
            } else {
                other = value(type.choices().getLast(), message);
            }
        }
        return firstOf(list.isEmpty() ? null : list, schema, other);
    }

    private static JsonNode firstOf(@Nullable JsonNode... choices) {
        for (JsonNode choice : choices) {
            if (choice != null) {
                return choice;
            }
        }
        return NullNode.getInstance();
    }
}
