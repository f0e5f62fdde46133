package lavaflow.placement;

import java.util.List;

import lavaflow.kube.Json;
import lavaflow.kube.NodeSelectorTerm;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * From which nodes devices can be reached.
 *
 * @param name the only one; empty if it is not a single one
 * @param selector null if nothing is selected
 */
record DeviceNodes(String name, boolean all, @Nullable ObjectNode selector, List<NodeSelectorTerm> terms) {
    static DeviceNodes of(JsonNode json) {
        ObjectNode selector = Json.objectAt(json, "nodeSelector");
        return new DeviceNodes(
                Json.textAt(json, "nodeName"),
                Json.flagAt(json, "allNodes"),
                selector,
                NodeSelectorTerm.listOf(selector));
    }

    boolean saysNothing() {
        return name.isEmpty() && !all && selector == null;
    }

    boolean include(NodeTable.Node node) {
        if (!name.isEmpty()) {
            return name.equals(node.name());
        }
        return all || (selector != null && NodeSelectorTerm.anyMatches(terms, node.name(), node.labels()));
    }
}
