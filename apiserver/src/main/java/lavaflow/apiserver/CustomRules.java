package lavaflow.apiserver;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import lavaflow.kinds.KindRules;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.schema.JsonPath;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** The rules of a version of a custom kind: what its definition says. */
final class CustomRules implements KindRules {
    private static final Set<Trait> TRAITS =
            Set.of(Trait.GENERATION, Trait.NO_UNCONDITIONAL_UPDATE, Trait.FREE_FINALIZERS);

    private final CustomVersion version;
    private final Map<String, JsonPath> paths = new ConcurrentHashMap<>();

    CustomRules(CustomVersion version) {
        this.version = version;
    }

    private boolean hasStatus() {
        return version.description().hasStatus();
    }

    @Override
    public Set<Trait> traits() {
        return TRAITS;
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        version.complete(object);
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
        if (hasStatus()) {
            object.remove("status");
        }
    }

    @Override
    public void prepareForUpdate(ObjectNode object, ObjectNode old) {
        if (hasStatus()) {
            KindRules.keep(object, old, "status");
        }
    }

    /** Nothing but the status, and who owns what of it, can be changed there. */
    @Override
    public void prepareForStatusUpdate(ObjectNode object, ObjectNode old) {
        JsonNode status = object.get("status");
        JsonNode owners = Json.at(object, "metadata", "managedFields");
        object.removeAll();
        object.setAll(old.deepCopy());
        ObjectNode metadata = Metadata.of(object);
        metadata.remove("managedFields");
        if (owners != null) {
            metadata.set("managedFields", owners);
        }
        object.remove("status");
        if (status != null) {
            object.set("status", status);
        }
    }

    @Override
    public boolean specChanged(ObjectNode object, ObjectNode old) {
        return !counted(object).equals(counted(old));
    }

    private ObjectNode counted(ObjectNode object) {
        ObjectNode counted = Json.object();
        counted.setAll(object);
        counted.remove(List.of("metadata", "apiVersion", "kind"));
        if (hasStatus()) {
            counted.remove("status");
        }
        return counted;
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        version.validator().validateCreate(object, errors);
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        version.validator().validateUpdate(object, old, errors);
    }

    @Override
    public void validateStatusUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        version.validator().validateStatusUpdate(object, old, errors);
    }

    /** Checks that an object is of this kind; upstream looks at nothing else of one that is not. */
    void validateType(ObjectNode object, FieldErrors errors) {
        String kind = Json.textAt(object, "kind");
        if (!kind.equals(version.kind().names().kind())) {
            errors.invalid(
                    FieldPath.of("kind"),
                    kind,
                    "must be " + version.kind().names().kind());
        }
        String apiVersion = Json.textAt(object, "apiVersion");
        if (!apiVersion.equals(version.apiVersion())) {
            errors.invalid(FieldPath.of("apiVersion"), apiVersion, "must be " + version.apiVersion());
        }
    }

    @Override
    public List<String> warnings(ObjectNode object, @Nullable ObjectNode old) {
        List<String> warnings = new ArrayList<>();
        List<JsonNode> before = new ArrayList<>();
        Json.listAt(old, "metadata", "finalizers").forEach(before::add);
        for (JsonNode finalizer : Json.listAt(object, "metadata", "finalizers")) {
            String name = finalizer.asText();
            boolean known = name.contains("/") || name.equals("orphan") || name.equals("foregroundDeletion");
            if (!known && !before.contains(finalizer)) {
                warnings.add("metadata.finalizers: " + FieldErrors.quoted(name)
                        + ": prefer a domain-qualified finalizer name to avoid accidental conflicts with other"
                        + " finalizer writers");
            }
        }
        return warnings;
    }

    @Override
    public @Nullable String deprecation() {
        return version.kind().definition().deprecation(version.description());
    }

    /** Without the leading dot, as selectors name them. */
    @Override
    public Set<String> selectableFields() {
        Set<String> fields = new LinkedHashSet<>();
        version.description().selectableFields().forEach(path -> fields.add(path.substring(1)));
        return fields;
    }

    @Override
    public @Nullable String selectableField(ObjectNode object, String field) {
        List<JsonNode> found =
                paths.computeIfAbsent("." + field, JsonPath::parse).find(object);
        return found.isEmpty() ? null : found.getFirst().asText();
    }
}
