package lavaflow.kube;

import java.util.Map;
import java.util.TreeMap;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Puts a tree back into the form Go prints: fields in the order of declaration, what Go always prints there, what it
 * leaves out when empty not there, maps sorted.
 *
 * <p>Decoding makes that form; rules that then set defaults or clear a status need not keep it. Works in place, and
 * rebuilds only what is out of form.
 */
public final class PrintedForm {
    private final Types types;

    private PrintedForm(Types types) {
        this.types = types;
    }

    /** Restores an object of a struct type. */
    public static void restore(Types types, String structName, ObjectNode object) {
        new PrintedForm(types).struct(types.struct(structName), object);
    }

    private void struct(Struct struct, ObjectNode object) {
        boolean formed = true;
        int before = -1;
        for (Map.Entry<String, JsonNode> entry : object.properties()) {
            int position = struct.position(entry.getKey());
            if (position < 0) {
                continue;
            }
            Struct.Field field = struct.at(position);
            value(field.type(), entry.getValue());
            formed &= position > before && !(isZero(field, entry.getValue()) && !struct.shownWhenZero(position));
            before = position;
        }
        for (int i = 0; formed && i < struct.size(); i++) {
            formed = !struct.shownWhenZero(i) || object.has(struct.at(i).name());
        }
        if (!formed) {
            rebuild(struct, object);
        }
    }

    private void rebuild(Struct struct, ObjectNode object) {
        ObjectNode formed = Json.object();
        for (int i = 0; i < struct.size(); i++) {
            Struct.Field field = struct.at(i);
            JsonNode value = object.remove(field.name());
            if (value != null && !isZero(field, value)) {
                formed.set(field.name(), value);
            } else if (struct.shownWhenZero(i)) {
                formed.set(field.name(), value == null || value.isNull() ? zero(field) : value);
            }
        }
        formed.setAll(object); // What the struct does not know, where it keeps such.
        object.removeAll();
        object.setAll(formed);
    }

    private void value(Type type, JsonNode value) {
        switch (type) {
            case Type.Ref ref -> {
                if (value instanceof ObjectNode object) {
                    struct(types.struct(ref.struct()), object);
                }
            }
            case Type.ListOf list -> {
                if (value instanceof ArrayNode array && !(list.element() instanceof Type.Scalar)) {
                    array.forEach(element -> value(list.element(), element));
                }
            }
            case Type.MapOf map -> {
                if (value instanceof ObjectNode object) {
                    sort(object);
                    if (!(map.value() instanceof Type.Scalar)) {
                        object.forEach(element -> value(map.value(), element));
                    }
                }
            }
            case Type.Scalar _, Type.OneOf _ -> {
                // One form only, which decoding has seen to.
            }
        }
    }

    private static void sort(ObjectNode map) {
        String before = "";
        for (Map.Entry<String, JsonNode> entry : map.properties()) {
            if (before.compareTo(entry.getKey()) > 0) {
                TreeMap<String, JsonNode> sorted = new TreeMap<>();
                map.properties().forEach(each -> sorted.put(each.getKey(), each.getValue()));
                map.removeAll();
                map.setAll(sorted);
                return;
            }
            before = entry.getKey();
        }
    }

    /** Whether Go could not tell the value from one that was never set. */
    private static boolean isZero(Struct.Field field, @Nullable JsonNode value) {
        if (value == null || value.isNull()) {
            return true;
        }
        if (field.pointer()) {
            return false;
        }
        return switch (field.type()) {
            case Type.Scalar scalar ->
                switch (scalar) {
                    case STRING, BYTES -> value.isTextual() && value.textValue().isEmpty();
                    case BOOL -> value.isBoolean() && !value.booleanValue();
                    case INT32, INT64, FLOAT64 -> value.isNumber() && value.doubleValue() == 0;
                    case TIME, MICRO_TIME, QUANTITY, DURATION, INT_OR_STRING, RAW, FIELDS_V1 -> false;
                };
            case Type.ListOf _, Type.MapOf _ -> value.isEmpty();
            case Type.Ref _, Type.OneOf _ -> false;
        };
    }

    private JsonNode zero(Struct.Field field) {
        return field.pointer() ? NullNode.getInstance() : zero(field.type());
    }

    private JsonNode zero(Type type) {
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
            case Type.Ref ref -> {
                ObjectNode empty = Json.object();
                rebuild(types.struct(ref.struct()), empty);
                yield empty;
            }
            case Type.ListOf _, Type.MapOf _, Type.OneOf _ -> NullNode.getInstance();
        };
    }
}
