package lavaflow.cli;

import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** What became of an object that runs pods. */
public enum Outcome {
    RUNNING,
    SUCCEEDED,
    FAILED;

    /** What an object says of itself, whatever its kind: a phase, or conditions. */
    public static Outcome of(ObjectNode object) {
        String phase = Json.textAt(object, "status", "state", "phase");
        if (phase.isEmpty()) {
            phase = Json.textAt(object, "status", "phase");
        }
        Outcome said = ofPhase(phase);
        if (said != RUNNING) {
            return said;
        }
        for (JsonNode condition : Json.listAt(object, "status", "conditions")) {
            if (Json.textAt(condition, "status").equals("True")) {
                switch (Json.textAt(condition, "type")) {
                    case "Complete", "Completed", "Succeeded" -> {
                        return SUCCEEDED;
                    }
                    case "Failed" -> {
                        return FAILED;
                    }
                    default -> {}
                }
            }
        }
        return RUNNING;
    }

    /** One word for how an object is, whatever its kind. */
    public static String phase(ObjectNode object) {
        for (String[] path : new String[][] {{"status", "state", "phase"}, {"status", "phase"}}) {
            String phase = Json.textAt(object, path);
            if (!phase.isEmpty()) {
                return phase;
            }
        }
        String phase = "";
        for (JsonNode condition : Json.listAt(object, "status", "conditions")) {
            if (Json.textAt(condition, "status").equals("True")) {
                phase = Json.textAt(condition, "type");
            }
        }
        return phase.isEmpty() ? "Pending" : phase;
    }

    private static Outcome ofPhase(String phase) {
        if (List.of("Completed", "Succeed", "Succeeded").contains(phase)) {
            return SUCCEEDED;
        }
        return List.of("Failed", "Terminated", "Aborted").contains(phase) ? FAILED : RUNNING;
    }

    public boolean isEnd() {
        return this != RUNNING;
    }
}
