package lavaflow.kinds;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;

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
    private static final int MOST_SELECTABLE = 8;

    private final ObjectNode spec;
    private final List<ObjectNode> versions;
    private final Set<String> shared = new HashSet<>();

    DefinitionVersions(ObjectNode spec) {
        this.spec = spec;
        this.versions = Nodes.objects(spec, "versions");
        for (String field : SHAREABLE) {
            JsonNode first = versions.isEmpty() ? null : Json.at(versions.getFirst(), field);
            if (first != null && versions.stream().allMatch(version -> first.equals(Json.at(version, field)))) {
                shared.add(field);
            }
        }
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
            boolean status = Nodes.has(version, "subresources", "status");
            ObjectNode schema = Json.objectAt(version, "schema", "openAPIV3Schema");
            if (schema != null) {
                DefinitionSchema.validate(schema, status, schemaPath.child("openAPIV3Schema"), errors);
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
            selectableFields(version, path.child("selectableFields"), errors);
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

    private static void selectableFields(ObjectNode version, FieldPath path, FieldErrors errors) {
        Set<String> seen = new HashSet<>();
        List<ObjectNode> fields = Nodes.objects(version, "selectableFields");
        for (int i = 0; i < fields.size(); i++) {
            String jsonPath = Json.textAt(fields.get(i), "jsonPath");
            FieldPath place = path.index(i).child("jsonPath");
            if (jsonPath.isEmpty()) {
                errors.required(place);
            } else if (jsonPath.startsWith(".metadata.")) {
                errors.invalid(place, jsonPath, "must not point to fields in metadata");
            } else if (!seen.add(jsonPath)) {
                errors.duplicate(place, jsonPath);
            }
        }
        if (seen.size() > MOST_SELECTABLE) {
            errors.tooMany(path, seen.size(), MOST_SELECTABLE);
        }
    }
}
