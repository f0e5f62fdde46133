package lavaflow.volume;

import java.util.Set;

import com.fasterxml.jackson.databind.JsonNode;

/** Where a volume comes from. */
final class Sources {
    /** Fields of volumes and persistent volumes that say nothing about that. */
    private static final Set<String> OTHER = Set.of(
            "name",
            "capacity",
            "accessModes",
            "claimRef",
            "persistentVolumeReclaimPolicy",
            "storageClassName",
            "mountOptions",
            "volumeMode",
            "nodeAffinity",
            "volumeAttributesClassName");

    private Sources() {}

    /** The field that says it; empty where none does. */
    static String of(JsonNode volume) {
        for (var entry : volume.properties()) {
            if (!OTHER.contains(entry.getKey())) {
                return entry.getKey();
            }
        }
        return "";
    }

    static String unsupported(JsonNode volume, String what, String supported) {
        String source = of(volume);
        return (source.isEmpty() ? what + " without a source" : what + " of " + source)
                + " are not supported on this node; supported are " + supported;
    }
}
