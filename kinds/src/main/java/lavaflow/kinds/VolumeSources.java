package lavaflow.kinds;

import java.util.ArrayList;
import java.util.List;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** The kinds of sources a volume may have, in the order upstream checks them. */
final class VolumeSources {
    private static final List<String> ALL = List.of(
            "emptyDir",
            "hostPath",
            "gitRepo",
            "gcePersistentDisk",
            "awsElasticBlockStore",
            "secret",
            "nfs",
            "iscsi",
            "glusterfs",
            "flocker",
            "persistentVolumeClaim",
            "rbd",
            "cinder",
            "cephfs",
            "quobyte",
            "downwardAPI",
            "fc",
            "flexVolume",
            "configMap",
            "azureFile",
            "vsphereVolume",
            "photonPersistentDisk",
            "portworxVolume",
            "azureDisk",
            "storageos",
            "projected",
            "scaleIO",
            "csi",
            "ephemeral",
            "image");

    private VolumeSources() {}

    /** The sources a volume has set; valid volumes have one. */
    static List<String> of(ObjectNode volume) {
        List<String> found = new ArrayList<>();
        for (String source : ALL) {
            if (Nodes.has(volume, source)) {
                found.add(source);
            }
        }
        return found;
    }
}
