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
        if (!values(expression, path, errors)) {
            String operator = Json.textAt(expression, "operator");
            errors.invalid(path.child("operator"), operator, "not a valid selector operator");
        }
        labels(expression, anyValue, path, errors);
    }

    /** Checks a requirement of an access review, which newer clients may send with operators that are not known here. */
    public static void reviewed(JsonNode expression, FieldPath path, FieldErrors errors) {
        values(expression, path, errors);
        labels(expression, false, path, errors);
    }

    /** Checks whether there are values where the operator wants some; says whether it is known at all. */
    public static boolean values(JsonNode expression, FieldPath path, FieldErrors errors) {
        boolean some = !Json.listAt(expression, "values").isEmpty();
        return switch (Json.textAt(expression, "operator")) {
            case "In", "NotIn" -> {
                if (!some) {
                    errors.required(path.child("values"), "must be specified when `operator` is 'In' or 'NotIn'");
                }
                yield true;
            }
            case "Exists", "DoesNotExist" -> {
                if (some) {
                    errors.forbidden(
                            path.child("values"), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
                }
                yield true;
            }
            default -> false;
        };
    }

    private static void labels(JsonNode expression, boolean anyValue, FieldPath path, FieldErrors errors) {
        ObjectMetaRules.labelName(Json.textAt(expression, "key"), path.child("key"), errors);
        if (anyValue) {
            return;
        }
        ArrayNode values = Json.listAt(expression, "values");
        for (int i = 0; i < values.size(); i++) {
            String value = values.get(i).asText();
            FieldPath at = path.child("values").index(i);
            Names.labelValue(value).forEach(why -> errors.invalid(at, value, why));
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
