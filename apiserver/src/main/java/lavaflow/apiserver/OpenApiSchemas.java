package lavaflow.apiserver;

import java.util.TreeMap;

import lavaflow.kube.BuiltinTypes;
import lavaflow.kube.GroupVersionKind;
import lavaflow.kube.Json;
import lavaflow.kube.KindInfo;
import lavaflow.kube.Struct;
import lavaflow.kube.Type;
import lavaflow.kube.Types;
import lavaflow.schema.SchemaOpenApi;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** The schemas of one OpenAPI document: structs and everything they refer to. */
final class OpenApiSchemas {
    private static final String META = "io.k8s.apimachinery.pkg.apis.meta.v1.";
    private static final String DEFINITIONS = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.";

    private final OpenApiDocument.Dialect dialect;
    private final TreeMap<String, ObjectNode> schemas = new TreeMap<>();

    OpenApiSchemas(OpenApiDocument.Dialect dialect) {
        this.dialect = dialect;
    }

    ObjectNode all() {
        ObjectNode all = Json.object();
        schemas.forEach(all::set);
        return all;
    }

    /** Adds a struct that is a kind of its own. */
    void addKind(Types types, String struct, String group, String version, String kind) {
        add(types, struct);
        ObjectNode schema = schemas.get(struct);
        if (schema == null) {
            return;
        }
        ArrayNode kinds = schema.get("x-kubernetes-group-version-kind") instanceof ArrayNode present
                ? present
                : schema.putArray("x-kubernetes-group-version-kind");
        ObjectNode entry = Json.object();
        entry.put("group", group).put("kind", kind).put("version", version);
        for (var known : kinds) {
            if (known.equals(entry)) {
                return;
            }
        }
        kinds.add(entry);
    }

    /**
     * Adds a custom kind and its list.
     *
     * @param info the kind under its published name
     * @return the name of the list
     */
    String addCustom(CustomVersion custom, KindInfo info) {
        GroupVersionKind kind = custom.type();
        JsonNode schema = custom.publishedSchema();
        schemas.put(
                info.struct(),
                dialect == OpenApiDocument.Dialect.V2
                        ? SchemaOpenApi.v2(schema, kind)
                        : SchemaOpenApi.v3(schema, kind));
        String list = SchemaOpenApi.name(new GroupVersionKind(kind.group(), kind.version(), info.listKind()));
        schemas.put(list, SchemaOpenApi.list(kind, info.listKind(), info.struct(), dialect.reference("")));
        add(BuiltinTypes.instance(), META + "ObjectMeta");
        add(BuiltinTypes.instance(), META + "ListMeta");
        return list;
    }

    /** Adds the list kind of a resource. */
    void addList(KindInfo info) {
        if (info.listKind().isEmpty()) {
            return;
        }
        ObjectNode schema = Json.object();
        schema.put("type", "object");
        schema.putArray("required").add("items");
        ObjectNode properties = schema.putObject("properties");
        properties.putObject("apiVersion").put("type", "string");
        ObjectNode items = properties.putObject("items");
        items.put("type", "array");
        items.putObject("items").put("$ref", dialect.reference(info.struct()));
        properties.putObject("kind").put("type", "string");
        properties.putObject("metadata").put("$ref", dialect.reference(META + "ListMeta"));
        schema.putArray("x-kubernetes-group-version-kind")
                .addObject()
                .put("group", info.group())
                .put("kind", info.listKind())
                .put("version", info.version());
        schemas.put(info.struct() + "List", schema);
        add(BuiltinTypes.instance(), META + "ListMeta");
    }

    /** Adds a struct and what it refers to, once. */
    void add(Types types, String struct) {
        if (schemas.containsKey(struct)) {
            return;
        }
        ObjectNode schema = Json.object();
        schemas.put(struct, schema);
        schema.put("type", "object");
        if (struct.equals(META + "Patch") || !known(types, struct)) {
            return;
        }
        Struct shape = types.struct(struct);
        ArrayNode required = Json.array();
        ObjectNode properties = Json.object();
        for (Struct.Field field : new TreeMap<>(shape.fields()).values()) {
            ObjectNode property = property(types, field);
            properties.set(
                    field.name(), struct.equals(META + "ObjectMeta") ? described(field.name(), property) : property);
            if (field.required()) {
                required.add(field.name());
            }
        }
        if (!required.isEmpty()) {
            schema.set("required", required);
        }
        if (!properties.isEmpty()) {
            schema.set("properties", properties);
        }
        if (shape.atomic()) {
            schema.put("x-kubernetes-map-type", "atomic");
        }
        if (shape.open()) {
            schema.put("x-kubernetes-preserve-unknown-fields", true);
        }
    }

    private ObjectNode described(String field, ObjectNode property) {
        String words = MetadataWords.of(field);
        if (words == null) {
            return property;
        }
        ObjectNode described = property;
        if (property.has("$ref") && dialect == OpenApiDocument.Dialect.V3) {
            described = Json.object();
            described.putArray("allOf").add(property);
        }
        return described.put("description", words);
    }

    private static boolean known(Types types, String struct) {
        return !(types instanceof BuiltinTypes builtin) || builtin.knows(struct);
    }

    private ObjectNode property(Types types, Struct.Field field) {
        ObjectNode schema = schema(types, field.type());
        if (dialect == OpenApiDocument.Dialect.V3 && field.defaultValue() != null) {
            if (schema.has("$ref")) {
                ObjectNode wrapped = Json.object();
                wrapped.putArray("allOf").add(schema);
                schema = wrapped;
            }
            schema.set("default", field.defaultValue().deepCopy());
        }
        if (field.type() instanceof Type.ListOf) {
            if (field.patchMergeKey() != null) {
                schema.put("x-kubernetes-patch-merge-key", field.patchMergeKey());
            }
            if (field.patchMerge() || field.patchRetainKeys()) {
                String strategy =
                        field.patchMerge() ? field.patchRetainKeys() ? "merge,retainKeys" : "merge" : "retainKeys";
                schema.put("x-kubernetes-patch-strategy", strategy);
            }
            switch (field.listKind()) {
                case ATOMIC -> schema.put("x-kubernetes-list-type", "atomic");
                case SET -> schema.put("x-kubernetes-list-type", "set");
                case MAP -> {
                    schema.put("x-kubernetes-list-type", "map");
                    ArrayNode keys = schema.putArray("x-kubernetes-list-map-keys");
                    field.listKeys().forEach(keys::add);
                }
            }
        } else if (field.patchRetainKeys()) {
            schema.put("x-kubernetes-patch-strategy", "retainKeys");
        }
        if (field.atomicMap() && field.type() instanceof Type.MapOf) {
            schema.put("x-kubernetes-map-type", "atomic");
        }
        return schema;
    }

    private ObjectNode schema(Types types, Type type) {
        return switch (type) {
            case Type.Scalar scalar -> scalar(scalar);
            case Type.Ref ref -> {
                add(types, ref.struct());
                yield reference(ref.struct());
            }
            case Type.ListOf list -> {
                ObjectNode schema = Json.object().put("type", "array");
                schema.set("items", schema(types, list.element()));
                yield schema;
            }
            case Type.MapOf map -> {
                ObjectNode schema = Json.object().put("type", "object");
                schema.set("additionalProperties", schema(types, map.value()));
                yield schema;
            }
            case Type.OneOf choice -> anything(choice.goName());
        };
    }

    private ObjectNode reference(String name) {
        return Json.object().put("$ref", dialect.reference(name));
    }

    private ObjectNode scalar(Type.Scalar scalar) {
        return switch (scalar) {
            case STRING -> Json.object().put("type", "string");
            case BOOL -> Json.object().put("type", "boolean");
            case INT32 -> Json.object().put("type", "integer").put("format", "int32");
            case INT64 -> Json.object().put("type", "integer").put("format", "int64");
            case FLOAT64 -> Json.object().put("type", "number").put("format", "double");
            case BYTES -> Json.object().put("type", "string").put("format", "byte");
            case QUANTITY -> either("io.k8s.apimachinery.pkg.api.resource.Quantity", "", "string", "number");
            case TIME -> named(META + "Time", "string", "date-time");
            case MICRO_TIME -> named(META + "MicroTime", "string", "date-time");
            case DURATION -> named(META + "Duration", "string", "");
            case INT_OR_STRING ->
                either("io.k8s.apimachinery.pkg.util.intstr.IntOrString", "int-or-string", "integer", "string");
            case RAW -> named("io.k8s.apimachinery.pkg.runtime.RawExtension", "object", "");
            case FIELDS_V1 -> named(META + "FieldsV1", "object", "");
        };
    }

    /** Values of several forms; version 2 has no word for that and calls them strings. */
    private ObjectNode either(String name, String format, String... types) {
        if (dialect == OpenApiDocument.Dialect.V3 && !schemas.containsKey(name)) {
            ObjectNode schema = Json.object();
            ArrayNode forms = schema.putArray("oneOf");
            for (String type : types) {
                forms.addObject().put("type", type);
            }
            if (!format.isEmpty()) {
                schema.put("format", format);
            }
            schemas.put(name, schema);
        }
        return named(name, "string", format);
    }

    /** A schema that says nothing but its name, which is what kubectl shows. */
    private ObjectNode anything(String goName) {
        String name = DEFINITIONS + goName;
        schemas.putIfAbsent(name, Json.object());
        return reference(name);
    }

    private ObjectNode named(String name, String type, String format) {
        if (!schemas.containsKey(name)) {
            ObjectNode schema = Json.object().put("type", type);
            if (!format.isEmpty()) {
                schema.put("format", format);
            }
            schemas.put(name, schema);
        }
        return reference(name);
    }
}
