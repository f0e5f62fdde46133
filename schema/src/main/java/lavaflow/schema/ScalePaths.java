package lavaflow.schema;

import java.util.List;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.GoText;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Where the scale of a custom object stands.
 *
 * @param specReplicas path of the wished number, with a leading dot
 * @param statusReplicas path of the actual number
 * @param labelSelector path of the selector, or null
 */
public record ScalePaths(
        String specReplicas,
        String statusReplicas,
        @Nullable String labelSelector) {
    /** Reads {@code subresources.scale} of a version; null where it has none. */
    public static @Nullable ScalePaths of(JsonNode version) {
        ObjectNode scale = Json.objectAt(version, "subresources", "scale");
        if (scale == null) {
            return null;
        }
        JsonNode selector = Json.at(scale, "labelSelectorPath");
        return new ScalePaths(
                Json.textAt(scale, "specReplicasPath"),
                Json.textAt(scale, "statusReplicasPath"),
                selector == null ? null : selector.asText());
    }

    /** The names on a path: {@code .spec.replicas} has two. */
    public static List<String> steps(String path) {
        return List.of((path.startsWith(".") ? path.substring(1) : path).split("\\.", -1));
    }

    /** The value at a path; null where it is absent. */
    public static @Nullable JsonNode find(ObjectNode object, String path) {
        JsonNode current = object;
        for (String step : steps(path)) {
            current = current == null ? null : current.get(step);
        }
        return current;
    }

    void checkSpec(ObjectNode object, FieldErrors errors) {
        replicas(object, specReplicas, errors);
    }

    void checkStatus(ObjectNode object, FieldErrors errors) {
        replicas(object, statusReplicas, errors);
        if (labelSelector != null) {
            String problem = problem(object, labelSelector, "string");
            if (problem != null) {
                errors.invalid(FieldPath.of(labelSelector), "", problem);
            }
        }
    }

    private static void replicas(ObjectNode object, String path, FieldErrors errors) {
        String problem = problem(object, path, "int64");
        if (problem != null) {
            errors.invalid(FieldPath.of(path), 0, problem);
            return;
        }
        JsonNode value = find(object, path);
        long number = value == null ? 0 : value.longValue();
        if (number < 0) {
            errors.invalid(FieldPath.of(path), number, "should be a non-negative integer");
        } else if (number > Integer.MAX_VALUE) {
            errors.invalid(FieldPath.of(path), number, "should be less than or equal to " + Integer.MAX_VALUE);
        }
    }

    /** What stands in the way of a value of a type at a path, in the words of upstream's access to nested fields. */
    public static @Nullable String problem(ObjectNode object, String path, String type) {
        List<String> steps = steps(path);
        JsonNode current = object;
        for (int i = 0; i < steps.size(); i++) {
            if (current == null || (current.isNull() && i > 0)) {
                return null;
            }
            if (!current.isObject()) {
                return complaint(steps.subList(0, i + 1), current, "map[string]interface{}");
            }
            current = current.get(steps.get(i));
        }
        boolean fits =
                current == null || (type.equals("string") ? current.isTextual() : NumberCheck.isInteger(current));
        return fits ? null : complaint(steps, current, type);
    }

    private static String complaint(List<String> steps, JsonNode value, String type) {
        return "." + String.join(".", steps) + " accessor error: " + GoText.value(value) + " is of the type "
                + goType(value) + ", expected " + type;
    }

    private static String goType(JsonNode value) {
        return switch (value.getNodeType()) {
            case OBJECT, POJO -> "map[string]interface {}";
            case ARRAY -> "[]interface {}";
            case STRING, BINARY -> "string";
            case BOOLEAN -> "bool";
            case NUMBER -> NumberCheck.isInteger(value) ? "int64" : "float64";
            case NULL, MISSING -> "<nil>";
        };
    }
}
