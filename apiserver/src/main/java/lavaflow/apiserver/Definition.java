package lavaflow.apiserver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import lavaflow.kube.Json;
import lavaflow.schema.ScalePaths;
import lavaflow.store.StoredObject;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * A CustomResourceDefinition without its schemas, which are nearly all of it and of no interest until somebody uses the
 * kind.
 *
 * @param revision of the store at which the definition was created
 * @param conversion {@code spec.conversion}
 * @param conditions {@code status.conditions}
 * @param approval the annotation that lets a group of the Kubernetes project be used, or null
 */
record Definition(
        String name,
        String uid,
        long generation,
        long revision,
        String group,
        boolean namespaced,
        Names requested,
        Names accepted,
        List<Version> versions,
        ObjectNode conversion,
        ArrayNode conditions,
        boolean deleting,
        List<String> finalizers,
        @Nullable String approval) {

    static final String BUCKET = "apiextensions.k8s.io/customresourcedefinitions";
    static final String CLEANUP = "customresourcecleanup.apiextensions.k8s.io";
    private static final String APPROVAL = "api-approved.kubernetes.io";

    /** Long, and nothing that concerns serving. */
    private static final Set<String> SKIPPED =
            Set.of("schema", "managedFields", "kubectl.kubernetes.io/last-applied-configuration");

    /** What a kind is called. */
    record Names(
            String plural,
            String singular,
            List<String> shortNames,
            String kind,
            String listKind,
            List<String> categories) {
        static Names of(@Nullable ObjectNode names) {
            return new Names(
                    Json.textAt(names, "plural"),
                    Json.textAt(names, "singular"),
                    texts(Json.listAt(names, "shortNames")),
                    Json.textAt(names, "kind"),
                    Json.textAt(names, "listKind"),
                    texts(Json.listAt(names, "categories")));
        }

        ObjectNode toJson() {
            ObjectNode json = Json.object();
            json.put("plural", plural);
            if (!singular.isEmpty()) {
                json.put("singular", singular);
            }
            if (!shortNames.isEmpty()) {
                shortNames.forEach(json.putArray("shortNames")::add);
            }
            json.put("kind", kind);
            if (!listKind.isEmpty()) {
                json.put("listKind", listKind);
            }
            if (!categories.isEmpty()) {
                categories.forEach(json.putArray("categories")::add);
            }
            return json;
        }
    }

    /**
     * One version.
     *
     * @param node the version as it stands in the definition, without its schema
     */
    record Version(
            String name,
            boolean served,
            boolean storage,
            boolean deprecated,
            boolean hasStatus,
            @Nullable ScalePaths scale,
            List<String> selectableFields,
            ObjectNode node) {

        private static Version of(ObjectNode node) {
            List<String> selectable = new ArrayList<>();
            for (JsonNode field : Json.listAt(node, "selectableFields")) {
                selectable.add(Json.textAt(field, "jsonPath"));
            }
            String name = Json.textAt(node, "name");
            return new Version(
                    name,
                    Json.flagAt(node, "served"),
                    Json.flagAt(node, "storage"),
                    Json.flagAt(node, "deprecated"),
                    Json.at(node, "subresources", "status") != null,
                    ScalePaths.of(node),
                    selectable,
                    node);
        }
    }

    static Definition read(StoredObject stored) {
        ObjectNode tree = withoutSchemas(stored.bytes());
        ObjectNode spec = Json.ensureObject(tree, "spec");
        String group = Json.textAt(spec, "group");
        Names requested = Names.of(Json.objectAt(spec, "names"));
        List<Version> versions = new ArrayList<>();
        for (JsonNode version : Json.listAt(spec, "versions")) {
            versions.add(Version.of((ObjectNode) version));
        }
        JsonNode approval = Json.at(tree, "metadata", "annotations", APPROVAL);
        return new Definition(
                Metadata.name(tree),
                Metadata.uid(tree),
                Metadata.generation(tree),
                stored.createRevision(),
                group,
                Json.textAt(spec, "scope").equals("Namespaced"),
                requested,
                Names.of(Json.objectAt(tree, "status", "acceptedNames")),
                List.copyOf(versions),
                Json.ensureObject(spec, "conversion"),
                Json.listAt(tree, "status", "conditions"),
                Metadata.isDeleting(tree),
                texts(Json.listAt(tree, "metadata", "finalizers")),
                approval == null ? null : approval.asText());
    }

    private static List<String> texts(ArrayNode list) {
        List<String> texts = new ArrayList<>(list.size());
        list.forEach(each -> texts.add(each.asText()));
        return List.copyOf(texts);
    }

    private static ObjectNode withoutSchemas(byte[] bytes) {
        try (JsonParser parser = Json.streaming().createParser(bytes)) {
            parser.nextToken();
            return (ObjectNode) value(parser);
        } catch (IOException e) {
            throw new UncheckedIOException("a stored definition does not parse", e);
        }
    }

    private static JsonNode value(JsonParser parser) throws IOException {
        if (parser.currentToken() == JsonToken.START_OBJECT) {
            ObjectNode object = Json.object();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String field = parser.currentName();
                parser.nextToken();
                if (SKIPPED.contains(field)) {
                    parser.skipChildren();
                } else {
                    object.set(field, value(parser));
                }
            }
            return object;
        }
        if (parser.currentToken() == JsonToken.START_ARRAY) {
            ArrayNode array = Json.array();
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                array.add(value(parser));
            }
            return array;
        }
        return Json.value(parser);
    }

    /** What to tell those who use a version; null for versions in good standing. */
    @Nullable
    String deprecation(Version version) {
        if (!version.deprecated()) {
            return null;
        }
        String own = Json.textAt(version.node(), "deprecationWarning");
        if (!own.isEmpty()) {
            return own;
        }
        String better = versions.stream()
                .filter(each -> each.served() && !each.deprecated())
                .map(Version::name)
                .filter(each -> VersionPreference.ORDER.compare(each, version.name()) < 0)
                .min(VersionPreference.ORDER)
                .map(each -> "; use " + group + "/" + each + " " + requested.kind())
                .orElse("");
        return group + "/" + version.name() + " " + requested.kind() + " is deprecated" + better;
    }

    /** The definition with another status. */
    Definition granted(Names names, ArrayNode newConditions) {
        return new Definition(
                name,
                uid,
                generation,
                revision,
                group,
                namespaced,
                requested,
                names,
                versions,
                conversion,
                newConditions,
                deleting,
                finalizers,
                approval);
    }

    /** Whether a condition has a status. */
    boolean has(String condition, String status) {
        for (JsonNode each : conditions) {
            if (Json.textAt(each, "type").equals(condition)) {
                return Json.textAt(each, "status").equals(status);
            }
        }
        return false;
    }

    boolean isEstablished() {
        return has("Established", "True");
    }

    boolean namesAccepted() {
        return has("NamesAccepted", "True");
    }
}
