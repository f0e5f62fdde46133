package lavaflow.placement;

import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What a CSIStorageCapacity says: how large a volume of a class can be made on some nodes.
 *
 * @param most negative where it does not say
 */
public record StorageCapacity(String className, LabelSelector nodes, long most) {
    public static StorageCapacity of(ObjectNode object) {
        JsonNode topology = Json.at(object, "nodeTopology");
        String size = Json.at(object, "maximumVolumeSize") == null ? "capacity" : "maximumVolumeSize";
        return new StorageCapacity(
                Json.textAt(object, "storageClassName"),
                LabelSelector.fromJson(topology),
                Json.at(object, size) == null ? -1 : Quantity.at(object, size).value());
    }

    boolean suffices(VolumeClaim claim, NodeTable.Node node) {
        return className.equals(claim.className()) && most >= claim.size() && nodes.matches(node.labels());
    }
}
