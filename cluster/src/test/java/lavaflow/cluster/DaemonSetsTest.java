package lavaflow.cluster;

import java.time.Duration;
import java.util.List;

import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingCluster.DAEMON_SETS;
import static lavaflow.cluster.TestingCluster.NODES;
import static lavaflow.cluster.TestingCluster.PODS;
import static lavaflow.cluster.TestingCluster.REVISIONS;
import static lavaflow.cluster.TestingCluster.named;
import static org.assertj.core.api.Assertions.assertThat;

/** One pod on each node that fits, whatever becomes of nodes and pods. */
class DaemonSetsTest {
    private final TestingDaemonSets team = new TestingDaemonSets();
    private final TestingKubeApi api = team.api;
    private final TestingCluster cluster = team.cluster;

    private void taint(String node, String... keysAndEffects) {
        api.edit(NODES, "", node, object -> {
            ArrayNode taints = Json.ensureObject(object, "spec").putArray("taints");
            for (int i = 0; i < keysAndEffects.length; i += 2) {
                taints.addObject().put("key", keysAndEffects[i]).put("effect", keysAndEffects[i + 1]);
            }
            return object;
        });
        cluster.settle();
    }

    // ---- one pod on each node

    @Test
    void eachNodeGetsAPodThatFitsNoOther() {
        team.create();

        assertThat(team.pods()).containsExactly("a:one", "b:one", "c:one");
        ObjectNode pod = api.get(PODS, "team", team.on("a"));
        assertThat(Json.textAt(pod, "spec", "nodeName")).isEmpty();
        assertThat(Json.listAt(pod, "spec", "tolerations"))
                .extracting(toleration -> Json.textAt(toleration, "key") + " " + Json.textAt(toleration, "effect"))
                .containsExactly(
                        "node.kubernetes.io/not-ready NoExecute",
                        "node.kubernetes.io/unreachable NoExecute",
                        "node.kubernetes.io/disk-pressure NoSchedule",
                        "node.kubernetes.io/memory-pressure NoSchedule",
                        "node.kubernetes.io/pid-pressure NoSchedule",
                        "node.kubernetes.io/unschedulable NoSchedule");
        String hash = Json.textAt(team.all(REVISIONS).getFirst(), "metadata", "labels", "controller-revision-hash");
        assertThat(Objects.name(team.all(REVISIONS).getFirst())).isEqualTo("agent-" + hash);
        assertThat(Json.at(pod, "metadata", "labels"))
                .isEqualTo(Json.object()
                        .put("app", "agent")
                        .put("pod-template-generation", "1")
                        .put("controller-revision-hash", hash));
        assertThat(team.count("desiredNumberScheduled")).isEqualTo(3);
        assertThat(team.count("currentNumberScheduled")).isEqualTo(3);
        assertThat(team.count("updatedNumberScheduled")).isEqualTo(3);
        assertThat(team.count("numberUnavailable")).isEqualTo(3);
        assertThat(cluster.messages("team")).contains("SuccessfulCreate: Created pod: " + team.on("a"));

        team.ready("a", "b", "c");
        assertThat(team.count("numberReady")).isEqualTo(3);
        assertThat(team.count("numberAvailable")).isEqualTo(3);
        assertThat(team.count("numberUnavailable")).isZero();
    }

    @Test
    void whatTheTemplateRequiresOfNodesIsAskedBeforehandAndWhatItPrefersStays() {
        team.create(spec -> {
            ObjectNode affinity = Json.ensureObject(spec, "template", "spec", "affinity", "nodeAffinity");
            affinity.putObject("requiredDuringSchedulingIgnoredDuringExecution")
                    .putArray("nodeSelectorTerms")
                    .addObject()
                    .putArray("matchExpressions")
                    .addObject()
                    .put("key", "disk")
                    .put("operator", "Exists");
            affinity.putArray("preferredDuringSchedulingIgnoredDuringExecution")
                    .addObject()
                    .put("weight", 1);
            Json.ensureObject(spec, "template", "spec").put("hostNetwork", true);
        });

        ObjectNode spec = Json.objectAt(api.get(PODS, "team", team.on("b")), "spec");
        assertThat(spec.at("/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution")
                        .toString())
                .isEqualTo("{\"nodeSelectorTerms\":[{\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In\","
                        + "\"values\":[\"b\"]}]}]}");
        assertThat(spec.at("/affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution"))
                .hasSize(1);
        assertThat(Json.textAt(spec.at("/tolerations/6"), "key")).isEqualTo("node.kubernetes.io/network-unavailable");
    }

    @Test
    void nodesThatComeGetAPodAndNodesThatDoNotFitNone() {
        team.create(spec ->
                Json.ensureObject(spec, "template", "spec", "nodeSelector").put("disk", "ssd"));
        team.ready("a", "b", "c");

        team.node("d");
        assertThat(team.pods()).contains("d:one");

        api.edit(NODES, "", "a", node -> {
            Json.ensureObject(node, "metadata", "labels").put("disk", "tape");
            return node;
        });
        cluster.settle();
        assertThat(team.pods()).containsExactly("a:onex", "b:one+", "c:one+", "d:one");
        assertThat(team.count("numberMisscheduled")).isEqualTo(1);
        assertThat(team.count("desiredNumberScheduled")).isEqualTo(3);
    }

    @Test
    void aTaintKeepsNewPodsOffAndOnlySomeEndThoseThatRun() {
        team.create();
        team.ready("a", "b", "c");

        taint("a", "dedicated", "NoSchedule");
        taint("b", "dedicated", "NoExecute");
        taint("c", "dedicated", "PreferNoSchedule", "node.kubernetes.io/unschedulable", "NoSchedule");
        assertThat(team.pods()).containsExactly("a:one+", "b:onex", "c:one+");
        assertThat(team.count("desiredNumberScheduled")).isEqualTo(1);
        assertThat(team.count("numberMisscheduled")).isEqualTo(2);

        api.delete(PODS, "team", team.on("a"), KubeApi.Deletion.PLAIN.atOnce());
        team.reap();
        assertThat(team.pods()).containsExactly("c:one+");
    }

    @Test
    void aHeartbeatIsNoWork() {
        team.create();
        team.ready("a", "b", "c");
        api.takeWrites();

        api.edit(NODES, "", "a", node -> {
            Json.ensureObject(node, "status").put("heartbeat", "now");
            return node;
        });
        cluster.settle();

        assertThat(api.requestCount()).isEqualTo(2);
    }

    @Test
    void anUnplacedPodOfANodeThatIsGoneIsEnded() {
        team.create();
        api.delete(NODES, "", "b", KubeApi.Deletion.PLAIN);
        cluster.settle();

        assertThat(team.pods()).containsExactly("a:one", "c:one");
        assertThat(team.count("desiredNumberScheduled")).isEqualTo(2);
    }

    @Test
    void podsThatFailAreReplacedEverMoreSlowly() {
        team.create();
        team.ready("a", "b", "c");
        String failed = team.on("a");
        team.report(failed, "Failed", false);
        team.reap();
        assertThat(team.pods()).containsExactly("a:one", "b:one+", "c:one+");
        assertThat(cluster.messages("team"))
                .contains(
                        "FailedDaemonPod: Found failed daemon pod team/" + failed + " on node a, will try to kill it");

        team.report(team.on("a"), "Failed", false);
        assertThat(team.pods()).containsExactly("a:one", "b:one+", "c:one+");
        cluster.pass(Duration.ofMillis(1100));
        assertThat(team.pods()).containsExactly("a:one", "a:onex", "b:one+", "c:one+");
        team.reap();

        team.report(team.on("a"), "Failed", false);
        cluster.pass(Duration.ofMillis(1100));
        assertThat(team.pods()).containsExactly("a:one", "b:one+", "c:one+");
        cluster.pass(Duration.ofSeconds(1));
        assertThat(team.pods()).containsExactly("a:one", "a:onex", "b:one+", "c:one+");
    }

    @Test
    void podsThatSucceedAreReplacedAtOnce() {
        team.create();
        team.ready("a", "b", "c");
        String done = team.on("b");
        team.report(done, "Succeeded", false);

        assertThat(cluster.messages("team"))
                .contains("SucceededDaemonPod: Found succeeded daemon pod team/" + done
                        + " on node b, will try to delete it");
        // It has ended: nobody need wait until its node says so.
        assertThat(team.living("b")).hasSize(1);
    }

    @Test
    void ofSeveralOnANodeTheOldestStays() {
        team.create();
        team.ready("a", "b", "c");
        ObjectNode second = api.get(PODS, "team", team.on("a")).deepCopy();
        Json.ensureObject(second, "metadata").put("name", "zzz").remove(List.of("uid", "resourceVersion"));
        api.create(PODS, "team", second);
        cluster.settle();

        assertThat(Objects.isDeleting(api.get(PODS, "team", "zzz"))).isTrue();
        assertThat(team.living("a")).hasSize(1);
    }

    // ---- membership and failures

    @Test
    void orphansAreTakenInAndStrangersLetGo() {
        ObjectNode orphan = named("mine");
        Json.ensureObject(orphan, "metadata", "labels").put("app", "agent");
        Json.ensureObject(orphan, "spec").put("nodeName", "a");
        api.create(PODS, "team", orphan);
        team.create(spec -> spec.putObject("updateStrategy").put("type", "OnDelete"));
        assertThat(team.all(PODS)).hasSize(3);
        assertThat(PodState.of(api.get(PODS, "team", "mine")).owner()).isNotNull();

        api.edit(PODS, "team", "mine", pod -> {
            Json.ensureObject(pod, "metadata", "labels").put("app", "other");
            return pod;
        });
        cluster.settle();
        assertThat(PodState.of(api.get(PODS, "team", "mine")).owner()).isNull();
        assertThat(team.all(PODS)).hasSize(4);
    }

    @Test
    void aRefusalIsShownAndTriedAgainLater() {
        api.fail("create pods team/", ApiException.of(403, "Forbidden", "exceeded quota: small"));
        api.fail("create pods team/", ApiException.of(403, "Forbidden", "exceeded quota: small"));
        api.takeWrites();
        team.create();

        // One try, and one more after its own report; never one for each node.
        assertThat(api.takeWrites().stream().filter(write -> write.startsWith("create pods")))
                .hasSize(2);
        assertThat(cluster.messages("team")).contains("FailedCreate: Error creating: exceeded quota: small");
        cluster.pass(Duration.ofSeconds(5));
        assertThat(team.pods()).containsExactly("a:one", "b:one", "c:one");
    }

    @Test
    void manyPodsAreMadeInBursts() {
        for (int i = 0; i < 300; i++) {
            ObjectNode node = named("many-" + i);
            api.create(NODES, "", node);
        }
        team.create();

        assertThat(team.all(PODS)).hasSize(303);
    }

    @Test
    void aViewThatLagsMakesNothingTwice() {
        team.create();
        api.takeWrites();
        api.compact();
        cluster.settle();

        assertThat(api.takeWrites()).isEmpty();
        assertThat(team.all(PODS)).hasSize(3);
    }

    @Test
    void aSetThatIsGoingIsLeftAlone() {
        team.create();
        api.edit(DAEMON_SETS, "team", "agent", set -> TestingCluster.withFinalizers(set, "foregroundDeletion"));
        api.delete(DAEMON_SETS, "team", "agent", KubeApi.Deletion.PLAIN);
        api.delete(PODS, "team", team.on("a"), KubeApi.Deletion.PLAIN);
        cluster.settle();

        assertThat(team.pods()).containsExactly("b:one", "c:one");
    }

    @Test
    void aSetThatSelectsEverythingIsTold() {
        team.create(spec -> spec.putObject("selector"));

        assertThat(team.all(PODS)).isEmpty();
        assertThat(cluster.messages("team"))
                .containsExactly(
                        "SelectingAll: This daemon set is selecting all pods. A non-empty selector is required.");
    }
}
