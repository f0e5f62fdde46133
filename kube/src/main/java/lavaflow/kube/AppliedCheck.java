package lavaflow.kube;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BinaryNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Whether an applied configuration fits its schema; it is not decoded before it is merged, so this is where it shows. */
final class AppliedCheck {
    private final ApplySchema schema;
    private final List<String> problems = new ArrayList<>();

    private AppliedCheck(ApplySchema schema) {
        this.schema = schema;
    }

    /** What is wrong, as one message; null if all is well. */
    static @Nullable String problem(ApplySchema schema, Type root, ObjectNode config) {
        AppliedCheck check = new AppliedCheck(schema);
        check.value("", root, null, config);
        return switch (check.problems.size()) {
            case 0 -> null;
            case 1 -> check.problems.getFirst();
            default -> check.problems.stream().collect(Collectors.joining("\n  ", "errors:\n  ", ""));
        };
    }

    private void report(String path, String message) {
        problems.add(path.isEmpty() ? message : path + ": " + message);
    }

    private void value(String path, @Nullable Type type, Struct.@Nullable Field field, JsonNode value) {
        if (value.isNull()) {
            return;
        }
        switch (type) {
            case null -> {}
            case Type.OneOf _ -> {}
            case Type.Scalar scalar -> scalar(path, scalar, value);
            case Type.Ref _, Type.MapOf _ -> {
                if (value instanceof ObjectNode object) {
                    members(path, type, object);
                } else {
                    report(path, "expected map, got " + shown(value));
                }
            }
            case Type.ListOf _ -> {
                if (value instanceof ArrayNode list) {
                    elements(path, type, ApplySchema.meaning(type, field), list);
                } else {
                    report(path, "expected list, got " + shown(value));
                }
            }
        }
    }

    private void members(String path, Type type, ObjectNode object) {
        Struct struct = schema.struct(type);
        for (Map.Entry<String, JsonNode> entry : object.properties()) {
            Struct.Field field = struct == null ? null : struct.field(entry.getKey());
            String below = path + "." + entry.getKey();
            if (field == null && struct != null && !ApplySchema.isOpen(struct)) {
                report(below, "field not declared in schema");
                return;
            }
            value(below, field == null ? ApplySchema.element(type) : field.type(), field, entry.getValue());
        }
    }

    private void elements(String path, Type type, Struct.@Nullable Field field, ArrayNode list) {
        Set<PathStep> seen = new HashSet<>();
        for (int i = 0; i < list.size(); i++) {
            PathStep step = PathStep.index(i);
            if (field != null && field.listKind() != Struct.ListKind.ATOMIC) {
                try {
                    step = schema.step(type, field, list.get(i));
                } catch (ApiException e) {
                    report(path, "element " + i + ": " + e.getMessage());
                    return;
                }
                if (!seen.add(step)) {
                    report(path, "duplicate entries for key " + step);
                }
            }
            value(path + step, ApplySchema.element(type), null, list.get(i));
        }
    }

    private void scalar(String path, Type.Scalar scalar, JsonNode value) {
        switch (scalar) {
            case STRING, BYTES, DURATION -> {
                if (!value.isTextual()) {
                    report(path, "expected string, got &value.valueUnstructured{Value:" + goSyntax(value) + "}");
                }
            }
            case BOOL -> {
                if (!value.isBoolean()) {
                    report(path, "expected boolean, got " + shown(value));
                }
            }
            case INT32, INT64, FLOAT64 -> {
                if (!value.isNumber()) {
                    report(path, "expected numeric (int or float), got " + GoText.type(value));
                }
            }
            case QUANTITY, TIME, MICRO_TIME, INT_OR_STRING -> {
                if (value.isContainerNode()) {
                    report(path, "expected any scalar, got " + shown(value));
                }
            }
            case RAW, FIELDS_V1 -> {}
        }
    }

    private static String shown(JsonNode value) {
        return "&{" + GoText.value(value) + "}";
    }

    private static String goSyntax(JsonNode value) {
        if (value.isObject()) {
            return value.properties().stream()
                    .sorted(Map.Entry.comparingByKey())
                    .map(entry -> FieldErrors.quoted(entry.getKey()) + ":" + goSyntax(entry.getValue()))
                    .collect(Collectors.joining(", ", "map[string]interface {}{", "}"));
        }
        if (value.isArray()) {
            List<String> elements = new ArrayList<>();
            value.forEach(element -> elements.add(goSyntax(element)));
            return "[]interface {}{" + String.join(", ", elements) + "}";
        }
        if (value instanceof BinaryNode bytes) {
            List<String> each = new ArrayList<>();
            for (byte part : bytes.binaryValue()) {
                each.add("0x" + Integer.toHexString(part & 0xff));
            }
            return "[]uint8{" + String.join(", ", each) + "}";
        }
        return value.isTextual() ? FieldErrors.quoted(value.textValue()) : GoText.value(value);
    }
}
