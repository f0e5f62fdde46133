package lavaflow.cli;

import java.time.Instant;
import java.util.List;

import lavaflow.kinds.Tables;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What people want to know of a pod of a gang.
 *
 * @param task which part of the gang it plays; empty where nobody says
 * @param label its name without what it has in common with its neighbours
 * @param status one word, as kubectl has it
 * @param exit how its last life ended, empty where it did not
 * @param held why it cannot begin, empty where it can or nobody says
 * @param ready whether it has succeeded, or runs with all its containers ready
 */
public record GangPod(
        String name,
        String task,
        String label,
        String status,
        String node,
        long restarts,
        String age,
        String exit,
        String held,
        boolean ready) {
    /** Under which labels those who make pods say what part they play. */
    private static final List<String> TASK_LABELS = List.of(
            "volcano.sh/task-spec",
            "training.kubeflow.org/replica-type",
            "jobset.sigs.k8s.io/replicatedjob-name",
            "ray.io/node-type");

    /** What nodes say first where they pause before they try again to get an image. */
    private static final String CAUSE = "ErrImagePull: ";

    /** How our nodes begin to say what could be done about an image. */
    private static final String WAYS = ". To let it come from elsewhere: ";

    private static final int READY = 1;
    private static final int STATUS = 2;
    private static final int AGE = 4;

    public static GangPod of(ObjectNode pod, String owner, Instant now) {
        ArrayNode cells = Tables.layout("", "pods").cells(pod, now);
        String name = Json.textAt(pod, "metadata", "name");
        long restarts = 0;
        String exit = "";
        String held = "";
        for (JsonNode status : Json.listAt(pod, "status", "initContainerStatuses")) {
            JsonNode ended = Json.at(status, "state", "terminated");
            if (Json.longAt(ended, 0, "exitCode") != 0) {
                exit = end(ended) + " of init container " + Json.textAt(status, "name");
            }
            held = held.isEmpty() ? held(status) : held;
        }
        for (JsonNode status : Json.listAt(pod, "status", "containerStatuses")) {
            restarts += Json.longAt(status, 0, "restartCount");
            for (String state : List.of("lastState", "state")) {
                JsonNode ended = Json.at(status, state, "terminated");
                boolean fine = Json.longAt(ended, 0, "exitCode") == 0;
                exit = ended == null || (fine && !exit.isEmpty()) ? exit : end(ended);
            }
            held = held.isEmpty() ? held(status) : held;
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
                exit,
                held,
                isReady(pod, cells.path(READY).asText()));
    }

    private static boolean isReady(ObjectNode pod, String share) {
        boolean leaves = Json.at(pod, "metadata", "deletionTimestamp") != null;
        return switch (Json.textAt(pod, "status", "phase")) {
            case "Succeeded" -> !leaves;
            case "Running" -> !leaves && share.matches("(\\d+)/\\1");
            default -> false;
        };
    }

    private static String end(@Nullable JsonNode terminated) {
        return "exit code " + Json.longAt(terminated, 0, "exitCode") + reason(terminated);
    }

    /** What is wrong, without that it is tried again and what could be done about it. */
    private static String held(JsonNode status) {
        String message = Json.textAt(status, "state", "waiting", "message");
        int cause = message.indexOf(CAUSE);
        String text = cause < 0 ? message : message.substring(cause + CAUSE.length());
        int ways = text.indexOf(WAYS);
        return ways < 0 ? text : text.substring(0, ways);
    }

    /** What an exit code alone does not tell: that there was no such program, or too little memory. */
    private static String reason(@Nullable JsonNode ended) {
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

    /** How it ended, or why it cannot begin. */
    public String trouble() {
        return exit.isEmpty() ? held : exit;
    }

    boolean isDone() {
        return status.equals("Completed") || status.equals("Succeeded");
    }
}
