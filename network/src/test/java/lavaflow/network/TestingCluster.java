package lavaflow.network;

import java.util.Map;
import java.util.TreeMap;

import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** An API with every kind that the network follows, and some namespaces of two teams. */
final class TestingCluster {
    private static final Map<String, String> TEAMS =
            new TreeMap<>(Map.of("default", "red", "kube-system", "red", "shop", "red", "lab", "blue"));

    private TestingCluster() {}

    static TestingKubeApi api() {
        TestingKubeApi api = new TestingKubeApi()
                .serve(ClusterView.SERVICES, "Service")
                .serve(ClusterView.SLICES, "EndpointSlice")
                .serve(PolicyRules.PODS, "Pod")
                .serve(PolicyRules.NAMESPACES, "Namespace")
                .serve(PolicyRules.POLICIES, "NetworkPolicy");
        TEAMS.forEach((name, team) -> {
            ObjectNode namespace = Json.object().put("apiVersion", "v1").put("kind", "Namespace");
            namespace
                    .putObject("metadata")
                    .put("name", name)
                    .putObject("labels")
                    .put("team", team);
            api.create(PolicyRules.NAMESPACES, "", namespace);
        });
        return api;
    }
}
