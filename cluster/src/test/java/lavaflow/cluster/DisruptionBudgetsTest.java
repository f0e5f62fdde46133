package lavaflow.cluster;

import java.time.Duration;
import java.util.function.Consumer;

import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingCluster.BUDGETS;
import static lavaflow.cluster.TestingCluster.DEPLOYMENTS;
import static lavaflow.cluster.TestingCluster.EVENTS;
import static lavaflow.cluster.TestingCluster.JOBS;
import static lavaflow.cluster.TestingCluster.PODS;
import static lavaflow.cluster.TestingCluster.REPLICA_SETS;
import static lavaflow.cluster.TestingCluster.named;
import static org.assertj.core.api.Assertions.assertThat;

class DisruptionBudgetsTest {
    private static final KubeApi.Kind TRAINERS = new KubeApi.Kind("example.com", "v1", "trainers", true);
    private static final KubeApi.Kind STATEFUL_SETS = new KubeApi.Kind("apps", "v1", "statefulsets", true);

    private final TestingCluster cluster = new TestingCluster();
    private final TestingKubeApi api = cluster.api;

    @BeforeEach
    void start() {
        api.serve(TRAINERS, "Trainer");
        if (!api.kinds().contains(STATEFUL_SETS)) {
            api.serve(STATEFUL_SETS, "StatefulSet");
        }
        Mirror<PodState> pods = new Mirror<>(cluster.followers, PODS, PodState::of, PodState::words);
        cluster.run(
                new DisruptionBudgets(api, cluster.followers, pods, cluster.clock(), cluster.nanoTime()).controller());
        cluster.namespace("team");
        cluster.settle();
    }

    private void budget(Consumer<ObjectNode> wish) {
        ObjectNode budget = named("web");
        Json.ensureObject(budget, "metadata").put("generation", 3);
        ObjectNode spec = budget.putObject("spec");
        Json.ensureObject(spec, "selector", "matchLabels").put("app", "web");
        wish.accept(spec);
        api.create(BUDGETS, "team", budget);
        cluster.settle();
    }

    private ObjectNode owner(KubeApi.Kind kind, String name, long replicas, ObjectNode above) {
        ObjectNode owner = named(name);
        owner.putObject("spec").put("replicas", replicas);
        if (above != null) {
            Json.ensureObject(owner, "metadata")
                    .putArray("ownerReferences")
                    .add(ReplicaDecisions.ownerReference(above));
        }
        return api.create(kind, "team", owner);
    }

    private void pods(int count, int ready, ObjectNode owner) {
        for (int i = 0; i < count; i++) {
            ObjectNode pod = named((owner == null ? "bare" : Objects.name(owner)) + "-" + i);
            Json.ensureObject(pod, "metadata", "labels").put("app", "web");
            if (owner != null) {
                Json.ensureObject(pod, "metadata")
                        .putArray("ownerReferences")
                        .add(ReplicaDecisions.ownerReference(owner));
            }
            if (i < ready) {
                condition(pod, "Ready");
            }
            api.create(PODS, "team", pod);
        }
        cluster.settle();
    }

    private void condition(ObjectNode pod, String type) {
        Json.ensureObject(pod, "status")
                .withArray("conditions")
                .addObject()
                .put("type", type)
                .put("status", "True")
                .put("lastTransitionTime", GoTime.seconds(cluster.clock().instant()));
    }

    private JsonNode status() {
        return api.get(BUDGETS, "team", "web").path("status");
    }

    /** Allowed, healthy, desired, expected. */
    private String counts() {
        JsonNode status = status();
        return status.path("disruptionsAllowed").asText() + " of "
                + status.path("currentHealthy").asText() + ", wanted "
                + status.path("desiredHealthy").asText() + " of "
                + status.path("expectedPods").asText();
    }

    private String condition() {
        JsonNode condition = status().path("conditions").path(0);
        return Json.textAt(condition, "type") + "=" + Json.textAt(condition, "status") + " "
                + Json.textAt(condition, "reason");
    }

    private java.util.List<String> events() {
        return api.list(EVENTS, "team", KubeApi.View.WHOLE).items().stream()
                .map(event -> Json.textAt(event, "reason") + " " + Json.textAt(event, "message"))
                .toList();
    }

    @Test
    void aNumberThatMustBeAvailableIsHeldAgainstThePodsThereAre() {
        budget(spec -> spec.put("minAvailable", 2));
        assertThat(counts()).isEqualTo("0 of 0, wanted 2 of 0");
        assertThat(events()).containsExactly("NoPods No matching pods found");
        pods(4, 3, null);
        assertThat(counts()).isEqualTo("1 of 3, wanted 2 of 4");
        assertThat(condition()).isEqualTo("DisruptionAllowed=True SufficientPods");
        assertThat(status().path("observedGeneration").asLong()).isEqualTo(3);
        assertThat(status().path("conditions")
                        .path(0)
                        .path("observedGeneration")
                        .asLong())
                .isEqualTo(3);
    }

    @Test
    void sharesAreOfWhatControllersWant() {
        ObjectNode deployment = owner(DEPLOYMENTS, "web", 10, null);
        ObjectNode old = owner(REPLICA_SETS, "web-old", 4, deployment);
        ObjectNode current = owner(REPLICA_SETS, "web-new", 7, deployment);
        ObjectNode plain = owner(REPLICA_SETS, "plain", 3, null);
        pods(4, 4, old);
        pods(5, 5, current);
        pods(3, 2, plain);
        budget(spec -> spec.put("maxUnavailable", "25%"));
        // A quarter of 13, rounded up, is 4.
        assertThat(counts()).isEqualTo("2 of 11, wanted 9 of 13");
        api.edit(DEPLOYMENTS, "team", "web", live -> {
            Json.ensureObject(live, "spec").put("replicas", 6);
            return live;
        });
        cluster.settle();
        assertThat(counts()).isEqualTo("5 of 11, wanted 6 of 9");
    }

    @Test
    void controllersOfOtherKindsAreAskedForTheirScale() {
        pods(2, 2, owner(TRAINERS, "llm", 4, null));
        budget(spec -> spec.put("minAvailable", "50%"));
        assertThat(counts()).isEqualTo("0 of 2, wanted 2 of 4");
        assertThat(condition()).isEqualTo("DisruptionAllowed=False InsufficientPods");
    }

    @Test
    void nothingIsAllowedWhereThePodsToExpectAreUnknown() {
        pods(2, 2, owner(JOBS, "work", 2, null));
        budget(spec -> spec.put("maxUnavailable", 1));
        assertThat(condition()).isEqualTo("DisruptionAllowed=False SyncFailed");
        assertThat(Json.textAt(status().path("conditions").path(0), "message"))
                .isEqualTo("jobs.batch does not implement the scale subresource");
        assertThat(status().path("disruptionsAllowed").asLong(-1)).isZero();
        assertThat(events())
                .contains("CalculateExpectedPodCountFailed Failed to calculate the number of expected pods:"
                        + " jobs.batch does not implement the scale subresource");
    }

    @Test
    void podsWithoutAControllerDoNotCountForShares() {
        pods(3, 3, null);
        budget(spec -> spec.put("maxUnavailable", 1));
        assertThat(counts()).isEqualTo("0 of 3, wanted 0 of 0");
    }

    @Test
    void aPodWhoseEvictionWasGrantedIsNotHealthyUntilItIsTooLate() {
        pods(3, 3, null);
        budget(spec -> spec.put("minAvailable", 1));
        String now = GoTime.seconds(cluster.clock().instant());
        api.edit(BUDGETS, "team", "web", live -> {
            ObjectNode status = Json.ensureObject(live, "status");
            status.put("disruptionsAllowed", 1);
            status.putObject("disruptedPods").put("bare-0", now).put("gone", now);
            return live;
        });
        cluster.settle();
        assertThat(counts()).isEqualTo("1 of 2, wanted 1 of 3");
        assertThat(Json.string(status().path("disruptedPods"))).isEqualTo("{\"bare-0\":\"" + now + "\"}");
        cluster.pass(Duration.ofSeconds(121));
        assertThat(counts()).isEqualTo("2 of 3, wanted 1 of 3");
        assertThat(status().has("disruptedPods")).isFalse();
        assertThat(events()).contains("NotDeleted Pod was expected by PDB team/web to be deleted but it wasn't");
    }

    @Test
    void theAnnouncedEndOfAPodIsTakenBackIfItLivesOn() {
        pods(1, 0, null);
        api.edit(PODS, "team", "bare-0", pod -> {
            condition(pod, "DisruptionTarget");
            return pod;
        });
        cluster.pass(Duration.ofSeconds(119));
        assertThat(Json.string(api.get(PODS, "team", "bare-0"))).contains("\"status\":\"True\"");
        cluster.pass(Duration.ofSeconds(1));
        assertThat(Json.string(api.get(PODS, "team", "bare-0"))).contains("\"status\":\"False\"");
    }
}
