package lavaflow.kinds;

import java.util.List;
import java.util.Map;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Validation of labels and of selectors that are objects. */
final class LabelRules {
    private LabelRules() {}

    /** A map of labels. */
    static void labels(@Nullable JsonNode labels, FieldPath path, FieldErrors errors) {
        for (Map.Entry<String, JsonNode> label : Nodes.entries(labels).entrySet()) {
            key(label.getKey(), path, errors);
            String value = label.getValue().asText();
            FieldChecks.invalid(path, value, Names.labelValue(value), errors);
        }
    }

    static void key(String key, FieldPath path, FieldErrors errors) {
        FieldChecks.invalid(path, key, Names.qualifiedName(key), errors);
    }

    /** A LabelSelector; none at all is fine. */
    static void selector(@Nullable JsonNode selector, FieldPath path, FieldErrors errors) {
        labels(Json.at(selector, "matchLabels"), path.child("matchLabels"), errors);
        List<ObjectNode> expressions = Nodes.objects(selector, "matchExpressions");
        for (int i = 0; i < expressions.size(); i++) {
            requirement(expressions.get(i), path.child("matchExpressions").index(i), errors);
        }
    }

    private static void requirement(ObjectNode requirement, FieldPath path, FieldErrors errors) {
        String operator = Json.textAt(requirement, "operator");
        List<String> values = Nodes.strings(requirement, "values");
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
        key(Json.textAt(requirement, "key"), path.child("key"), errors);
        for (int i = 0; i < values.size(); i++) {
            FieldPath place = path.child("values").index(i);
            FieldChecks.invalid(place, values.get(i), Names.labelValue(values.get(i)), errors);
        }
    }
}
