package lavaflow.placement;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What a StorageClass says.
 *
 * @param waits volumes are made or chosen once the node is known
 * @param topologies where volumes can be made: any entry will do, all labels of an entry must fit; empty for anywhere
 */
public record VolumeClass(boolean waits, String provisioner, List<JsonNode> topologies) {
    private static final String NOBODY = "kubernetes.io/no-provisioner";

    public static VolumeClass of(ObjectNode object) {
        List<JsonNode> topologies = new ArrayList<>();
        Json.listAt(object, "allowedTopologies").forEach(topologies::add);
        return new VolumeClass(
                Json.textAt(object, "volumeBindingMode").equals("WaitForFirstConsumer"),
                Json.textAt(object, "provisioner"),
                List.copyOf(topologies));
    }

    boolean canMakeFor(NodeTable.Node node) {
        return !provisioner.equals(NOBODY)
                && (topologies.isEmpty() || topologies.stream().anyMatch(each -> fits(each, node)));
    }

    private static boolean fits(JsonNode topology, NodeTable.Node node) {
        for (JsonNode expression : Json.listAt(topology, "matchLabelExpressions")) {
            String value = Json.textAt(node.labels(), Json.textAt(expression, "key"));
            boolean found = false;
            for (JsonNode allowed : Json.listAt(expression, "values")) {
                found |= allowed.asText().equals(value);
            }
            if (!found) {
                return false;
            }
        }
        return true;
    }
}
