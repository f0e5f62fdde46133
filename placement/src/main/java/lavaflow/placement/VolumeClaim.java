package lavaflow.placement;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What a PersistentVolumeClaim asks for.
 *
 * @param volume empty while it has none
 * @param bound both sides agree
 * @param selectedNode where its volume is being made; empty if nobody was asked yet
 */
public record VolumeClaim(
        String namespace,
        String name,
        String uid,
        String className,
        String volume,
        boolean bound,
        boolean lost,
        boolean deleting,
        String selectedNode,
        long size,
        List<String> modes,
        String volumeMode,
        boolean selectsAny,
        LabelSelector selector) {
    /** Namespace and name. */
    public String place() {
        return namespace + "/" + name;
    }

    public static final String SELECTED_NODE = "volume.kubernetes.io/selected-node";

    public static VolumeClaim of(ObjectNode claim) {
        JsonNode spec = Json.at(claim, "spec");
        JsonNode annotations = Json.at(claim, "metadata", "annotations");
        JsonNode selector = Json.at(spec, "selector");
        String volume = Json.textAt(spec, "volumeName");
        return new VolumeClaim(
                Json.textAt(claim, "metadata", "namespace"),
                Json.textAt(claim, "metadata", "name"),
                Json.textAt(claim, "metadata", "uid"),
                Json.textAt(spec, "storageClassName"),
                volume,
                !volume.isEmpty() && Json.at(annotations, "pv.kubernetes.io/bind-completed") != null,
                Json.textAt(claim, "status", "phase").equals("Lost"),
                Json.at(claim, "metadata", "deletionTimestamp") != null,
                Json.textAt(annotations, SELECTED_NODE),
                Quantity.at(Json.at(spec, "resources", "requests"), "storage").value(),
                modes(spec),
                Json.textAt(spec, "volumeMode"),
                selector == null,
                selector == null ? LabelSelector.EVERYTHING : LabelSelector.fromJson(selector));
    }

    static List<String> modes(@Nullable JsonNode spec) {
        List<String> modes = new ArrayList<>();
        Json.listAt(spec, "accessModes").forEach(mode -> modes.add(mode.asText()));
        return List.copyOf(modes);
    }
}
