package lavaflow.kinds;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Defaults of the volumes of a pod. */
final class VolumeDefaults {
    private static final long READABLE_BY_ALL = 0644;
    private static final long TOKEN_LIFE_SECONDS = 3600;

    private VolumeDefaults() {}

    static void apply(ObjectNode volume) {
        if (VolumeSources.of(volume).isEmpty()) {
            volume.putObject("emptyDir");
        }
        for (String source : new String[] {"secret", "configMap", "downwardAPI", "projected"}) {
            if (volume.get(source) instanceof ObjectNode found) {
                Nodes.defaultValue(found, "defaultMode", Json.number(READABLE_BY_ALL));
            }
        }
        if (volume.get("hostPath") instanceof ObjectNode hostPath) {
            Nodes.defaultValue(hostPath, "type", Json.text(""));
        }
        if (volume.get("image") instanceof ObjectNode image) {
            Nodes.defaultText(
                    image,
                    "pullPolicy",
                    ImageReference.parse(Json.textAt(image, "reference")).defaultPullPolicy());
        }
        applyDownwardItems(volume.get("downwardAPI") instanceof ObjectNode items ? items : null);
        for (ObjectNode source : Nodes.objects(volume, "projected", "sources")) {
            applyDownwardItems(Json.objectAt(source, "downwardAPI"));
            if (source.get("serviceAccountToken") instanceof ObjectNode token) {
                Nodes.defaultValue(token, "expirationSeconds", Json.number(TOKEN_LIFE_SECONDS));
            }
        }
        if (Json.at(volume, "ephemeral", "volumeClaimTemplate") instanceof ObjectNode template) {
            Json.ensureObject(template, "metadata");
            applyClaimSpec(Json.ensureObject(template, "spec"));
        }
        applyVendorSources(volume);
    }

    /** Defaults of the spec of a claim, in a template or in a PersistentVolumeClaim. */
    static void applyClaimSpec(ObjectNode spec) {
        Nodes.defaultValue(spec, "volumeMode", Json.text("Filesystem"));
        ResourceLists.roundUpRequirements(Json.ensureObject(spec, "resources"));
    }

    private static void applyDownwardItems(@Nullable ObjectNode downward) {
        for (ObjectNode item : Nodes.objects(downward, "items")) {
            PodSpecDefaults.applyFieldRef(item);
        }
    }

    private static void applyVendorSources(ObjectNode volume) {
        if (volume.get("iscsi") instanceof ObjectNode iscsi) {
            Nodes.defaultText(iscsi, "iscsiInterface", "default");
        }
        if (volume.get("rbd") instanceof ObjectNode rbd) {
            Nodes.defaultText(rbd, "pool", "rbd");
            Nodes.defaultText(rbd, "user", "admin");
            Nodes.defaultText(rbd, "keyring", "/etc/ceph/keyring");
        }
        if (volume.get("azureDisk") instanceof ObjectNode disk) {
            Nodes.defaultValue(disk, "cachingMode", Json.text("ReadWrite"));
            Nodes.defaultValue(disk, "fsType", Json.text("ext4"));
            Nodes.defaultValue(disk, "readOnly", BooleanNode.FALSE);
            Nodes.defaultValue(disk, "kind", Json.text("Shared"));
        }
        if (volume.get("scaleIO") instanceof ObjectNode scale) {
            Nodes.defaultText(scale, "storageMode", "ThinProvisioned");
            Nodes.defaultText(scale, "fsType", "xfs");
        }
    }
}
