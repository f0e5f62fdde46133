package lavaflow.kinds;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** The sources a persistent volume may have. */
final class PersistentVolumeSources {
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
}
