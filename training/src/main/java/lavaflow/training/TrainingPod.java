package lavaflow.training;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What counts of a pod.
 *
 * @param owner the uid of whoever controls it
 * @param job the name of its job, by its label
 * @param type by its label, in small letters
 * @param role by its label
 * @param index by its label, -1 if it has none
 * @param exits the exit codes of containers that have ended
 * @param restarts of all its containers
 * @param trouble why it does not get on
 */
record TrainingPod(
        String namespace,
        String name,
        String uid,
        String owner,
        String job,
        String type,
        String role,
        int index,
        String created,
        String phase,
        String reason,
        String message,
        boolean deleting,
        boolean ready,
        Map<String, Integer> exits,
        int restarts,
        List<Notice> trouble) {
    private static final String WAITING = " waiting message: ";
    private static final String PULL = "ErrImagePull: ";
    /** What does not go away by itself. */
    private static final Set<String> HOLDUPS = Set.of(
            "ErrImagePull",
            "ImagePullBackOff",
            "InvalidImageName",
            "ErrImageNeverPull",
            "CreateContainerConfigError",
            "CreateContainerError",
            "RunContainerError");

    /** Of pods that are not of a job nobody has to know. */
    static boolean mayBe(ObjectNode pod) {
        return !Json.textAt(pod, "metadata", "labels", Training.JOB_NAME).isEmpty();
    }

    static TrainingPod of(ObjectNode pod) {
        ObjectNode labels = Json.objectAt(pod, "metadata", "labels");
        Map<String, Integer> exits = new TreeMap<>();
        int restarts = 0;
        for (String field : List.of("initContainerStatuses", "containerStatuses")) {
            for (JsonNode status : Json.listAt(pod, "status", field)) {
                restarts += (int) Json.longAt(status, 0, "restartCount");
                if (field.startsWith("c") && Json.at(status, "state", "terminated") != null) {
                    exits.put(Json.textAt(status, "name"), (int)
                            Json.longAt(status, 0, "state", "terminated", "exitCode"));
                }
            }
        }
        return new TrainingPod(
                Training.namespace(pod),
                Training.name(pod),
                Training.uid(pod),
                Training.controllerUid(pod),
                Json.textAt(labels, Training.JOB_NAME),
                Json.textAt(labels, Training.REPLICA_TYPE),
                Json.textAt(labels, Training.JOB_ROLE),
                index(Json.textAt(labels, Training.REPLICA_INDEX)),
                Json.textAt(pod, "metadata", "creationTimestamp"),
                Json.textAt(pod, "status", "phase"),
                Json.textAt(pod, "status", "reason"),
                Json.textAt(pod, "status", "message"),
                Json.at(pod, "metadata", "deletionTimestamp") != null,
                isReady(pod),
                exits,
                restarts,
                trouble(pod));
    }

    private static int index(String label) {
        try {
            return label.isEmpty() ? -1 : Integer.parseInt(label);
        } catch (NumberFormatException _) {
            return -1; // somebody changed it
        }
    }

    private static boolean isReady(ObjectNode pod) {
        for (JsonNode condition : Json.listAt(pod, "status", "conditions")) {
            if (Json.textAt(condition, "type").equals("Ready")) {
                return Json.textAt(condition, "status").equals("True");
            }
        }
        return false;
    }

    boolean isRunning() {
        return phase.equals("Running");
    }

    boolean isPending() {
        return phase.equals("Pending") || phase.isEmpty();
    }

    boolean hasFailed() {
        return phase.equals("Failed");
    }

    boolean hasSucceeded() {
        return phase.equals("Succeeded");
    }

    TrainingPod deleted() {
        return new TrainingPod(
                namespace, name, uid, owner, job, type, role, index, created, phase, reason, message, true, ready,
                exits, restarts, trouble);
    }

    // ---- trouble

    /** Why a container of it cannot even start; empty if that is not so. */
    String holdup() {
        for (Notice notice : trouble) {
            int begin = notice.message().indexOf(WAITING);
            if (begin >= 0 && HOLDUPS.contains(notice.reason())) {
                String text = notice.message().substring(begin + WAITING.length());
                // What is tried again after a pause is told as what is wrong, not as the pause.
                int why = text.indexOf(PULL);
                return "Pod " + name + " cannot start: " + (why < 0 ? text : text.substring(why + PULL.length()));
            }
        }
        return "";
    }

    private static List<Notice> trouble(ObjectNode pod) {
        String phase = Json.textAt(pod, "status", "phase");
        if (phase.equals("Succeeded") || phase.equals("Failed")) {
            return List.of();
        }
        List<Notice> trouble = new ArrayList<>();
        boolean begun = false;
        for (String field : List.of("initContainerStatuses", "containerStatuses")) {
            for (JsonNode status : Json.listAt(pod, "status", field)) {
                ofContainer(pod, status, trouble);
                begun = true;
            }
        }
        if (begun) {
            return List.copyOf(trouble);
        }
        JsonNode newest = null;
        for (JsonNode condition : Json.listAt(pod, "status", "conditions")) {
            if (newest == null
                    || Json.textAt(condition, "lastTransitionTime").compareTo(Json.textAt(newest, "lastTransitionTime"))
                            > 0) {
                newest = condition;
            }
        }
        if (newest != null && !Json.textAt(newest, "status").equals("True")) {
            trouble.add(notice(
                    pod, Json.textAt(newest, "reason"), " condition message: " + Json.textAt(newest, "message")));
        }
        return List.copyOf(trouble);
    }

    private static void ofContainer(ObjectNode pod, JsonNode status, List<Notice> trouble) {
        String container = " container " + Json.textAt(status, "name");
        JsonNode ended = Json.at(status, "state", "terminated");
        if (ended != null && Json.longAt(ended, 0, "exitCode") != 0) {
            trouble.add(notice(
                    pod,
                    Json.textAt(ended, "reason"),
                    container + " exitCode: " + Json.longAt(ended, 0, "exitCode") + " terminated message: "
                            + Json.textAt(ended, "message")));
        }
        JsonNode waiting = Json.at(status, "state", "waiting");
        if (waiting != null && !Json.textAt(waiting, "message").isEmpty()) {
            trouble.add(
                    notice(pod, Json.textAt(waiting, "reason"), container + WAITING + Json.textAt(waiting, "message")));
        }
    }

    private static Notice notice(ObjectNode pod, String reason, String what) {
        return new Notice(true, reason, "Error pod " + Training.name(pod) + what, Training.uid(pod) + reason);
    }
}
