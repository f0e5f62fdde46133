package lavaflow.e2e;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** A node that is there as long as the suite runs, so that nobody takes its pods for lost. */
final class PlayedNode implements TwoClusters.Surrounding {
    static final String NAME = "played";
    private static final KubeApi.Kind NODES = KubeApi.Kind.clusterWide("nodes");
    private static final Duration BEAT = Duration.ofSeconds(5);

    private final KubeApi api;
    private final Thread heart;

    PlayedNode(KubeApi api) {
        this.api = api;
        if (api.find(NODES, "", NAME).isEmpty()) {
            ObjectNode node = Json.object();
            ObjectNode metadata = node.putObject("metadata").put("name", NAME);
            metadata.putObject("labels").put("kubernetes.io/hostname", NAME).put("topology.kubernetes.io/zone", "z");
            api.create(NODES, "", node);
        }
        beat();
        // A new node is tainted until somebody finds it ready; not everywhere is somebody who looks.
        ObjectNode open = Json.object();
        open.putObject("spec").putNull("taints");
        api.patch(NODES, "", NAME, "", KubeApi.Merge.PLAIN, open);
        this.heart = Thread.ofVirtual().start(this::live);
    }

    private void live() {
        try {
            while (true) {
                Thread.sleep(BEAT);
                beat();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private void beat() {
        String now = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        ObjectNode patch = Json.object();
        ObjectNode status = patch.putObject("status");
        for (String amounts : new String[] {"capacity", "allocatable"}) {
            // Room enough for all scenarios at once: who waits for room is another question.
            status.putObject(amounts).put("cpu", "1000").put("memory", "1000Gi").put("pods", "5000");
        }
        ObjectNode ready = status.putArray("conditions").addObject();
        ready.put("type", "Ready").put("status", "True").put("reason", "Played").put("message", "played");
        ready.put("lastHeartbeatTime", now).put("lastTransitionTime", "2026-01-01T00:00:00Z");
        try {
            api.patch(NODES, "", NAME, "status", KubeApi.Merge.PLAIN, patch);
        } catch (ApiException e) {
            // The next beat comes soon; a heart that stops would take the node's pods with it.
        }
    }

    @Override
    public void close() {
        heart.interrupt();
        api.delete(NODES, "", NAME, KubeApi.Deletion.PLAIN);
    }
}
