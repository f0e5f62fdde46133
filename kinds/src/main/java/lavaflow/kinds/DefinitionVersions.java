package lavaflow.kinds;

import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;
import lavaflow.schema.SelectableFields;
import lavaflow.schema.StructuralRules;
import lavaflow.schema.StructuralSchema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** The versions of a custom kind: each by itself, then what they share. */
final class DefinitionVersions {
    private static final FieldPath SPEC = FieldPath.of("spec");
    private static final String[] SHAREABLE = {"schema", "subresources", "additionalPrinterColumns", "selectableFields"
    };
    private static final List<String> COLUMN_TYPES = List.of("boolean", "date", "integer", "number", "string");
    private static final List<String> COLUMN_FORMATS =
            List.of("byte", "date", "date-time", "double", "float", "int32", "int64", "password");

    private final ObjectNode spec;
    private final @Nullable JsonNode old;
    private final List<ObjectNode> versions;
    private final Set<String> shared = new HashSet<>();

    /** @param old the spec before, or null where there was none */
    DefinitionVersions(ObjectNode spec, @Nullable JsonNode old) {
        this.spec = spec;
        this.old = old;
        this.versions = Nodes.objects(spec, "versions");
        for (String field : SHAREABLE) {
            JsonNode first = versions.isEmpty() ? null : Json.at(versions.getFirst(), field);
            if (first != null && versions.stream().allMatch(version -> first.equals(Json.at(version, field)))) {
                shared.add(field);
            }
        }
    }

    /** Whether a schema fills in what is missing. */
    boolean haveDefaults() {
        return versions.stream().anyMatch(version -> hasDefault(Json.at(version, "schema", "openAPIV3Schema")));
    }

    private static boolean hasDefault(@Nullable JsonNode schema) {
        if (schema == null || !schema.isObject()) {
            return false;
        }
        if (Json.at(schema, "default") != null) {
            return true;
        }
        for (String word : List.of("items", "additionalProperties", "not")) {
            if (hasDefault(schema.get(word))) {
                return true;
            }
        }
        for (String word : List.of("properties", "allOf", "anyOf", "oneOf")) {
            for (JsonNode part : schema.path(word)) {
                if (hasDefault(part)) {
                    return true;
                }
            }
        }
        return false;
    }

    void validate(FieldErrors errors) {
        for (int i = 0; i < versions.size(); i++) {
            if (!Nodes.has(versions.get(i), "schema", "openAPIV3Schema")) {
                errors.required(SPEC.child("versions").index(i).child("schema", "openAPIV3Schema"));
            }
        }
        Set<String> names = new HashSet<>();
        int storages = 0;
        for (int i = 0; i < versions.size(); i++) {
            ObjectNode version = versions.get(i);
            FieldPath path = SPEC.child("versions").index(i);
            names.add(Json.textAt(version, "name"));
            storages += Json.flagAt(version, "storage") ? 1 : 0;
            name(Json.textAt(version, "name"), path.child("name"), errors);
            DefinitionValidation.deprecation(version, path, errors);
            parts(version, path, path.child("schema"), false, errors);
        }
        FieldPath path = SPEC.child("versions");
        if (names.size() < versions.size()) {
            errors.invalid(path, DefinitionValidation.shown(spec, shared), "must contain unique version names");
        }
        if (storages != 1) {
            errors.invalid(
                    path,
                    DefinitionValidation.shown(spec, shared),
                    "must have exactly one version marked as storage version");
        }
        if (!versions.isEmpty()) {
            name(Json.textAt(versions.getFirst(), "name"), SPEC.child("version"), errors);
        }
    }

    private static void name(String name, FieldPath path, FieldErrors errors) {
        List<String> wrong = Names.dns1035Label(name);
        if (!wrong.isEmpty()) {
            errors.invalid(path, name, String.join(",", wrong));
        }
    }

    void validateShared(FieldErrors errors) {
        if (!versions.isEmpty()) {
            parts(versions.getFirst(), SPEC, SPEC.child("validation"), true, errors);
        }
    }

    private void parts(ObjectNode version, FieldPath path, FieldPath schemaPath, boolean common, FieldErrors errors) {
        if (shared.contains("schema") == common) {
            boolean status = common
                    ? versions.stream().anyMatch(one -> Nodes.has(one, "subresources", "status"))
                    : Nodes.has(version, "subresources", "status");
            ObjectNode schema = Json.objectAt(version, "schema", "openAPIV3Schema");
            if (schema != null) {
                StructuralRules.check(schema, status, isUnchanged(version), schemaPath, errors);
            }
        }
        if (shared.contains("subresources") == common) {
            scale(Json.at(version, "subresources", "scale"), path.child("subresources"), errors);
        }
        if (shared.contains("additionalPrinterColumns") == common) {
            List<ObjectNode> columns = Nodes.objects(version, "additionalPrinterColumns");
            for (int i = 0; i < columns.size(); i++) {
                column(columns.get(i), path.child("additionalPrinterColumns").index(i), errors);
            }
        }
        if (shared.contains("selectableFields") == common) {
            SelectableFields.check(
                    Json.listAt(version, "selectableFields"),
                    StructuralSchema.parse(Json.at(version, "schema", "openAPIV3Schema")),
                    hadTooMany(version),
                    path.child("selectableFields"),
                    errors);
        }
    }

    private static void column(ObjectNode column, FieldPath path, FieldErrors errors) {
        FieldChecks.requireText(column, "name", path, errors);
        String type = Json.textAt(column, "type");
        String types = "must be one of " + String.join(",", COLUMN_TYPES);
        if (type.isEmpty()) {
            errors.required(path.child("type"), types);
        } else if (!COLUMN_TYPES.contains(type)) {
            errors.invalid(path.child("type"), type, types);
        }
        String format = Json.textAt(column, "format");
        if (!format.isEmpty() && !COLUMN_FORMATS.contains(format)) {
            errors.invalid(path.child("format"), format, "must be one of " + String.join(",", COLUMN_FORMATS));
        }
        String jsonPath = Json.textAt(column, "jsonPath");
        if (jsonPath.isEmpty()) {
            errors.required(path.child("JSONPath"));
        } else {
            simplePath(jsonPath, path.child("JSONPath"), errors);
        }
    }

    private static boolean simplePath(String jsonPath, FieldPath path, FieldErrors errors) {
        if (!jsonPath.startsWith(".")) {
            errors.invalid(path, jsonPath, "must be a simple json path starting with .");
            return false;
        }
        return true;
    }

    private static void scale(@Nullable JsonNode scale, FieldPath path, FieldErrors errors) {
        if (scale == null) {
            return;
        }
        replicas(scale, "specReplicasPath", ".spec", path, errors);
        replicas(scale, "statusReplicasPath", ".status", path, errors);
        String selector = Json.textAt(scale, "labelSelectorPath");
        FieldPath place = path.child("scale.labelSelectorPath");
        if (!selector.isEmpty()
                && simplePath(selector, place, errors)
                && !selector.startsWith(".spec.")
                && !selector.startsWith(".status.")) {
            errors.invalid(place, selector, "should be a json path under either .spec or .status");
        }
    }

    private static void replicas(JsonNode scale, String field, String root, FieldPath path, FieldErrors errors) {
        FieldPath place = path.child("scale." + field);
        String jsonPath = Json.textAt(scale, field);
        if (jsonPath.isEmpty()) {
            errors.required(place);
        } else if (simplePath(jsonPath, place, errors) && !jsonPath.startsWith(root + ".")) {
            errors.invalid(place, jsonPath, "should be a json path under " + root);
        }
    }

    /** Whether a version had the same schema before, so that the costs of its rules are known and accepted. */
    private boolean isUnchanged(ObjectNode version) {
        ObjectNode before = before(version);
        return before != null && Objects.equals(Json.at(version, "schema"), Json.at(before, "schema"));
    }

    private boolean hadTooMany(ObjectNode version) {
        ObjectNode before = before(version);
        return before != null
                && Json.listAt(before, "selectableFields").size() > SelectableFields.MOST
                && Objects.equals(Json.at(version, "selectableFields"), Json.at(before, "selectableFields"));
    }

    private @Nullable ObjectNode before(ObjectNode version) {
        for (ObjectNode one : Nodes.objects(old, "versions")) {
            if (Json.textAt(one, "name").equals(Json.textAt(version, "name"))) {
                return one;
            }
        }
        return null;
    }
}
