package lavaflow.schema;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * A node of the schema of a custom kind, parsed once and shared by all that judge objects by it.
 *
 * <p>Most nodes of a schema are leaves that only name a type, so these are shared, and what few nodes have stands in
 * {@link ValueRules} and {@link Shape}, which are absent from all others. Descriptions, titles and examples are left out:
 * whoever publishes a schema reads its JSON form.
 *
 * <p>Schemas inside {@code allOf} and its like are nodes too; they only judge values and say nothing about structure.
 */
public final class StructuralSchema {
    /**
     * What server-side apply and the checks of lists need.
     *
     * @param listType {@code atomic}, {@code set}, {@code map} or empty
     * @param listMapKeys keys of a list of type {@code map}
     * @param mapType {@code atomic}, {@code granular} or empty
     */
    public record Shape(String listType, List<String> listMapKeys, String mapType) {
        static final Shape NONE = new Shape("", List.of(), "");

        static Shape parse(ObjectNode props) {
            String listType = Json.textAt(props, "x-kubernetes-list-type");
            String mapType = Json.textAt(props, "x-kubernetes-map-type");
            List<String> keys = texts(Json.listAt(props, "x-kubernetes-list-map-keys"));
            return listType.isEmpty() && mapType.isEmpty() && keys.isEmpty()
                    ? NONE
                    : new Shape(listType, keys, mapType);
        }
    }

    private static final String[] NO_NAMES = {};
    private static final StructuralSchema[] NO_SCHEMAS = {};
    private static final int NULLABLE = 1;
    private static final int PRESERVES_UNKNOWN = 2;
    private static final int EMBEDDED = 4;
    private static final int INT_OR_STRING = 8;
    private static final int HAS_ADDITIONAL = 16;
    private static final int ALLOWS_ADDITIONAL = 32;
    private static final int HAS_RULES = 64;

    private static final Map<String, StructuralSchema> PLAIN = plain();

    /** What a missing schema means: nothing is known, nothing is kept. */
    static final StructuralSchema EMPTY = new StructuralSchema(
            "", 0, NO_NAMES, NO_SCHEMAS, null, null, null, ValueRules.NONE, Shape.NONE, List.of(), null);

    private final String type;
    private final int flags;
    private final String[] names;
    private final StructuralSchema[] schemas;
    private final @Nullable StructuralSchema items;
    private final @Nullable StructuralSchema additional;
    private final @Nullable JsonNode defaultValue;
    private final ValueRules rules;
    private final Shape shape;
    private final List<SchemaRule> validations;
    /** The schema as it was written, kept only where rules have to be compiled against it. */
    private final @Nullable ObjectNode source;

    private StructuralSchema(
            String type,
            int flags,
            String[] names,
            StructuralSchema[] schemas,
            @Nullable StructuralSchema items,
            @Nullable StructuralSchema additional,
            @Nullable JsonNode defaultValue,
            ValueRules rules,
            Shape shape,
            List<SchemaRule> validations,
            @Nullable ObjectNode source) {
        this.type = type;
        this.flags = flags;
        this.names = names;
        this.schemas = schemas;
        this.items = items;
        this.additional = additional;
        this.defaultValue = defaultValue;
        this.rules = rules;
        this.shape = shape;
        this.validations = validations;
        this.source = source;
    }

    private static Map<String, StructuralSchema> plain() {
        Map<String, StructuralSchema> plain = new TreeMap<>();
        for (String type : List.of("", "array", "boolean", "integer", "number", "object", "string")) {
            plain.put(
                    type,
                    new StructuralSchema(
                            type,
                            0,
                            NO_NAMES,
                            NO_SCHEMAS,
                            null,
                            null,
                            null,
                            ValueRules.NONE,
                            Shape.NONE,
                            List.of(),
                            null));
        }
        return plain;
    }

    /** Parses a schema in its JSON form; what is missing or of a wrong type counts as absent, as decoding has told it. */
    public static StructuralSchema parse(@Nullable JsonNode props) {
        return props instanceof ObjectNode object ? node(object) : EMPTY;
    }

    private static StructuralSchema node(ObjectNode props) {
        String type = Json.textAt(props, "type");
        ValueRules rules = ValueRules.parse(props, type);
        Shape shape = Shape.parse(props);
        List<SchemaRule> validations = SchemaRule.parse(props);
        JsonNode defaultValue = Json.at(props, "default");
        JsonNode items = props.get("items");
        JsonNode additional = props.get("additionalProperties");
        int flags = flags(props, additional);
        String[] names = NO_NAMES;
        StructuralSchema[] schemas = NO_SCHEMAS;
        if (props.get("properties") instanceof ObjectNode properties && !properties.isEmpty()) {
            names = names(properties);
            schemas = new StructuralSchema[names.length];
            for (int i = 0; i < names.length; i++) {
                schemas[i] = parse(properties.get(names[i]));
            }
        }
        StructuralSchema shared = PLAIN.get(type);
        boolean plain = flags == 0 && names.length == 0 && rules.equals(ValueRules.NONE) && shape.equals(Shape.NONE);
        if (shared != null && plain && validations.isEmpty() && defaultValue == null && items == null) {
            return shared;
        }
        StructuralSchema element = items instanceof ObjectNode inner ? node(inner) : null;
        StructuralSchema value = additional instanceof ObjectNode inner ? node(inner) : null;
        boolean ruled = !validations.isEmpty()
                || (element != null && element.hasRules())
                || (value != null && value.hasRules())
                || Arrays.stream(schemas).anyMatch(StructuralSchema::hasRules);
        return new StructuralSchema(
                shared == null ? type : shared.type,
                ruled ? flags | HAS_RULES : flags,
                names,
                schemas,
                element,
                value,
                defaultValue,
                rules,
                shape,
                validations,
                validations.isEmpty() ? null : props);
    }

    private static int flags(ObjectNode props, @Nullable JsonNode additional) {
        boolean schema = additional instanceof ObjectNode;
        boolean given = schema || (additional != null && additional.isBoolean());
        return (Json.flagAt(props, "nullable") ? NULLABLE : 0)
                | (Json.flagAt(props, "x-kubernetes-preserve-unknown-fields") ? PRESERVES_UNKNOWN : 0)
                | (Json.flagAt(props, "x-kubernetes-embedded-resource") ? EMBEDDED : 0)
                | (Json.flagAt(props, "x-kubernetes-int-or-string") ? INT_OR_STRING : 0)
                | (given ? HAS_ADDITIONAL : 0)
                | (schema || Json.flagAt(props, "additionalProperties") ? ALLOWS_ADDITIONAL : 0);
    }

    private static String[] names(ObjectNode properties) {
        String[] names = new String[properties.size()];
        int count = 0;
        for (Map.Entry<String, JsonNode> entry : properties.properties()) {
            names[count++] = entry.getKey();
        }
        Arrays.sort(names);
        return names;
    }

    static List<String> texts(JsonNode list) {
        List<String> texts = new ArrayList<>(list.size());
        for (JsonNode element : list) {
            texts.add(element.asText());
        }
        return texts.isEmpty() ? List.of() : List.copyOf(texts);
    }

    /** The same, but of an object that has {@code apiVersion}, {@code kind} and {@code metadata}: what a root always is. */
    StructuralSchema embedded() {
        return isEmbedded()
                ? this
                : new StructuralSchema(
                        type,
                        flags | EMBEDDED,
                        names,
                        schemas,
                        items,
                        additional,
                        defaultValue,
                        rules,
                        shape,
                        validations,
                        source);
    }

    /** {@code object}, {@code array}, {@code string}, {@code integer}, {@code number}, {@code boolean} or empty. */
    public String type() {
        return type;
    }

    public boolean isNullable() {
        return (flags & NULLABLE) != 0;
    }

    /** {@code x-kubernetes-preserve-unknown-fields}. */
    public boolean preservesUnknown() {
        return (flags & PRESERVES_UNKNOWN) != 0;
    }

    /** {@code x-kubernetes-embedded-resource}. */
    public boolean isEmbedded() {
        return (flags & EMBEDDED) != 0;
    }

    /** {@code x-kubernetes-int-or-string}. */
    public boolean isIntOrString() {
        return (flags & INT_OR_STRING) != 0;
    }

    /** Whether {@code additionalProperties} is given, as a schema or as true or false. */
    public boolean hasAdditional() {
        return (flags & HAS_ADDITIONAL) != 0;
    }

    /** Whether {@code additionalProperties} is a schema or true. */
    boolean allowsAdditional() {
        return (flags & ALLOWS_ADDITIONAL) != 0;
    }

    /** Whether there are rules here or below. */
    public boolean hasRules() {
        return (flags & HAS_RULES) != 0;
    }

    /** The schema in its JSON form, where it has rules. */
    @Nullable
    ObjectNode source() {
        return source;
    }

    /** How many properties there are. */
    public int size() {
        return names.length;
    }

    /** The name of a property by its position; properties are sorted by name. */
    public String name(int position) {
        return names[position];
    }

    /** The schema of a property by its position. */
    public StructuralSchema property(int position) {
        return schemas[position];
    }

    /** The schema of a property, or null where none of that name is declared. */
    public @Nullable StructuralSchema property(String name) {
        int position = Arrays.binarySearch(names, name);
        return position < 0 ? null : schemas[position];
    }

    /** The schema of a member, declared or additional; null where nothing is known of it. */
    public @Nullable StructuralSchema member(String name) {
        StructuralSchema property = property(name);
        return property != null ? property : additional;
    }

    /** The schema of the elements of a list. */
    public @Nullable StructuralSchema items() {
        return items;
    }

    /** The schema of members that are not declared one by one. */
    public @Nullable StructuralSchema additional() {
        return additional;
    }

    /** What stands for a missing value; the caller copies it before use. */
    public @Nullable JsonNode defaultValue() {
        return defaultValue;
    }

    /** Limits on values. */
    public ValueRules rules() {
        return rules;
    }

    /** What lists and maps mean to server-side apply. */
    public Shape shape() {
        return shape;
    }

    /** {@code x-kubernetes-validations}. */
    public List<SchemaRule> validations() {
        return validations;
    }
}
