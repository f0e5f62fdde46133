package lavaflow.schema;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Limits on a value beyond its type.
 *
 * @param format the format, empty where there is none or nobody knows it for the type
 * @param number limits of numbers, or null
 * @param text limits of strings, or null
 * @param minItems fewest elements, or -1; likewise the following sizes
 * @param uniqueItems no element may come twice
 * @param enumeration the allowed values, empty for any
 * @param required members that must be there
 */
public record ValueRules(
        String format,
        @Nullable NumberRules number,
        @Nullable TextRules text,
        long minItems,
        long maxItems,
        boolean uniqueItems,
        long minProperties,
        long maxProperties,
        List<JsonNode> enumeration,
        List<String> required,
        List<StructuralSchema> allOf,
        List<StructuralSchema> anyOf,
        List<StructuralSchema> oneOf,
        @Nullable StructuralSchema not) {
    static final ValueRules NONE = new ValueRules(
            "", null, null, -1, -1, false, -1, -1, List.of(), List.of(), List.of(), List.of(), List.of(), null);

    /** Limits of numbers; null where there is none. */
    public record NumberRules(
            @Nullable Double minimum,
            boolean exclusiveMinimum,
            @Nullable Double maximum,
            boolean exclusiveMaximum,
            @Nullable Double multipleOf) {
        static @Nullable NumberRules parse(ObjectNode props) {
            Double minimum = number(props, "minimum");
            Double maximum = number(props, "maximum");
            Double multipleOf = number(props, "multipleOf");
            if (minimum == null && maximum == null && multipleOf == null) {
                return null;
            }
            return new NumberRules(
                    minimum,
                    Json.flagAt(props, "exclusiveMinimum"),
                    maximum,
                    Json.flagAt(props, "exclusiveMaximum"),
                    multipleOf);
        }

        private static @Nullable Double number(ObjectNode props, String name) {
            JsonNode value = Json.at(props, name);
            return value == null || !value.isNumber() ? null : value.doubleValue();
        }
    }

    /** Limits of strings; lengths in characters, -1 where there is none. */
    public record TextRules(
            long minLength, long maxLength, @Nullable RegularExpression pattern) {
        static @Nullable TextRules parse(ObjectNode props) {
            long minLength = Json.longAt(props, -1, "minLength");
            long maxLength = Json.longAt(props, -1, "maxLength");
            String pattern = Json.textAt(props, "pattern");
            if (minLength < 0 && maxLength < 0 && pattern.isEmpty()) {
                return null;
            }
            return new TextRules(minLength, maxLength, pattern.isEmpty() ? null : new RegularExpression(pattern));
        }
    }

    static ValueRules parse(ObjectNode props, String type) {
        ValueRules rules = new ValueRules(
                Formats.known(Json.textAt(props, "format"), type),
                NumberRules.parse(props),
                TextRules.parse(props),
                Json.longAt(props, -1, "minItems"),
                Json.longAt(props, -1, "maxItems"),
                Json.flagAt(props, "uniqueItems"),
                Json.longAt(props, -1, "minProperties"),
                Json.longAt(props, -1, "maxProperties"),
                values(Json.listAt(props, "enum")),
                StructuralSchema.texts(Json.listAt(props, "required")),
                schemas(Json.listAt(props, "allOf")),
                schemas(Json.listAt(props, "anyOf")),
                schemas(Json.listAt(props, "oneOf")),
                props.get("not") instanceof ObjectNode not ? StructuralSchema.parse(not) : null);
        return rules.equals(NONE) ? NONE : rules;
    }

    private static List<JsonNode> values(ArrayNode list) {
        List<JsonNode> values = new ArrayList<>(list.size());
        list.forEach(values::add);
        return values.isEmpty() ? List.of() : List.copyOf(values);
    }

    private static List<StructuralSchema> schemas(ArrayNode list) {
        List<StructuralSchema> schemas = new ArrayList<>(list.size());
        for (JsonNode element : list) {
            schemas.add(StructuralSchema.parse(element));
        }
        return schemas.isEmpty() ? List.of() : List.copyOf(schemas);
    }
}
