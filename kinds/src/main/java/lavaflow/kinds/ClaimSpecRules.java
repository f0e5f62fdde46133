package lavaflow.kinds;

import java.util.List;
import java.util.Objects;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelectorRules;
import lavaflow.kube.Names;
import lavaflow.kube.ObjectMetaRules;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** The spec of a claim on storage: in a PersistentVolumeClaim and in templates of such. */
final class ClaimSpecRules {
    private static final List<String> ACCESS_MODES =
            List.of("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod");
    private static final List<String> VOLUME_MODES = List.of("Block", "Filesystem");
    /** Everything in metadata but labels and annotations, in the order of upstream's struct. */
    private static final List<String> NOT_IN_TEMPLATES = List.of(
            "name",
            "generateName",
            "namespace",
            "selfLink",
            "uid",
            "resourceVersion",
            "generation",
            "creationTimestamp",
            "deletionTimestamp",
            "deletionGracePeriodSeconds",
            "ownerReferences",
            "finalizers",
            "managedFields");

    private ClaimSpecRules() {}

    /** A claim inside a pod: only labels and annotations of its metadata count. */
    static void template(ObjectNode template, FieldPath path, FieldErrors errors) {
        ObjectNode metadata = Json.ensureObject(template, "metadata");
        FieldPath place = path.child("metadata");
        ObjectMetaRules.annotations(metadata.get("annotations"), place.child("annotations"), errors);
        ObjectMetaRules.labels(metadata.get("labels"), place.child("labels"), errors);
        for (String field : NOT_IN_TEMPLATES) {
            if (Nodes.has(metadata, field)) {
                errors.forbidden(place.child(field.equals("uid") ? "uID" : field), "cannot be set");
            }
        }
        spec(Json.ensureObject(template, "spec"), path.child("spec"), errors);
    }

    static void spec(ObjectNode spec, FieldPath path, FieldErrors errors) {
        List<String> modes = Nodes.strings(spec, "accessModes");
        if (modes.isEmpty()) {
            errors.required(path.child("accessModes"), "at least 1 access mode is required");
        }
        LabelSelectorRules.check(Json.at(spec, "selector"), path.child("selector"), errors);
        accessModes(modes, path.child("accessModes"), errors);
        storage(spec, path.child("resources").key("storage"), errors);
        FieldChecks.optionalSubdomain(spec, "storageClassName", path, errors);
        FieldChecks.optionalOneOf(spec, "volumeMode", VOLUME_MODES, path, errors);
        dataSources(spec, path, errors);
        FieldChecks.optionalSubdomain(spec, "volumeAttributesClassName", path, errors);
    }

    private static void accessModes(List<String> modes, FieldPath path, FieldErrors errors) {
        for (String mode : modes) {
            if (!ACCESS_MODES.contains(mode)) {
                errors.notSupported(path, mode, ACCESS_MODES);
            }
        }
        boolean others = modes.stream().anyMatch(mode -> ACCESS_MODES.contains(mode) && !mode.endsWith("OncePod"));
        if (modes.contains("ReadWriteOncePod") && others) {
            errors.forbidden(path, "may not use ReadWriteOncePod with other access modes");
        }
    }

    private static void storage(ObjectNode spec, FieldPath path, FieldErrors errors) {
        if (!Nodes.has(spec, "resources", "requests", "storage")) {
            errors.required(path);
            return;
        }
        Quantity amount = Quantity.at(Json.at(spec, "resources", "requests"), "storage");
        if (amount.signum() <= 0) {
            errors.invalid(path, amount.toString(), FieldChecks.POSITIVE);
        }
    }

    private static void dataSources(ObjectNode spec, FieldPath path, FieldErrors errors) {
        ObjectNode source = Json.objectAt(spec, "dataSource");
        ObjectNode reference = Json.objectAt(spec, "dataSourceRef");
        if (source != null) {
            dataSource(source, path.child("dataSource"), errors);
        }
        if (reference != null) {
            dataSource(reference, path.child("dataSourceRef"), errors);
            String namespace = Json.textAt(reference, "namespace");
            if (!namespace.isEmpty()) {
                FieldChecks.invalid(
                        path.child("dataSourceRef", "namespace"), namespace, Names.dns1123Label(namespace), errors);
            }
        }
        if (source == null || reference == null) {
            return;
        }
        boolean elsewhere = !Json.textAt(reference, "namespace").isEmpty();
        boolean same = Objects.equals(source.get("apiGroup"), reference.get("apiGroup"))
                && Json.textAt(source, "kind").equals(Json.textAt(reference, "kind"))
                && Json.textAt(source, "name").equals(Json.textAt(reference, "name"));
        if (elsewhere || !same) {
            // Upstream means to print the path and prints an empty object.
            errors.invalid(
                    path,
                    Json.object(),
                    elsewhere
                            ? "may not be specified when dataSourceRef.namespace is specified"
                            : "must match dataSourceRef");
        }
    }

    private static void dataSource(ObjectNode source, FieldPath path, FieldErrors errors) {
        FieldChecks.requireText(source, "name", path, errors);
        FieldChecks.requireText(source, "kind", path, errors);
        String kind = Json.textAt(source, "kind");
        String group = Json.textAt(source, "apiGroup");
        if (group.isEmpty() && !kind.equals("PersistentVolumeClaim")) {
            errors.invalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
        }
        if (!group.isEmpty()) {
            FieldChecks.invalid(path.child("apiGroup"), group, Names.dns1123Subdomain(group), errors);
        }
    }
}
