package lavaflow.scheduler;

import lavaflow.gang.GroupPhase;
import lavaflow.gang.GroupStatus;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * The PodGroup of kube-scheduler's plugin for gangs ({@code scheduling.x-k8s.io}). It knows nothing of queues: its pods are there from the
 * beginning, and are placed once there are enough of them.
 */
final class PluginGroup {
    private PluginGroup() {}

    /** Says the same in Volcano's form. */
    static ObjectNode inVolcanosForm(ObjectNode group) {
        ObjectNode form = Json.object();
        JsonNode metadata = Json.at(group, "metadata");
        if (metadata != null) {
            form.set("metadata", metadata);
        }
        ObjectNode spec = form.putObject("spec");
        spec.put("minMember", Json.longAt(group, 1, "spec", "minMember"));
        ObjectNode resources = Json.objectAt(group, "spec", "minResources");
        if (resources != null) {
            spec.set("minResources", resources);
        }
        ObjectNode status = form.putObject("status").put("phase", phase(Json.textAt(group, "status", "phase")));
        for (String count : new String[] {"running", "succeeded", "failed"}) {
            status.put(count, Json.longAt(group, 0, "status", count));
        }
        return form;
    }

    /** Nobody has to be asked whether a group may enter. */
    private static String phase(String told) {
        GroupPhase phase = switch (told) {
            case "Running" -> GroupPhase.RUNNING;
            case "Finished" -> GroupPhase.COMPLETED;
            case "Unknown" -> GroupPhase.UNKNOWN;
            default -> GroupPhase.INQUEUE;
        };
        return phase.toString();
    }

    /** How far a gang is, in the words of the plugin. */
    static ObjectNode status(GroupStatus status) {
        ObjectNode told = Json.object();
        String phase = switch (status.phase()) {
            case RUNNING -> "Running";
            case COMPLETED -> "Finished";
            case UNKNOWN -> "Unknown";
            case PENDING, INQUEUE -> "Scheduling";
        };
        told.put("phase", phase);
        told.put("running", status.running());
        told.put("succeeded", status.succeeded());
        told.put("failed", status.failed());
        return told;
    }
}
