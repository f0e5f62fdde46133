package lavaflow.node;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.GoTime;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What a node needs to know of a pod to play its part.
 *
 * @param deletedAt when somebody asked for its end; null if nobody did
 * @param grace how long it may take to end
 * @param activeDeadline how long it may run; null for ever
 */
record SimPod(
        String uid,
        String namespace,
        String name,
        String restartPolicy,
        List<SimContainer> inits,
        List<SimContainer> mains,
        Duration startDelay,
        Duration stopDelay,
        @Nullable Instant deletedAt,
        Duration grace,
        @Nullable Duration activeDeadline) {
    static SimPod of(ObjectNode pod, SimShape.Defaults defaults, double slowdown) {
        JsonNode spec = Json.at(pod, "spec");
        Behaviour behaviour = new Behaviour(Json.at(pod, "metadata", "annotations"), defaults, slowdown);
        String restartPolicy = Json.textAt(spec, "restartPolicy");
        boolean mayEnd = !restartPolicy.equals("Always") && !restartPolicy.isEmpty();
        List<SimContainer> inits = new ArrayList<>();
        Json.listAt(spec, "initContainers").forEach(each -> inits.add(init(each, behaviour)));
        List<SimContainer> mains = new ArrayList<>();
        Json.listAt(spec, "containers").forEach(each -> mains.add(main(each, behaviour, mayEnd)));
        JsonNode deadline = Json.at(spec, "activeDeadlineSeconds");
        Duration grace = Duration.ofSeconds(Json.longAt(pod, 30, "metadata", "deletionGracePeriodSeconds"));
        Instant deletion = time(Json.textAt(pod, "metadata", "deletionTimestamp"));
        return new SimPod(
                Json.textAt(pod, "metadata", "uid"),
                Json.textAt(pod, "metadata", "namespace"),
                Json.textAt(pod, "metadata", "name"),
                restartPolicy,
                List.copyOf(inits),
                List.copyOf(mains),
                behaviour.startDelay(),
                behaviour.stopDelay(),
                deletion == null ? null : deletion.minus(grace),
                grace,
                deadline == null ? null : Duration.ofSeconds(deadline.asLong()));
    }

    private static SimContainer init(JsonNode container, Behaviour behaviour) {
        String name = Json.textAt(container, "name");
        boolean sidecar = Json.textAt(container, "restartPolicy").equals("Always");
        Play play = behaviour.play(container);
        Duration duration = behaviour.initDuration(name, play);
        return new SimContainer(
                name,
                Json.textAt(container, "image"),
                sidecar,
                probeDelay(container, "startupProbe", behaviour),
                probeDelay(container, "readinessProbe", behaviour),
                duration == null && !sidecar ? Duration.ZERO : duration,
                behaviour.initExitCodes(name, play),
                null,
                play != null && play.missing());
    }

    private static SimContainer main(JsonNode container, Behaviour behaviour, boolean mayEnd) {
        String name = Json.textAt(container, "name");
        Duration readyAfter = behaviour.readyAfter(name);
        Play play = behaviour.play(container);
        return new SimContainer(
                name,
                Json.textAt(container, "image"),
                false,
                probeDelay(container, "startupProbe", behaviour),
                readyAfter == null ? probeDelay(container, "readinessProbe", behaviour) : readyAfter,
                behaviour.duration(name, play, mayEnd),
                behaviour.exitCodes(name, play),
                behaviour.failProbability(name),
                play != null && play.missing());
    }

    /** Probes succeed the first time they are tried. */
    private static Duration probeDelay(JsonNode container, String probe, Behaviour behaviour) {
        return behaviour.slowed(Duration.ofSeconds(Json.longAt(container, 0, probe, "initialDelaySeconds")));
    }

    static @Nullable Instant time(String text) {
        try {
            return text.isEmpty() ? null : GoTime.parseSeconds(text);
        } catch (MalformedException e) {
            return null;
        }
    }
}
