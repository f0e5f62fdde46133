package lavaflow.kinds;

import java.util.HashSet;
import java.util.Set;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** The row of a pod: how many containers are ready, and one word for the state it is in. */
final class PodTable {
    static final String[] COLUMNS = {
        "Name/name", "Ready", "Status", "Restarts", "Age", "IP*", "Node*", "Nominated Node*", "Readiness Gates*"
    };
    static final Tables.Filling FILLING = cells -> new PodTable(cells).fill();

    private final Cells cells;
    private final ObjectNode pod;
    private final ArrayNode initStatuses;
    private final Set<String> sidecars = new HashSet<>();
    private String reason;
    private int ready;
    private long restarts;
    private long sidecarRestarts;
    /** Latest ends of earlier runs; RFC 3339 in UTC sorts as text. */
    private String lastRestart = "";

    private String lastSidecarRestart = "";

    private PodTable(Cells cells) {
        this.cells = cells;
        this.pod = cells.object();
        this.initStatuses = Json.listAt(pod, "status", "initContainerStatuses");
        this.reason = phaseOrReason();
        for (JsonNode container : Json.listAt(pod, "spec", "initContainers")) {
            if (Json.textAt(container, "restartPolicy").equals("Always")) {
                sidecars.add(Json.textAt(container, "name"));
            }
        }
    }

    static ArrayNode conditions(ObjectNode pod) {
        ArrayNode conditions = Json.array();
        String phase = Json.textAt(pod, "status", "phase");
        boolean failed = phase.equals("Failed");
        if (failed || phase.equals("Succeeded")) {
            conditions
                    .addObject()
                    .put("type", "Completed")
                    .put("status", "True")
                    .put("reason", phase)
                    .put("message", failed ? "The pod failed." : "The pod has completed successfully.");
        }
        return conditions;
    }

    private void fill() {
        boolean initializing = readInitContainers();
        if (!initializing || cells.isTrue("Initialized")) {
            restarts = sidecarRestarts;
            lastRestart = lastSidecarRestart;
            readContainers();
        }
        if (cells.isDeleting()) {
            boolean lost = cells.at("status", "reason").equals("NodeLost");
            String phase = cells.at("status", "phase");
            boolean over = phase.equals("Succeeded") || phase.equals("Failed");
            reason = lost ? "Unknown" : over ? reason : "Terminating";
        }
        boolean dated = restarts != 0 && !lastRestart.isEmpty();
        cells.name()
                .text(ready + "/" + (cells.count("spec", "containers") + sidecars.size()))
                .text(reason)
                .text(dated ? restarts + " (" + cells.ageOf(lastRestart) + " ago)" : Long.toString(restarts))
                .age()
                .text(address())
                .textUnlessEmpty(Cells.NONE, "spec", "nodeName")
                .textUnlessEmpty(Cells.NONE, "status", "nominatedNodeName")
                .text(gates());
    }

    private String phaseOrReason() {
        for (JsonNode condition : Json.listAt(pod, "status", "conditions")) {
            if (Json.textAt(condition, "type").equals("PodScheduled")
                    && Json.textAt(condition, "reason").equals("SchedulingGated")) {
                return "SchedulingGated";
            }
        }
        String given = cells.at("status", "reason");
        return given.isEmpty() ? cells.at("status", "phase") : given;
    }

    /** Whether some init container is not over yet; the first such one gives the reason. */
    private boolean readInitContainers() {
        int index = 0;
        for (JsonNode status : initStatuses) {
            boolean sidecar = sidecars.contains(Json.textAt(status, "name"));
            countRestarts(status, sidecar);
            JsonNode terminated = Json.at(status, "state", "terminated");
            boolean succeeded = terminated != null && Json.longAt(terminated, 0, "exitCode") == 0;
            boolean started = sidecar && Json.flagAt(status, "started");
            if (!succeeded && !started) {
                reason = "Init:" + initReason(status, terminated, index);
                return true;
            }
            if (!succeeded && Json.flagAt(status, "ready")) {
                ready++;
            }
            index++;
        }
        return false;
    }

    private void countRestarts(JsonNode status, boolean sidecar) {
        long count = Json.longAt(status, 0, "restartCount");
        String end = Json.textAt(status, "lastState", "terminated", "finishedAt");
        restarts += count;
        lastRestart = later(lastRestart, end);
        if (sidecar) {
            sidecarRestarts += count;
            lastSidecarRestart = later(lastSidecarRestart, end);
        }
    }

    private static String later(String left, String right) {
        return left.compareTo(right) >= 0 ? left : right;
    }

    private String initReason(JsonNode status, @Nullable JsonNode terminated, int index) {
        if (terminated != null) {
            return endReason(terminated);
        }
        String waiting = Json.textAt(status, "state", "waiting", "reason");
        if (!waiting.isEmpty() && !waiting.equals("PodInitializing")) {
            return waiting;
        }
        return index + "/" + cells.count("spec", "initContainers");
    }

    private static String endReason(JsonNode terminated) {
        String given = Json.textAt(terminated, "reason");
        if (!given.isEmpty()) {
            return given;
        }
        long signal = Json.longAt(terminated, 0, "signal");
        return signal != 0 ? "Signal:" + signal : "ExitCode:" + Json.longAt(terminated, 0, "exitCode");
    }

    private void readContainers() {
        boolean running = false;
        String error = "";
        ArrayNode statuses = Json.listAt(pod, "status", "containerStatuses");
        for (int i = statuses.size() - 1; i >= 0; i--) {
            JsonNode status = statuses.get(i);
            countRestarts(status, false);
            String waiting = Json.textAt(status, "state", "waiting", "reason");
            JsonNode terminated = Json.at(status, "state", "terminated");
            if (!waiting.isEmpty()) {
                reason = waiting;
            } else if (terminated != null) {
                reason = endReason(terminated);
                error = Json.longAt(terminated, 0, "exitCode") != 0 ? reason : error;
            } else if (Json.flagAt(status, "ready") && Json.at(status, "state", "running") != null) {
                running = true;
                ready++;
            }
        }
        if (reason.equals("Completed")) {
            reason = notQuiteCompleted(running, error);
        }
    }

    /** A pod of which one container is over is not over itself while another runs. */
    private String notQuiteCompleted(boolean running, String error) {
        if (running && hasReadyCondition()) {
            return "Running";
        }
        if (!error.isEmpty()) {
            return error;
        }
        return running ? "NotReady" : reason;
    }

    private boolean hasReadyCondition() {
        for (JsonNode condition : Json.listAt(pod, "status", "conditions")) {
            if (Json.textAt(condition, "type").equals("Ready")
                    && Json.textAt(condition, "status").equals("True")) {
                return true;
            }
        }
        return false;
    }

    private String address() {
        String first = Json.textAt(Json.listAt(pod, "status", "podIPs").get(0), "ip");
        String address = first.isEmpty() ? cells.at("status", "podIP") : first;
        return address.isEmpty() ? Cells.NONE : address;
    }

    private String gates() {
        ArrayNode gates = Json.listAt(pod, "spec", "readinessGates");
        if (gates.isEmpty()) {
            return Cells.NONE;
        }
        int open = 0;
        for (JsonNode gate : gates) {
            open += cells.isTrue(Json.textAt(gate, "conditionType")) ? 1 : 0;
        }
        return open + "/" + gates.size();
    }
}
