package lavaflow.cel;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * A type as a schema declares it: a type of the language plus what a schema knows beyond it, which is how large values
 * may be, how text is to be read (dates, durations, bytes), what may be null, how lists are merged.
 */
public final class DeclaredType {
    /** How JSON becomes a value. */
    enum Form {
        DYN,
        INT_OR_STRING,
        BOOL,
        INT,
        DOUBLE,
        STRING,
        BYTES,
        DURATION,
        DATE,
        DATE_TIME,
        LIST,
        SET,
        KEYED_LIST,
        MAP,
        OBJECT,
        /** A part of a schema without a type of its own: fields are preserved but cannot be read. */
        OPAQUE
    }

    /** Everything but the type itself. */
    record Details(
            Form form,
            boolean nullable,
            long maxElements,
            long minSerializedSize,
            Map<String, DeclaredType> fields,
            @Nullable DeclaredType element,
            List<String> keys) {
        static Details of(Form form, long maxElements, long minSerializedSize) {
            return new Details(form, false, maxElements, minSerializedSize, Map.of(), null, List.of());
        }

        Details withNullable(boolean mayBeNull) {
            return new Details(form, mayBeNull, maxElements, minSerializedSize, fields, element, keys);
        }
    }

    private final CelType type;
    private final Details details;

    DeclaredType(CelType type, Details details) {
        this.type = type;
        this.details = details;
    }

    /**
     * The type of an OpenAPI v3 (structural) schema, or null if the schema has none (no type, an array without items).
     *
     * @param resourceRoot whether the schema is that of a whole object or embedded resource, which has
     *     {@code apiVersion}, {@code kind}, {@code metadata.name} and {@code metadata.generateName} at least
     */
    public static @Nullable DeclaredType ofSchema(JsonNode schema, boolean resourceRoot) {
        return SchemaTypeReader.read(schema, resourceRoot);
    }

    /** A type about which nothing more is known. */
    public static DeclaredType of(CelType type) {
        Form form = switch (type) {
            case CelType.Basic basic ->
                switch (basic) {
                    case BOOL -> Form.BOOL;
                    case INT -> Form.INT;
                    case DOUBLE -> Form.DOUBLE;
                    case STRING -> Form.STRING;
                    case BYTES -> Form.BYTES;
                    case DURATION -> Form.DURATION;
                    case TIMESTAMP -> Form.DATE_TIME;
                    default -> Form.DYN;
                };
            default -> Form.DYN;
        };
        return new DeclaredType(type, Details.of(form, SchemaTypeReader.MAX_TEXT, 1));
    }

    public static DeclaredType list(DeclaredType element) {
        Details details =
                new Details(Form.LIST, false, SchemaTypeReader.maxItems(element), 2, Map.of(), element, List.of());
        return new DeclaredType(CelType.list(element.type), details);
    }

    public static DeclaredType map(DeclaredType value) {
        Details details =
                new Details(Form.MAP, false, SchemaTypeReader.maxProperties(value), 2, Map.of(), value, List.of());
        return new DeclaredType(CelType.map(CelType.STRING, value.type), details);
    }

    /** An object; fields by their JSON names. */
    public static DeclaredType object(String name, Map<String, DeclaredType> fields) {
        return object(name, fields, 2);
    }

    static DeclaredType object(String name, Map<String, DeclaredType> fields, long minSerializedSize) {
        Details details =
                new Details(Form.OBJECT, false, 0, minSerializedSize, new LinkedHashMap<>(fields), null, List.of());
        return new DeclaredType(objectType(name, fields), details);
    }

    private static CelType objectType(String name, Map<String, DeclaredType> fields) {
        Map<String, CelType> named = new LinkedHashMap<>();
        fields.forEach((property, field) -> {
            String identifier = Identifiers.escape(property);
            if (identifier != null && field.details.form != Form.OPAQUE) {
                named.put(identifier, field.type);
            }
        });
        return CelType.object(name, named);
    }

    /** This type with its objects named: a field's type is called after its path, {@code name.spec.ports.@idx}. */
    public DeclaredType named(String name) {
        DeclaredType element = details.element;
        if (details.form == Form.OBJECT) {
            Map<String, DeclaredType> fields = new LinkedHashMap<>();
            details.fields.forEach((property, field) -> {
                String identifier = Identifiers.escape(property);
                fields.put(property, field.named(name + "." + (identifier == null ? property : identifier)));
            });
            Details renamed = new Details(
                    Form.OBJECT,
                    details.nullable,
                    details.maxElements,
                    details.minSerializedSize,
                    fields,
                    null,
                    List.of());
            return new DeclaredType(objectType(name, fields), renamed);
        }
        if (element == null) {
            return this;
        }
        DeclaredType renamed = element.named(name + (details.form == Form.MAP ? ".@elem" : ".@idx"));
        Details parts = new Details(
                details.form,
                details.nullable,
                details.maxElements,
                details.minSerializedSize,
                Map.of(),
                renamed,
                details.keys);
        return new DeclaredType(
                details.form == Form.MAP ? CelType.map(CelType.STRING, renamed.type) : CelType.list(renamed.type),
                parts);
    }

    Details details() {
        return details;
    }

    public CelType type() {
        return type;
    }

    /** How many elements, entries or characters a value may have. */
    public long maxElements() {
        return details.maxElements;
    }

    /** How many bytes a value has at least as JSON: how often a rule may run at most follows from it. */
    public long minSerializedSize() {
        return details.minSerializedSize;
    }

    /** How often a value of this type fits into one request. */
    public long maxCardinality() {
        return CelLimits.MAX_REQUEST_BYTES / (minSerializedSize() + 1);
    }

    /** The type of a part by the path that estimates use: a field's identifier, {@code @items}, {@code @values}, {@code @keys}. */
    @Nullable
    DeclaredType part(String step) {
        return switch (step) {
            case "@items", "@values" -> details.element;
            case "@keys" -> details.form == Form.MAP ? SchemaTypeReader.KEY : null;
            default -> {
                String property = Identifiers.unescape(step);
                DeclaredType field = property == null ? null : details.fields.get(property);
                yield field == null || field.details.form == Form.OPAQUE ? null : field;
            }
        };
    }

    /** A JSON value seen as this type; throws {@link CelException} when used where it does not fit. */
    public Object view(@Nullable JsonNode json) {
        return TypedViews.of(json, this);
    }
}
