package lavaflow.cel;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/** Names an environment declares: variables, types, and the fields of object types. */
final class TypeScope {
    private static final Map<String, CelType> TYPES = Map.ofEntries(
            Map.entry("bool", CelType.BOOL),
            Map.entry("bytes", CelType.BYTES),
            Map.entry("double", CelType.DOUBLE),
            Map.entry("int", CelType.INT),
            Map.entry("uint", CelType.UINT),
            Map.entry("string", CelType.STRING),
            Map.entry("null_type", CelType.NULL),
            Map.entry("list", CelType.list(new CelType.Parameter("A"))),
            Map.entry("map", CelType.map(new CelType.Parameter("A"), new CelType.Parameter("B"))),
            Map.entry("type", new CelType.Opaque("type", List.of())),
            Map.entry("net.IP", CelType.IP),
            Map.entry("net.CIDR", CelType.CIDR),
            Map.entry("optional_type", new CelType.Opaque("optional_type", List.of())),
            Map.entry("google.protobuf.Timestamp", CelType.TIMESTAMP),
            Map.entry("google.protobuf.Duration", CelType.DURATION));

    private static final String OBJECT = "Object";

    private final Map<String, CelType> variables;
    private final boolean mutation;
    private final Map<String, CelType.ObjectOf> objects = new HashMap<>();

    TypeScope(Map<String, CelType> variables, Set<CelLibrary> libraries) {
        this.variables = variables;
        this.mutation = libraries.contains(CelLibrary.MUTATION);
        variables.values().forEach(this::collect);
    }

    private void collect(CelType type) {
        switch (type) {
            case CelType.ObjectOf object -> {
                if (objects.putIfAbsent(object.name(), object) == null) {
                    object.fields().values().forEach(this::collect);
                }
            }
            case CelType.ListOf list -> collect(list.element());
            case CelType.MapOf map -> {
                collect(map.key());
                collect(map.value());
            }
            case CelType.Opaque opaque -> opaque.parameters().forEach(this::collect);
            case CelType.TypeOf of -> collect(of.of());
            case CelType.Basic basic -> {}
            case CelType.Parameter parameter -> {}
        }
    }

    @Nullable
    CelType variable(String name) {
        return variables.get(name);
    }

    /** The type of a variable, or the type of a type, or null. */
    @Nullable
    CelType find(String name) {
        CelType variable = variables.get(name);
        if (variable != null) {
            return variable;
        }
        CelType type = TYPES.get(name);
        if (type == null) {
            type = objects.get(name);
        }
        if (type == null && mutation) {
            type = mutationType(name);
        }
        return type == null ? null : CelType.type(type);
    }

    /** Mutations build objects of types named after the path of the field, with any fields at all. */
    private static @Nullable CelType mutationType(String name) {
        if (name.equals(CelType.JSON_PATCH.typeName())) {
            return CelType.JSON_PATCH;
        }
        return name.equals(OBJECT) || name.startsWith(OBJECT + ".") ? CelType.object(name) : null;
    }

    /** Whether expressions can make objects of a type: those of schemas can only be given. */
    static boolean isMade(CelType.ObjectOf type) {
        return mutationType(type.name()) != null;
    }

    CelType.ObjectOf object(CelType.ObjectOf type) {
        return objects.getOrDefault(type.name(), type);
    }

    @Nullable
    CelType field(CelType.ObjectOf object, String field) {
        if (mutation && object.fields().isEmpty() && mutationType(object.name()) != null) {
            return CelType.DYN;
        }
        CelType type = object.fields().get(field);
        return type != null || !Identifiers.isReserved(field)
                ? type
                : object.fields().get("__" + field + "__");
    }
}
