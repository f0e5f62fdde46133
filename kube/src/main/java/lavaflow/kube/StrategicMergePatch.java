package lavaflow.kube;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Strategic merge patch: a merge patch that knows which lists merge and by which key, with directives.
 *
 * <p>Messages are upstream's. Where upstream answers 500 to a malformed patch (a missing merge key, an unknown
 * directive) or drops the connection, the answer here is 400: the fault is the client's.
 */
public final class StrategicMergePatch {
    static final String DIRECTIVE = "$patch";
    static final String SET_ELEMENT_ORDER = "$setElementOrder";
    private static final String RETAIN_KEYS = "$retainKeys";
    private static final String DELETE_FROM_PRIMITIVE_LIST = "$deleteFromPrimitiveList";
    private static final String BAD_RETAIN_KEYS = "invalid patch format of retainKeys";

    /** The one field among all kinds that is replaced though it is an object; not worth a column in {@link Struct}. */
    private static final String REPLACED_STRUCT = "io.k8s.api.policy.v1.PodDisruptionBudgetSpec";

    private static final String REPLACED_FIELD = "selector";

    private final Types types;

    private StrategicMergePatch(Types types) {
        this.types = types;
    }

    /**
     * The object with the patch merged in; neither argument is changed.
     *
     * @param struct the name of the struct that describes the object
     */
    public static ObjectNode apply(Types types, String struct, ObjectNode original, ObjectNode patch) {
        return new StrategicMergePatch(types).mergeObject(original.deepCopy(), patch.deepCopy(), new Type.Ref(struct));
    }

    ObjectNode mergeObject(ObjectNode original, ObjectNode patch, Type type) {
        JsonNode directive = patch.get(DIRECTIVE);
        if (directive != null) {
            return directed(directive, patch);
        }
        retainKeys(original, patch);
        setElementOrders(original, patch, type);
        for (Map.Entry<String, JsonNode> change : patch.properties()) {
            mergeField(original, change.getKey(), change.getValue(), type);
        }
        return original;
    }

    private static ObjectNode directed(JsonNode directive, ObjectNode patch) {
        return switch (directive.asText()) {
            case "replace" -> {
                patch.remove(DIRECTIVE);
                yield patch;
            }
            case "delete" -> Json.object();
            default -> throw unknownDirective(directive, patch);
        };
    }

    static ApiException unknownDirective(JsonNode directive, ObjectNode patch) {
        return ApiException.badRequest(
                "unknown patch type: " + GoText.text(directive) + " in map: " + GoText.value(patch));
    }

    /** Clears what the directive does not list; a patch that sets more than it lists is malformed. */
    private static void retainKeys(ObjectNode original, ObjectNode patch) {
        JsonNode directive = patch.remove(RETAIN_KEYS);
        if (directive == null) {
            return;
        }
        if (!directive.isArray()) {
            throw ApiException.badRequest(BAD_RETAIN_KEYS);
        }
        Set<String> retained = new HashSet<>();
        for (JsonNode key : directive) {
            if (key.isContainerNode()) {
                throw ApiException.badRequest(BAD_RETAIN_KEYS);
            }
            if (key.isTextual()) {
                retained.add(key.textValue());
            }
        }
        for (Map.Entry<String, JsonNode> change : patch.properties()) {
            String name = change.getKey();
            boolean sets = !change.getValue().isNull()
                    && !name.startsWith(DELETE_FROM_PRIMITIVE_LIST)
                    && !name.startsWith(SET_ELEMENT_ORDER);
            if (sets && !retained.contains(name)) {
                throw ApiException.badRequest(BAD_RETAIN_KEYS);
            }
        }
        original.properties().removeIf(field -> !retained.contains(field.getKey()));
    }

    /** Merges every list that comes with an order, and takes it out of the patch. */
    private void setElementOrders(ObjectNode original, ObjectNode patch, Type type) {
        List<String> directives = new ArrayList<>();
        patch.fieldNames().forEachRemaining(name -> {
            if (name.startsWith(SET_ELEMENT_ORDER)) {
                directives.add(name);
            }
        });
        for (String directive : directives) {
            ArrayNode order = list(patch.remove(directive));
            String name = subject(directive, SET_ELEMENT_ORDER, "invalid patch format of setElementOrder list");
            ArrayNode current = original.has(name) ? list(original.get(name)) : null;
            ArrayNode change = patch.has(name) ? list(patch.get(name)) : null;
            ListPatch strategy = listStrategy(type, name);
            strategy.checkOrder(change == null ? Json.array() : change, order);
            if (current != null || change != null) {
                original.set(name, strategy.ordered(current, change, order));
                patch.remove(name);
            }
        }
    }

    private static ArrayNode list(@Nullable JsonNode node) {
        if (node instanceof ArrayNode list) {
            return list;
        }
        throw wrongType("[]interface {}", node == null ? NullNode.instance : node);
    }

    static ApiException wrongType(String expected, JsonNode found) {
        return ApiException.badRequest("expected a " + expected + ", but received a " + GoText.type(found));
    }

    /** The field a directive with a name is about. */
    private static String subject(String directive, String prefix, String malformed) {
        int slash = directive.indexOf('/');
        if (slash != prefix.length()) {
            throw ApiException.badRequest(malformed);
        }
        return directive.substring(slash + 1);
    }

    private void mergeField(ObjectNode original, String key, JsonNode value, Type type) {
        boolean deletes = key.startsWith(DELETE_FROM_PRIMITIVE_LIST);
        String name =
                deletes ? subject(key, DELETE_FROM_PRIMITIVE_LIST, "invalid patch format of primitive list") : key;
        JsonNode current = original.get(name);
        if (value.isNull()) {
            original.remove(name);
        } else if (current instanceof ObjectNode object && value instanceof ObjectNode change) {
            original.set(name, mergeNested(object, change, type, name));
        } else if (current instanceof ArrayNode list && value instanceof ArrayNode change) {
            original.set(name, listStrategy(type, name).merged(list, change, deletes));
        } else if (!deletes || sameScalar(current, value)) {
            dropNulls(value);
            JsonNode plain = withoutDirectives(value);
            if (plain == null) {
                original.remove(name);
            } else {
                original.set(name, plain);
            }
        }
    }

    /** Upstream forgets that it is deleting where both sides are scalars of one type. */
    private static boolean sameScalar(@Nullable JsonNode current, JsonNode value) {
        return current != null
                && !value.isContainerNode()
                && GoText.type(current).equals(GoText.type(value));
    }

    private ObjectNode mergeNested(ObjectNode object, ObjectNode change, Type type, String name) {
        Struct.Field field = field(type, name);
        if (type instanceof Type.Ref ref && ref.struct().equals(REPLACED_STRUCT) && name.equals(REPLACED_FIELD)) {
            return change;
        }
        return mergeObject(object, change, field.type());
    }

    private ListPatch listStrategy(Type type, String name) {
        Struct.Field field = field(type, name);
        if (!(field.type() instanceof Type.ListOf list)) {
            throw ApiException.badRequest("expected slice or array type, but got: " + goKind(type));
        }
        String key = field.patchMergeKey() == null ? "" : field.patchMergeKey();
        return new ListPatch(this, list.element(), field.patchMerge(), key);
    }

    private Struct.Field field(Type type, String name) {
        if (!(type instanceof Type.Ref ref)) {
            throw ApiException.badRequest(
                    "merging an object in json but data type is not struct, instead is: " + goKind(type));
        }
        Struct struct = types.struct(ref.struct());
        Struct.Field field = struct.field(name);
        if (field == null) {
            throw ApiException.badRequest("unable to find api field in struct " + struct.goName()
                    + " for the json field " + FieldErrors.quoted(name));
        }
        return field;
    }

    static String goKind(Type type) {
        return switch (type) {
            case Type.Ref _, Type.OneOf _ -> "struct";
            case Type.ListOf _ -> "slice";
            case Type.MapOf _ -> "map";
            case Type.Scalar scalar ->
                switch (scalar) {
                    case STRING, BOOL, INT32, INT64, FLOAT64 -> scalar.goName();
                    case BYTES -> "slice";
                    case DURATION, QUANTITY, TIME, MICRO_TIME, INT_OR_STRING, RAW, FIELDS_V1 -> "struct";
                };
        };
    }

    private static void dropNulls(JsonNode node) {
        if (node instanceof ObjectNode object) {
            object.properties().removeIf(field -> field.getValue().isNull());
        }
        for (JsonNode child : node) {
            dropNulls(child);
        }
    }

    /** The value without every object that has a directive: there is nothing it could act on. Null if it is one. */
    static @Nullable JsonNode withoutDirectives(JsonNode value) {
        if (value instanceof ObjectNode object) {
            if (object.has(DIRECTIVE)) {
                return null;
            }
            object.properties().removeIf(field -> withoutDirectives(field.getValue()) == null);
        } else if (value instanceof ArrayNode list) {
            for (int i = list.size() - 1; i >= 0; i--) {
                if (withoutDirectives(list.get(i)) == null) {
                    list.remove(i);
                }
            }
        }
        return value;
    }
}
