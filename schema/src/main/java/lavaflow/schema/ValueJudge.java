package lavaflow.schema;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.GoText;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Judges a value by a schema, check by check in upstream's order, because how many checks pass decides which errors are
 * shown where one of several schemas should fit.
 */
final class ValueJudge {
    private ValueJudge() {}

    /** Judges a value at a place of its own; an error is tolerated where nothing changed. */
    static void judge(
            JsonNode value,
            StructuralSchema schema,
            Place place,
            @Nullable Correlation correlation,
            Findings findings) {
        if (correlation == null) {
            node(value, schema, place, null, findings);
            return;
        }
        Findings own = new Findings();
        node(value, schema, place, correlation, own);
        if (!own.isValid() && correlation.isUnchanged()) {
            findings.mergeMatches(own);
        } else {
            findings.merge(own);
        }
    }

    private static void node(
            JsonNode value,
            StructuralSchema schema,
            Place place,
            @Nullable Correlation correlation,
            Findings findings) {
        ValueRules rules = schema.rules();
        if (value.isNull()) {
            ofNull(schema, place, findings);
            enumeration(value, rules, place, findings);
            return;
        }
        if (hasType(schema) || !rules.format().isEmpty()) {
            type(value, schema, place, findings);
            findings.match();
        }
        combined(value, rules, place, findings);
        findings.match();
        if (value.isTextual()) {
            text(value, rules, place, findings);
        } else if (value.isNumber()) {
            NumberCheck.check(value, schema.isIntOrString() ? "" : schema.type(), rules, place, findings);
            findings.match();
            findings.match();
        } else if (value instanceof ArrayNode list) {
            list(list, schema, place, correlation, findings);
            findings.match();
            findings.match();
        }
        enumeration(value, rules, place, findings);
        findings.match();
        if (value instanceof ObjectNode object) {
            object(object, schema, place, correlation, findings);
            findings.match();
        }
        findings.match();
    }

    private static boolean hasType(StructuralSchema schema) {
        return schema.isIntOrString() || !schema.type().isEmpty();
    }

    private static String expected(StructuralSchema schema) {
        return schema.isIntOrString() ? "integer,string" : schema.type();
    }

    private static boolean expects(StructuralSchema schema, String type) {
        return schema.isIntOrString()
                ? type.equals("integer") || type.equals("string")
                : schema.type().equals(type);
    }

    private static void ofNull(StructuralSchema schema, Place place, Findings findings) {
        if (hasType(schema) && !schema.isNullable()) {
            findings.wrongType(place, expected(schema), "null");
        } else {
            findings.match();
        }
    }

    private static String typeOf(JsonNode value) {
        return switch (value.getNodeType()) {
            case OBJECT, POJO -> "object";
            case ARRAY -> "array";
            case STRING, BINARY -> "string";
            case BOOLEAN -> "boolean";
            case NUMBER -> NumberCheck.isInteger(value) ? "integer" : "number";
            case NULL, MISSING -> "null";
        };
    }

    private static String formatOf(String type) {
        return switch (type) {
            case "integer" -> "int64";
            case "number" -> "float64";
            default -> "";
        };
    }

    private static void type(JsonNode value, StructuralSchema schema, Place place, Findings findings) {
        String actual = typeOf(value);
        String format = schema.rules().format();
        boolean fits = expects(schema, actual)
                || (actual.equals("integer") && expects(schema, "number"))
                || (actual.equals("number") && expects(schema, "integer") && NumberCheck.isWhole(value.doubleValue()));
        boolean open = value.isTextual() || value.isArray();
        if (!open && !format.isEmpty() && !fits && !format.equals(formatOf(actual))) {
            findings.wrongType(place, format, formatOf(actual));
            return;
        }
        boolean numeric = expects(schema, "number") || expects(schema, "integer");
        if (!numeric && !format.isEmpty() && open) {
            findings.match();
            return;
        }
        if (fits) {
            findings.match();
        } else {
            findings.wrongType(place, expected(schema), actual);
        }
    }

    private static void text(JsonNode value, ValueRules rules, Place place, Findings findings) {
        String text = value.textValue();
        ValueRules.TextRules limits = rules.text();
        if (limits != null) {
            limits(text, value, limits, place, findings);
        }
        findings.match();
        if (!rules.format().isEmpty() && Formats.isText(rules.format())) {
            if (!Formats.matches(rules.format(), text)) {
                findings.wrongType(place, rules.format(), text);
            }
            findings.match();
        }
    }

    /** The first limit that is broken. */
    private static void limits(
            String text, JsonNode value, ValueRules.TextRules limits, Place place, Findings findings) {
        long length = text.codePointCount(0, text.length());
        if (limits.maxLength() >= 0 && length > limits.maxLength()) {
            findings.tooLong(place, limits.maxLength());
        } else if (limits.minLength() >= 0 && length < limits.minLength()) {
            findings.invalid(place, value, "should be at least " + limits.minLength() + " chars long");
        } else if (limits.pattern() != null) {
            String problem = limits.pattern().problem();
            if (problem != null) {
                findings.invalid(
                        place,
                        value,
                        "should match '" + limits.pattern() + ", but pattern is invalid: " + problem + "'");
            } else if (!limits.pattern().isFoundIn(text)) {
                findings.invalid(place, value, "should match '" + limits.pattern() + "'");
            }
        }
    }

    private static void enumeration(JsonNode value, ValueRules rules, Place place, Findings findings) {
        if (rules.enumeration().isEmpty()) {
            return;
        }
        for (JsonNode allowed : rules.enumeration()) {
            if (NumberCheck.isEqual(value, allowed)) {
                return;
            }
        }
        String supported = rules.enumeration().stream()
                .map(allowed -> FieldErrors.quoted(allowed.isTextual() ? allowed.textValue() : Json.string(allowed)))
                .collect(Collectors.joining(", "));
        String shown = value.isNull() ? "null" : value.isContainerNode() ? Json.string(value) : Findings.shown(value);
        findings.notSupported(
                place,
                place + " in body should be one of "
                        + rules.enumeration().stream().map(GoText::value).collect(Collectors.joining(" ", "[", "]")),
                "Unsupported value: " + shown + ": supported values: " + supported);
    }

    private static void list(
            ArrayNode list,
            StructuralSchema schema,
            Place place,
            @Nullable Correlation correlation,
            Findings findings) {
        StructuralSchema items = schema.items();
        if (items != null) {
            for (int i = 0; i < list.size(); i++) {
                Correlation inner = correlation == null ? null : correlation.element(i);
                judge(list.get(i), items, place.element(i), inner, findings);
            }
        }
        ValueRules rules = schema.rules();
        if (rules.minItems() >= 0 && list.size() < rules.minItems()) {
            findings.invalid(place, Json.number(list.size()), "should have at least " + rules.minItems() + " items");
        }
        if (rules.maxItems() >= 0 && list.size() > rules.maxItems()) {
            findings.tooMany(place, list.size(), rules.maxItems(), "items");
        }
        if (rules.uniqueItems()) {
            Set<JsonNode> seen = new HashSet<>();
            for (JsonNode element : list) {
                if (!seen.add(element)) {
                    findings.invalid(place, null, "shouldn't contain duplicates");
                    break;
                }
            }
        }
    }

    private static void object(
            ObjectNode object,
            StructuralSchema schema,
            Place place,
            @Nullable Correlation correlation,
            Findings findings) {
        ValueRules rules = schema.rules();
        if (rules.minProperties() >= 0 && object.size() < rules.minProperties()) {
            findings.invalid(
                    place, Json.number(object.size()), "should have at least " + rules.minProperties() + " properties");
        }
        if (rules.maxProperties() >= 0 && object.size() > rules.maxProperties()) {
            findings.tooMany(place, object.size(), rules.maxProperties(), "properties");
        }
        additional(object, schema, place, correlation, findings);
        for (int i = 0; i < schema.size(); i++) {
            String name = schema.name(i);
            JsonNode value = object.get(name);
            if (value != null) {
                Correlation inner = correlation == null || isTypeOfRoot(place, name) ? null : correlation.member(name);
                judge(value, schema.property(i), place.property(name), inner, findings);
            }
        }
        for (String name : rules.required()) {
            if (!object.has(name)) {
                findings.required(place.other(name));
            }
        }
    }

    /** The version of an object is converted before it is judged, so that it says nothing about change. */
    private static boolean isTypeOfRoot(Place place, String name) {
        return place.isRoot() && (name.equals("kind") || name.equals("apiVersion"));
    }

    private static void additional(
            ObjectNode object,
            StructuralSchema schema,
            Place place,
            @Nullable Correlation correlation,
            Findings findings) {
        if (!schema.hasAdditional()) {
            return;
        }
        StructuralSchema additional = schema.additional();
        for (Map.Entry<String, JsonNode> entry : object.properties()) {
            String name = entry.getKey();
            if (schema.property(name) != null) {
                continue;
            }
            if (!schema.allowsAdditional()) {
                findings.invalidAs(place, Json.text(name), place + "." + name + " in body is a forbidden property");
            } else if (additional != null) {
                Correlation inner = correlation == null || isTypeOfRoot(place, name) ? null : correlation.member(name);
                judge(entry.getValue(), additional, place.other(name), inner, findings);
            }
        }
    }

    /** Judges by {@code anyOf}, {@code oneOf}, {@code allOf} and {@code not}, where nothing is tolerated. */
    private static void combined(JsonNode value, ValueRules rules, Place place, Findings findings) {
        if (!rules.anyOf().isEmpty()) {
            anyOf(value, rules.anyOf(), place, findings);
        }
        if (!rules.oneOf().isEmpty()) {
            oneOf(value, rules.oneOf(), place, findings);
        }
        if (!rules.allOf().isEmpty()) {
            allOf(value, rules.allOf(), place, findings);
        }
        if (rules.not() != null && judged(value, rules.not(), place).isValid()) {
            findings.general(FieldErrors.quoted(place.toString()) + " must not validate the schema (not)");
        }
        findings.match();
    }

    private static Findings judged(JsonNode value, StructuralSchema schema, Place place) {
        Findings own = new Findings();
        node(value, schema, place, null, own);
        return own;
    }

    private static void anyOf(JsonNode value, List<StructuralSchema> choices, Place place, Findings findings) {
        Findings best = null;
        for (StructuralSchema choice : choices) {
            Findings own = judged(value, choice, place);
            if (own.isValid()) {
                findings.merge(own);
                return;
            }
            if (best == null || own.matches() > best.matches()) {
                best = own;
            }
        }
        findings.general(FieldErrors.quoted(place.toString()) + " must validate at least one schema (anyOf)");
        if (best != null) {
            findings.merge(best);
        }
    }

    private static void oneOf(JsonNode value, List<StructuralSchema> choices, Place place, Findings findings) {
        Findings best = null;
        List<Findings> valid = new ArrayList<>(1);
        for (StructuralSchema choice : choices) {
            Findings own = judged(value, choice, place);
            if (own.isValid()) {
                valid.add(own);
            } else if (valid.isEmpty() && (best == null || own.matches() > best.matches())) {
                best = own;
            }
        }
        if (valid.size() == 1) {
            findings.merge(valid.getFirst());
            return;
        }
        String found = valid.isEmpty() ? "Found none valid" : "Found " + valid.size() + " valid alternatives";
        findings.general(
                FieldErrors.quoted(place.toString()) + " must validate one and only one schema (oneOf). " + found);
        if (best != null && valid.isEmpty()) {
            findings.merge(best);
        }
    }

    private static void allOf(JsonNode value, List<StructuralSchema> parts, Place place, Findings findings) {
        int valid = 0;
        for (StructuralSchema part : parts) {
            Findings own = judged(value, part, place);
            valid += own.isValid() ? 1 : 0;
            findings.merge(own);
        }
        if (valid < parts.size()) {
            findings.general(FieldErrors.quoted(place.toString()) + " must validate all the schemas (allOf)"
                    + (valid == 0 ? ". None validated" : ""));
        }
    }
}
