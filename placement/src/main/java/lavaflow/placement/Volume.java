package lavaflow.placement;

import java.util.List;

import lavaflow.kube.Json;
import lavaflow.kube.NodeAffinity;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What a PersistentVolume offers.
 *
 * @param claim namespace and name of the claim it is for; empty if it is free
 * @param claimUid which of the claims that ever had this name; empty if any will do
 * @param driver who attaches it; empty if nobody has to
 * @param handle what the driver calls it
 */
public record Volume(
        String name,
        NodeAffinity affinity,
        VolumeZone zone,
        String className,
        long size,
        List<String> modes,
        String volumeMode,
        String claim,
        String claimUid,
        String driver,
        String handle,
        boolean usable,
        @Nullable JsonNode labels) {
    public static Volume of(ObjectNode volume) {
        JsonNode spec = Json.at(volume, "spec");
        String claim = Json.textAt(spec, "claimRef", "name");
        String phase = Json.textAt(volume, "status", "phase");
        return new Volume(
                Json.textAt(volume, "metadata", "name"),
                NodeAffinity.ofVolume(volume),
                VolumeZone.of(Json.at(volume, "metadata", "labels")),
                Json.textAt(spec, "storageClassName"),
                Quantity.at(Json.at(spec, "capacity"), "storage").value(),
                VolumeClaim.modes(spec),
                Json.textAt(spec, "volumeMode"),
                claim.isEmpty() ? "" : Json.textAt(spec, "claimRef", "namespace") + "/" + claim,
                Json.textAt(spec, "claimRef", "uid"),
                Json.textAt(spec, "csi", "driver"),
                Json.textAt(spec, "csi", "volumeHandle"),
                Json.at(volume, "metadata", "deletionTimestamp") == null
                        && (phase.equals("Available") || phase.equals("Pending") || phase.isEmpty()),
                Json.at(volume, "metadata", "labels"));
    }

    boolean reachableFrom(NodeTable.Node node) {
        return affinity.accepts(node.name(), node.labels());
    }

    boolean suits(VolumeClaim wanted) {
        return usable
                && (claim.isEmpty() || claim.equals(wanted.namespace() + "/" + wanted.name()))
                && (claimUid.isEmpty() || claimUid.equals(wanted.uid()))
                && className.equals(wanted.className())
                && size >= wanted.size()
                && modes.containsAll(wanted.modes())
                && volumeMode.equals(wanted.volumeMode())
                && wanted.selector().matches(labels);
    }
}
