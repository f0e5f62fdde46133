package lavaflow.kube;

import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Merges a part of an object into the object as server-side apply does, but for nobody: no owner is noted. */
public final class ConfigurationMerge {
    private final ApplySchema schema;
    private final Type root;

    public ConfigurationMerge(Types types, String structName) {
        this.schema = new ApplySchema(types);
        this.root = new Type.Ref(structName);
    }

    /** The merged object; the arguments may share nodes with it. */
    public ObjectNode merge(ObjectNode object, ObjectNode part) {
        return new ApplyMerge(schema).merged(root, object, part);
    }

    /** What of a part does not fit the schema, as one message; null if all is well. */
    public @Nullable String problem(ObjectNode part) {
        return AppliedCheck.problem(schema, root, part);
    }

    /** Where a part has lists, maps or objects that could only be replaced as a whole; null where it has none. */
    public @Nullable String atomicPlace(ObjectNode part) {
        return atomicPlace(root, null, part, "");
    }

    private @Nullable String atomicPlace(
            @Nullable Type type, Struct.@Nullable Field field, JsonNode value, String path) {
        return switch (schema.shape(type, field, value, value)) {
            case LEAF -> value.isContainerNode() ? path : null;
            case OBJECT -> value instanceof ObjectNode object ? members(type, object, path) : null;
            case LIST -> value instanceof ArrayNode list ? elements(type, list, path) : null;
        };
    }

    private @Nullable String members(@Nullable Type type, ObjectNode object, String path) {
        Struct struct = schema.struct(type);
        for (Map.Entry<String, JsonNode> entry : object.properties()) {
            Struct.Field field = struct == null ? null : struct.field(entry.getKey());
            Type member = field == null ? ApplySchema.element(type) : field.type();
            String found = atomicPlace(member, field, entry.getValue(), path + "." + entry.getKey());
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private @Nullable String elements(@Nullable Type type, ArrayNode list, String path) {
        for (int i = 0; i < list.size(); i++) {
            String found = atomicPlace(ApplySchema.element(type), null, list.get(i), path + "[" + i + "]");
            if (found != null) {
                return found;
            }
        }
        return null;
    }
}
