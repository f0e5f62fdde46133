package lavaflow.node;

import java.time.Duration;
import java.time.Instant;

import lavaflow.kube.Json;
import lavaflow.kube.MergePatch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** A pod on a simulated node, moved along by hand. */
final class TestingPod {
    static final Instant START = Instant.parse("2026-11-15T12:00:00Z");

    ObjectNode object;
    Instant now = START;
    PodRun run;
    PodSimulation.Next next;
    private final SimShape.Defaults defaults;

    TestingPod(String... changes) {
        this(SimShape.Defaults.NONE, changes);
    }

    TestingPod(SimShape.Defaults defaults, String... changes) {
        this.defaults = defaults;
        object = json("""
                {"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"ns","uid":"u","generation":1},
                 "spec":{"restartPolicy":"Always","containers":[{"name":"c","image":"i"}]},"status":{"phase":"Pending"}}""");
        change(changes);
        run = PodRun.begin(pod(), now);
        step();
    }

    static ObjectNode json(String text) {
        return (ObjectNode) Json.parse(text);
    }

    static String annotations(String... pairs) {
        ObjectNode patch = Json.object();
        ObjectNode annotations = Json.ensureObject(patch, "metadata", "annotations");
        for (int i = 0; i < pairs.length; i += 2) {
            annotations.put("sim.lavaflow.io/" + pairs[i], pairs[i + 1]);
        }
        return Json.string(patch);
    }

    static String restartPolicy(String policy) {
        return "{\"spec\":{\"restartPolicy\":\"" + policy + "\"}}";
    }

    SimPod pod() {
        return SimPod.of(object, defaults, 1);
    }

    TestingPod change(String... changes) {
        for (String change : changes) {
            object = (ObjectNode) MergePatch.apply(object, json(change), false);
        }
        return this;
    }

    /** Asks for its end, as the API does. */
    TestingPod delete(int grace) {
        String at = now.plusSeconds(grace).toString();
        change("{\"metadata\":{\"deletionTimestamp\":\"%s\",\"deletionGracePeriodSeconds\":%d}}".formatted(at, grace));
        return step();
    }

    TestingPod step() {
        next = PodSimulation.advance(pod(), run, now, 1);
        run = next.run();
        // As a patch would, conditions of others stay.
        ObjectNode status =
                PodStatusForm.render(object, pod(), run, "172.16.0.1", run.sandbox() ? "10.128.0.2" : null, now);
        object.set("status", status);
        return this;
    }

    TestingPod after(Duration time) {
        now = now.plus(time);
        return step();
    }

    TestingPod after(long seconds) {
        return after(Duration.ofSeconds(seconds));
    }

    String phase() {
        return Json.textAt(object, "status", "phase");
    }

    JsonNode container(String name) {
        for (String list : new String[] {"containerStatuses", "initContainerStatuses"}) {
            for (JsonNode status : Json.listAt(object, "status", list)) {
                if (Json.textAt(status, "name").equals(name)) {
                    return status;
                }
            }
        }
        throw new IllegalArgumentException(name);
    }

    /** What a container does, as kubectl would put it. */
    String state(String name) {
        JsonNode state = container(name).get("state");
        return state.has("running")
                ? "Running"
                : state.has("terminated")
                        ? Json.textAt(state, "terminated", "reason") + " "
                                + Json.longAt(state, -1, "terminated", "exitCode")
                        : Json.textAt(state, "waiting", "reason");
    }

    String condition(String type) {
        for (JsonNode condition : Json.listAt(object, "status", "conditions")) {
            if (Json.textAt(condition, "type").equals(type)) {
                String reason = Json.textAt(condition, "reason");
                return Json.textAt(condition, "status") + (reason.isEmpty() ? "" : " " + reason);
            }
        }
        return "";
    }

    /** How long until something happens by itself; null for ever. */
    Duration pause() {
        return next.wakeAt() == null ? null : Duration.between(now, next.wakeAt());
    }
}
