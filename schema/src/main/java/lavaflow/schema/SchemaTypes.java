package lavaflow.schema;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import lavaflow.kube.BuiltinTypes;
import lavaflow.kube.Struct;
import lavaflow.kube.Type;
import lavaflow.kube.Types;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * The types of a custom kind, made of its schema, so that server-side apply and field ownership work on its objects.
 *
 * <p>Structs are made when first asked for and named after their place. Every field is a pointer that is left out when absent:
 * custom objects have nothing that was not written.
 */
public final class SchemaTypes implements Types {
    private static final String METADATA = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

    /** @param open members that no schema describes are content of any kind, here or above */
    private record Place(StructuralSchema schema, boolean open) {}

    private final String root;
    private final Map<String, Place> places = new ConcurrentHashMap<>();
    private final Map<String, Struct> structs = new ConcurrentHashMap<>();

    /** @param root the name of the struct of the whole object */
    public SchemaTypes(StructuralSchema schema, String root) {
        this.root = root;
        places.put(root, new Place(schema.embedded(), schema.preservesUnknown()));
    }

    /** The name of the struct of the whole object. */
    public String root() {
        return root;
    }

    @Override
    public Struct struct(String name) {
        Struct known = structs.get(name);
        if (known != null) {
            return known;
        }
        Place place = places.get(name);
        if (place == null) {
            return BuiltinTypes.instance().struct(name);
        }
        Struct made = make(name, place);
        structs.put(name, made);
        return made;
    }

    private Struct make(String name, Place place) {
        StructuralSchema schema = place.schema;
        List<Struct.Field> fields = new ArrayList<>(schema.size() + 3);
        if (schema.isEmbedded()) {
            fields.add(field("apiVersion", Type.Scalar.STRING, StructuralSchema.Shape.NONE, null));
            fields.add(field("kind", Type.Scalar.STRING, StructuralSchema.Shape.NONE, null));
            fields.add(field("metadata", new Type.Ref(METADATA), StructuralSchema.Shape.NONE, null));
        }
        for (int i = 0; i < schema.size(); i++) {
            StructuralSchema property = schema.property(i);
            if (!schema.isEmbedded() || !Pruning.isOfEveryObject(schema.name(i))) {
                Type type = type(property, name + "." + schema.name(i), place.open);
                fields.add(field(schema.name(i), type, property.shape(), property.defaultValue()));
            }
        }
        boolean atomic = schema.shape().mapType().equals("atomic");
        boolean open = place.open || schema.allowsAdditional();
        return new Struct(name, name.substring(name.lastIndexOf('.') + 1), fields, atomic, open);
    }

    private static Struct.Field field(
            String name, Type type, StructuralSchema.Shape shape, @Nullable JsonNode defaultValue) {
        Struct.ListKind kind = switch (shape.listType()) {
            case "set" -> Struct.ListKind.SET;
            case "map" -> Struct.ListKind.MAP;
            default -> Struct.ListKind.ATOMIC;
        };
        return new Struct.Field(
                name,
                type,
                0,
                List.of(),
                true,
                true,
                false,
                false,
                false,
                false,
                null,
                kind,
                shape.listMapKeys(),
                shape.mapType().equals("atomic"),
                defaultValue);
    }

    private Type type(@Nullable StructuralSchema schema, String name, boolean openAbove) {
        if (schema == null) {
            return Type.OneOf.ANY;
        }
        if (schema.isIntOrString()) {
            return Type.Scalar.INT_OR_STRING;
        }
        boolean open = openAbove || schema.preservesUnknown();
        return switch (schema.type()) {
            case "object" -> object(schema, name, open);
            case "array" -> new Type.ListOf(type(schema.items(), name + "[]", open), meaning(schema));
            case "boolean" -> Type.Scalar.BOOL;
            case "integer", "number" -> Type.Scalar.FLOAT64;
            case "string" -> text(schema.rules().format());
            default -> schema.size() == 0 ? Type.OneOf.ANY : object(schema, name, open);
        };
    }

    /** How a list or map is owned where no field holds it; most are owned as such things are by default. */
    private static Struct.@Nullable Field meaning(StructuralSchema schema) {
        return schema.shape().equals(StructuralSchema.Shape.NONE)
                ? null
                : field("", Type.OneOf.ANY, schema.shape(), schema.defaultValue());
    }

    /** Text of a format may be written as another scalar, as far as apply is concerned. */
    private static Type text(String format) {
        return format.isEmpty() || format.equals("byte") ? Type.Scalar.STRING : Type.Scalar.INT_OR_STRING;
    }

    private Type object(StructuralSchema schema, String name, boolean open) {
        StructuralSchema values = schema.additional();
        if (values != null && schema.size() == 0 && !schema.isEmbedded()) {
            return new Type.MapOf(type(values, name + "{}", open), meaning(schema));
        }
        places.putIfAbsent(name, new Place(schema, open));
        return new Type.Ref(name);
    }
}
