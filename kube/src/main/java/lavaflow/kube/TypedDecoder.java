package lavaflow.kube;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import lavaflow.kube.Struct.Field;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Does to a JSON tree what decoding it into upstream's Go struct and encoding that again does to a document: fields come
 * out in the order of declaration, maps sorted; unknown fields are reported and dropped (kept where the struct is open);
 * null counts as absent; empty values vanish or appear as the struct's tags say; quantities, times and bytes get their
 * canonical form; values of a wrong type are refused in Go's words.
 *
 * <p>Empty lists and maps count as absent, because upstream's storage does not tell them apart and its answers show what
 * was stored.
 *
 * <p>The input is not changed, but parts of it may be shared with the result.
 */
public final class TypedDecoder {
    /**
     * What came out.
     *
     * @param object the canonical object
     * @param problems unknown and repeated fields in the order of the document, in upstream's words
     */
    public record Decoded(ObjectNode object, List<String> problems) {}

    /**
     * More structs than any object of the allowed size has. Without it, a megabyte of {@code {},{},{}} in a list would grow
     * into gigabytes of zero values.
     */
    private static final int MAX_PARTS = 500_000;

    private final Types types;
    private final ScalarDecoder scalars;
    private final FieldTrail trail = new FieldTrail();
    private final IdentityHashMap<ObjectNode, List<StrictJson.Duplicate>> duplicates;
    private final List<String> problems = new ArrayList<>(0);
    private @Nullable DecodingException softError;
    private int muted;
    private int parts;

    private TypedDecoder(Types types, IdentityHashMap<ObjectNode, List<StrictJson.Duplicate>> duplicates) {
        this.types = types;
        this.duplicates = duplicates;
        this.scalars = new ScalarDecoder(trail, this::note);
    }

    /** Decodes a tree in which nothing is known of repeated keys. */
    public static Decoded decode(Types types, String structName, JsonNode input) throws DecodingException {
        return decode(types, structName, StrictJson.Document.of(input));
    }

    /** Decodes a document. */
    public static Decoded decode(Types types, String structName, StrictJson.Document document)
            throws DecodingException {
        TypedDecoder decoder = new TypedDecoder(types, document.duplicates());
        Struct struct = types.struct(structName);
        JsonNode root = document.root();
        ObjectNode object;
        if (root instanceof ObjectNode input) {
            object = decoder.struct(struct, input);
        } else if (root.isNull()) {
            object = decoder.struct(struct, Json.object());
        } else {
            throw new DecodingException("json: cannot unmarshal " + GoText.jsonKind(root) + " into Go value of type "
                    + new Type.Ref(structName).goName());
        }
        if (decoder.softError != null) {
            throw decoder.softError;
        }
        keepReset(root, object);
        return new Decoded(object, decoder.problems);
    }

    /** Empty lists are dropped as upstream drops them, but this one asks to forget the owners of fields. */
    private static void keepReset(JsonNode input, ObjectNode object) {
        JsonNode owners = Json.at(input, "metadata", ManagedFields.MANAGED_FIELDS);
        ObjectNode metadata = Json.objectAt(object, "metadata");
        if (owners != null && owners.isArray() && owners.isEmpty() && metadata != null) {
            metadata.putArray(ManagedFields.MANAGED_FIELDS);
        }
    }

    private ObjectNode struct(Struct struct, ObjectNode input) throws DecodingException {
        count();
        @Nullable JsonNode[] values = new @Nullable JsonNode[struct.size()];
        List<Map.Entry<String, JsonNode>> kept = List.of();
        List<StrictJson.Duplicate> repeated = duplicates.isEmpty() ? null : duplicates.get(input);
        int seen = 0;
        for (Map.Entry<String, JsonNode> entry : input.properties()) {
            int position = struct.position(entry.getKey());
            if (position >= 0) {
                Field field = struct.at(position);
                trail.enterField(struct, field);
                values[position] = field(struct, field, entry.getValue());
                trail.leave();
            } else if (struct.open()) {
                kept = kept.isEmpty() ? new ArrayList<>() : kept;
                kept.add(entry);
            } else {
                report("unknown field ", entry.getKey());
            }
            seen++;
            if (repeated != null) {
                reportRepeated(repeated, seen, struct);
            }
        }
        ObjectNode object = Json.object();
        for (int i = 0; i < values.length; i++) {
            JsonNode value = values[i];
            if (value == null && struct.shownWhenZero(i)) {
                value = zero(struct.at(i));
            }
            if (value != null) {
                object.set(struct.at(i).name(), value);
            }
        }
        for (Map.Entry<String, JsonNode> entry : kept) {
            object.set(entry.getKey(), entry.getValue());
        }
        return object;
    }

    private void count() throws DecodingException {
        if (++parts > MAX_PARTS) {
            throw new DecodingException("object has too many parts");
        }
    }

    /** Reports keys that came again after as many keys; what a struct does not know was reported as such already. */
    private void reportRepeated(List<StrictJson.Duplicate> repeated, int seen, @Nullable Struct struct) {
        for (StrictJson.Duplicate duplicate : repeated) {
            boolean known = struct == null || struct.open() || struct.position(duplicate.key()) >= 0;
            if (known && duplicate.position() == seen) {
                report("duplicate field ", duplicate.key());
            }
        }
    }

    private void report(String what, String key) {
        if (muted > 0 || problems.size() >= StrictJson.MAX_REPORTED) {
            return;
        }
        String problem = what + GoQuote.quote(trail.path(key));
        if (!problems.contains(problem)) {
            problems.add(problem);
        }
    }

    /** The value of a field, or null where Go's field stays at its zero value. */
    private @Nullable JsonNode field(Struct struct, Field field, JsonNode input) throws DecodingException {
        if (input.isNull()) {
            return null;
        }
        JsonNode value = value(field.type(), struct, field, 0, input);
        if (field.type() == Type.Scalar.BYTES && !field.omitEmpty()) {
            return value; // the one type of which storage tells empty from absent
        }
        return !field.pointer() && isZero(field.type(), value) ? null : value;
    }

    /** Whether a value is what Go's variable of that type holds before anything is assigned. */
    private static boolean isZero(Type type, @Nullable JsonNode value) {
        if (value == null) {
            return true;
        }
        return switch (type) {
            case Type.Scalar scalar ->
                switch (scalar) {
                    case STRING, BYTES -> value.textValue().isEmpty();
                    case BOOL -> !value.booleanValue();
                    case INT32, INT64 -> value.longValue() == 0;
                    case FLOAT64 -> value.doubleValue() == 0;
                    case TIME, MICRO_TIME -> value.isNull();
                    case QUANTITY, DURATION, INT_OR_STRING, RAW, FIELDS_V1 -> false;
                };
            case Type.ListOf _, Type.MapOf _ -> value.isEmpty();
            case Type.Ref _, Type.OneOf _ -> false;
        };
    }

    /**
     * A value that is not null.
     *
     * @param nesting how many lists and maps lie between the field and the value
     */
    private @Nullable JsonNode value(Type type, Struct struct, Field field, int nesting, JsonNode input)
            throws DecodingException {
        return switch (type) {
            case Type.Scalar scalar -> scalars.decode(scalar, struct, field, nesting, input);
            case Type.Ref ref ->
                input instanceof ObjectNode object
                        ? struct(types.struct(ref.struct()), object)
                        : mismatch(struct, field, nesting, type, input);
            case Type.ListOf list ->
                input instanceof ArrayNode array
                        ? list(list, struct, field, nesting, array)
                        : mismatch(struct, field, nesting, type, input);
            case Type.MapOf map ->
                input instanceof ObjectNode object
                        ? map(map, struct, field, nesting, object)
                        : mismatch(struct, field, nesting, type, input);
            case Type.OneOf either -> either(either, struct, field, nesting, input);
        };
    }

    private ArrayNode list(Type.ListOf type, Struct struct, Field field, int nesting, ArrayNode input)
            throws DecodingException {
        ArrayNode list = Json.FACTORY.arrayNode(input.size());
        for (int i = 0; i < input.size(); i++) {
            trail.enterIndex(i);
            list.add(element(type.element(), struct, field, nesting + 1, input.get(i)));
            trail.leave();
        }
        return list;
    }

    private ObjectNode map(Type.MapOf type, Struct struct, Field field, int nesting, ObjectNode input)
            throws DecodingException {
        ObjectNode map = Json.object();
        List<StrictJson.Duplicate> repeated = duplicates.isEmpty() ? null : duplicates.get(input);
        String before = "";
        boolean sorted = true;
        int seen = 0;
        for (Map.Entry<String, JsonNode> entry : input.properties()) {
            String key = entry.getKey();
            trail.enterKey(key);
            map.set(key, element(type.value(), struct, field, nesting + 1, entry.getValue()));
            trail.leave();
            sorted &= before.compareTo(key) <= 0;
            before = key;
            seen++;
            if (repeated != null) {
                reportRepeated(repeated, seen, null);
            }
        }
        return sorted ? map : sorted(map);
    }

    private static ObjectNode sorted(ObjectNode map) {
        TreeMap<String, JsonNode> entries = new TreeMap<>();
        for (Map.Entry<String, JsonNode> entry : map.properties()) {
            entries.put(entry.getKey(), entry.getValue());
        }
        return Json.object().setAll(entries);
    }

    /** An element of a list or map, where null stands for the zero value. */
    private JsonNode element(Type type, Struct struct, Field field, int nesting, JsonNode input)
            throws DecodingException {
        JsonNode value = input.isNull() ? null : value(type, struct, field, nesting, input);
        if (value != null) {
            return value;
        }
        return type == Type.Scalar.BYTES ? Json.text("") : type instanceof Type.ListOf ? Json.array() : zero(type);
    }

    /**
     * A value whose form decides its type. Upstream's own decoding functions of these types do not pass strictness on,
     * and stop at the first error.
     */
    private @Nullable JsonNode either(Type.OneOf type, Struct struct, Field field, int nesting, JsonNode input)
            throws DecodingException {
        for (Type choice : type.choices()) {
            boolean fits = switch (choice) {
                case Type.Ref _, Type.MapOf _ -> input.isObject();
                case Type.ListOf _ -> input.isArray();
                case Type.Scalar scalar -> scalar == Type.Scalar.BOOL ? input.isBoolean() : input.isTextual();
                case Type.OneOf _ -> false;
            };
            if (!fits) {
                continue;
            }
            DecodingException earlier = softError;
            softError = null;
            muted++;
            JsonNode value = value(choice, struct, field, nesting, input);
            muted--;
            if (softError != null) {
                throw softError;
            }
            softError = earlier;
            return value == null || (input.isArray() && input.isEmpty()) ? NullNode.getInstance() : value;
        }
        if (type.choices().contains(Type.Scalar.BOOL)) {
            throw new DecodingException("boolean or JSON schema expected");
        }
        return NullNode.getInstance();
    }

    private JsonNode zero(Field field) throws DecodingException {
        return field.pointer() ? NullNode.getInstance() : zero(field.type());
    }

    private JsonNode zero(Type type) throws DecodingException {
        return switch (type) {
            case Type.Scalar scalar ->
                switch (scalar) {
                    case STRING -> Json.text("");
                    case BOOL -> Json.FACTORY.booleanNode(false);
                    case INT32, INT64, FLOAT64, INT_OR_STRING -> Json.number(0);
                    case QUANTITY -> Json.text("0");
                    case DURATION -> Json.text("0s");
                    case BYTES, TIME, MICRO_TIME, RAW, FIELDS_V1 -> NullNode.getInstance();
                };
            case Type.Ref ref -> zeroStruct(types.struct(ref.struct()));
            case Type.ListOf _, Type.MapOf _, Type.OneOf _ -> NullNode.getInstance();
        };
    }

    /** What Go prints of a struct that was never touched; ends because only pointers can make a type contain itself. */
    private ObjectNode zeroStruct(Struct struct) throws DecodingException {
        count();
        ObjectNode object = Json.object();
        for (int i = 0; i < struct.size(); i++) {
            if (struct.shownWhenZero(i)) {
                object.set(struct.at(i).name(), zero(struct.at(i)));
            }
        }
        return object;
    }

    private @Nullable JsonNode mismatch(Struct struct, Field field, int nesting, Type type, JsonNode input) {
        note(trail.mismatch(GoText.jsonKind(input), trail.goType(struct, field, nesting, type)));
        return null;
    }

    /** Notes an error and goes on, as Go does: a harder one may follow, and would be reported instead. */
    private void note(DecodingException error) {
        if (softError == null) {
            softError = error;
        }
    }
}
