package lavaflow.gang;

import java.util.Map;
import java.util.TreeMap;

import lavaflow.kube.Json;
import lavaflow.kube.PodRequests;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What a node says about its processors: which belong together, and which are free.
 *
 * @param cpuPolicy of its CPU manager: static or none
 * @param topologyPolicy of its topology manager, for example single-numa-node
 * @param free the processors nobody has, as a list of ranges
 * @param reserved in thousandths of a processor
 * @param cpus where each processor is, by its number
 */
public record NumatopologySpec(
        String node, String cpuPolicy, String topologyPolicy, String free, long reserved, Map<Integer, Cpu> cpus) {
    /** Where a processor is. */
    public record Cpu(int numa, int socket, int core) {}

    /** Reads an object of the API, which has the name of its node. */
    public static NumatopologySpec of(ObjectNode object) {
        JsonNode spec = Json.at(object, "spec");
        Map<Integer, Cpu> cpus = new TreeMap<>();
        ObjectNode detail = Json.objectAt(spec, "cpuDetail");
        if (detail != null) {
            detail.properties().forEach(each -> {
                String number = each.getKey();
                if (number.length() < 7 && !number.isEmpty() && number.chars().allMatch(Character::isDigit)) {
                    JsonNode where = each.getValue();
                    cpus.put(
                            Integer.parseInt(number),
                            new Cpu((int) Json.longAt(where, 0, "numa"), (int) Json.longAt(where, 0, "socket"), (int)
                                    Json.longAt(where, 0, "core")));
                }
            });
        }
        return new NumatopologySpec(
                Json.textAt(object, "metadata", "name"),
                Json.textAt(spec, "policies", "CPUManagerPolicy"),
                Json.textAt(spec, "policies", "TopologyManagerPolicy"),
                Json.textAt(spec, "numares", "cpu", "allocatable"),
                PodRequests.amounts(Json.at(spec, "resReserved")).getOrDefault("cpu", 0L),
                cpus);
    }
}
