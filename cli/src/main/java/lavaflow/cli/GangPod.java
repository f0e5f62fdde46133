package lavaflow.cli;

import java.time.Instant;
import java.util.List;

import lavaflow.kinds.Tables;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What people want to know of a pod of a gang.
 *
 * @param task which part of the gang it plays; empty where nobody says
 * @param label its name without what it has in common with its neighbours
 * @param status one word, as kubectl has it
 * @param exit how its last life ended, empty where it did not
 */
public record GangPod(
        String name, String task, String label, String status, String node, long restarts, String age, String exit) {
    /** Under which labels those who make pods say what part they play. */
    private static final List<String> TASK_LABELS = List.of(
            "volcano.sh/task-spec",
            "training.kubeflow.org/replica-type",
            "jobset.sigs.k8s.io/replicatedjob-name",
            "ray.io/node-type");

    private static final int STATUS = 2;
    private static final int AGE = 4;

    public static GangPod of(ObjectNode pod, String owner, Instant now) {
        ArrayNode cells = Tables.layout("", "pods").cells(pod, now);
        String name = Json.textAt(pod, "metadata", "name");
        long restarts = 0;
        String exit = "";
        for (JsonNode status : Json.listAt(pod, "status", "containerStatuses")) {
            restarts += Json.longAt(status, 0, "restartCount");
            for (String state : List.of("lastState", "state")) {
                JsonNode ended = Json.at(status, state, "terminated");
                long code = Json.longAt(ended, 0, "exitCode");
                exit = ended == null || (code == 0 && !exit.isEmpty()) ? exit : "exit code " + code + reason(ended);
            }
        }
        String task = TASK_LABELS.stream()
                .map(label -> Json.textAt(pod, "metadata", "labels", label))
                .filter(value -> !value.isEmpty())
                .findFirst()
                .orElse("");
        String common = owner + "-";
        return new GangPod(
                name,
                task,
                name.startsWith(common) && name.length() > common.length() ? name.substring(common.length()) : name,
                cells.path(STATUS).asText(),
                Json.textAt(pod, "spec", "nodeName"),
                restarts,
                cells.path(AGE).asText(),
                exit);
    }

    /** What an exit code alone does not tell: that there was no such program, or too little memory. */
    private static String reason(JsonNode ended) {
        String message = Json.textAt(ended, "message").strip();
        return switch (Json.textAt(ended, "reason")) {
            case "OOMKilled" -> ", it needed more memory than its limit (OOMKilled)";
            case "StartError", "ContainerCannotRun" -> message.isEmpty() ? "" : ", it could not be started: " + message;
            default -> "";
        };
    }

    public boolean isBad() {
        return switch (status) {
            case "Running", "Completed", "Succeeded", "Pending", "ContainerCreating", "PodInitializing" -> false;
            default -> !status.matches("Init:\\d+/\\d+") && !status.equals("Terminating");
        };
    }

    boolean isDone() {
        return status.equals("Completed") || status.equals("Succeeded");
    }
}
