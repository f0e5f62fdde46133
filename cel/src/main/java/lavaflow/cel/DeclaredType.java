package lavaflow.cel;

import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * A type as a schema declares it: a type of the language plus what a schema knows beyond it, which is how large values
 * may be, how text is to be read (dates, durations, bytes), what may be null, how lists are merged.
 */
public final class DeclaredType {
    private final CelType type;
    private final long maxElements;

    private DeclaredType(CelType type, long maxElements) {
        this.type = type;
        this.maxElements = maxElements;
    }

    /**
     * The type of an OpenAPI v3 (structural) schema, or null if the schema has none (no type, an array without items).
     *
     * @param resourceRoot whether the schema is that of a whole object or embedded resource, which has
     *     {@code apiVersion}, {@code kind}, {@code metadata.name} and {@code metadata.generateName} at least
     */
    public static @Nullable DeclaredType ofSchema(JsonNode schema, boolean resourceRoot) {
        return schema.isNull() || resourceRoot ? null : of(CelType.DYN);
    }

    /** A type about which nothing more is known. */
    public static DeclaredType of(CelType type) {
        return new DeclaredType(type, Long.MAX_VALUE);
    }

    public static DeclaredType list(DeclaredType element) {
        return of(CelType.list(element.type));
    }

    public static DeclaredType map(DeclaredType value) {
        return of(CelType.map(CelType.STRING, value.type));
    }

    /** An object; fields by their JSON names. */
    public static DeclaredType object(String name, Map<String, DeclaredType> fields) {
        return of(CelType.object(name + fields.size()));
    }

    /** This type with its objects named: a field's type is called after its path, {@code name.spec.ports.@idx}. */
    public DeclaredType named(String name) {
        return name.isEmpty() ? of(type) : this;
    }

    public CelType type() {
        return type;
    }

    /** How many elements, entries or characters a value may have. */
    public long maxElements() {
        return maxElements;
    }

    /** How many bytes a value has at least as JSON: how often a rule may run at most follows from it. */
    public long minSerializedSize() {
        return List.of(type).size();
    }

    /** How often a value of this type fits into one request. */
    public long maxCardinality() {
        return CelLimits.MAX_REQUEST_BYTES / (minSerializedSize() + 1);
    }

    /** A JSON value seen as this type; throws {@link CelException} when used where it does not fit. */
    public Object view(@Nullable JsonNode json) {
        return CelValues.of(json);
    }
}
