package lavaflow.simulation;

import java.time.Duration;
import java.time.Instant;

import lavaflow.controller.KubeApi;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** A node that lives and has no room: every pod it is given fails at once. */
final class RejectingNode {
    private static final KubeApi.Kind LEASES = new KubeApi.Kind("coordination.k8s.io", "v1", "leases", true);
    private static final String NAME = "full";

    private final TestingWorld world;
    private Instant renewed;
    private int rejected;

    RejectingNode(TestingWorld world) {
        this.world = world;
        this.renewed = world.now();
        world.create(Kinds.NODES, """
                metadata: {name: full}
                status:
                  conditions: [{type: Ready, status: "True"}]
                  allocatable: {cpu: 8, memory: 8Gi, pods: 110}
                """);
        world.api.create(
                LEASES,
                "kube-node-lease",
                TestingWorld.object(
                        "{metadata: {name: full}, spec: {holderIdentity: full, leaseDurationSeconds: 40}}"));
    }

    int rejected() {
        return rejected;
    }

    boolean act() {
        if (Duration.between(renewed, world.now()).compareTo(Duration.ofSeconds(10)) >= 0) {
            renewed = world.now();
            ObjectNode patch = Json.object();
            patch.putObject("spec").put("renewTime", GoTime.micros(renewed));
            world.api.patch(LEASES, "kube-node-lease", NAME, "", KubeApi.Merge.PLAIN, patch);
        }
        boolean any = false;
        for (ObjectNode pod : world.all(Kinds.PODS)) {
            if (Observer.isActive(pod) && Json.textAt(pod, "spec", "nodeName").equals(NAME)) {
                reject(pod);
                any = true;
            }
        }
        return any;
    }

    private void reject(ObjectNode pod) {
        ObjectNode patch = Json.object();
        patch.putObject("status").put("phase", "Failed").put("reason", "OutOfcpu");
        String name = Json.textAt(pod, "metadata", "name");
        world.api.patch(Kinds.PODS, TestingWorld.HOME, name, "status", KubeApi.Merge.PLAIN, patch);
        rejected++;
    }
}
