package lavaflow.kinds;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;

/** Tables of volumes, claims, classes and drivers. */
final class StorageTables {
    private static final String BETA_CLASS = "volume.beta.kubernetes.io/storage-class";
    private static final List<Map.Entry<String, String>> ACCESS_MODES = List.of(
            Map.entry("ReadWriteOnce", "RWO"),
            Map.entry("ReadOnlyMany", "ROX"),
            Map.entry("ReadWriteMany", "RWX"),
            Map.entry("ReadWriteOncePod", "RWOP"));

    private StorageTables() {}

    static void register() {
        Tables.register(
                "/persistentvolumes",
                StorageTables::volume,
                "Name/name",
                "Capacity",
                "Access Modes",
                "Reclaim Policy",
                "Status",
                "Claim",
                "StorageClass",
                "VolumeAttributesClass",
                "Reason",
                "Age",
                "VolumeMode*");
        Tables.register(
                "/persistentvolumeclaims",
                StorageTables::claim,
                "Name/name",
                "Status",
                "Volume",
                "Capacity",
                "Access Modes",
                "StorageClass",
                "VolumeAttributesClass",
                "Age",
                "VolumeMode*");
        Tables.register(
                "storage.k8s.io/storageclasses",
                StorageTables::storageClass,
                "Name/name",
                "Provisioner",
                "ReclaimPolicy",
                "VolumeBindingMode",
                "AllowVolumeExpansion",
                "Age");
        Tables.register(
                "storage.k8s.io/volumeattributesclasses",
                cells -> cells.name().textAt("driverName").age(),
                "Name/name",
                "DriverName",
                "Age");
        Tables.register(
                "storage.k8s.io/volumeattachments",
                cells -> cells.name()
                        .textAt("spec", "attacher")
                        .textAt("spec", "source", "persistentVolumeName")
                        .textAt("spec", "nodeName")
                        .flagAt("status", "attached")
                        .age(),
                "Name/name",
                "Attacher/name",
                "PV",
                "Node",
                "Attached:boolean",
                "Age");
        Tables.register(
                "storage.k8s.io/csinodes",
                cells -> cells.name().countAt("spec", "drivers").age(),
                "Name/name",
                "Drivers:integer",
                "Age");
        Tables.register(
                "storage.k8s.io/csidrivers",
                StorageTables::driver,
                "Name/name",
                "AttachRequired:boolean",
                "PodInfoOnMount:boolean",
                "StorageCapacity:boolean",
                "TokenRequests",
                "RequiresRepublish:boolean",
                "Modes",
                "Age");
        registerDevices();
    }

    private static void registerDevices() {
        Tables.register("resource.k8s.io/deviceclasses", cells -> cells.name().age(), "Name/name", "Age");
        Tables.register(
                "resource.k8s.io/resourceclaimtemplates", cells -> cells.name().age(), "Name/name", "Age");
        Tables.register(
                "resource.k8s.io/resourceclaims",
                cells -> cells.name().text(claimState(cells)).age(),
                "Name/name",
                "State",
                "Age");
        Tables.register(
                "resource.k8s.io/resourceslices",
                cells -> cells.name()
                        .textAt("spec", "nodeName")
                        .textAt("spec", "driver")
                        .textAt("spec", "pool", "name")
                        .age(),
                "Name/name",
                "Node",
                "Driver",
                "Pool",
                "Age");
    }

    /** Modes by their short names, in upstream's order, each once. */
    private static String accessModes(ArrayNode modes) {
        List<String> present = new ArrayList<>();
        modes.forEach(mode -> present.add(mode.asText()));
        List<String> shown = new ArrayList<>();
        ACCESS_MODES.forEach(mode -> {
            if (present.contains(mode.getKey())) {
                shown.add(mode.getValue());
            }
        });
        return String.join(",", shown);
    }

    private static String storageClass(Cells cells, String field) {
        return cells.has("metadata", "annotations", BETA_CLASS)
                ? cells.at("metadata", "annotations", BETA_CLASS)
                : cells.at("spec", field);
    }

    private static String phase(Cells cells) {
        return cells.isDeleting() ? "Terminating" : cells.at("status", "phase");
    }

    private static void volume(Cells cells) {
        boolean claimed = cells.has("spec", "claimRef");
        String claim = cells.at("spec", "claimRef", "namespace") + "/" + cells.at("spec", "claimRef", "name");
        cells.name()
                .textOr("0", "spec", "capacity", "storage")
                .text(accessModes(Json.listAt(cells.object(), "spec", "accessModes")))
                .textAt("spec", "persistentVolumeReclaimPolicy")
                .text(phase(cells))
                .text(claimed ? claim : "")
                .text(storageClass(cells, "storageClassName"))
                .textOr(Cells.UNSET, "spec", "volumeAttributesClassName")
                .textAt("status", "reason")
                .age()
                .textOr(Cells.UNSET, "spec", "volumeMode");
    }

    private static void claim(Cells cells) {
        boolean bound = !cells.at("spec", "volumeName").isEmpty();
        cells.name()
                .text(phase(cells))
                .textAt("spec", "volumeName")
                .text(bound ? cells.at(List.of("status", "capacity", "storage"), "0") : "")
                .text(bound ? accessModes(Json.listAt(cells.object(), "status", "accessModes")) : "")
                .text(storageClass(cells, "storageClassName"))
                .textOr(Cells.UNSET, "spec", "volumeAttributesClassName")
                .age()
                .textOr(Cells.UNSET, "spec", "volumeMode");
    }

    private static void storageClass(Cells cells) {
        JsonNode annotations = Json.at(cells.object(), "metadata", "annotations");
        boolean standard = Json.textAt(annotations, "storageclass.kubernetes.io/is-default-class")
                        .equals("true")
                || Json.textAt(annotations, "storageclass.beta.kubernetes.io/is-default-class")
                        .equals("true");
        cells.text(cells.at("metadata", "name") + (standard ? " (default)" : ""))
                .textAt("provisioner")
                .textOr("Delete", "reclaimPolicy")
                .textOr("Immediate", "volumeBindingMode")
                .flagAt("allowVolumeExpansion")
                .age();
    }

    private static void driver(Cells cells) {
        ArrayNode tokens = Json.listAt(cells.object(), "spec", "tokenRequests");
        ArrayNode modes = Json.listAt(cells.object(), "spec", "volumeLifecycleModes");
        cells.name()
                .flag(!cells.has("spec", "attachRequired") || Json.flagAt(cells.object(), "spec", "attachRequired"))
                .flagAt("spec", "podInfoOnMount")
                .flagAt("spec", "storageCapacity")
                .text(cells.has("spec", "tokenRequests") ? Cells.joined(tokens, ",", "audience") : Cells.UNSET)
                .flagAt("spec", "requiresRepublish")
                .text(modes.isEmpty() ? Cells.NONE : Cells.joined(modes, ","))
                .age();
    }

    private static String claimState(Cells cells) {
        List<String> states = new ArrayList<>();
        boolean allocated = cells.has("status", "allocation");
        if (cells.isDeleting()) {
            states.add("deleted");
        } else if (!allocated) {
            states.add("pending");
        }
        if (allocated) {
            states.add("allocated");
            if (cells.count("status", "reservedFor") > 0) {
                states.add("reserved");
            }
        }
        return String.join(",", states);
    }
}
