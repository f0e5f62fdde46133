package lavaflow.kubelet;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import lavaflow.kube.Json;
import lavaflow.sandbox.ContainerUser;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What the API remembers of containers that the machine has forgotten. */
final class Adoption {
    private static final int KILLED = 137;

    private Adoption() {}

    /**
     * All that is known of the lives of a container, the oldest first: what the machine has, and what else the API was told.
     *
     * @param found on the machine, in the order of their numbers
     * @param told the status of the container; null if it has none
     * @param anew whether all containers of the pod were to begin anew, so that what is gone was taken away for that
     */
    static List<Attempt> lives(
            List<Attempt> found, @Nullable ObjectNode told, boolean deleted, boolean anew, Instant now) {
        if (told == null) {
            return found;
        }
        int newest = found.isEmpty() ? -1 : found.getLast().number();
        String hash = found.isEmpty() ? "" : found.getLast().hash();
        Map<Integer, Attempt> lives = new TreeMap<>();
        for (Attempt each : remembered(told, hash)) {
            // Of one that ran when the API heard of it last, and has been followed by another, nobody knows the end.
            if (each.exit() != null) {
                lives.put(each.number(), each);
            } else if (each.number() > newest) {
                lives.put(each.number(), anew ? each.removed(now) : each.ended(lost(deleted, now)));
            }
        }
        found.forEach(each -> lives.put(each.number(), each));
        return List.copyOf(lives.values());
    }

    /** The lives of a container that its status tells of; none if it never ran. */
    private static List<Attempt> remembered(ObjectNode status, String hash) {
        int restarts = (int) Json.longAt(status, 0, "restartCount");
        JsonNode ended = Json.at(status, "state", "terminated");
        JsonNode now = ended == null ? Json.at(status, "state", "running") : ended;
        JsonNode before = Json.at(status, "lastState", "terminated");
        List<Attempt> lives = new ArrayList<>();
        if (before != null && (now == null || restarts > 0)) {
            // While a container waits its last life is the last that ended; no other is in view.
            lives.add(attempt(status, before, hash, now == null ? restarts : restarts - 1));
        }
        if (now != null) {
            lives.add(attempt(status, now, hash, restarts));
        }
        return lives;
    }

    private static Attempt.Exit lost(boolean deleted, Instant now) {
        return new Attempt.Exit(
                KILLED,
                "ContainerStatusUnknown",
                "The container could not be located when the pod was " + (deleted ? "deleted" : "terminated")
                        + ".  The container used to be Running",
                now);
    }

    /** Goes on with the lives of a container; what probes found out about the last one is in its status. */
    static void takeOver(
            ContainerLife life, PodView.Container container, List<Attempt> lives, @Nullable ObjectNode told) {
        life.attempts.addAll(lives);
        if (PodMemory.isRunning(life)) {
            life.started = !container.hasProbe(Probe.Kind.STARTUP) || (told != null && Json.flagAt(told, "started"));
            life.ready = !container.hasProbe(Probe.Kind.READINESS) || (told != null && Json.flagAt(told, "ready"));
        }
    }

    private static Attempt attempt(ObjectNode status, JsonNode state, String hash, int number) {
        String id = Json.textAt(state, "containerID");
        String whole = id.isEmpty() ? Json.textAt(status, "containerID") : id;
        return new Attempt(
                whole.substring(whole.indexOf("://") < 0 ? 0 : whole.indexOf("://") + 3),
                number,
                Json.textAt(status, "image"),
                Json.textAt(status, "imageID"),
                hash,
                "SIGTERM",
                PodView.time(Json.textAt(state, "startedAt")),
                exit(state),
                user(Json.at(status, "user", "linux")));
    }

    private static @Nullable ContainerUser user(@Nullable JsonNode told) {
        if (told == null) {
            return null;
        }
        List<Long> groups = new ArrayList<>();
        Json.listAt(told, "supplementalGroups").forEach(each -> groups.add(each.asLong()));
        return new ContainerUser(Json.longAt(told, 0, "uid"), Json.longAt(told, 0, "gid"), groups);
    }

    private static Attempt.@Nullable Exit exit(JsonNode state) {
        Instant at = PodView.time(Json.textAt(state, "finishedAt"));
        return at == null
                ? null
                : new Attempt.Exit(
                        (int) Json.longAt(state, 0, "exitCode"),
                        Json.textAt(state, "reason"),
                        Json.textAt(state, "message"),
                        at);
    }
}
