package lavaflow;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Waits until a cluster can run pods. */
final class NodesReady {
    private static final KubeApi.Kind NODES = KubeApi.Kind.clusterWide("nodes");

    private final KubeApi api;
    private final Instant since;
    private final Map<String, Boolean> nodes = new HashMap<>();

    /**
     * @param since what nodes said before is what was true when they were stopped
     */
    NodesReady(KubeApi api, Instant since) {
        this.api = api;
        this.since = since.truncatedTo(ChronoUnit.SECONDS);
    }

    /** False if so many nodes were not ready in time. */
    boolean await(int wanted, Duration patience) throws InterruptedException {
        long end = System.nanoTime() + patience.toNanos();
        while (true) {
            nodes.clear();
            long revision = api.list(NODES, "", KubeApi.View.WHOLE, this::note);
            try (KubeApi.Watch watch = api.watch(NODES, revision, KubeApi.View.WHOLE)) {
                while (true) {
                    if (nodes.values().stream().filter(Boolean::booleanValue).count() >= wanted) {
                        return true;
                    }
                    long left = end - System.nanoTime();
                    if (left <= 0) {
                        return false;
                    }
                    for (KubeApi.Event event :
                            watch.next(Duration.ofNanos(left)).events()) {
                        if (event.deleted()) {
                            nodes.remove(Json.textAt(event.object(), "metadata", "name"));
                        } else {
                            note(event.object());
                        }
                    }
                }
            } catch (ApiException e) {
                if (e.code() != 410) {
                    throw e;
                }
            }
        }
    }

    private void note(ObjectNode node) {
        boolean ready = false;
        for (JsonNode condition : Json.listAt(node, "status", "conditions")) {
            ready |= Json.textAt(condition, "type").equals("Ready")
                    && Json.textAt(condition, "status").equals("True")
                    && !heard(Json.textAt(condition, "lastHeartbeatTime")).isBefore(since);
        }
        nodes.put(Json.textAt(node, "metadata", "name"), ready);
    }

    private static Instant heard(String time) {
        try {
            return Instant.parse(time);
        } catch (DateTimeParseException e) {
            return Instant.MIN;
        }
    }
}
