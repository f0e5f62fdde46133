package lavaflow.node;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Reads from a pod's status how far it is: a node that was away goes on where it stopped. */
final class PodRestoring {
    private PodRestoring() {}

    /** How far a pod is; null if no node has begun with it. */
    static @Nullable PodRun of(ObjectNode object, SimPod pod, Instant now) {
        JsonNode status = Json.at(object, "status");
        String phase = Json.textAt(status, "phase");
        Instant startTime = SimPod.time(Json.textAt(status, "startTime"));
        boolean over = phase.equals("Failed") || phase.equals("Succeeded");
        if (startTime == null && !over) {
            return null;
        }
        List<ContainerRun> inits = runs(pod.inits(), Json.listAt(status, "initContainerStatuses"), now);
        List<ContainerRun> mains = runs(pod.mains(), Json.listAt(status, "containerStatuses"), now);
        PodRun run = new PodRun(
                startTime == null ? now : startTime,
                startTime,
                !Json.textAt(status, "podIP").isEmpty(),
                inits,
                mains,
                false,
                null);
        boolean lost = over && !PodSimulation.phase(pod, run).isOver();
        String reason = Json.textAt(status, "reason");
        return over && (lost || !reason.isEmpty()) ? run.ended(reason, Json.textAt(status, "message")) : run;
    }

    private static List<ContainerRun> runs(List<SimContainer> containers, JsonNode statuses, Instant now) {
        List<ContainerRun> runs = new ArrayList<>();
        for (SimContainer container : containers) {
            ContainerRun run = ContainerRun.waiting(container.name());
            for (JsonNode status : statuses) {
                if (Json.textAt(status, "name").equals(container.name())) {
                    run = run(container.name(), status, now);
                }
            }
            runs.add(run);
        }
        return List.copyOf(runs);
    }

    private static ContainerRun run(String name, JsonNode status, Instant now) {
        int restarts = (int) Json.longAt(status, 0, "restartCount");
        ContainerRun.Ended last = ended(Json.at(status, "lastState", "terminated"), restarts - 1, now);
        ContainerRun.Ended ended = ended(Json.at(status, "state", "terminated"), restarts, now);
        Instant since = SimPod.time(Json.textAt(status, "state", "running", "startedAt"));
        ContainerRun.State state;
        if (ended != null) {
            state = ended;
        } else if (since != null) {
            state = new ContainerRun.Running(since);
        } else if (last != null) {
            state = new ContainerRun.BackingOff(last.at(), Duration.ZERO);
        } else {
            state = new ContainerRun.Waiting();
        }
        boolean running = since != null;
        return new ContainerRun(
                name,
                state,
                restarts,
                restarts,
                last,
                running && Json.flagAt(status, "started"),
                running && Json.flagAt(status, "ready"));
    }

    private static ContainerRun.@Nullable Ended ended(@Nullable JsonNode json, int life, Instant now) {
        if (json == null) {
            return null;
        }
        Instant since = SimPod.time(Json.textAt(json, "startedAt"));
        Instant at = SimPod.time(Json.textAt(json, "finishedAt"));
        Instant end = at == null ? now : at;
        return new ContainerRun.Ended(
                since == null ? end : since,
                end,
                (int) Json.longAt(json, 0, "exitCode"),
                Json.textAt(json, "reason"),
                Math.max(0, life));
    }
}
