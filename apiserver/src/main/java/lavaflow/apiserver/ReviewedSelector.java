package lavaflow.apiserver;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.FieldSelector;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;
import lavaflow.kube.LabelSelectorRules;
import lavaflow.kube.MalformedException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * A selector an access review asks about. What cannot be understood is ignored and told, as a wider question than was asked can only
 * be answered more strictly.
 *
 * @param text    the understood part in the words of a selector
 * @param problem what the answer tells about the rest, or nothing
 */
record ReviewedSelector(String text, String problem) {
    static final String FIELDS = "fieldSelector";
    static final String LABELS = "labelSelector";

    private static final FieldPath ATTRIBUTES = FieldPath.of("spec").child("resourceAttributes");
    private static final String RAW = "rawSelector";
    private static final String REQUIREMENTS = "requirements";

    static void check(ObjectNode attributes, String field, FieldErrors errors) {
        if (Json.objectAt(attributes, field) == null) {
            return;
        }
        FieldPath path = ATTRIBUTES.child(field);
        String raw = Json.textAt(attributes, field, RAW);
        ArrayNode requirements = Json.listAt(attributes, field, REQUIREMENTS);
        if (!raw.isEmpty() && !requirements.isEmpty()) {
            errors.invalid(path.child(RAW), raw, "may not specified at the same time as requirements");
        }
        if (raw.isEmpty() && requirements.isEmpty()) {
            errors.required(
                    path.child(REQUIREMENTS),
                    "when " + path + " is specified, requirements or rawSelector is required");
        }
        int index = 0;
        for (JsonNode requirement : requirements) {
            FieldPath at = path.child(REQUIREMENTS).index(index++);
            if (field.equals(LABELS)) {
                LabelSelectorRules.reviewed(requirement, at, errors);
            } else {
                if (Json.textAt(requirement, "key").isEmpty()) {
                    errors.required(at.child("key"), "must be specified");
                }
                LabelSelectorRules.values(requirement, at, errors);
            }
        }
    }

    static ReviewedSelector of(ObjectNode attributes, String field) {
        String raw = Json.textAt(attributes, field, RAW);
        if (!raw.isEmpty()) {
            return parsed(raw, field);
        }
        List<String> parts = new ArrayList<>();
        ArrayNode requirements = Json.listAt(attributes, field, REQUIREMENTS);
        for (JsonNode requirement : requirements) {
            String part = field.equals(LABELS) ? ofLabels(requirement) : ofFields(requirement);
            if (!part.isEmpty()) {
                parts.add(part);
            }
        }
        String text = String.join(",", parts);
        if (parts.size() == requirements.size()) {
            return new ReviewedSelector(text, "");
        }
        return new ReviewedSelector(text, problem(field, !parts.isEmpty()));
    }

    private static ReviewedSelector parsed(String raw, String field) {
        try {
            if (field.equals(LABELS)) {
                LabelSelector.parse(raw);
            } else {
                FieldSelector.parse(raw);
            }
            return new ReviewedSelector(raw, "");
        } catch (MalformedException e) {
            return new ReviewedSelector("", problem(field, false));
        }
    }

    private static String problem(String field, boolean partially) {
        return ATTRIBUTES.child(field) + (partially ? " partially" : "") + " ignored due to parse error";
    }

    /** Selectors of fields know only equality, so all else is not understood. */
    private static String ofFields(JsonNode requirement) {
        ArrayNode values = Json.listAt(requirement, "values");
        if (values.size() != 1) {
            return "";
        }
        String value =
                values.get(0).asText().replace("\\", "\\\\").replace(",", "\\,").replace("=", "\\=");
        String key = Json.textAt(requirement, "key");
        return switch (Json.textAt(requirement, "operator")) {
            case "In" -> key + "=" + value;
            case "NotIn" -> key + "!=" + value;
            default -> "";
        };
    }

    private static String ofLabels(JsonNode requirement) {
        List<String> values = new ArrayList<>();
        Json.listAt(requirement, "values").forEach(value -> values.add(value.asText()));
        String key = Json.textAt(requirement, "key");
        return switch (Json.textAt(requirement, "operator")) {
            case "In" -> key + " in (" + String.join(",", values) + ")";
            case "NotIn" -> key + " notin (" + String.join(",", values) + ")";
            case "Exists" -> key;
            case "DoesNotExist" -> "!" + key;
            default -> "";
        };
    }
}
