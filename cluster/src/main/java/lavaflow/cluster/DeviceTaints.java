package lavaflow.cluster;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What is kept of a ResourceSlice: which of its devices nobody may go on using.
 *
 * @param generation only the slices of a pool's newest say what is true
 * @param taints by the name of the device
 */
record DeviceTaints(String driver, String pool, long generation, Map<String, List<Mark>> taints) {
    static final KubeApi.Kind SLICES = new KubeApi.Kind("resource.k8s.io", "v1", "resourceslices", false);

    /** A NoExecute taint and when it came. */
    record Mark(NodeState.Taint taint, Instant since) {}

    static DeviceTaints of(ObjectNode slice) {
        JsonNode spec = Json.at(slice, "spec");
        Map<String, List<Mark>> taints = new LinkedHashMap<>();
        for (JsonNode device : Json.listAt(spec, "devices")) {
            List<Mark> marks = new ArrayList<>();
            for (JsonNode each : Json.listAt(device, "taints")) {
                NodeState.Taint taint = NodeState.Taint.of(each);
                if (taint.effect().equals("NoExecute")) {
                    marks.add(new Mark(taint, PodState.time(Json.textAt(each, "timeAdded"))));
                }
            }
            if (!marks.isEmpty()) {
                taints.put(Json.textAt(device, "name"), List.copyOf(marks));
            }
        }
        return new DeviceTaints(
                Json.textAt(spec, "driver"),
                Json.textAt(spec, "pool", "name"),
                Json.longAt(spec, 0, "pool", "generation"),
                taints);
    }

    /** What the slices of a pool say about a device. */
    static List<Mark> on(String device, List<DeviceTaints> pool) {
        long newest = pool.stream().mapToLong(DeviceTaints::generation).max().orElse(0);
        return pool.stream()
                .filter(slice -> slice.generation == newest)
                .flatMap(slice -> slice.taints.getOrDefault(device, List.of()).stream())
                .toList();
    }

    List<String> words() {
        return List.of(pool(driver, pool));
    }

    /** The word under which slices, and claims with devices of them, are found. */
    static String pool(String driver, String pool) {
        return driver + "/" + pool;
    }
}
