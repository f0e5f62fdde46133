package lavaflow.simulation;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Input that makes controllers work against each other, or against themselves: the work stays small whatever they are told. */
class HotLoopsTest {
    /** Nobody asks for anything in a minute in which nothing happens, but for a look at how old events are. */
    private static final int SILENCE = 1;

    private static final String EVERYTHING = "{matchExpressions: [{key: nobody-has-it, operator: DoesNotExist}]}";

    private static String named(String name, String workload) {
        return workload.replace("{name: web}", "{name: " + name + "}");
    }

    private static long ownedBy(TestingWorld world, ObjectNode owner) {
        return world.all(Kinds.PODS).stream()
                .filter(pod -> Observer.owner(pod).equals(Observer.uid(owner)))
                .count();
    }

    @ParameterizedTest
    @CsvSource({"replicasets", "deployments"})
    void twoWithTheSameSelectorKeepTheirOwn(String resource) throws IOException {
        try (TestingWorld world = new TestingWorld(2)) {
            KubeApi.Kind kind = new KubeApi.Kind("apps", "v1", resource, true);
            world.create(kind, named("one", TestingWorld.workload("replicas: 3", "")));
            world.create(kind, named("two", TestingWorld.workload("replicas: 2", "")));
            List<Integer> requests = world.minutes(2);
            assertThat(world.all(Kinds.PODS)).hasSize(5);
            assertThat(requests.get(0)).isLessThan(80);
            assertThat(requests.get(1)).isLessThanOrEqualTo(SILENCE);
        }
    }

    @Test
    void selectorsThatMatchEverythingShareTheOrphansOnce() throws IOException {
        try (TestingWorld world = new TestingWorld(2)) {
            for (int i = 0; i < 10; i++) {
                world.create(
                        Kinds.PODS,
                        "metadata: {name: lone-" + i
                                + ", labels: {app: lone}}\nspec: {containers: [{name: a, image: b}]}");
            }
            String everything =
                    TestingWorld.workload("replicas: 2", "").replace("{matchLabels: {app: web}}", EVERYTHING);
            ObjectNode one = world.create(Kinds.REPLICA_SETS, named("one", everything));
            ObjectNode two = world.create(Kinds.REPLICA_SETS, named("two", everything));
            List<Integer> requests = world.minutes(2);
            assertThat(ownedBy(world, one)).isEqualTo(2);
            assertThat(ownedBy(world, two)).isEqualTo(2);
            assertThat(world.all(Kinds.PODS)).hasSize(4);
            assertThat(requests.get(0)).isLessThan(120);
            assertThat(requests.get(1)).isLessThanOrEqualTo(SILENCE);
        }
    }

    @Test
    void selectorsThatMatchNothingOrEverythingAreAnsweredOnce() throws IOException {
        try (TestingWorld world = new TestingWorld(2)) {
            KubeApi.Kind budgets = new KubeApi.Kind("policy", "v1", "poddisruptionbudgets", true);
            world.create(Kinds.DEPLOYMENTS, TestingWorld.workload("replicas: 3", ""));
            world.create(budgets, "metadata: {name: all}\nspec: {minAvailable: 1, selector: {}}");
            world.create(budgets, "metadata: {name: none}\nspec: {minAvailable: 1, selector: {matchLabels: {app: x}}}");
            world.create(Kinds.SERVICES, "metadata: {name: none}\nspec: {selector: {app: x}, ports: [{port: 80}]}");
            world.create(Kinds.SERVICES, "metadata: {name: open}\nspec: {ports: [{port: 80}]}");
            world.pass(Duration.ofMinutes(1));
            assertThat(world.minutes(1).get(0)).isLessThanOrEqualTo(SILENCE);
            assertThat(Json.longAt(world.get(budgets, "all"), 0, "status", "currentHealthy"))
                    .isEqualTo(3);
            assertThat(Json.longAt(world.get(budgets, "none"), 1, "status", "expectedPods"))
                    .isZero();
            assertThat(world.get(TestingWorld.ENDPOINTS, "none").has("subsets")).isFalse();
            assertThat(world.api.find(TestingWorld.ENDPOINTS, TestingWorld.HOME, "open"))
                    .isEmpty();
        }
    }

    /** Whoever makes pods and does not know them again would make more, and more. */
    @ParameterizedTest
    @CsvSource({"replicasets, app", "daemonsets, app", "statefulsets, app", "jobs, batch.kubernetes.io/controller-uid"})
    void podsThatGetOtherLabelsAreNotMadeWithoutEnd(String resource, String label) throws IOException {
        try (TestingWorld world = new TestingWorld(3)) {
            world.alter("pods", "Object{metadata: Object.metadata{labels: {\"" + label + "\": \"other\"}}}");
            KubeApi.Kind kind = new KubeApi.Kind(resource.equals("jobs") ? "batch" : "apps", "v1", resource, true);
            String workload = resource.equals("jobs")
                    ? """
                      metadata: {name: web}
                      spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}
                      """
                    : TestingWorld.workload(resource.equals("daemonsets") ? "minReadySeconds: 0" : "replicas: 3", "");
            world.create(kind, workload);
            List<Integer> requests = world.minutes(6);
            assertThat(requests.get(0)).isLessThan(100);
            assertThat(requests.subList(1, 6)).allMatch(count -> count <= 30);
            assertThat(world.all(Kinds.PODS)).hasSizeLessThanOrEqualTo(30);
            if (!resource.equals("statefulsets")) {
                assertThat(world.said("FailedCreate").keySet())
                        .anyMatch(message -> message.contains("the selector does not match them any more"));
            }
        }
    }

    @Test
    void aTemplateThatIsAlwaysChangedGetsNoReplicaSetsWithoutEnd() throws IOException {
        try (TestingWorld world = new TestingWorld(3)) {
            world.alter(
                    "replicasets",
                    "Object{spec: Object.spec{template: Object.spec.template{metadata:"
                            + " Object.spec.template.metadata{annotations: {\"seen\": \"yes\"}}}}}");
            world.create(Kinds.DEPLOYMENTS, TestingWorld.workload("replicas: 3", ""));
            List<Integer> requests = world.minutes(5);
            assertThat(requests.get(0)).isLessThan(200);
            assertThat(requests.subList(1, 5)).allMatch(count -> count <= 40);
            assertThat(world.all(Kinds.REPLICA_SETS)).hasSizeLessThanOrEqualTo(12);
            assertThat(world.all(Kinds.PODS)).hasSizeBetween(3, 4);
            assertThat(world.said("ReplicaSetCreateError").keySet())
                    .allMatch(message -> message.endsWith("its pod template was changed when it was created"));
        }
    }

    @Test
    void deploymentsThatAreChangedWheneverTheyAreWrittenComeToRest() throws IOException {
        try (TestingWorld world = new TestingWorld(3)) {
            world.alter(
                    "deployments",
                    "Object{spec: Object.spec{template: Object.spec.template{metadata:"
                            + " Object.spec.template.metadata{annotations: {\"version\":"
                            + " object.metadata.?resourceVersion.orValue(\"0\")}}}}}");
            world.create(Kinds.DEPLOYMENTS, TestingWorld.workload("replicas: 3", ""));
            world.pass(Duration.ofMinutes(1));
            assertThat(world.minutes(1).get(0)).isLessThanOrEqualTo(SILENCE);
            assertThat(world.all(Kinds.REPLICA_SETS)).hasSize(1);
        }
    }

    @Test
    void aJobWhosePodsFailAtOnceWaitsTwiceAsLongEachTime() throws IOException {
        try (TestingWorld world = new TestingWorld(1)) {
            world.create(Kinds.JOBS, """
                    metadata: {name: web}
                    spec:
                      backoffLimit: 100
                      template:
                        metadata: {annotations: {sim.lavaflow.io/duration: 0s, sim.lavaflow.io/exit-code: "1"}}
                        spec: {restartPolicy: Never, containers: [{name: a, image: b}]}
                    """);
            // 10, 20, 40, 80, 160, 320 s
            List<Integer> pods = List.of(1, 2, 3, 4, 5, 6, 7);
            int[] until = {1, 12, 33, 75, 157, 319, 641};
            int gone = 0;
            for (int i = 0; i < until.length; i++) {
                Map<String, Integer> requests = world.pass(Duration.ofSeconds(until[i] - gone));
                gone = until[i];
                assertThat(world.all(Kinds.PODS)).as("after %d s", gone).hasSize(pods.get(i));
                assertThat(TestingWorld.sum(requests)).isLessThan(25);
            }
        }
    }

    @Test
    void daemonsThatTheirNodeRejectsComeBackMoreAndMoreRarely() throws IOException {
        try (TestingWorld world = new TestingWorld(0)) {
            RejectingNode node = new RejectingNode(world);
            world.joinedBy(node::act);
            world.create(TestingWorld.DAEMON_SETS, TestingWorld.workload("minReadySeconds: 0", ""));
            List<Integer> requests = world.minutes(10);
            // At once, then after 1, 2, 4 s and so on.
            assertThat(node.rejected()).isBetween(9, 11);
            assertThat(requests.get(0)).isLessThan(100);
            assertThat(requests.subList(4, 10)).allMatch(count -> count <= 20);
            assertThat(world.said("FailedDaemonPod").keySet())
                    .allMatch(message -> message.contains("Found failed daemon pod home/web-")
                            && message.endsWith(" on node full, will try to kill it"));
        }
    }

    @Test
    void anAutoscalerAndAUserWhoDisagreeTakeTurns() throws IOException {
        try (TestingWorld world = new TestingWorld(3)) {
            world.create(Kinds.DEPLOYMENTS, TestingWorld.workload("replicas: 3", ""));
            world.create(TestingWorld.AUTOSCALERS, """
                    metadata: {name: web}
                    spec:
                      minReplicas: 1
                      maxReplicas: 5
                      scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
                      metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}]
                    """);
            AtomicInteger changes = new AtomicInteger();
            world.joinedBy(() -> {
                ObjectNode deployment = world.get(Kinds.DEPLOYMENTS, "web");
                boolean disagrees = Json.longAt(deployment, 0, "spec", "replicas") != 8;
                if (disagrees) {
                    changes.incrementAndGet();
                    Json.ensureObject(deployment, "spec").put("replicas", 8);
                    world.api.update(Kinds.DEPLOYMENTS, "", deployment);
                }
                return disagrees;
            });
            world.minutes(1);
            changes.set(0);
            List<Integer> requests = world.minutes(3);
            // It looks every fifteen seconds, whatever happens in between.
            assertThat(changes.get()).isBetween(10, 13);
            assertThat(requests).allMatch(count -> count < 200);
        }
    }

    @Test
    void somebodyWhoKeepsChangingAddressesIsCorrectedOnceForEachChange() throws IOException {
        try (TestingWorld world = new TestingWorld(2)) {
            world.create(Kinds.DEPLOYMENTS, TestingWorld.workload("replicas: 2", ""));
            world.create(Kinds.SERVICES, "metadata: {name: web}\nspec: {selector: {app: web}, ports: [{port: 80}]}");
            // A slice of somebody else's for the same service, and one with the very name of the service.
            for (String name : List.of("web", "web-other")) {
                world.create(
                        Kinds.SLICES,
                        "metadata: {name: " + name + ", labels: {kubernetes.io/service-name: web}}\n"
                                + "addressType: IPv4\nendpoints: [{addresses: [10.1.2.3]}]");
            }
            world.pass(Duration.ofMinutes(1));
            assertThat(world.minutes(1).get(0)).isLessThanOrEqualTo(SILENCE);
            for (int i = 0; i < 10; i++) {
                ObjectNode endpoints = world.get(TestingWorld.ENDPOINTS, "web");
                endpoints.remove("subsets");
                world.api.update(TestingWorld.ENDPOINTS, "", endpoints);
                assertThat(TestingWorld.sum(world.pass(Duration.ofSeconds(6)))).isLessThanOrEqualTo(10);
                assertThat(Json.listAt(world.get(TestingWorld.ENDPOINTS, "web"), "subsets"))
                        .hasSize(1);
            }
        }
    }
}
