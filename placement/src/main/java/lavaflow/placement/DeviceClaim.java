package lavaflow.placement;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.kube.Json;
import lavaflow.kube.NodeSelectorTerm;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What a ResourceClaim asks for, and what it has.
 *
 * @param revision larger for what was written later
 * @param owner the uid of the pod it was made for; empty if people made it
 * @param extended whether it was made for resources that the pod's containers ask for
 * @param constraints as they stand there
 * @param config likewise
 * @param allocation the devices it has; null as long as it has none
 * @param binding whether they can be used by now
 * @param users the uids of those it is reserved for
 */
public record DeviceClaim(
        String namespace,
        String name,
        String uid,
        long revision,
        boolean deleting,
        String owner,
        boolean extended,
        List<DeviceRequest> requests,
        List<JsonNode> constraints,
        List<JsonNode> config,
        @Nullable Allocation allocation,
        DeviceBinding binding,
        List<String> users) {
    /**
     * Devices that a claim has.
     *
     * @param json the same in the form of the API
     * @param terms the nodes from which all of them can be reached; null for all nodes
     */
    public record Allocation(ObjectNode json, @Nullable List<NodeSelectorTerm> terms, List<Given> devices) {
        static Allocation of(ObjectNode json) {
            ObjectNode selector = Json.objectAt(json, "nodeSelector");
            List<Given> devices = new ArrayList<>();
            for (JsonNode result : Json.listAt(json, "devices", "results")) {
                devices.add(Given.of(result));
            }
            return new Allocation(
                    json, selector == null ? null : NodeSelectorTerm.listOf(selector), List.copyOf(devices));
        }

        boolean reachableFrom(NodeTable.Node node) {
            return terms == null || NodeSelectorTerm.anyMatches(terms, node.name(), node.labels());
        }

        /** Which requests were met, alternatives named with their request. */
        List<String> requests() {
            return devices.stream().map(Given::request).distinct().toList();
        }
    }

    /**
     * One device that a claim has.
     *
     * @param admin whether that keeps nobody else from it
     * @param share which part of it, where several can have it; empty if all of it
     * @param amounts how much of it, likewise
     */
    public record Given(String request, Device.Id id, boolean admin, String share, Map<String, Quantity> amounts) {
        static Given of(JsonNode result) {
            Map<String, Quantity> amounts = new LinkedHashMap<>();
            ObjectNode consumed = Json.objectAt(result, "consumedCapacity");
            if (consumed != null) {
                consumed.properties().forEach(each -> amounts.put(each.getKey(), Quantity.fromJson(each.getValue())));
            }
            return new Given(
                    Json.textAt(result, "request"),
                    new Device.Id(
                            Json.textAt(result, "driver"), Json.textAt(result, "pool"), Json.textAt(result, "device")),
                    Json.flagAt(result, "adminAccess"),
                    Json.textAt(result, "shareID"),
                    amounts);
        }
    }

    public static DeviceClaim of(ObjectNode claim) {
        JsonNode metadata = Json.at(claim, "metadata");
        JsonNode devices = Json.at(claim, "spec", "devices");
        List<DeviceRequest> requests = new ArrayList<>();
        Json.listAt(devices, "requests").forEach(each -> requests.add(DeviceRequest.of(each)));
        ObjectNode allocation = Json.objectAt(claim, "status", "allocation");
        List<String> users = new ArrayList<>();
        Json.listAt(claim, "status", "reservedFor").forEach(user -> users.add(Json.textAt(user, "uid")));
        return new DeviceClaim(
                Json.textAt(metadata, "namespace"),
                Json.textAt(metadata, "name"),
                Json.textAt(metadata, "uid"),
                revision(Json.textAt(metadata, "resourceVersion")),
                Json.at(metadata, "deletionTimestamp") != null,
                owner(metadata),
                Json.textAt(metadata, "annotations", ExtendedClaim.ANNOTATION).equals("true"),
                List.copyOf(requests),
                list(devices, "constraints"),
                list(devices, "config"),
                allocation == null ? null : Allocation.of(allocation),
                DeviceBinding.of(claim),
                List.copyOf(users));
    }

    private static List<JsonNode> list(@Nullable JsonNode from, String field) {
        List<JsonNode> list = new ArrayList<>();
        Json.listAt(from, field).forEach(list::add);
        return List.copyOf(list);
    }

    private static long revision(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private static String owner(@Nullable JsonNode metadata) {
        for (JsonNode reference : Json.listAt(metadata, "ownerReferences")) {
            if (Json.flagAt(reference, "controller")) {
                return Json.textAt(reference, "uid");
            }
        }
        return "";
    }

    /** Namespace and name. */
    public String place() {
        return namespace + "/" + name;
    }
}
