package lavaflow.placement;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.kube.Json;
import lavaflow.placement.DeviceRequest.Wish;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Says what was chosen in the form of a claim's status. */
final class DeviceResult {
    private DeviceResult() {}

    /** @param picked what was chosen for each request, in their order */
    static DeviceClaim.Allocation of(
            DeviceClaim claim,
            List<DeviceSearch.Taken> taken,
            List<Wish> picked,
            Map<String, DeviceClass> classes,
            NodeTable.Node node) {
        ObjectNode allocation = Json.object();
        ObjectNode devices = allocation.putObject("devices");
        ArrayNode results = devices.putArray("results");
        taken.forEach(each -> results.add(result(each)));
        ArrayNode config = Json.array();
        ofClasses(config, picked, classes);
        ofClaim(config, claim, picked);
        if (!config.isEmpty()) {
            devices.set("config", config);
        }
        ObjectNode selector = selector(taken, node);
        if (selector != null) {
            allocation.set("nodeSelector", selector);
        }
        return DeviceClaim.Allocation.of(allocation);
    }

    private static ObjectNode result(DeviceSearch.Taken taken) {
        DeviceClaim.Given given = taken.given();
        ObjectNode result = Json.object()
                .put("request", given.request())
                .put("driver", given.id().driver())
                .put("pool", given.id().pool())
                .put("device", given.id().device());
        if (given.admin()) {
            result.put("adminAccess", true);
        }
        if (!taken.wish().tolerated().isEmpty()) {
            result.set("tolerations", taken.wish().tolerated());
        }
        Device device = taken.offer().device();
        put(result, "bindingConditions", device.conditions);
        put(result, "bindingFailureConditions", device.failures);
        if (!given.share().isEmpty()) {
            result.put("shareID", given.share());
        }
        if (!given.amounts().isEmpty()) {
            ObjectNode amounts = result.putObject("consumedCapacity");
            given.amounts().forEach((name, amount) -> amounts.put(name, amount.toString()));
        }
        return result;
    }

    private static void put(ObjectNode result, String field, List<String> texts) {
        if (!texts.isEmpty()) {
            texts.forEach(result.putArray(field)::add);
        }
    }

    /** Each class says it once, for all requests of it. */
    private static void ofClasses(ArrayNode config, List<Wish> picked, Map<String, DeviceClass> classes) {
        Map<String, List<ArrayNode>> said = new LinkedHashMap<>();
        for (Wish wish : picked) {
            List<ArrayNode> before = said.get(wish.className());
            if (before != null) {
                before.forEach(requests -> requests.add(wish.fullName()));
                continue;
            }
            List<ArrayNode> now = new ArrayList<>();
            DeviceClass type = classes.get(wish.className());
            for (JsonNode each : type == null ? List.<JsonNode>of() : type.config()) {
                ObjectNode entry = config.addObject().put("source", "FromClass");
                now.add(entry.putArray("requests").add(wish.fullName()));
                copyParameters(each, entry);
            }
            said.put(wish.className(), now);
        }
    }

    private static void ofClaim(ArrayNode config, DeviceClaim claim, List<Wish> picked) {
        for (JsonNode each : claim.config()) {
            Set<String> requests = new HashSet<>();
            Json.listAt(each, "requests").forEach(name -> requests.add(name.asText()));
            if (requests.isEmpty()) {
                copyParameters(each, config.addObject().put("source", "FromClaim"));
                continue;
            }
            for (Wish wish : picked) {
                if (requests.contains(wish.request()) || requests.contains(wish.fullName())) {
                    ObjectNode entry = config.addObject().put("source", "FromClaim");
                    entry.set("requests", Json.listAt(each, "requests"));
                    copyParameters(each, entry);
                }
            }
        }
    }

    private static void copyParameters(JsonNode from, ObjectNode to) {
        JsonNode opaque = Json.at(from, "opaque");
        if (opaque != null) {
            to.set("opaque", opaque);
        }
    }

    /** The nodes from which all of them can be reached; null for all nodes. */
    private static @Nullable ObjectNode selector(List<DeviceSearch.Taken> taken, NodeTable.Node node) {
        ObjectNode term = Json.object();
        for (DeviceSearch.Taken each : taken) {
            Device device = each.offer().device();
            DeviceNodes nodes = each.offer().source().slice().nodesOf(device);
            if (!nodes.name().isEmpty() || device.bindsToNode) {
                ObjectNode only = Json.object();
                ObjectNode name = only.putArray("nodeSelectorTerms")
                        .addObject()
                        .putArray("matchFields")
                        .addObject();
                name.put("key", "metadata.name").put("operator", "In");
                name.putArray("values").add(node.name());
                return only;
            }
            for (JsonNode more : Json.listAt(nodes.selector(), "nodeSelectorTerms")) {
                merge(more, term, "matchFields");
                merge(more, term, "matchExpressions");
            }
        }
        if (term.isEmpty()) {
            return null;
        }
        ObjectNode selector = Json.object();
        selector.putArray("nodeSelectorTerms").add(term);
        return selector;
    }

    private static void merge(JsonNode from, ObjectNode to, String field) {
        for (JsonNode requirement : Json.listAt(from, field)) {
            ArrayNode known = Json.listAt(to, field);
            if (known.valueStream().noneMatch(each -> sameRequirement(each, requirement))) {
                to.withArray(field).add(requirement);
            }
        }
    }

    private static boolean sameRequirement(JsonNode one, JsonNode other) {
        return Json.textAt(one, "key").equals(Json.textAt(other, "key"))
                && Json.textAt(one, "operator").equals(Json.textAt(other, "operator"))
                && values(one).equals(values(other));
    }

    private static Set<String> values(JsonNode requirement) {
        Set<String> values = new HashSet<>();
        Json.listAt(requirement, "values").forEach(each -> values.add(each.asText()));
        return values;
    }
}
