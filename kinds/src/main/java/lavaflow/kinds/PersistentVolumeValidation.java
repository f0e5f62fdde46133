package lavaflow.kinds;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;
import lavaflow.kube.Quantity;
import lavaflow.kube.TextDiff;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Checks of persistent volumes. */
final class PersistentVolumeValidation {
    private static final FieldPath SPEC = FieldPath.of("spec");
    private static final List<String> ACCESS_MODES =
            List.of("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod");
    private static final String MOUNT_OPTIONS = "volume.beta.kubernetes.io/mount-options";
    private static final Set<String> WITH_MOUNT_OPTIONS = Set.of(
            "gcePersistentDisk",
            "awsElasticBlockStore",
            "glusterfs",
            "nfs",
            "rbd",
            "quobyte",
            "iscsi",
            "cinder",
            "cephfs",
            "azureFile",
            "vsphereVolume",
            "azureDisk",
            "photonPersistentDisk");

    private PersistentVolumeValidation() {}

    static void create(ObjectNode object, FieldErrors errors) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        spec(spec, Json.textAt(object, "metadata", "name"), false, SPEC, errors);
        boolean supported = WITH_MOUNT_OPTIONS.stream().anyMatch(source -> Nodes.has(spec, source));
        if (!supported && Nodes.has(object, "metadata", "annotations", MOUNT_OPTIONS)) {
            errors.forbidden(
                    FieldPath.of("metadata", "annotations", MOUNT_OPTIONS),
                    "may not specify mount options for this volume type");
        }
    }

    /** The spec of a volume that is attached without an object of its own. */
    static void inline(ObjectNode spec, FieldPath path, FieldErrors errors) {
        spec(spec, "", true, path, errors);
    }

    private static void spec(ObjectNode spec, String name, boolean inline, FieldPath path, FieldErrors errors) {
        if (inline) {
            inlineOnly(spec, path, errors);
        }
        accessModes(spec, path.child("accessModes"), errors);
        if (!inline) {
            capacity(spec, path.child("capacity"), errors);
        }
        reclaimPolicy(spec, inline, path.child("persistentVolumeReclaimPolicy"), errors);
        boolean placed = affinity(spec, inline, path.child("nodeAffinity"), errors);
        PersistentVolumeSources.validate(spec, name, placed, path, errors);
        classes(spec, inline, path, errors);
    }

    private static void inlineOnly(ObjectNode spec, FieldPath path, FieldErrors errors) {
        String unwanted = "may not be specified in the context of inline volumes";
        if (Nodes.has(spec, "claimRef")) {
            errors.forbidden(path.child("claimRef"), unwanted);
        }
        if (!Nodes.emptyAt(spec, "capacity")) {
            errors.forbidden(path.child("capacity"), unwanted);
        }
        if (!Nodes.has(spec, "csi")) {
            errors.required(path.child("csi"), "has to be specified in the context of inline volumes");
        }
    }

    private static void accessModes(ObjectNode spec, FieldPath path, FieldErrors errors) {
        List<String> modes = Nodes.strings(spec, "accessModes");
        if (modes.isEmpty()) {
            errors.required(path);
        }
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

    private static void capacity(ObjectNode spec, FieldPath path, FieldErrors errors) {
        Map<String, JsonNode> capacity = Nodes.entries(spec, "capacity");
        if (capacity.isEmpty()) {
            errors.required(path);
        }
        if (capacity.size() != 1 || !capacity.containsKey("storage")) {
            ObjectNode shown = Json.object();
            shown.setAll(capacity);
            errors.add(
                    lavaflow.kube.FieldError.Reason.NOT_SUPPORTED,
                    path,
                    "Unsupported value: " + (capacity.isEmpty() ? "null" : Json.string(shown))
                            + ": supported values: \"storage\"");
        }
        capacity.forEach((resource, value) -> {
            Quantity amount = Quantity.fromJson(value);
            PersistentVolumeClaimValidation.basicAmount(amount, path.key(resource), errors);
            if (amount.signum() <= 0) {
                errors.invalid(path.key(resource), amount.toString(), FieldChecks.POSITIVE);
            }
        });
    }

    private static void reclaimPolicy(ObjectNode spec, boolean inline, FieldPath path, FieldErrors errors) {
        String policy = Json.textAt(spec, "persistentVolumeReclaimPolicy");
        List<String> known = List.of("Delete", "Recycle", "Retain");
        if (policy.isEmpty()) {
            return;
        }
        if (inline && !policy.equals("Retain")) {
            errors.forbidden(path, "may only be Retain in the context of inline volumes");
        } else if (!inline && !known.contains(policy)) {
            errors.notSupported(path, policy, known);
        }
    }

    /** Whether the volume is bound to nodes. */
    private static boolean affinity(ObjectNode spec, boolean inline, FieldPath path, FieldErrors errors) {
        if (!Nodes.has(spec, "nodeAffinity")) {
            return false;
        }
        if (inline) {
            errors.forbidden(path, "may not be specified in the context of inline volumes");
            return false;
        }
        if (Nodes.has(spec, "nodeAffinity", "required")) {
            AffinityRules.nodeSelector(Json.at(spec, "nodeAffinity", "required"), path.child("required"), errors);
        } else {
            errors.required(path.child("required"), "must specify required node constraints");
        }
        return true;
    }

    private static void classes(ObjectNode spec, boolean inline, FieldPath path, FieldErrors errors) {
        String storageClass = Json.textAt(spec, "storageClassName");
        if (!storageClass.isEmpty() && inline) {
            errors.forbidden(path.child("storageClassName"), "may not be specified in the context of inline volumes");
        } else {
            FieldChecks.optionalSubdomain(spec, "storageClassName", path, errors);
        }
        if (!inline) {
            FieldChecks.optionalOneOf(spec, "volumeMode", List.of("Block", "Filesystem"), path, errors);
        } else if (Nodes.has(spec, "volumeMode")
                && !Json.textAt(spec, "volumeMode").equals("Filesystem")) {
            errors.forbidden(
                    path.child("volumeMode"),
                    "may not specify volumeMode other than Filesystem in the context of inline volumes");
        }
        if (!Nodes.has(spec, "volumeAttributesClassName")) {
            return;
        }
        String attributes = Json.textAt(spec, "volumeAttributesClassName");
        if (attributes.isEmpty()) {
            errors.required(path.child("volumeAttributesClassName"), "an empty string is disallowed");
        } else {
            FieldChecks.invalid(
                    path.child("volumeAttributesClassName"), attributes, Names.dns1123Subdomain(attributes), errors);
        }
        if (!Nodes.has(spec, "csi")) {
            errors.required(path.child("csi"), "has to be specified when using volumeAttributesClassName");
        }
    }

    static void update(ObjectNode object, ObjectNode old, FieldErrors errors) {
        create(object, errors);
        // Upstream checks the whole object twice on update.
        spec(Json.ensureObject(object, "spec"), Json.textAt(object, "metadata", "name"), false, SPEC, errors);
        ObjectNode spec = Json.ensureObject(object.deepCopy(), "spec");
        ObjectNode before = Json.ensureObject(old.deepCopy(), "spec");
        if (spec.get("csi") instanceof ObjectNode csi && !Nodes.has(before, "csi", "controllerExpandSecretRef")) {
            csi.remove("controllerExpandSecretRef");
        }
        JsonNode shown = GoShapes.volumeSource(spec);
        JsonNode shownOld = GoShapes.volumeSource(before);
        if (!shown.equals(shownOld)) {
            errors.forbidden(
                    SPEC.child("persistentvolumesource"),
                    "spec.persistentvolumesource is immutable after creation\n" + TextDiff.ofJson(shownOld, shown));
        }
        FieldChecks.immutable(
                Json.at(spec, "volumeMode"), Json.at(before, "volumeMode"), FieldPath.of("volumeMode"), errors);
        if (Nodes.has(before, "nodeAffinity")
                && !Objects.equals(Json.at(spec, "nodeAffinity"), Json.at(before, "nodeAffinity"))) {
            errors.invalid(
                    FieldPath.of("nodeAffinity"),
                    GoShapes.volumeNodeAffinity(Json.at(spec, "nodeAffinity")),
                    "field is immutable, except for updating from beta label to GA");
        }
        if (Nodes.has(before, "volumeAttributesClassName") && !Nodes.has(spec, "volumeAttributesClassName")) {
            errors.forbidden(SPEC.child("volumeAttributesClassName"), "update from non-nil value to nil is forbidden");
        }
    }

    static List<String> warnings(ObjectNode object) {
        List<String> warnings = new ArrayList<>();
        if (Nodes.has(object, "metadata", "annotations", PersistentVolumeClaimValidation.OLD_CLASS)) {
            warnings.add("metadata.annotations[" + PersistentVolumeClaimValidation.OLD_CLASS
                    + "]: deprecated since v1.8; use \"storageClassName\" attribute instead");
        }
        if (Nodes.has(object, "metadata", "annotations", MOUNT_OPTIONS)) {
            warnings.add("metadata.annotations[" + MOUNT_OPTIONS
                    + "]: deprecated since v1.31; use \"mountOptions\" attribute instead");
        }
        if (Json.textAt(object, "spec", "persistentVolumeReclaimPolicy").equals("Recycle")) {
            warnings.add("spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the"
                    + " recommended approach is to use dynamic provisioning.");
        }
        FieldPath terms = SPEC.child("nodeAffinity", "required", "nodeSelectorTerms");
        List<ObjectNode> all = Nodes.objects(object, "spec", "nodeAffinity", "required", "nodeSelectorTerms");
        for (int i = 0; i < all.size(); i++) {
            warnings.addAll(NodeLabels.termWarnings(all.get(i), false, terms.index(i)));
        }
        warnings.addAll(PersistentVolumeSources.warnings(object));
        return warnings;
    }
}
