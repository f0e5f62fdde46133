package lavaflow.placement;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.kube.Json;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Devices a driver tells of: a ResourceSlice.
 *
 * @param count how many slices of this generation its pool has
 * @param perDevice whether each device says for itself from where it can be reached
 * @param counters what devices of the pool share, by set and name
 */
public record DeviceSlice(
        String name,
        String driver,
        String pool,
        long generation,
        long count,
        DeviceNodes nodes,
        boolean perDevice,
        List<Device> devices,
        Map<String, Map<String, Quantity>> counters,
        List<String> counterSets) {
    public static DeviceSlice of(ObjectNode slice) {
        JsonNode spec = Json.at(slice, "spec");
        String driver = Json.textAt(spec, "driver");
        String pool = Json.textAt(spec, "pool", "name");
        List<Device> devices = new ArrayList<>();
        Json.listAt(spec, "devices").forEach(each -> devices.add(Device.of(driver, pool, each)));
        Map<String, Map<String, Quantity>> counters = new LinkedHashMap<>();
        List<String> sets = new ArrayList<>();
        for (JsonNode set : Json.listAt(spec, "sharedCounters")) {
            sets.add(Json.textAt(set, "name"));
            counters.put(Json.textAt(set, "name"), Device.counters(set));
        }
        return new DeviceSlice(
                Json.textAt(slice, "metadata", "name"),
                driver,
                pool,
                Json.longAt(spec, 0, "pool", "generation"),
                Json.longAt(spec, 0, "pool", "resourceSliceCount"),
                DeviceNodes.of(spec == null ? Json.object() : spec),
                Json.flagAt(spec, "perDeviceNodeSelection"),
                List.copyOf(devices),
                counters,
                List.copyOf(sets));
    }

    /** Whether it matters for a node. What devices share matters for all. */
    boolean concerns(NodeTable.Node node) {
        if (!counterSets.isEmpty()) {
            return true;
        }
        return nodes.saysNothing()
                ? perDevice && devices.stream().anyMatch(device -> device.nodes.include(node))
                : nodes.include(node);
    }

    /** From where one of its devices can be reached. */
    DeviceNodes nodesOf(Device device) {
        return perDevice ? device.nodes : nodes;
    }
}
