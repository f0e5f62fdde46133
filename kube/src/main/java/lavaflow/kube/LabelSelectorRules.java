package lavaflow.kube;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import org.jspecify.annotations.Nullable;

/** Checks LabelSelector objects inside other objects. */
public final class LabelSelectorRules {
    private LabelSelectorRules() {}

    public static void check(@Nullable JsonNode selector, FieldPath path, FieldErrors errors) {
        check(selector, false, path, errors);
    }

    /**
     * Checks a selector.
     *
     * @param anyValue accept values that are no labels, which older objects may still have
     */
    public static void check(@Nullable JsonNode selector, boolean anyValue, FieldPath path, FieldErrors errors) {
        if (selector == null || selector.isNull()) {
            return;
        }
        ObjectMetaRules.labels(Json.at(selector, "matchLabels"), path.child("matchLabels"), errors);
        int index = 0;
        for (JsonNode expression : Json.listAt(selector, "matchExpressions")) {
            requirement(expression, anyValue, path.child("matchExpressions").index(index++), errors);
        }
    }

    private static void requirement(JsonNode expression, boolean anyValue, FieldPath path, FieldErrors errors) {
        ArrayNode values = Json.listAt(expression, "values");
        String operator = Json.textAt(expression, "operator");
        switch (operator) {
            case "In", "NotIn" -> {
                if (values.isEmpty()) {
                    errors.required(path.child("values"), "must be specified when `operator` is 'In' or 'NotIn'");
                }
            }
            case "Exists", "DoesNotExist" -> {
                if (!values.isEmpty()) {
                    errors.forbidden(
                            path.child("values"), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
                }
            }
            default -> errors.invalid(path.child("operator"), operator, "not a valid selector operator");
        }
        ObjectMetaRules.labelName(Json.textAt(expression, "key"), path.child("key"), errors);
        if (!anyValue) {
            for (int i = 0; i < values.size(); i++) {
                String value = values.get(i).asText();
                FieldPath at = path.child("values").index(i);
                Names.labelValue(value).forEach(why -> errors.invalid(at, value, why));
            }
        }
    }

    /** Whether a selector has values that are no labels; an update of such an object may keep them. */
    public static boolean hasOddValues(@Nullable JsonNode selector) {
        for (JsonNode expression : Json.listAt(selector, "matchExpressions")) {
            for (JsonNode value : Json.listAt(expression, "values")) {
                if (!Names.labelValue(value.asText()).isEmpty()) {
                    return true;
                }
            }
        }
        return false;
    }
}
