package lavaflow.simulation;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Somebody lets no pod in: everybody tries again, ever more rarely, says why, and goes on when it is over. */
class RefusedPodsTest {
    static final Map<String, KubeApi.Kind> KINDS = Map.of(
            "deployments", Kinds.DEPLOYMENTS,
            "replicasets", Kinds.REPLICA_SETS,
            "replicationcontrollers", Kinds.REPLICATION_CONTROLLERS,
            "statefulsets", Kinds.STATEFUL_SETS,
            "daemonsets", TestingWorld.DAEMON_SETS,
            "jobs", Kinds.JOBS);

    @ParameterizedTest
    @CsvSource({
        "deployments, 30",
        "replicasets, 30",
        "replicationcontrollers, 30",
        "statefulsets, 30",
        "daemonsets, 3",
        "jobs, 30"
    })
    void askMoreAndMoreRarelyAndGoOnWhenTheyMay(String resource, int wanted) throws IOException {
        try (TestingWorld world = new TestingWorld(3)) {
            world.deny("pods", "no pods today");
            world.create(KINDS.get(resource), workload(resource));
            List<Integer> requests = world.minutes(4);
            // The first minute sees waits of 5 ms, 10 ms and so on to 41 s: one attempt each, not one for every pod.
            assertThat(requests.get(0)).isLessThan(70);
            assertThat(requests.subList(1, 4)).allMatch(count -> count <= 5);
            assertThat(world.all(Kinds.PODS)).isEmpty();
            assertThat(world.said("FailedCreate").keySet())
                    .hasSizeLessThanOrEqualTo(10)
                    .allMatch(message -> message.contains("denied request: no pods today"));

            world.permit();
            world.pass(Duration.ofMinutes(1));
            assertThat(world.all(Kinds.PODS)).hasSize(wanted);
        }
    }

    @Test
    void theReasonStandsInTheStatus() throws IOException {
        try (TestingWorld world = new TestingWorld(1)) {
            world.deny("pods", "no pods today");
            world.create(Kinds.DEPLOYMENTS, workload("deployments"));
            world.pass(Duration.ofSeconds(30));
            assertThat(failure(world)).startsWith("FailedCreate pods \"web-").endsWith("no pods today");

            world.permit();
            world.pass(Duration.ofMinutes(1));
            assertThat(failure(world)).isEmpty();
        }
    }

    private static String failure(TestingWorld world) {
        for (var condition : Json.listAt(world.get(Kinds.DEPLOYMENTS, "web"), "status", "conditions")) {
            if (Json.textAt(condition, "type").equals("ReplicaFailure")) {
                return Json.textAt(condition, "reason") + " " + Json.textAt(condition, "message");
            }
        }
        return "";
    }

    /** Many who fail share what one controller may try in a second. */
    @Test
    void manyWhoAreRefusedDoNotAskMoreOftenTogether() throws IOException {
        try (TestingWorld world = new TestingWorld(1)) {
            world.deny("pods", "no pods today");
            for (int i = 0; i < 800; i++) {
                world.create(
                        Kinds.REPLICA_SETS,
                        TestingWorld.workload("replicas: 3", "").replace("{name: web}", "{name: web-" + i + "}"));
            }
            world.minutes(2);
            Map<String, Integer> minute = world.pass(Duration.ofMinutes(1));
            assertThat(minute.get("create pods")).isLessThanOrEqualTo(600);
        }
    }

    @Test
    void aSetWhoseClaimsAreRefusedSaysSoAndWaits() throws IOException {
        try (TestingWorld world = new TestingWorld(1)) {
            world.deny("persistentvolumeclaims", "no room");
            world.create(Kinds.STATEFUL_SETS, TestingWorld.workload("""
                            serviceName: web
                              replicas: 3
                              podManagementPolicy: Parallel
                              volumeClaimTemplates:
                              - metadata: {name: data}
                                spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
                            """, ""));
            List<Integer> requests = world.minutes(3);
            assertThat(requests.get(0)).isLessThan(100);
            assertThat(requests.subList(1, 3)).allMatch(count -> count <= 8);
            assertThat(world.all(Kinds.PODS)).isEmpty();
            assertThat(world.said("FailedCreate").keySet())
                    .anyMatch(message ->
                            message.startsWith("Create Claim data-web-0 for Pod web-0 in StatefulSet web failed error: "
                                    + "persistentvolumeclaims \"data-web-0\" is forbidden"));

            world.permit();
            world.pass(Duration.ofMinutes(1));
            assertThat(world.all(Kinds.PODS)).hasSize(3);
        }
    }

    /** Thirty pods, or one for each node. */
    static String workload(String resource) {
        return switch (resource) {
            case "jobs" -> """
                metadata: {name: web}
                spec:
                  parallelism: 30
                  completions: 30
                  template:
                    spec: {restartPolicy: Never, containers: [{name: main, image: "example.com/app:1"}]}
                """;
            case "replicationcontrollers" ->
                TestingWorld.workload("replicas: 30", "").replace("{matchLabels: {app: web}}", "{app: web}");
            case "daemonsets" -> TestingWorld.workload("minReadySeconds: 0", "");
            default -> TestingWorld.workload("replicas: 30", "");
        };
    }
}
