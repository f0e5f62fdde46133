package lavaflow.placement;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.cel.DeviceValue;
import lavaflow.kube.Json;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** A device of a ResourceSlice. Does not change; compared by identity. */
final class Device {
    /**
     * What a device is known by in the whole cluster.
     *
     * @param pool unique for its driver
     */
    record Id(String driver, String pool, String device) {
        @Override
        public String toString() {
            return driver + "/" + pool + "/" + device;
        }
    }

    /** Keeps requests off that do not tolerate it. */
    record Taint(String key, String value, String effect) {
        boolean keepsOff() {
            return effect.equals("NoSchedule") || effect.equals("NoExecute");
        }
    }

    /** What it takes of a set of counters that devices of its pool share. */
    record Consumption(String set, Map<String, Quantity> counters) {}

    final Id id;
    final @Nullable ObjectNode attributes;
    final Map<String, DeviceCapacity> capacity;
    /** Whether several claims can have it at a time. */
    final boolean shared;

    final List<Taint> taints;
    final List<Consumption> consumes;
    final DeviceNodes nodes;
    /** Whether who has it can only be on the node it was chosen for. */
    final boolean bindsToNode;
    /** What has to be true of it, once it was chosen, before a pod is bound; empty if nothing. */
    final List<String> conditions;
    /** What of it says that this will never be so. */
    final List<String> failures;

    private final JsonNode json;
    private @Nullable DeviceValue value;

    private Device(Id id, JsonNode json) {
        this.id = id;
        this.json = json;
        this.attributes = Json.objectAt(json, "attributes");
        this.capacity = DeviceCapacity.of(Json.objectAt(json, "capacity"));
        this.shared = Json.flagAt(json, "allowMultipleAllocations");
        List<Taint> found = new ArrayList<>();
        for (JsonNode taint : Json.listAt(json, "taints")) {
            found.add(new Taint(Json.textAt(taint, "key"), Json.textAt(taint, "value"), Json.textAt(taint, "effect")));
        }
        this.taints = List.copyOf(found);
        List<Consumption> takes = new ArrayList<>();
        for (JsonNode each : Json.listAt(json, "consumesCounters")) {
            takes.add(new Consumption(Json.textAt(each, "counterSet"), counters(each)));
        }
        this.consumes = List.copyOf(takes);
        this.nodes = DeviceNodes.of(json);
        this.bindsToNode = Json.flagAt(json, "bindsToNode");
        this.conditions = texts(json, "bindingConditions");
        this.failures = texts(json, "bindingFailureConditions");
    }

    private static List<String> texts(JsonNode json, String field) {
        return Json.listAt(json, field).valueStream().map(JsonNode::asText).toList();
    }

    static Device of(String driver, String pool, JsonNode json) {
        return new Device(new Id(driver, pool, Json.textAt(json, "name")), json);
    }

    static Map<String, Quantity> counters(JsonNode set) {
        Map<String, Quantity> counters = new LinkedHashMap<>();
        ObjectNode named = Json.objectAt(set, "counters");
        if (named != null) {
            named.properties().forEach(each -> counters.put(each.getKey(), Quantity.at(each.getValue(), "value")));
        }
        return counters;
    }

    /** As selectors see it, made when the first one asks. Whoever is second makes the same. */
    DeviceValue value() {
        DeviceValue known = value;
        if (known == null) {
            known = DeviceValue.of(id.driver, json);
            value = known;
        }
        return known;
    }

    /** The attribute of a full name: the driver's own need not have their domain; null if it has none such. */
    @Nullable
    JsonNode attribute(String fullName) {
        JsonNode exact = attributes == null ? null : attributes.get(fullName);
        int slash = fullName.indexOf('/');
        if (exact != null || attributes == null || slash < 0) {
            return exact;
        }
        return fullName.substring(0, slash).equals(id.driver) ? attributes.get(fullName.substring(slash + 1)) : null;
    }
}
