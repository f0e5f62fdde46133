package lavaflow.node;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

import lavaflow.kube.GoDuration;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** The status of a pod, as a kubelet would write it. */
final class PodStatusForm {
    private final ObjectNode object;
    private final SimPod pod;
    private final PodRun run;
    private final PodPhase phase;
    private final Instant now;

    private PodStatusForm(ObjectNode object, SimPod pod, PodRun run, Instant now) {
        this.object = object;
        this.pod = pod;
        this.run = run;
        this.phase = PodSimulation.phase(pod, run);
        this.now = now;
    }

    /**
     * What a node would write of a pod.
     *
     * @param object the pod as it is
     * @param hostAddress of the node
     * @param address of the pod; null while it has none
     */
    static ObjectNode render(
            ObjectNode object, SimPod pod, PodRun run, String hostAddress, @Nullable String address, Instant now) {
        return new PodStatusForm(object, pod, run, now).render(hostAddress, address);
    }

    private ObjectNode render(String hostAddress, @Nullable String address) {
        ObjectNode status = Json.object();
        status.put("observedGeneration", generation());
        status.put("phase", phase.word());
        PodRun.End end = run.end();
        if (end != null) {
            status.put("message", end.message()).put("reason", end.reason());
        }
        status.set("conditions", conditions());
        Instant startTime = run.startTime();
        if (startTime != null) {
            status.put("hostIP", hostAddress).putArray("hostIPs").addObject().put("ip", hostAddress);
            if (address != null) {
                status.put("podIP", address).putArray("podIPs").addObject().put("ip", address);
            }
            status.put("startTime", GoTime.seconds(startTime));
        }
        if (rejected()) {
            return status;
        }
        if (!run.inits().isEmpty()) {
            ArrayNode inits = status.putArray("initContainerStatuses");
            for (int i = 0; i < run.inits().size(); i++) {
                inits.add(container(run.inits().get(i), pod.inits().get(i), "initContainers", true));
            }
        }
        List<ObjectNode> mains = new ArrayList<>();
        for (int i = 0; i < run.mains().size(); i++) {
            mains.add(container(run.mains().get(i), pod.mains().get(i), "containers", false));
        }
        mains.sort(Comparator.comparing(each -> Json.textAt(each, "name")));
        ArrayNode list = status.putArray("containerStatuses");
        mains.forEach(list::add);
        ephemeral(status);
        return status;
    }

    /** The node never took it in. */
    private boolean rejected() {
        return run.end() != null && !run.sandbox() && run.startTime() == null;
    }

    private long generation() {
        return Json.longAt(object, 0, "metadata", "generation");
    }

    // ---- conditions ----

    private ArrayNode conditions() {
        PodConditions conditions = new PodConditions(object, now);
        if (!rejected()) {
            conditions.tellAll(phase, run.sandbox(), incompleteInits(), unready());
        }
        return conditions.told();
    }

    private List<String> unready() {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < run.inits().size(); i++) {
            if (pod.inits().get(i).sidecar() && !run.inits().get(i).ready()) {
                names.add(run.inits().get(i).name());
            }
        }
        run.mains().stream().filter(Predicate.not(ContainerRun::ready)).forEach(each -> names.add(each.name()));
        return names;
    }

    private List<String> incompleteInits() {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < run.inits().size(); i++) {
            ContainerRun each = run.inits().get(i);
            boolean done = pod.inits().get(i).sidecar()
                    ? each.started() || (!each.isRunning() && each.last() != null)
                    : each.state() instanceof ContainerRun.Ended ended && ended.exitCode() == 0;
            if (!done) {
                names.add(each.name());
            }
        }
        return names;
    }

    // ---- containers ----

    private ObjectNode container(ContainerRun each, SimContainer container, String list, boolean init) {
        ObjectNode status = Json.object();
        boolean neverRan = each.state() instanceof ContainerRun.Waiting || each.state() instanceof ContainerRun.Missing;
        JsonNode resources = Json.at(specOf(list, each.name()), "resources");
        JsonNode requests = Json.at(resources, "requests");
        if (requests != null && !neverRan) {
            status.set("allocatedResources", requests);
        }
        if (!neverRan) {
            status.put("containerID", id(each.name(), each.restarts()));
        }
        status.put("image", container.image());
        status.put("imageID", neverRan ? "" : container.image() + "@sha256:" + Chance.hex(64, container.image()));
        ContainerRun.Ended last = each.last();
        ObjectNode lastState = status.putObject("lastState");
        if (last != null) {
            lastState.set("terminated", ended(each.name(), last));
        }
        status.put("name", each.name());
        boolean done =
                init && !container.sidecar() && each.state() instanceof ContainerRun.Ended end && end.exitCode() == 0;
        status.put("ready", each.ready() || done);
        if (resources != null && !neverRan) {
            status.set("resources", resources);
        }
        status.put("restartCount", each.restarts());
        status.put("started", each.started());
        status.set("state", state(each, container));
        return status;
    }

    private @Nullable JsonNode specOf(String list, String name) {
        for (JsonNode container : Json.listAt(object, "spec", list)) {
            if (Json.textAt(container, "name").equals(name)) {
                return container;
            }
        }
        return null;
    }

    private String id(String container, int life) {
        return "sim://" + Chance.hex(64, pod.uid(), container, Integer.toString(life));
    }

    private ObjectNode state(ContainerRun each, SimContainer container) {
        ObjectNode state = Json.object();
        switch (each.state()) {
            case ContainerRun.Waiting() -> {
                if (container.missing() && PodSimulation.isTurnOf(container, pod, run)) {
                    state.putObject("waiting")
                            .put("message", "Back-off pulling image \"" + container.image() + "\"")
                            .put("reason", "ImagePullBackOff");
                } else {
                    state.putObject("waiting")
                            .put("reason", !run.inits().isEmpty() ? "PodInitializing" : "ContainerCreating");
                }
            }
            case ContainerRun.Running(Instant since) ->
                state.putObject("running").put("startedAt", GoTime.seconds(since));
            case ContainerRun.Ended ended -> state.set("terminated", ended(each.name(), ended));
            case ContainerRun.Missing() ->
                state.putObject("terminated")
                        .put("exitCode", 137)
                        .putNull("finishedAt")
                        .put("message", "The container could not be located when the pod was terminated")
                        .put("reason", "ContainerStatusUnknown")
                        .putNull("startedAt");
            case ContainerRun.BackingOff(Instant _, Duration pause) ->
                state.putObject("waiting")
                        .put(
                                "message",
                                "back-off " + GoDuration.format(pause)
                                        + " restarting failed container=" + each.name() + " pod=" + pod.name() + "_"
                                        + pod.namespace() + "(" + pod.uid() + ")")
                        .put("reason", "CrashLoopBackOff");
        }
        return state;
    }

    private ObjectNode ended(String container, ContainerRun.Ended ended) {
        return Json.object()
                .put("containerID", id(container, ended.life()))
                .put("exitCode", ended.exitCode())
                .put("finishedAt", GoTime.seconds(ended.at()))
                .put("reason", ended.reason())
                .put("startedAt", GoTime.seconds(ended.since()));
    }

    /** Containers for debugging run from the moment they are asked for. */
    private void ephemeral(ObjectNode status) {
        ArrayNode asked = Json.listAt(object, "spec", "ephemeralContainers");
        if (asked.isEmpty()) {
            return;
        }
        ArrayNode statuses = status.putArray("ephemeralContainerStatuses");
        for (JsonNode container : asked) {
            String name = Json.textAt(container, "name");
            String image = Json.textAt(container, "image");
            String since = GoTime.seconds(now);
            for (JsonNode before : Json.listAt(object, "status", "ephemeralContainerStatuses")) {
                if (Json.textAt(before, "name").equals(name)) {
                    since = Json.textAt(before, "state", "running", "startedAt");
                }
            }
            ObjectNode each = statuses.addObject();
            each.put("containerID", id(name, 0)).put("image", image);
            each.put("imageID", image + "@sha256:" + Chance.hex(64, image));
            each.putObject("lastState");
            each.put("name", name).put("ready", false).put("restartCount", 0);
            each.putObject("state").putObject("running").put("startedAt", since);
        }
    }
}
