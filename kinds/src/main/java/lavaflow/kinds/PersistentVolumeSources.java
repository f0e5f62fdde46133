package lavaflow.kinds;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** The sources a persistent volume may have; those of pods differ where secrets of other namespaces come in. */
final class PersistentVolumeSources {
    private static final List<String> ALL = List.of(
            "hostPath",
            "gcePersistentDisk",
            "awsElasticBlockStore",
            "glusterfs",
            "flocker",
            "nfs",
            "rbd",
            "quobyte",
            "cephfs",
            "iscsi",
            "cinder",
            "fc",
            "flexVolume",
            "azureFile",
            "vsphereVolume",
            "photonPersistentDisk",
            "portworxVolume",
            "azureDisk",
            "scaleIO",
            "local",
            "storageos",
            "csi");
    private static final Map<String, String> DEPRECATED = new LinkedHashMap<>();
    private static final List<String> HOST_PATH_TYPES = List.of(
            "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket");
    private static final Pattern ISCSI_NAME = Pattern.compile(
            "iqn\\.\\d{4}-\\d{2}\\.([\\p{Alnum}-.]+)(:[^,;*&$|\\s]+)|eui.\\p{Alnum}{16}|naa.\\p{Alnum}{32}");
    private static final int LONGEST_SESSION = 64;

    static {
        DEPRECATED.put("cephfs", "spec.cephfs: deprecated in v1.28, non-functional in v1.31+");
        DEPRECATED.put(
                "photonPersistentDisk", "spec.photonPersistentDisk: deprecated in v1.11, non-functional in v1.16+");
        DEPRECATED.put("scaleIO", "spec.scaleIO: deprecated in v1.16, non-functional in v1.22+");
        DEPRECATED.put("storageos", "spec.storageOS: deprecated in v1.22, non-functional in v1.25+");
        DEPRECATED.put("glusterfs", "spec.glusterfs: deprecated in v1.25, non-functional in v1.26+");
        DEPRECATED.put("rbd", "spec.rbd: deprecated in v1.28, non-functional in v1.31+");
    }

    private PersistentVolumeSources() {}

    static void applyDefaults(ObjectNode spec) {
        if (spec.get("hostPath") instanceof ObjectNode hostPath) {
            Nodes.defaultValue(hostPath, "type", Json.text(""));
        }
        if (spec.get("iscsi") instanceof ObjectNode iscsi) {
            Nodes.defaultText(iscsi, "iscsiInterface", "default");
        }
        if (spec.get("rbd") instanceof ObjectNode rbd) {
            Nodes.defaultText(rbd, "pool", "rbd");
            Nodes.defaultText(rbd, "user", "admin");
            Nodes.defaultText(rbd, "keyring", "/etc/ceph/keyring");
        }
        if (spec.get("azureDisk") instanceof ObjectNode disk) {
            Nodes.defaultValue(disk, "cachingMode", Json.text("ReadWrite"));
            Nodes.defaultValue(disk, "fsType", Json.text("ext4"));
            Nodes.defaultValue(disk, "readOnly", BooleanNode.FALSE);
            Nodes.defaultValue(disk, "kind", Json.text("Shared"));
        }
        if (spec.get("scaleIO") instanceof ObjectNode scale) {
            Nodes.defaultText(scale, "storageMode", "ThinProvisioned");
            Nodes.defaultText(scale, "fsType", "xfs");
        }
    }

    /** @param placed whether the volume is bound to nodes, as local ones must be */
    static void validate(ObjectNode spec, String name, boolean placed, FieldPath path, FieldErrors errors) {
        boolean found = false;
        for (String source : ALL) {
            ObjectNode node = Json.objectAt(spec, source);
            if (node == null) {
                continue;
            }
            if (found && !source.equals("flexVolume")) {
                errors.forbidden(
                        path.child(source.equals("cephfs") ? "cephFS" : source),
                        "may not specify more than 1 volume type");
                continue;
            }
            found = true;
            source(source, node, name, path, errors);
            if (source.equals("local") && !placed) {
                errors.required(path.child("nodeAffinity"), "Local volume requires node affinity");
            }
        }
        if (!found) {
            errors.required(path, "must specify a volume type");
        }
        if (Json.textAt(spec, "persistentVolumeReclaimPolicy").equals("Recycle")
                && isRoot(Json.textAt(spec, "hostPath", "path"))) {
            errors.forbidden(
                    path.child("persistentVolumeReclaimPolicy"), "may not be 'recycle' for a hostPath mount of '/'");
        }
    }

    private static boolean isRoot(String path) {
        return path.startsWith("/") && path.chars().allMatch(c -> c == '/' || c == '.') && !path.contains("...");
    }

    private static void source(String source, ObjectNode node, String name, FieldPath path, FieldErrors errors) {
        FieldPath place = path.child(source);
        switch (source) {
            case "hostPath" -> {
                if (FieldChecks.requireText(node, "path", place, errors)) {
                    FieldChecks.noBacksteps(Json.textAt(node, "path"), place.child("path"), errors);
                    FieldChecks.optionalOneOf(node, "type", HOST_PATH_TYPES, place, errors);
                }
            }
            case "local" -> {
                if (FieldChecks.requireText(node, "path", place, errors)) {
                    FieldChecks.noBacksteps(Json.textAt(node, "path"), place.child("path"), errors);
                }
            }
            case "csi" -> csi(node, place, errors);
            case "iscsi" -> iscsi(node, name, place, errors);
            case "glusterfs" -> glusterfs(node, place, errors);
            case "azureFile" -> {
                VendorVolumeRules.check(source, node, path, errors);
                if (Nodes.has(node, "secretNamespace")) {
                    FieldChecks.requireText(node, "secretNamespace", place, errors);
                }
            }
            case "cinder" -> {
                FieldChecks.requireText(node, "volumeID", place, errors);
                secret(node, "secretRef", place, errors);
            }
            case "storageos" -> {
                FieldChecks.requireLabel(node, "volumeName", place, errors);
                FieldChecks.optionalLabel(node, "volumeNamespace", place, errors);
                secret(node, "secretRef", place, errors);
            }
            default -> VendorVolumeRules.check(source, node, path, errors);
        }
    }

    private static void secret(ObjectNode node, String field, FieldPath path, FieldErrors errors) {
        if (Nodes.has(node, field)) {
            FieldChecks.requireText(node.get(field), "name", path.child(field), errors);
            FieldChecks.requireText(node.get(field), "namespace", path.child(field), errors);
        }
    }

    private static void csi(ObjectNode node, FieldPath path, FieldErrors errors) {
        CsiValidation.driverName(Json.textAt(node, "driver"), path.child("driver"), errors);
        FieldChecks.requireText(node, "volumeHandle", path, errors);
        for (String field : new String[] {
            "controllerPublishSecretRef", "controllerExpandSecretRef", "nodePublishSecretRef", "nodeExpandSecretRef"
        }) {
            secret(node, field, path, errors);
        }
    }

    private static void iscsi(ObjectNode node, String name, FieldPath path, FieldErrors errors) {
        FieldChecks.requireText(node, "targetPortal", path, errors);
        String portal = Json.textAt(node, "targetPortal");
        boolean initiated = Nodes.has(node, "initiatorName");
        if (initiated && Names.utf8Length(name + ":" + portal) > LONGEST_SESSION) {
            errors.invalid(
                    path.child("targetportal"),
                    portal,
                    "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if"
                            + " iscsi.initiatorName is specified.");
        }
        if (FieldChecks.requireText(node, "iqn", path, errors)) {
            iscsiName(node, "iqn", path.child("iqn"), errors);
        }
        FieldChecks.inRange(node, "lun", 0, 255, path, errors);
        boolean authenticates = Json.flagAt(node, "chapAuthDiscovery") || Json.flagAt(node, "chapAuthSession");
        if (Nodes.has(node, "secretRef")) {
            FieldChecks.requireText(node.get("secretRef"), "name", path.child("secretRef"), errors);
        } else if (authenticates) {
            errors.required(path.child("secretRef"));
        }
        if (initiated) {
            iscsiName(node, "initiatorName", path.child("initiatorname"), errors);
        }
    }

    private static void iscsiName(ObjectNode node, String field, FieldPath path, FieldErrors errors) {
        String name = Json.textAt(node, field);
        if (!ISCSI_NAME.matcher(name).matches()) {
            errors.invalid(path, name, "must be valid format");
        }
    }

    private static void glusterfs(ObjectNode node, FieldPath path, FieldErrors errors) {
        FieldChecks.requireText(node, "endpoints", path, errors);
        FieldChecks.requireText(node, "path", path, errors);
        if (Nodes.has(node, "endpointsNamespace")) {
            String namespace = Json.textAt(node, "endpointsNamespace");
            FieldPath place = path.child("endpointsNamespace");
            if (namespace.isEmpty()) {
                errors.invalid(place, "", "if the endpointnamespace is set, it must be a valid namespace name");
            } else {
                FieldChecks.invalid(place, namespace, Names.dns1123Label(namespace), errors);
            }
        }
    }

    static List<String> warnings(ObjectNode object) {
        List<String> warnings = new ArrayList<>();
        DEPRECATED.forEach((source, warning) -> {
            if (Nodes.has(object, "spec", source)) {
                warnings.add(warning);
            }
        });
        return warnings;
    }
}
