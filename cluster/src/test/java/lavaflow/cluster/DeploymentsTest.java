package lavaflow.cluster;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import lavaflow.controller.Fanout;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingCluster.DEPLOYMENTS;
import static lavaflow.cluster.TestingCluster.EVENTS;
import static lavaflow.cluster.TestingCluster.PODS;
import static lavaflow.cluster.TestingCluster.REPLICATION_CONTROLLERS;
import static lavaflow.cluster.TestingCluster.REPLICA_SETS;
import static lavaflow.cluster.TestingCluster.named;
import static org.assertj.core.api.Assertions.assertThat;

/** Deployments, ReplicaSets and ReplicationControllers together, on pods that become ready when told. */
class DeploymentsTest {
    private final TestingCluster cluster = new TestingCluster();
    private final TestingKubeApi api = cluster.api;

    @BeforeEach
    void start() {
        Mirror<PodState> pods = new Mirror<>(cluster.followers, PODS, PodState::of, PodState::words);
        cluster.run(ReplicaControllers.replicaSets(
                api, cluster.followers, pods, Fanout.SEQUENTIAL, cluster.clock(), cluster.nanoTime()));
        cluster.run(ReplicaControllers.replicationControllers(
                api, cluster.followers, pods, Fanout.SEQUENTIAL, cluster.clock(), cluster.nanoTime()));
        cluster.run(new Deployments(api, cluster.followers, pods, cluster.clock(), cluster.nanoTime()).controller());
        cluster.namespace("team");
        cluster.settle();
    }

    // ---- words of the tests

    private static ObjectNode spec(ObjectNode object, long replicas, String image) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        spec.put("replicas", replicas);
        Json.ensureObject(spec, "template", "metadata", "labels").put("app", "web");
        ObjectNode container = Json.ensureObject(spec, "template", "spec")
                .putArray("containers")
                .addObject();
        container.put("name", "main").put("image", image);
        return object;
    }

    private void deploy(long replicas, String strategy, Consumer<ObjectNode> more) {
        ObjectNode deployment = spec(named("web"), replicas, "one");
        Json.ensureObject(deployment, "metadata").put("generation", 1);
        Json.ensureObject(deployment, "spec", "selector", "matchLabels").put("app", "web");
        ObjectNode spec = Json.ensureObject(deployment, "spec");
        spec.putObject("strategy").put("type", strategy);
        spec.put("progressDeadlineSeconds", 600).put("revisionHistoryLimit", 10);
        more.accept(spec);
        api.create(DEPLOYMENTS, "team", deployment);
        cluster.settle();
    }

    private void change(Consumer<ObjectNode> change) {
        api.edit(DEPLOYMENTS, "team", "web", deployment -> {
            change.accept(Json.ensureObject(deployment, "spec"));
            ObjectNode metadata = Json.ensureObject(deployment, "metadata");
            metadata.put("generation", metadata.path("generation").asLong() + 1);
            return deployment;
        });
        cluster.settle();
    }

    private static void image(ObjectNode spec, String image) {
        ((ObjectNode) spec.at("/template/spec/containers/0")).put("image", image);
    }

    private static void rolling(ObjectNode spec, int surge, int unavailable) {
        Json.ensureObject(spec, "strategy", "rollingUpdate")
                .put("maxSurge", surge)
                .put("maxUnavailable", unavailable);
    }

    private List<ObjectNode> all(KubeApi.Kind kind) {
        return api.list(kind, "team", KubeApi.View.WHOLE).items();
    }

    private List<ObjectNode> livePods() {
        return all(PODS).stream().filter(pod -> !Objects.isDeleting(pod)).toList();
    }

    private long ready() {
        return livePods().stream().filter(pod -> PodState.of(pod).isReady()).count();
    }

    /** Lets one more pod become ready, and everything that follows from it happen; false if all are. */
    private boolean oneMoreReady() {
        ObjectNode next = livePods().stream()
                .filter(pod -> !PodState.of(pod).isReady())
                .findFirst()
                .orElse(null);
        if (next == null) {
            return false;
        }
        api.edit(PODS, "team", Objects.name(next), pod -> {
            ObjectNode status = Json.ensureObject(pod, "status");
            status.put("phase", "Running");
            status.putArray("conditions")
                    .addObject()
                    .put("type", "Ready")
                    .put("status", "True")
                    .put("lastTransitionTime", GoTime.seconds(cluster.clock().instant()));
            return pod;
        });
        cluster.settle();
        return true;
    }

    private void allReady() {
        while (oneMoreReady()) {
            assertThat(livePods()).hasSizeLessThan(1000);
        }
    }

    private ObjectNode deployment() {
        return api.get(DEPLOYMENTS, "team", "web");
    }

    private String condition(String type) {
        for (JsonNode condition : Json.listAt(deployment(), "status", "conditions")) {
            if (Json.textAt(condition, "type").equals(type)) {
                return Json.textAt(condition, "status") + " " + Json.textAt(condition, "reason");
            }
        }
        return "none";
    }

    private List<String> sizes() {
        return all(REPLICA_SETS).stream()
                .sorted(java.util.Comparator.comparingLong(set -> new Revision(set).number(Revision.REVISION, 0)))
                .map(set -> new Revision(set).annotation(Revision.REVISION) + ":" + new Revision(set).wanted())
                .toList();
    }

    private List<String> messages() {
        return all(EVENTS).stream()
                .map(event -> Json.textAt(event, "reason"))
                .distinct()
                .toList();
    }

    // ---- deployments

    @Test
    void aDeploymentBecomesAReplicaSetAndItsPods() {
        deploy(3, "RollingUpdate", spec -> rolling(spec, 1, 0));

        assertThat(livePods()).hasSize(3);
        assertThat(sizes()).containsExactly("1:3");
        ObjectNode set = all(REPLICA_SETS).getFirst();
        String hash = Json.textAt(set, "spec", "selector", "matchLabels", "pod-template-hash");
        assertThat(Objects.name(set)).isEqualTo("web-" + hash);
        assertThat(Json.textAt(livePods().getFirst(), "metadata", "labels", "pod-template-hash"))
                .isEqualTo(hash);
        assertThat(condition("Available")).isEqualTo("False MinimumReplicasUnavailable");
        assertThat(condition("Progressing")).startsWith("True ");

        allReady();

        assertThat(condition("Available")).isEqualTo("True MinimumReplicasAvailable");
        assertThat(condition("Progressing")).isEqualTo("True NewReplicaSetAvailable");
        assertThat(Json.longAt(deployment(), 0, "status", "availableReplicas")).isEqualTo(3);
        assertThat(Json.textAt(deployment(), "metadata", "annotations", Revision.REVISION))
                .isEqualTo("1");
        assertThat(messages()).contains("ScalingReplicaSet", "SuccessfulCreate");
    }

    @Test
    void aRollingUpdateStaysWithinItsLimitsAtEveryStep() {
        deploy(10, "RollingUpdate", spec -> rolling(spec, 3, 2));
        allReady();

        change(spec -> image(spec, "two"));
        int steps = 0;
        do {
            assertThat(livePods()).hasSizeLessThanOrEqualTo(13);
            assertThat(ready()).isGreaterThanOrEqualTo(8);
            steps++;
        } while (oneMoreReady());

        assertThat(steps).isGreaterThan(3);
        assertThat(sizes()).containsExactly("1:0", "2:10");
        assertThat(livePods())
                .allMatch(pod -> pod.at("/spec/containers/0/image").asText().equals("two"));
    }

    @Test
    void aTemplateThatWasThereBeforeIsFoundAgainAndBecomesTheNewestRevision() {
        deploy(2, "RollingUpdate", spec -> rolling(spec, 1, 0));
        allReady();
        change(spec -> image(spec, "two"));
        allReady();

        change(spec -> image(spec, "one"));
        allReady();

        assertThat(sizes()).containsExactly("2:0", "3:2");
        assertThat(new Revision(all(REPLICA_SETS).stream()
                                .filter(set -> new Revision(set).wanted() == 2)
                                .findFirst()
                                .orElseThrow())
                        .annotation(Revision.HISTORY))
                .isEqualTo("1");
    }

    @Test
    void recreateEndsTheOldBeforeItStartsTheNew() {
        deploy(2, "Recreate", _ -> {});
        allReady();
        livePods()
                .forEach(pod -> api.edit(PODS, "team", Objects.name(pod), placed -> {
                    Json.ensureObject(placed, "spec").put("nodeName", "somewhere");
                    return placed;
                }));
        cluster.settle();

        change(spec -> image(spec, "two"));
        assertThat(livePods()).isEmpty();
        assertThat(all(PODS)).hasSize(2);

        all(PODS).forEach(pod -> api.finishPod("team", Objects.name(pod)));
        cluster.settle();
        allReady();

        assertThat(sizes()).containsExactly("1:0", "2:2");
    }

    @Test
    void aPausedDeploymentChangesSizeButNotVersion() {
        deploy(2, "RollingUpdate", spec -> rolling(spec, 1, 0));
        allReady();

        change(spec -> {
            spec.put("paused", true);
            image(spec, "two");
        });
        change(spec -> spec.put("replicas", 4));
        allReady();

        assertThat(sizes()).containsExactly("1:4");
        assertThat(condition("Progressing")).isEqualTo("Unknown DeploymentPaused");

        change(spec -> spec.remove("paused"));
        allReady();

        assertThat(sizes()).containsExactly("1:0", "2:4");
    }

    @Test
    void aChangeOfSizeInTheMidstOfARolloutIsSharedInProportion() {
        deploy(10, "RollingUpdate", spec -> rolling(spec, 5, 0));
        allReady();
        change(spec -> image(spec, "two"));
        assertThat(sizes()).containsExactly("1:10", "2:5");

        change(spec -> spec.put("replicas", 20));

        assertThat(sizes()).containsExactly("1:17", "2:8");
    }

    @Test
    void onlySoManyOldVersionsAreKept() {
        deploy(1, "RollingUpdate", spec -> {
            rolling(spec, 1, 0);
            spec.put("revisionHistoryLimit", 1);
        });
        for (String version : List.of("two", "three", "four")) {
            allReady();
            change(spec -> image(spec, version));
        }
        allReady();
        cluster.settle();

        assertThat(sizes()).containsExactly("3:0", "4:1");
    }

    @Test
    void aRolloutThatDoesNotMoveIsReportedLate() {
        deploy(1, "RollingUpdate", spec -> rolling(spec, 1, 0));

        cluster.pass(Duration.ofSeconds(500));
        assertThat(condition("Progressing")).startsWith("True ");
        cluster.pass(Duration.ofSeconds(200));

        assertThat(condition("Progressing")).isEqualTo("False ProgressDeadlineExceeded");
    }

    // ---- replicas

    private void replicas(long count) {
        ObjectNode controller = spec(named("plain"), count, "one");
        Json.ensureObject(controller, "spec", "selector").put("app", "web");
        api.create(REPLICATION_CONTROLLERS, "team", controller);
        cluster.settle();
    }

    @Test
    void aReplicationControllerMakesItsPods() {
        replicas(2);

        assertThat(livePods()).hasSize(2);
        assertThat(Json.textAt(livePods().getFirst().at("/metadata/ownerReferences/0"), "kind"))
                .isEqualTo("ReplicationController");
        assertThat(Json.longAt(api.get(REPLICATION_CONTROLLERS, "team", "plain"), 0, "status", "replicas"))
                .isEqualTo(2);
    }

    @Test
    void orphansAreTakenInAndStrangersLetGo() {
        ObjectNode orphan = named("orphan");
        Json.ensureObject(orphan, "metadata", "labels").put("app", "web");
        api.create(PODS, "team", orphan);
        replicas(2);

        assertThat(livePods()).hasSize(2);
        assertThat(PodState.of(api.get(PODS, "team", "orphan")).owner()).isNotNull();

        api.edit(PODS, "team", "orphan", pod -> {
            Json.ensureObject(pod, "metadata", "labels").put("app", "other");
            return pod;
        });
        cluster.settle();

        assertThat(PodState.of(api.get(PODS, "team", "orphan")).owner()).isNull();
        assertThat(livePods()).hasSize(3);
    }

    @Test
    void theNotReadyEndFirst() {
        replicas(3);
        oneMoreReady();
        String ready = livePods().stream()
                .filter(pod -> PodState.of(pod).isReady())
                .map(Objects::name)
                .findFirst()
                .orElseThrow();

        api.edit(REPLICATION_CONTROLLERS, "team", "plain", controller -> {
            Json.ensureObject(controller, "spec").put("replicas", 1);
            return controller;
        });
        cluster.settle();

        assertThat(livePods()).extracting(Objects::name).containsExactly(ready);
    }

    @Test
    void aRefusalIsShownAndAskedOnceNotForEachPod() {
        api.fail("create pods team/", ApiException.of(403, "Forbidden", "exceeded quota: small"));
        replicas(50);

        assertThat(messages()).contains("FailedCreate");
        cluster.pass(Duration.ofSeconds(10));
        assertThat(livePods()).hasSize(50);
    }

    @Test
    void aViewThatLagsDoesNotMakePodsTwice() {
        replicas(3);
        api.compact();
        cluster.settle();

        assertThat(livePods()).hasSize(3);
    }
}
