package lavaflow.kubelet;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import lavaflow.kube.GoTime;
import lavaflow.kube.Json;
import lavaflow.node.PodConditions;
import lavaflow.node.PodPhase;
import lavaflow.sandbox.ContainerUser;
import lavaflow.sandbox.RuntimeInfo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** The status of a pod, as kubelets write it. */
final class PodStatusForm {
    private static final int KILLED = 137;
    private static final String UNKNOWN = "ContainerStatusUnknown";

    private final PodFacts facts;
    private final PodView pod;
    private final RuntimeInfo runtime;
    private final PodPhase phase;
    /** Nothing runs any more, and nothing will be started. */
    private final boolean finished;

    private PodStatusForm(PodFacts facts, RuntimeInfo runtime) {
        this.facts = facts;
        this.pod = facts.pod();
        this.runtime = runtime;
        this.phase = DecidedPhase.of(facts);
        this.finished = phase.isOver();
    }

    /**
     * @param runtime by which containers are named, and on which it depends what they have
     * @param startTime when the node took the pod in; null if it did not
     * @param extra conditions of the node's other concerns, such as resizing
     */
    static ObjectNode render(
            PodFacts facts,
            RuntimeInfo runtime,
            String hostAddress,
            @Nullable Instant startTime,
            List<ObjectNode> extra) {
        return new PodStatusForm(facts, runtime).render(hostAddress, startTime, extra);
    }

    private ObjectNode render(String hostAddress, @Nullable Instant startTime, List<ObjectNode> extra) {
        ObjectNode status = Json.object();
        status.put("observedGeneration", pod.generation());
        status.put("phase", phase.word());
        PodFacts.End end = facts.end();
        if (end != null && finished) {
            status.put("message", end.message()).put("reason", end.reason());
        }
        boolean rejected = end != null && startTime == null;
        status.set("conditions", rejected ? Json.array() : conditions(extra));
        if (startTime != null) {
            status.put("hostIP", hostAddress).putArray("hostIPs").addObject().put("ip", hostAddress);
            addresses(status);
            status.put("startTime", GoTime.seconds(startTime));
        }
        if (rejected) {
            return status;
        }
        for (PodView.Role role : PodView.Role.values()) {
            List<ObjectNode> statuses = new ArrayList<>();
            for (PodView.Container each : pod.containers(role)) {
                statuses.add(container(each));
            }
            if (role != PodView.Role.INIT) {
                statuses.sort(Comparator.comparing(each -> Json.textAt(each, "name")));
            }
            if (!statuses.isEmpty()) {
                statuses.forEach(status.putArray(role.statuses())::add);
            }
        }
        return status;
    }

    private void addresses(ObjectNode status) {
        if (!facts.addresses().isEmpty()) {
            status.put("podIP", facts.addresses().getFirst());
            ArrayNode all = status.putArray("podIPs");
            facts.addresses().forEach(each -> all.addObject().put("ip", each));
        }
    }

    // ---- conditions ----

    private ArrayNode conditions(List<ObjectNode> extra) {
        PodConditions conditions = new PodConditions(pod.object(), facts.now());
        conditions.tellAll(phase, facts.sandbox(), incompleteInits(), unready());
        if (pod.mayRestartAll()) {
            restartingAll(conditions);
        }
        for (ObjectNode each : extra) {
            conditions.tell(
                    Json.textAt(each, "type"),
                    Json.textAt(each, "status").equals("True"),
                    Json.textAt(each, "reason"),
                    Json.textAt(each, "message"));
        }
        return conditions.told();
    }

    private void restartingAll(PodConditions conditions) {
        boolean restarts = facts.restartsAll() && !finished;
        String over = finished ? (phase == PodPhase.SUCCEEDED ? "PodCompleted" : "PodFailed") : "";
        conditions.tell(
                FreshStart.CONDITION,
                restarts,
                restarts ? "RestartAllContainersStarted" : over,
                restarts ? "container exited with restart policy rule" : "");
    }

    private List<String> unready() {
        List<String> names = new ArrayList<>();
        for (PodView.Container each : pod.containers()) {
            boolean counts = each.isSidecar() || each.role() == PodView.Role.MAIN;
            if (counts && !isReady(each)) {
                names.add(each.name());
            }
        }
        return names;
    }

    private boolean isReady(PodView.Container container) {
        PodFacts.ContainerFacts known = facts.of(container);
        return isShownRunning(known) && known.started() && known.ready();
    }

    /** A container whose hook after the start is not through is not told of yet. */
    private static boolean isShownRunning(PodFacts.ContainerFacts known) {
        return known.isRunning() && known.work() != PodFacts.Work.STARTING;
    }

    private boolean isInitialized() {
        ObjectNode told = pod.condition("Initialized");
        return told != null && Json.textAt(told, "status").equals("True");
    }

    private List<String> incompleteInits() {
        List<String> names = new ArrayList<>();
        if (pod.mayRestartAll() && isInitialized()) {
            // Who was initialized stays so, although init containers run once more.
            return names;
        }
        for (PodView.Container each : pod.containers(PodView.Role.INIT)) {
            PodFacts.ContainerFacts known = facts.of(each);
            Attempt.Exit exit = known.exit();
            boolean done = each.isSidecar()
                    ? known.started() || (!known.isRunning() && known.last() != null)
                    : exit != null && exit.code() == 0;
            if (!done) {
                names.add(each.name());
            }
        }
        return names;
    }

    // ---- containers ----

    private ObjectNode container(PodView.Container container) {
        PodFacts.ContainerFacts known = facts.of(container);
        ObjectNode status = Json.object();
        // A life that begins, and is not told of yet, leaves those before in view.
        Attempt last = known.last();
        boolean hidden = last != null && last.exit() == null && !isShownRunning(known);
        Attempt shown = known.fromLast(hidden ? 1 : 0);
        Attempt before = known.fromLast(hidden ? 2 : 1);
        JsonNode given = facts.given().get(container.name());
        JsonNode resources = given == null ? Json.at(container.spec(), "resources") : given;
        JsonNode requests = Json.at(resources, "requests");
        if (requests != null && shown != null) {
            status.set("allocatedResources", requests);
        }
        if (shown != null && !shown.id().isEmpty()) {
            status.put("containerID", runtime.name() + "://" + shown.id());
        }
        status.put("image", shown == null ? container.image() : shown.image());
        status.put("imageID", shown == null ? "" : shown.imageId());
        ObjectNode lastState = status.putObject("lastState");
        status.put("name", container.name());
        Attempt.Exit exit = shown == null ? null : shown.exit();
        boolean done = container.isPlainInit() && exit != null && exit.code() == 0;
        boolean canBeReady = container.role() != PodView.Role.EPHEMERAL && !container.isPlainInit();
        status.put("ready", done || (canBeReady && isReady(container)));
        if (resources != null && shown != null) {
            status.set("resources", resources);
        }
        status.put("restartCount", shown == null ? 0 : shown.number());
        if (container.role() != PodView.Role.EPHEMERAL) {
            status.put("started", isShownRunning(known) && known.started());
        }
        ObjectNode state = status.putObject("state");
        if (isWaiting(container, known, shown, exit)) {
            waiting(state.putObject("waiting"), known, exit);
            if (exit != null && shown != null) {
                lastState.set("terminated", terminated(shown, exit));
            }
        } else {
            state(state, container, known, shown, exit);
            Attempt.Exit earlier = before == null ? null : before.exit();
            if (before != null && earlier != null) {
                lastState.set("terminated", terminated(before, earlier));
            }
        }
        volumeMounts(status, container, shown);
        user(status, shown);
        return status;
    }

    private boolean isWaiting(
            PodView.Container container,
            PodFacts.ContainerFacts known,
            @Nullable Attempt shown,
            Attempt.@Nullable Exit exit) {
        if (finished || facts.isEnding()) {
            return shown == null && !finished;
        }
        return shown == null
                || (exit != null
                        && (exit.isBegunAnew() || (known.failure() != null && container.restartsAfter(exit.code()))));
    }

    private void waiting(ObjectNode waiting, PodFacts.ContainerFacts known, Attempt.@Nullable Exit exit) {
        PodFacts.Failure failure = known.failure();
        if (failure != null) {
            if (!failure.message().isEmpty()) {
                waiting.put("message", failure.message());
            }
            waiting.put("reason", failure.reason());
        } else if (exit != null && exit.isBegunAnew()) {
            waiting.put("message", exit.message()).put("reason", exit.reason());
        } else {
            waiting.put(
                    "reason", pod.containers(PodView.Role.INIT).isEmpty() ? "ContainerCreating" : "PodInitializing");
        }
    }

    private void state(
            ObjectNode state,
            PodView.Container container,
            PodFacts.ContainerFacts known,
            @Nullable Attempt shown,
            Attempt.@Nullable Exit exit) {
        Instant startedAt = shown == null ? null : shown.startedAt();
        if (shown != null && exit != null) {
            state.set("terminated", terminated(shown, exit));
        } else if (startedAt != null) {
            state.putObject("running").put("startedAt", GoTime.seconds(startedAt));
        } else if (hadItsTurn(container)) {
            state.putObject("terminated")
                    .put("exitCode", KILLED)
                    .putNull("finishedAt")
                    .put("message", "The container could not be located when the pod was terminated")
                    .put("reason", UNKNOWN)
                    .putNull("startedAt");
        } else {
            waiting(state.putObject("waiting"), known, null);
        }
    }

    /** Containers behind an init container that was not through were never due. */
    private boolean hadItsTurn(PodView.Container container) {
        if (container.role() == PodView.Role.EPHEMERAL) {
            return true;
        }
        for (PodView.Container each : pod.containers(PodView.Role.INIT)) {
            if (each.name().equals(container.name())) {
                return false;
            }
            Attempt.Exit exit = facts.of(each).exit();
            if (facts.of(each).last() == null || (each.isPlainInit() && (exit == null || exit.code() != 0))) {
                return false;
            }
        }
        return container.role() == PodView.Role.MAIN;
    }

    private ObjectNode terminated(Attempt attempt, Attempt.Exit exit) {
        ObjectNode terminated = Json.object();
        if (!attempt.id().isEmpty()) {
            terminated.put("containerID", runtime.name() + "://" + attempt.id());
        }
        terminated.put("exitCode", exit.code());
        terminated.put("finishedAt", GoTime.seconds(exit.at()));
        if (!exit.message().isEmpty()) {
            terminated.put("message", exit.message());
        }
        terminated.put("reason", exit.reason());
        Instant startedAt = attempt.startedAt();
        terminated.put("startedAt", GoTime.seconds(startedAt == null ? Instant.EPOCH : startedAt));
        return terminated;
    }

    private static void user(ObjectNode status, @Nullable Attempt shown) {
        ContainerUser user = shown == null ? null : shown.user();
        if (user != null) {
            ObjectNode linux = status.putObject("user").putObject("linux");
            linux.put("gid", user.group());
            if (!user.groups().isEmpty()) {
                user.groups().forEach(linux.putArray("supplementalGroups")::add);
            }
            linux.put("uid", user.user());
        }
    }

    private void volumeMounts(ObjectNode status, PodView.Container container, @Nullable Attempt shown) {
        ArrayNode mounts = Json.listAt(container.spec(), "volumeMounts");
        if (mounts.isEmpty() || shown == null) {
            return;
        }
        ArrayNode told = status.putArray("volumeMounts");
        for (JsonNode mount : mounts) {
            ObjectNode each = told.addObject();
            each.put("mountPath", Json.textAt(mount, "mountPath")).put("name", Json.textAt(mount, "name"));
            if (Json.flagAt(mount, "readOnly")) {
                boolean below = ContainerForm.isWishedReadOnlyBelow(mount) && runtime.recursiveReadOnly();
                each.put("readOnly", true).put("recursiveReadOnly", below ? "Enabled" : "Disabled");
            }
        }
    }
}
