package lavaflow.schema;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import lavaflow.kube.BuiltinTypes;
import lavaflow.kube.DecodingException;
import lavaflow.kube.FieldError;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;
import lavaflow.kube.ObjectMetaRules;
import lavaflow.kube.TypedDecoder;
import lavaflow.kube.Untyped;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Types and metadata of custom objects and of the objects embedded in them, which no schema describes. */
public final class ObjectMetadata {
    private static final String STRUCT = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
    private static final String METADATA = "metadata";
    private static final String UNKNOWN = "unknown field \"";

    private final boolean dropInvalid;
    private final List<String> unknown = new ArrayList<>(0);

    private ObjectMetadata(boolean dropInvalid) {
        this.dropInvalid = dropInvalid;
    }

    /**
     * Brings metadata of the object and of embedded objects into the form that decoding into the type of metadata gives:
     * unknown fields go, and empty ones.
     *
     * @param dropInvalid drop what does not fit instead of refusing it, as for stored objects
     * @return unknown fields of metadata, as sorted paths
     * @throws DecodingException where something does not fit, in upstream's words
     */
    public static List<String> coerce(ObjectNode object, StructuralSchema schema, boolean dropInvalid)
            throws DecodingException {
        ObjectMetadata walk = new ObjectMetadata(dropInvalid);
        if (object.has(METADATA)) {
            ObjectNode metadata = walk.decoded(object.get(METADATA), FieldPath.of(METADATA));
            walk.replace(object, metadata);
        }
        walk.value(object, schema, FieldPath.root());
        Collections.sort(walk.unknown);
        return walk.unknown;
    }

    private void replace(ObjectNode object, @Nullable ObjectNode metadata) {
        if (metadata != null) {
            object.set(METADATA, metadata);
        }
    }

    private void value(JsonNode value, @Nullable StructuralSchema schema, FieldPath path) throws DecodingException {
        if (schema == null) {
            return;
        }
        if (value instanceof ObjectNode object) {
            if (schema.isEmbedded()) {
                embedded(object, path);
            }
            for (Map.Entry<String, JsonNode> entry : object.properties()) {
                if (entry.getValue().isContainerNode()) {
                    StructuralSchema property = schema.property(entry.getKey());
                    FieldPath place = property != null ? path.child(entry.getKey()) : path.key(entry.getKey());
                    value(entry.getValue(), property != null ? property : schema.additional(), place);
                }
            }
        } else if (value instanceof ArrayNode list && schema.items() != null) {
            for (int i = 0; i < list.size(); i++) {
                value(list.get(i), schema.items(), path.index(i));
            }
        }
    }

    private void embedded(ObjectNode object, FieldPath path) throws DecodingException {
        for (String name : new String[] {"apiVersion", "kind"}) {
            JsonNode value = object.get(name);
            if (value != null && !value.isTextual()) {
                if (!dropInvalid) {
                    throw new DecodingException(
                            path.child(name) + ": Invalid value: " + shown(value) + ": must be a string");
                }
                object.remove(name);
            }
        }
        JsonNode metadata = object.get(METADATA);
        if (metadata != null) {
            try {
                replace(object, decoded(metadata, path.child(METADATA)));
            } catch (DecodingException e) {
                throw new DecodingException(
                        path.child(METADATA) + ": Invalid value: " + shown(metadata) + ": " + e.getMessage());
            }
        }
    }

    private static String shown(JsonNode value) {
        return value.isContainerNode()
                ? Json.string(Untyped.canonical(value))
                : value.isNull() ? "null" : Findings.shown(value);
    }

    /** The canonical form; null where nothing of it can be kept, and it is left alone. */
    private @Nullable ObjectNode decoded(JsonNode metadata, FieldPath path) throws DecodingException {
        try {
            return decodedWhole(metadata, path);
        } catch (DecodingException e) {
            if (!dropInvalid) {
                throw e;
            }
        }
        if (!(metadata instanceof ObjectNode fields)) {
            return null;
        }
        ObjectNode kept = Json.object();
        for (Map.Entry<String, JsonNode> entry : fields.properties()) {
            keepIfValid(entry, path, kept);
        }
        return kept;
    }

    /** What does not fit is dropped: the object is stored already and must stay readable. */
    private void keepIfValid(Map.Entry<String, JsonNode> field, FieldPath path, ObjectNode kept) {
        ObjectNode single = Json.object();
        single.set(field.getKey(), field.getValue());
        try {
            kept.setAll(decodedWhole(single, path));
        } catch (DecodingException e) {
            kept.remove(field.getKey());
        }
    }

    private ObjectNode decodedWhole(JsonNode metadata, FieldPath path) throws DecodingException {
        TypedDecoder.Decoded decoded = TypedDecoder.decode(BuiltinTypes.instance(), STRUCT, metadata);
        for (String problem : decoded.problems()) {
            if (problem.startsWith(UNKNOWN)) {
                unknown.add(path + "." + problem.substring(UNKNOWN.length(), problem.length() - 1));
            }
        }
        if (Json.at(decoded.object(), "creationTimestamp") == null) {
            decoded.object().remove("creationTimestamp");
        }
        return decoded.object();
    }

    /** Brings embedded metadata of a default into form; what does not fit is told. */
    static @Nullable FieldError coerceDefault(JsonNode value, StructuralSchema schema, FieldPath path) {
        try {
            new ObjectMetadata(false).value(value, schema, path);
            return null;
        } catch (DecodingException e) {
            String message = String.valueOf(e.getMessage());
            int colon = message.indexOf(": ");
            return new FieldError(FieldError.Reason.INVALID, message.substring(0, colon), message.substring(colon + 2));
        }
    }

    /** Checks types and metadata of embedded objects. */
    public static void validate(ObjectNode object, StructuralSchema schema, FieldErrors errors) {
        check(object, schema, FieldPath.root(), errors);
    }

    static void check(JsonNode value, @Nullable StructuralSchema schema, FieldPath path, FieldErrors errors) {
        if (schema == null) {
            return;
        }
        if (value instanceof ObjectNode object) {
            if (schema.isEmbedded()) {
                checkEmbedded(object, path, errors);
            }
            for (Map.Entry<String, JsonNode> entry : object.properties()) {
                if (entry.getValue().isContainerNode()) {
                    StructuralSchema property = schema.property(entry.getKey());
                    FieldPath place = property != null ? path.child(entry.getKey()) : path.key(entry.getKey());
                    check(entry.getValue(), property != null ? property : schema.additional(), place, errors);
                }
            }
        } else if (value instanceof ArrayNode list && schema.items() != null) {
            for (int i = 0; i < list.size(); i++) {
                if (list.get(i).isContainerNode()) {
                    check(list.get(i), schema.items(), path.index(i), errors);
                }
            }
        }
    }

    private static void checkEmbedded(ObjectNode object, FieldPath path, FieldErrors errors) {
        for (String name : new String[] {"apiVersion", "kind"}) {
            JsonNode value = object.get(name);
            if (value == null) {
                errors.required(path.child(name));
            } else if (!value.isTextual()) {
                errors.invalid(path.child(name), value, "must be a string");
            } else if (value.textValue().isEmpty()) {
                errors.invalid(path.child(name), value, "must not be empty");
            } else if (name.equals("kind")) {
                checkKind(value.textValue(), path.child(name), errors);
            } else if (value.textValue().chars().filter(c -> c == '/').count() > 1) {
                errors.invalid(path.child(name), value, "unexpected GroupVersion string: " + value.textValue());
            }
        }
        JsonNode metadata = object.get(METADATA);
        if (metadata == null) {
            return;
        }
        try {
            ObjectNode decoded = TypedDecoder.decode(BuiltinTypes.instance(), STRUCT, metadata)
                    .object();
            ObjectMetaRules.embedded(decoded, path.child(METADATA), errors);
        } catch (DecodingException e) {
            errors.invalid(path.child(METADATA), metadata, String.valueOf(e.getMessage()));
        }
    }

    private static void checkKind(String kind, FieldPath path, FieldErrors errors) {
        List<String> wrong = Names.dns1035Label(kind.toLowerCase(Locale.ROOT));
        if (!wrong.isEmpty()) {
            errors.invalid(path, kind, "may have mixed case, but should otherwise match: " + String.join(",", wrong));
        }
    }
}
