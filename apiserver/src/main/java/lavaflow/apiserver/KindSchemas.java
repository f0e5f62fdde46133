package lavaflow.apiserver;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import lavaflow.kube.GroupVersionKind;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** The schema of one kind in one piece, as those see it who check something against it. */
public final class KindSchemas {
    private static final String REFERENCE = "$ref";

    private final Supplier<Catalogue> catalogue;

    public KindSchemas(Supplier<Catalogue> catalogue) {
        this.catalogue = catalogue;
    }

    /**
     * The kinds that a resource in a rule may mean, by plural or singular. As in upstream's mapping, the core group stands for any
     * group, because its name is empty.
     */
    public List<GroupVersionKind> kinds(String group, String version, String resource) {
        String name = resource.toLowerCase(Locale.ROOT);
        List<GroupVersionKind> kinds = new ArrayList<>();
        for (Resource each : catalogue.get().all()) {
            var info = each.info();
            boolean named = info.resource().equals(name) || info.singular().equals(name);
            if (named
                    && info.version().equals(version)
                    && (group.isEmpty() || info.group().equals(group))) {
                kinds.add(new GroupVersionKind(info.group(), info.version(), info.kind()));
            }
        }
        return kinds;
    }

    /** The schema, without references; null where the kind is not served. */
    public @Nullable ObjectNode find(GroupVersionKind kind) {
        for (Resource each : catalogue.get().all()) {
            var info = each.info();
            boolean same = info.group().equals(kind.group())
                    && info.version().equals(kind.version())
                    && info.kind().equals(kind.kind());
            if (same) {
                return schema(each);
            }
        }
        return null;
    }

    private static ObjectNode schema(Resource resource) {
        OpenApiSchemas schemas = new OpenApiSchemas(OpenApiDocument.Dialect.V3);
        var info = resource.info();
        CustomVersion custom = resource.custom();
        if (custom == null) {
            schemas.add(resource.types(), info.struct());
        } else {
            schemas.addCustom(custom, info);
        }
        ObjectNode all = schemas.all();
        return (ObjectNode) whole(all.get(info.struct()), all, new HashSet<>());
    }

    /** Puts what is referred to in the place of references; inside itself a schema is an object about which nothing is known. */
    private static JsonNode whole(JsonNode part, ObjectNode all, Set<String> within) {
        if (part instanceof ArrayNode list) {
            ArrayNode result = Json.array();
            list.forEach(each -> result.add(whole(each, all, within)));
            return result;
        }
        if (!(part instanceof ObjectNode schema)) {
            return part;
        }
        String reference = reference(schema);
        if (reference != null) {
            String name = reference.substring(reference.lastIndexOf('/') + 1);
            JsonNode target = all.get(name);
            if (target == null || !within.add(name)) {
                return Json.object().put("type", "object");
            }
            JsonNode result = whole(target, all, within);
            within.remove(name);
            return result;
        }
        ObjectNode result = Json.object();
        for (Map.Entry<String, JsonNode> entry : schema.properties()) {
            result.set(entry.getKey(), whole(entry.getValue(), all, within));
        }
        if (Json.textAt(result, "format").equals("int-or-string")) {
            result.put("x-kubernetes-int-or-string", true);
        }
        return result;
    }

    /** What a schema refers to, by itself or as the only part of {@code allOf}; null where it says something of its own. */
    private static @Nullable String reference(ObjectNode schema) {
        JsonNode only = schema;
        if (schema.get("allOf") instanceof ArrayNode parts && parts.size() == 1) {
            only = parts.get(0);
        }
        String reference = Json.textAt(only, REFERENCE);
        return reference.isEmpty() ? null : reference;
    }
}
