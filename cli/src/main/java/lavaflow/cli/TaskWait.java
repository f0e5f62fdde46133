package lavaflow.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * A task of a Volcano Job that begins after others, as long as it has not.
 *
 * @param replicas how many pods it will have
 * @param reason what it waits for
 */
public record TaskWait(String task, long replicas, String reason) {
    private static final Set<String> GOING_ON = Set.of("", "Pending", "Running", "Restarting");

    /** What each task of a Job waits for that lacks pods; none of a job of another kind. */
    public static List<TaskWait> of(ObjectNode job, List<GangPod> pods) {
        List<TaskWait> waits = new ArrayList<>();
        if (GOING_ON.contains(Json.textAt(job, "status", "state", "phase"))) {
            for (JsonNode task : Json.listAt(job, "spec", "tasks")) {
                String name = Json.textAt(task, "name");
                long replicas = Json.longAt(task, 0, "replicas");
                String reason = count(pods, name, false) < replicas ? reason(job, task, pods) : "";
                if (!reason.isEmpty()) {
                    waits.add(new TaskWait(name, replicas, reason));
                }
            }
        }
        return waits;
    }

    private static String reason(ObjectNode job, JsonNode task, List<GangPod> pods) {
        JsonNode names = Json.listAt(task, "dependsOn", "name");
        boolean any =
                names.size() > 1 && Json.textAt(task, "dependsOn", "iteration").equals("any");
        List<String> missing = new ArrayList<>();
        boolean met = names.isEmpty();
        for (JsonNode name : names) {
            long least = least(job, name.asText());
            long ready = count(pods, name.asText(), true);
            if (ready < least) {
                missing.add(name.asText() + " (" + ready + " of " + least + " ready)");
            } else {
                met |= any;
            }
        }
        return met ? "" : String.join(any ? " or " : " and ", missing);
    }

    /** How many pods of a task others wait for; of a task that is none nobody has to be there. */
    private static long least(ObjectNode job, String name) {
        for (JsonNode task : Json.listAt(job, "spec", "tasks")) {
            if (Json.textAt(task, "name").equals(name)) {
                return Json.longAt(task, 0, "minAvailable");
            }
        }
        return 0;
    }

    private static long count(List<GangPod> pods, String task, boolean ready) {
        return pods.stream()
                .filter(pod -> pod.task().equals(task) && (!ready || pod.ready()))
                .count();
    }

    @Override
    public String toString() {
        return task + " waits for " + reason;
    }
}
