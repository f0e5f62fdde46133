package lavaflow.placement;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What requests for a sort of devices have in common.
 *
 * @param selectors expressions, all of which a device must meet
 * @param config what the driver is told, as it stands there
 * @param resource the extended resource it stands for besides the one named after it; empty if none
 * @param created when it was made; of several that stand for the same the newest counts
 */
public record DeviceClass(String name, List<String> selectors, List<JsonNode> config, String resource, String created) {
    public static DeviceClass of(ObjectNode type) {
        List<JsonNode> config = new ArrayList<>();
        Json.listAt(type, "spec", "config").forEach(config::add);
        return new DeviceClass(
                Json.textAt(type, "metadata", "name"),
                selectors(Json.at(type, "spec")),
                List.copyOf(config),
                Json.textAt(type, "spec", "extendedResourceName"),
                Json.textAt(type, "metadata", "creationTimestamp"));
    }

    static List<String> selectors(@Nullable JsonNode from) {
        List<String> selectors = new ArrayList<>();
        Json.listAt(from, "selectors").forEach(each -> selectors.add(Json.textAt(each, "cel", "expression")));
        return List.copyOf(selectors);
    }
}
