package lavaflow.kube;

import java.util.Set;
import java.util.TreeMap;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * A built-in type as it stands in the schema of a custom kind: whole, since such schemas know no references, and in the words
 * in which controller-gen tells Go types. A pod template in a definition is a hundred kilobytes that nobody has to keep.
 */
public final class BuiltinSchema {
    private static final String METADATA = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

    /** What people may say of an object that is to be made; the rest is for servers. */
    private static final Set<String> OWN_METADATA = Set.of("annotations", "finalizers", "labels", "name", "namespace");

    /** Where Go names a constant instead of its value, which controller-gen leaves out. */
    private static final Set<String> DEFAULTS_BY_REFERENCE =
            Set.of("AzureDiskVolumeSource.cachingMode", "AzureDiskVolumeSource.kind");

    private static final String QUANTITY =
            "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$";

    private final BuiltinTypes types;

    private BuiltinSchema(BuiltinTypes types) {
        this.types = types;
    }

    /** The schema of a struct of the built-in kinds, such as {@code io.k8s.api.core.v1.PodTemplateSpec}. */
    public static ObjectNode of(String struct) {
        return new BuiltinSchema(BuiltinTypes.instance()).struct(struct);
    }

    /** Another one whenever a schema may be another one than before. */
    public static int fingerprint() {
        return BuiltinTypes.instance().fingerprint();
    }

    private ObjectNode struct(String name) {
        Struct shape = types.struct(name);
        boolean metadata = name.equals(METADATA);
        ObjectNode schema = Json.object().put("type", "object");
        ObjectNode properties = Json.object();
        ArrayNode required = Json.array();
        for (Struct.Field field : new TreeMap<>(shape.fields()).values()) {
            if (metadata && !OWN_METADATA.contains(field.name())) {
                continue;
            }
            properties.set(field.name(), metadata ? schema(field.type()) : property(shape, field));
            if (field.required()) {
                required.add(field.name());
            }
        }
        if (!properties.isEmpty()) {
            schema.set("properties", properties);
        }
        if (!required.isEmpty()) {
            schema.set("required", required);
        }
        if (shape.atomic() || takesInAtomic(shape)) {
            schema.put("x-kubernetes-map-type", "atomic");
        }
        return schema;
    }

    /** Whether Go writes the fields of an atomic struct into this one, which makes it atomic to controller-gen. */
    private boolean takesInAtomic(Struct shape) {
        String home = shape.name().substring(0, shape.name().lastIndexOf('.') + 1);
        for (Struct.Field field : shape.fields().values()) {
            String path = shape.goPath(field);
            int end = path.indexOf('.');
            String taken = home + path.substring(0, Math.max(end, 0));
            if (end > 0 && types.knows(taken) && types.struct(taken).atomic()) {
                return true;
            }
        }
        return false;
    }

    private ObjectNode property(Struct shape, Struct.Field field) {
        ObjectNode schema = schema(field.type());
        JsonNode usual = field.defaultValue();
        // Go's zero of a field that has to be there is no default that anybody wrote.
        if (usual != null
                && !field.required()
                && !DEFAULTS_BY_REFERENCE.contains(shape.goName() + "." + field.name())) {
            schema.set("default", usual.deepCopy());
        }
        if (field.type() instanceof Type.ListOf) {
            switch (field.listKind()) {
                case ATOMIC -> schema.put("x-kubernetes-list-type", "atomic");
                case SET -> schema.put("x-kubernetes-list-type", "set");
                case MAP -> {
                    ArrayNode keys = schema.putArray("x-kubernetes-list-map-keys");
                    field.listKeys().forEach(keys::add);
                    schema.put("x-kubernetes-list-type", "map");
                }
            }
        }
        if (field.atomicMap() && !(field.type() instanceof Type.ListOf)) {
            schema.put("x-kubernetes-map-type", "atomic");
        }
        return schema;
    }

    private ObjectNode schema(Type type) {
        return switch (type) {
            case Type.Scalar scalar -> scalar(scalar);
            case Type.Ref ref -> struct(ref.struct());
            case Type.ListOf list -> {
                ObjectNode schema = Json.object().put("type", "array");
                schema.set("items", schema(list.element()));
                yield schema;
            }
            case Type.MapOf map -> {
                ObjectNode schema = Json.object().put("type", "object");
                schema.set("additionalProperties", schema(map.value()));
                yield schema;
            }
            case Type.OneOf _ -> Json.object().put("x-kubernetes-preserve-unknown-fields", true);
        };
    }

    private static ObjectNode scalar(Type.Scalar scalar) {
        return switch (scalar) {
            case STRING, DURATION -> Json.object().put("type", "string");
            case BOOL -> Json.object().put("type", "boolean");
            case INT32 -> Json.object().put("type", "integer").put("format", "int32");
            case INT64 -> Json.object().put("type", "integer").put("format", "int64");
            case FLOAT64 -> Json.object().put("type", "number");
            case BYTES -> Json.object().put("type", "string").put("format", "byte");
            case TIME, MICRO_TIME -> Json.object().put("type", "string").put("format", "date-time");
            case QUANTITY -> numberOrText().put("pattern", QUANTITY);
            case INT_OR_STRING -> numberOrText();
            case RAW, FIELDS_V1 ->
                Json.object().put("type", "object").put("x-kubernetes-preserve-unknown-fields", true);
        };
    }

    private static ObjectNode numberOrText() {
        ObjectNode schema = Json.object();
        schema.putArray("anyOf")
                .add(Json.object().put("type", "integer"))
                .add(Json.object().put("type", "string"));
        return schema.put("x-kubernetes-int-or-string", true);
    }
}
