package lavaflow.cluster;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What those who watch over nodes look at.
 *
 * @param conditions by type
 * @param zone region and zone together, as upstream keys zones
 * @param exempt whether its failure says nothing about its zone
 * @param labels those of operating system and architecture, stable and beta
 */
record NodeState(
        String name,
        String uid,
        Instant created,
        Map<String, Condition> conditions,
        List<Taint> taints,
        boolean unschedulable,
        String zone,
        boolean exempt,
        Map<String, String> labels) {

    /** One condition; the times are only compared, so they stay as written. */
    record Condition(String status, String heartbeat, String transition) {}

    /** A mark that keeps pods away; value empty for none. */
    record Taint(String key, String value, String effect) {
        static Taint noSchedule(String key) {
            return new Taint(key, "", "NoSchedule");
        }

        static Taint noExecute(String key) {
            return new Taint(key, "", "NoExecute");
        }

        static Taint of(JsonNode json) {
            return new Taint(Json.textAt(json, "key"), Json.textAt(json, "value"), Json.textAt(json, "effect"));
        }

        /** Whether both may not be on a node together. */
        boolean isSameMark(Taint other) {
            return key.equals(other.key) && effect.equals(other.effect);
        }
    }

    static final List<String> STABLE_LABELS = List.of("kubernetes.io/os", "kubernetes.io/arch");

    static NodeState of(ObjectNode node) {
        Map<String, Condition> conditions = new LinkedHashMap<>();
        for (JsonNode each : Json.listAt(node, "status", "conditions")) {
            conditions.put(
                    Json.textAt(each, "type"),
                    new Condition(
                            Json.textAt(each, "status"),
                            Json.textAt(each, "lastHeartbeatTime"),
                            Json.textAt(each, "lastTransitionTime")));
        }
        List<Taint> taints = new ArrayList<>(0);
        Json.listAt(node, "spec", "taints").forEach(taint -> taints.add(Taint.of(taint)));
        ObjectNode labels = Json.objectAt(node, "metadata", "labels");
        Map<String, String> kept = new LinkedHashMap<>();
        for (String stable : STABLE_LABELS) {
            for (String label : List.of(stable, "beta." + stable)) {
                if (labels != null && labels.has(label)) {
                    kept.put(label, Json.textAt(labels, label));
                }
            }
        }
        String region = Json.textAt(labels, "topology.kubernetes.io/region");
        String zone = Json.textAt(labels, "topology.kubernetes.io/zone");
        return new NodeState(
                Objects.name(node),
                Objects.uid(node),
                PodState.time(Json.textAt(node, "metadata", "creationTimestamp")),
                conditions,
                List.copyOf(taints),
                Json.flagAt(node, "spec", "unschedulable"),
                region.isEmpty() && zone.isEmpty() ? "" : region + ":" + zone,
                labels != null && labels.has("node.kubernetes.io/exclude-disruption"),
                kept);
    }

    @Nullable
    Condition ready() {
        return conditions.get("Ready");
    }

    boolean isReady() {
        Condition ready = ready();
        return ready != null && ready.status().equals("True");
    }

    boolean has(Taint taint) {
        return taints.stream().anyMatch(taint::isSameMark);
    }
}
