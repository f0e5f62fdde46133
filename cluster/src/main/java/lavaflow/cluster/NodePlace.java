package lavaflow.cluster;

import lavaflow.kube.Json;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Where a node is and how much it counts there.
 *
 * @param zone maybe empty
 * @param serving whether it is ready and does not merely run the control plane
 */
record NodePlace(String name, String zone, long cpuMillis, boolean serving) {
    static NodePlace of(ObjectNode node) {
        ObjectNode labels = Json.objectAt(node, "metadata", "labels");
        boolean controlPlane = labels != null
                && (labels.has("node-role.kubernetes.io/control-plane")
                        || labels.has("node-role.kubernetes.io/master"));
        return new NodePlace(
                Objects.name(node),
                Json.textAt(labels, "topology.kubernetes.io/zone"),
                Quantity.at(Json.at(node, "status", "allocatable"), "cpu").milliValue(),
                !controlPlane && isReady(node));
    }

    private static boolean isReady(ObjectNode node) {
        for (JsonNode condition : Json.listAt(node, "status", "conditions")) {
            if (Json.textAt(condition, "type").equals("Ready")) {
                return Json.textAt(condition, "status").equals("True");
            }
        }
        return false;
    }
}
