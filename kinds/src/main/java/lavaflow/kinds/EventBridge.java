package lavaflow.kinds;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Events are stored as core/v1; events.k8s.io/v1 is the same with other names. */
final class EventBridge implements VersionBridge {
    /** Pairs of core/v1 name and events.k8s.io/v1 name, in the order the latter prints them. */
    private static final String[][] NAMES = {
        {"metadata", "metadata"},
        {"eventTime", "eventTime"},
        {"series", "series"},
        {"reportingComponent", "reportingController"},
        {"reportingInstance", "reportingInstance"},
        {"action", "action"},
        {"reason", "reason"},
        {"involvedObject", "regarding"},
        {"related", "related"},
        {"message", "note"},
        {"type", "type"},
        {"source", "deprecatedSource"},
        {"firstTimestamp", "deprecatedFirstTimestamp"},
        {"lastTimestamp", "deprecatedLastTimestamp"},
        {"count", "deprecatedCount"}
    };

    @Override
    public ObjectNode toStored(ObjectNode object) {
        ObjectNode stored = Json.object().put("kind", "Event").put("apiVersion", "v1");
        for (String[] pair : NAMES) {
            move(object, pair[1], stored, pair[0]);
        }
        // Not optional in Go, so that core/v1 always prints them.
        Json.ensureObject(stored, "involvedObject");
        Json.ensureObject(stored, "source");
        for (String time : new String[] {"firstTimestamp", "lastTimestamp", "eventTime"}) {
            if (!stored.has(time)) {
                stored.putNull(time);
            }
        }
        Nodes.defaultText(stored, "reportingComponent", "");
        Nodes.defaultText(stored, "reportingInstance", "");
        return stored;
    }

    @Override
    public ObjectNode fromStored(ObjectNode stored) {
        ObjectNode object = Json.object().put("kind", "Event").put("apiVersion", "events.k8s.io/v1");
        for (String[] pair : NAMES) {
            move(stored, pair[0], object, pair[1]);
        }
        for (String text : new String[] {"reportingController", "reportingInstance"}) {
            if (Json.textAt(object, text).isEmpty()) {
                object.remove(text);
            }
        }
        return object;
    }

    private static void move(ObjectNode from, String name, ObjectNode to, String newName) {
        JsonNode value = from.get(name);
        if (value != null) {
            to.set(newName, value);
        }
    }
}
