package lavaflow.schema;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.kube.GroupVersionKind;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Schemas of custom kinds as OpenAPI documents publish them. What every object has is described in words of our own. */
public final class SchemaOpenApi {
    /** Clients look for the first two words. */
    private static final String VERSION = "APIVersion defines the group and version in which this object is written.";

    private static final String METADATA =
            "Standard object's metadata: name, labels, owners and what else every object has.";
    private static final String KIND = "Kind is the type of this object, as the group and version call it.";

    private static final String META = "io.k8s.apimachinery.pkg.apis.meta.v1.";
    private static final String V3 = "#/components/schemas/";
    private static final String V2 = "#/definitions/";
    private static final String PRESERVES = "x-kubernetes-preserve-unknown-fields";
    private static final String EMBEDDED = "x-kubernetes-embedded-resource";
    private static final String INT_OR_STRING = "x-kubernetes-int-or-string";
    /** Words without meaning in a structural schema. */
    private static final Set<String> UNUSED = Set.of("$schema", "$ref", "id", "definitions", "patternProperties");

    private final boolean old;

    private SchemaOpenApi(boolean old) {
        this.old = old;
    }

    /** The schema of a kind for {@code components.schemas} of an OpenAPI 3 document. */
    public static ObjectNode v3(@Nullable JsonNode openAPIV3Schema, GroupVersionKind kind) {
        return new SchemaOpenApi(false).ofKind(openAPIV3Schema, kind);
    }

    /** The schema of a kind for {@code definitions} of an OpenAPI 2 document, which can say less. */
    public static ObjectNode v2(@Nullable JsonNode openAPIV3Schema, GroupVersionKind kind) {
        return new SchemaOpenApi(true).ofKind(openAPIV3Schema, kind);
    }

    /** The schema of the list of a kind; {@code prefix} is {@code #/components/schemas/} or {@code #/definitions/}. */
    public static ObjectNode list(GroupVersionKind kind, String listKind, String itemName, String prefix) {
        boolean old = prefix.equals(V2);
        ObjectNode schema = Json.object();
        schema.put("description", listKind + " is a list of " + kind.kind());
        schema.put("type", "object").putArray("required").add("items");
        ObjectNode properties = schema.putObject("properties");
        properties.set("apiVersion", text(VERSION));
        properties.putObject("items").put("type", "array").putObject("items").put("$ref", prefix + itemName);
        properties.set("kind", text(KIND));
        properties.set("metadata", reference("ListMeta", old));
        mark(schema, new GroupVersionKind(kind.group(), kind.version(), listKind));
        return schema;
    }

    /** The name of a kind's schema: the group backwards, then version and kind: {@code com.example.v1.Foo}. */
    public static String name(GroupVersionKind kind) {
        List<String> parts = Arrays.asList(kind.group().split("\\.", -1));
        Collections.reverse(parts);
        return String.join(".", parts) + "." + kind.version() + "." + kind.kind();
    }

    /** Tells which fields selectors may use, on the schema of a kind or of its list. */
    public static void addSelectableFields(ObjectNode schema, JsonNode version) {
        ArrayNode fields = Json.listAt(version, "selectableFields");
        if (fields.isEmpty()) {
            return;
        }
        ArrayNode published = schema.putArray("x-kubernetes-selectable-fields");
        for (JsonNode field : fields) {
            String path = Json.textAt(field, "jsonPath");
            published.addObject().put("fieldPath", path.startsWith(".") ? path.substring(1) : path);
        }
    }

    private static void mark(ObjectNode schema, GroupVersionKind kind) {
        schema.putArray("x-kubernetes-group-version-kind")
                .addObject()
                .put("group", kind.group())
                .put("kind", kind.kind())
                .put("version", kind.version());
    }

    /** In the newer form a description may not stand beside a reference, so that references are always wrapped. */
    private static ObjectNode reference(String type, boolean old) {
        ObjectNode reference = Json.object().put("$ref", (old ? V2 : V3) + META + type);
        if (old) {
            return reference;
        }
        ObjectNode wrapped = Json.object();
        wrapped.putArray("allOf").add(reference);
        return wrapped;
    }

    private ObjectNode ofKind(@Nullable JsonNode props, GroupVersionKind kind) {
        ObjectNode schema;
        if (!(props instanceof ObjectNode object) || (old && Json.flagAt(object, PRESERVES))) {
            schema = Json.object().put("type", "object");
        } else {
            schema = node(object);
            addMeta(schema);
        }
        mark(schema, kind);
        return schema;
    }

    private static ObjectNode text(String description) {
        return Json.object().put("description", description).put("type", "string");
    }

    private void addMeta(ObjectNode schema) {
        ObjectNode properties = Json.ensureObject(schema, "properties");
        properties.set("apiVersion", text(VERSION));
        properties.set("kind", text(KIND));
        properties.set("metadata", reference("ObjectMeta", old).put("description", METADATA));
    }

    private ObjectNode node(ObjectNode props) {
        ObjectNode schema = Json.object();
        boolean nullable = Json.flagAt(props, "nullable");
        boolean preserves = Json.flagAt(props, PRESERVES);
        boolean withoutParts = old && (nullable || preserves);
        for (Map.Entry<String, JsonNode> entry : props.properties()) {
            String word = entry.getKey();
            JsonNode value = entry.getValue();
            boolean part = word.equals("properties") || word.equals("items");
            boolean said = !value.isNull()
                    && !value.equals(BooleanNode.FALSE)
                    && !UNUSED.contains(word)
                    && !(part && withoutParts);
            if (said || (word.equals("additionalProperties") && value.isBoolean())) {
                word(schema, word, value);
            }
        }
        if (old) {
            adapt(schema, props, nullable, preserves);
        } else if (Json.flagAt(props, INT_OR_STRING)) {
            unfold(schema);
        }
        if (Json.flagAt(props, EMBEDDED) && !(old && preserves)) {
            addMeta(schema);
            requireType(schema);
        }
        return schema;
    }

    private void word(ObjectNode schema, String word, JsonNode value) {
        switch (word) {
            case "properties" -> {
                ObjectNode properties = schema.putObject("properties");
                value.properties().forEach(entry -> properties.set(entry.getKey(), part(entry.getValue())));
            }
            case "items", "additionalProperties" -> schema.set(word, part(value));
            case "allOf", "anyOf", "oneOf" -> {
                if (!old) {
                    ArrayNode choices = schema.putArray(word);
                    value.forEach(choice -> choices.add(choice(choice)));
                }
            }
            case "not" -> {
                if (!old) {
                    schema.set("not", choice(value));
                }
            }
            default -> schema.set(word, value.deepCopy());
        }
    }

    private JsonNode part(JsonNode value) {
        return value instanceof ObjectNode object ? node(object) : value;
    }

    /** Schemas that only judge values are kept as they are. */
    private static JsonNode choice(JsonNode value) {
        JsonNode copy = value.deepCopy();
        if (copy instanceof ObjectNode object) {
            object.remove("additionalProperties");
        }
        return copy;
    }

    /** What kubectl could not cope with in the older form. */
    private static void adapt(ObjectNode schema, ObjectNode props, boolean nullable, boolean preserves) {
        schema.remove(List.of("nullable", "default"));
        String type = Json.textAt(props, "type");
        boolean listOfAnything = type.equals("array") && schema.get("items") == null;
        if (nullable || listOfAnything || (preserves && type.equals("object"))) {
            schema.remove("type");
        }
        ArrayNode required = Json.array();
        for (JsonNode name : Json.listAt(schema, "required")) {
            if (!Json.flagAt(props, "properties", name.asText(), "nullable")) {
                required.add(name);
            }
        }
        if (required.isEmpty() || Json.flagAt(props, "additionalProperties", "nullable")) {
            schema.remove("required");
        } else {
            schema.set("required", required);
        }
    }

    /** Says in words that everybody understands what integer-or-string means. */
    private static void unfold(ObjectNode schema) {
        ObjectNode either = Json.object();
        ArrayNode choices = either.putArray("anyOf");
        choices.addObject().put("type", "integer");
        choices.addObject().put("type", "string");
        JsonNode first = Json.listAt(schema, "allOf").get(0);
        if (choices.equals(schema.get("anyOf")) || either.equals(first)) {
            return;
        }
        if (!schema.has("anyOf")) {
            schema.set("anyOf", choices);
            return;
        }
        ArrayNode all = Json.array().add(either);
        Json.listAt(schema, "allOf").forEach(all::add);
        schema.set("allOf", all);
    }

    private static void requireType(ObjectNode schema) {
        ArrayNode required = Json.listAt(schema, "required").deepCopy();
        for (String name : new String[] {"kind", "apiVersion"}) {
            if (!StructuralSchema.texts(required).contains(name)) {
                required.add(name);
            }
        }
        schema.set("required", required);
    }
}
