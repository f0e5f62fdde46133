package lavaflow.cluster;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import lavaflow.kube.GoTime;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What was heard of a node and when, by our clock: nodes' own clocks may be wrong, so that only changes of what they write
 * count, not what it says.
 *
 * @param ready the Ready condition when last looked at, null where there was none
 * @param renewed the renewal of the lease when last looked at, 0 where there was none
 * @param heard when something changed last
 */
record NodeHealth(NodeState.@Nullable Condition ready, long renewed, Instant heard) {
    static final Duration GRACE = Duration.ofSeconds(50);
    /** A node that never wrote a status has this long to do so. */
    static final Duration STARTUP_GRACE = Duration.ofSeconds(60);

    private static final List<String> CONDITIONS = List.of("Ready", "MemoryPressure", "DiskPressure", "PIDPressure");

    static NodeHealth next(@Nullable NodeHealth before, NodeState node, long renewed, Instant now) {
        NodeState.Condition ready = node.ready();
        Instant heard;
        if (before == null) {
            heard = ready == null ? node.created() : now;
        } else {
            heard = heartbeat(before.ready()).equals(heartbeat(ready)) ? before.heard() : now;
        }
        long known = before == null ? 0 : before.renewed();
        return renewed > known ? new NodeHealth(ready, renewed, now) : new NodeHealth(ready, known, heard);
    }

    private static String heartbeat(NodeState.@Nullable Condition ready) {
        return ready == null ? "none" : ready.heartbeat();
    }

    boolean isSilent(Instant now) {
        return now.isAfter(heard.plus(ready == null ? STARTUP_GRACE : GRACE));
    }

    NodeHealth heardAt(Instant now) {
        return new NodeHealth(ready, renewed, now);
    }

    /** Says in the status of a node that nobody knows how it is; false if that is what it says already. */
    static boolean markUnknown(ObjectNode node, Instant now) {
        ObjectNode status = Json.ensureObject(node, "status");
        ArrayNode conditions = Json.listAt(status, "conditions").deepCopy();
        for (String type : CONDITIONS) {
            ObjectNode present = find(conditions, type);
            if (present == null) {
                conditions
                        .addObject()
                        .put("type", type)
                        .put("status", "Unknown")
                        .put("lastHeartbeatTime", Json.textAt(node, "metadata", "creationTimestamp"))
                        .put("lastTransitionTime", GoTime.seconds(now))
                        .put("reason", "NodeStatusNeverUpdated")
                        .put("message", "Kubelet never posted node status.");
            } else if (!Json.textAt(present, "status").equals("Unknown")) {
                present.put("status", "Unknown")
                        .put("reason", "NodeStatusUnknown")
                        .put("message", "Kubelet stopped posting node status.")
                        .put("lastTransitionTime", GoTime.seconds(now));
            }
        }
        boolean changed =
                !java.util.Objects.equals(find(conditions, "Ready"), find(Json.listAt(status, "conditions"), "Ready"));
        status.set("conditions", conditions);
        return changed;
    }

    private static @Nullable ObjectNode find(ArrayNode conditions, String type) {
        for (JsonNode condition : conditions) {
            if (Json.textAt(condition, "type").equals(type)) {
                return (ObjectNode) condition;
            }
        }
        return null;
    }
}
