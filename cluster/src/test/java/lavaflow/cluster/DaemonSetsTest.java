package lavaflow.cluster;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

import lavaflow.controller.Fanout;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingCluster.DAEMON_SETS;
import static lavaflow.cluster.TestingCluster.EVENTS;
import static lavaflow.cluster.TestingCluster.NODES;
import static lavaflow.cluster.TestingCluster.PODS;
import static lavaflow.cluster.TestingCluster.REVISIONS;
import static lavaflow.cluster.TestingCluster.named;
import static org.assertj.core.api.Assertions.assertThat;

/** DaemonSets on nodes that change and pods that become ready when told. */
class DaemonSetsTest {
    private final TestingCluster cluster = new TestingCluster();
    private final TestingKubeApi api = cluster.api;

    @BeforeEach
    void start() {
        Mirror<TemplateRevision> templates =
                new Mirror<>(cluster.followers, REVISIONS, TemplateRevision::of, TemplateRevision::words);
        cluster.run(new DaemonSets(
                        api, cluster.followers, templates, Fanout.SEQUENTIAL, cluster.clock(), cluster.nanoTime())
                .controller());
        cluster.namespace("team");
        List.of("a", "b", "c").forEach(this::node);
        cluster.settle();
    }

    // ---- words of the tests

    private void node(String name) {
        ObjectNode node = named(name);
        Json.ensureObject(node, "metadata", "labels").put("disk", "ssd");
        api.create(NODES, "", node);
        cluster.settle();
    }

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

    private void create(Consumer<ObjectNode> more) {
        ObjectNode set = named("agent");
        Json.ensureObject(set, "metadata").put("generation", 1);
        Json.ensureObject(set, "metadata", "annotations").put("deprecated.daemonset.template.generation", "1");
        ObjectNode spec = set.putObject("spec");
        spec.put("revisionHistoryLimit", 10);
        Json.ensureObject(spec, "updateStrategy").put("type", "RollingUpdate");
        limits(spec, 0, 1);
        Json.ensureObject(spec, "selector", "matchLabels").put("app", "agent");
        Json.ensureObject(spec, "template", "metadata", "labels").put("app", "agent");
        Json.ensureObject(spec, "template", "spec")
                .putArray("containers")
                .addObject()
                .put("name", "main")
                .put("image", "one");
        more.accept(spec);
        api.create(DAEMON_SETS, "team", set);
        cluster.settle();
    }

    private void create() {
        create(_ -> {});
    }

    private static void limits(ObjectNode spec, long surge, long unavailable) {
        Json.ensureObject(spec, "updateStrategy", "rollingUpdate")
                .put("maxSurge", surge)
                .put("maxUnavailable", unavailable);
    }

    private void change(Consumer<ObjectNode> change) {
        api.edit(DAEMON_SETS, "team", "agent", set -> {
            change.accept(Json.ensureObject(set, "spec"));
            ObjectNode metadata = Json.ensureObject(set, "metadata");
            long generation = metadata.path("generation").asLong() + 1;
            metadata.put("generation", generation);
            Json.ensureObject(metadata, "annotations")
                    .put("deprecated.daemonset.template.generation", Long.toString(generation));
            return set;
        });
        cluster.settle();
    }

    private void image(String image) {
        change(spec -> ((ObjectNode) spec.at("/template/spec/containers/0")).put("image", image));
    }

    private List<ObjectNode> all(KubeApi.Kind kind) {
        return api.list(kind, "team", KubeApi.View.WHOLE).items();
    }

    /** {@code a:one+} for a ready pod of image one for node a, {@code x} for one that is going. */
    private List<String> pods() {
        return all(PODS).stream()
                .map(pod -> DaemonPod.of(pod).target() + ":"
                        + pod.at("/spec/containers/0/image").asText()
                        + (Objects.isDeleting(pod) ? "x" : PodState.of(pod).isReady() ? "+" : ""))
                .sorted()
                .toList();
    }

    private Stream<ObjectNode> living(String node) {
        return all(PODS).stream()
                .filter(pod ->
                        !Objects.isDeleting(pod) && DaemonPod.of(pod).target().equals(node));
    }

    private String on(String node) {
        return living(node).map(Objects::name).findFirst().orElseThrow();
    }

    private void report(String pod, String phase, boolean ready) {
        String node = DaemonPod.of(api.get(PODS, "team", pod)).target();
        cluster.place("team", pod, node);
        cluster.report("team", pod, phase, ready);
        cluster.settle();
    }

    /** Lets the newest pod on each of the nodes run. */
    private void ready(String... nodes) {
        for (String node : nodes) {
            living(node)
                    .filter(pod -> !PodState.of(pod).isReady())
                    .map(Objects::name)
                    .toList()
                    .forEach(pod -> report(pod, "Running", true));
        }
    }

    /** Ends what is going. */
    private void reap() {
        all(PODS).stream()
                .filter(Objects::isDeleting)
                .forEach(pod -> api.delete(PODS, "team", Objects.name(pod), KubeApi.Deletion.PLAIN.atOnce()));
        cluster.settle();
    }

    private long count(String field) {
        return Json.longAt(api.get(DAEMON_SETS, "team", "agent"), 0, "status", field);
    }

    private List<String> messages() {
        return all(EVENTS).stream()
                .map(event -> Json.textAt(event, "reason") + ": " + Json.textAt(event, "message"))
                .toList();
    }

    private List<Long> versions() {
        return all(REVISIONS).stream()
                .map(revision -> Json.longAt(revision, 0, "revision"))
                .sorted()
                .toList();
    }

    // ---- one pod on each node

    @Test
    void eachNodeGetsAPodThatFitsNoOther() {
        create();

        assertThat(pods()).containsExactly("a:one", "b:one", "c:one");
        ObjectNode pod = api.get(PODS, "team", on("a"));
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
        String hash = Json.textAt(all(REVISIONS).getFirst(), "metadata", "labels", "controller-revision-hash");
        assertThat(Objects.name(all(REVISIONS).getFirst())).isEqualTo("agent-" + hash);
        assertThat(Json.at(pod, "metadata", "labels"))
                .isEqualTo(Json.object()
                        .put("app", "agent")
                        .put("pod-template-generation", "1")
                        .put("controller-revision-hash", hash));
        assertThat(count("desiredNumberScheduled")).isEqualTo(3);
        assertThat(count("currentNumberScheduled")).isEqualTo(3);
        assertThat(count("updatedNumberScheduled")).isEqualTo(3);
        assertThat(count("numberUnavailable")).isEqualTo(3);
        assertThat(messages()).contains("SuccessfulCreate: Created pod: " + on("a"));

        ready("a", "b", "c");
        assertThat(count("numberReady")).isEqualTo(3);
        assertThat(count("numberAvailable")).isEqualTo(3);
        assertThat(count("numberUnavailable")).isZero();
    }

    @Test
    void whatTheTemplateRequiresOfNodesIsAskedBeforehandAndWhatItPrefersStays() {
        create(spec -> {
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

        ObjectNode spec = Json.objectAt(api.get(PODS, "team", on("b")), "spec");
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
        create(spec ->
                Json.ensureObject(spec, "template", "spec", "nodeSelector").put("disk", "ssd"));
        ready("a", "b", "c");

        node("d");
        assertThat(pods()).contains("d:one");

        api.edit(NODES, "", "a", node -> {
            Json.ensureObject(node, "metadata", "labels").put("disk", "tape");
            return node;
        });
        cluster.settle();
        assertThat(pods()).containsExactly("a:onex", "b:one+", "c:one+", "d:one");
        assertThat(count("numberMisscheduled")).isEqualTo(1);
        assertThat(count("desiredNumberScheduled")).isEqualTo(3);
    }

    @Test
    void aTaintKeepsNewPodsOffAndOnlySomeEndThoseThatRun() {
        create();
        ready("a", "b", "c");

        taint("a", "dedicated", "NoSchedule");
        taint("b", "dedicated", "NoExecute");
        taint("c", "dedicated", "PreferNoSchedule", "node.kubernetes.io/unschedulable", "NoSchedule");
        assertThat(pods()).containsExactly("a:one+", "b:onex", "c:one+");
        assertThat(count("desiredNumberScheduled")).isEqualTo(1);
        assertThat(count("numberMisscheduled")).isEqualTo(2);

        api.delete(PODS, "team", on("a"), KubeApi.Deletion.PLAIN.atOnce());
        reap();
        assertThat(pods()).containsExactly("c:one+");
    }

    @Test
    void aHeartbeatIsNoWork() {
        create();
        ready("a", "b", "c");
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
        create();
        api.delete(NODES, "", "b", KubeApi.Deletion.PLAIN);
        cluster.settle();

        assertThat(pods()).containsExactly("a:one", "c:one");
        assertThat(count("desiredNumberScheduled")).isEqualTo(2);
    }

    @Test
    void podsThatFailAreReplacedEverMoreSlowly() {
        create();
        ready("a", "b", "c");
        String failed = on("a");
        report(failed, "Failed", false);
        reap();
        assertThat(pods()).containsExactly("a:one", "b:one+", "c:one+");
        assertThat(messages())
                .contains(
                        "FailedDaemonPod: Found failed daemon pod team/" + failed + " on node a, will try to kill it");

        report(on("a"), "Failed", false);
        assertThat(pods()).containsExactly("a:one", "b:one+", "c:one+");
        cluster.pass(Duration.ofMillis(1100));
        assertThat(pods()).containsExactly("a:one", "a:onex", "b:one+", "c:one+");
        reap();

        report(on("a"), "Failed", false);
        cluster.pass(Duration.ofMillis(1100));
        assertThat(pods()).containsExactly("a:one", "b:one+", "c:one+");
        cluster.pass(Duration.ofSeconds(1));
        assertThat(pods()).containsExactly("a:one", "a:onex", "b:one+", "c:one+");
    }

    @Test
    void podsThatSucceedAreReplacedAtOnce() {
        create();
        ready("a", "b", "c");
        String done = on("b");
        report(done, "Succeeded", false);

        assertThat(messages())
                .contains("SucceededDaemonPod: Found succeeded daemon pod team/" + done
                        + " on node b, will try to delete it");
        // It has ended: nobody need wait until its node says so.
        assertThat(living("b")).hasSize(1);
    }

    @Test
    void ofSeveralOnANodeTheOldestStays() {
        create();
        ready("a", "b", "c");
        ObjectNode second = api.get(PODS, "team", on("a")).deepCopy();
        Json.ensureObject(second, "metadata").put("name", "zzz").remove(List.of("uid", "resourceVersion"));
        api.create(PODS, "team", second);
        cluster.settle();

        assertThat(Objects.isDeleting(api.get(PODS, "team", "zzz"))).isTrue();
        assertThat(living("a")).hasSize(1);
    }

    // ---- versions

    @Test
    void aNewVersionReplacesAsManyAsMayBeMissing() {
        create(spec -> limits(spec, 0, 2));
        ready("a", "b", "c");

        image("two");
        assertThat(pods()).containsExactly("a:onex", "b:onex", "c:one+");
        reap();
        assertThat(pods()).containsExactly("a:two", "b:two", "c:one+");
        ready("a");
        assertThat(pods()).containsExactly("a:two+", "b:two", "c:onex");
        reap();
        ready("b", "c");
        assertThat(pods()).containsExactly("a:two+", "b:two+", "c:two+");
        assertThat(count("updatedNumberScheduled")).isEqualTo(3);
        assertThat(versions()).containsExactly(1L, 2L);
    }

    @Test
    void oldPodsThatDoNoWorkGoAtOnceAndCountAsMissing() {
        create();
        ready("a", "b", "c");
        report(on("a"), "Running", false);
        report(on("b"), "Running", false);

        image("two");
        assertThat(pods()).containsExactly("a:onex", "b:onex", "c:one+");
        reap();
        ready("a");
        assertThat(pods()).containsExactly("a:two+", "b:two", "c:one+");
        ready("b");
        assertThat(pods()).containsExactly("a:two+", "b:two+", "c:onex");
    }

    @Test
    void withSurgeTheNewComesBeforeTheOldGoes() {
        create(spec -> limits(spec, 1, 0));
        ready("a", "b", "c");

        image("two");
        assertThat(pods()).containsExactly("a:one+", "a:two", "b:one+", "c:one+");
        ready("a");
        assertThat(pods()).containsExactly("a:onex", "a:two+", "b:one+", "b:two", "c:one+");
        reap();
        ready("b");
        reap();
        ready("c");
        reap();
        assertThat(pods()).containsExactly("a:two+", "b:two+", "c:two+");
    }

    @Test
    void withSurgeAnOldPodThatDoesNoWorkNeedNotBeWaitedFor() {
        create(spec -> limits(spec, 1, 0));
        ready("a", "b", "c");
        report(on("a"), "Running", false);

        image("two");
        assertThat(pods()).containsExactly("a:onex", "a:two", "b:one+", "b:two", "c:one+");
    }

    @Test
    void anyNumberOfDaemonsIsServedAtAllTimesWhileRolling() {
        for (int i = 0; i < 17; i++) {
            node("n" + i);
        }
        create(spec -> limits(spec, 0, 3));
        String[] nodes = api.list(NODES, "", KubeApi.View.WHOLE).items().stream()
                .map(Objects::name)
                .toArray(String[]::new);
        ready(nodes);

        image("two");
        for (int step = 0; step < 40; step++) {
            assertThat(pods().stream().filter(pod -> pod.endsWith("+"))).hasSizeGreaterThanOrEqualTo(17);
            assertThat(pods()).hasSizeLessThanOrEqualTo(20);
            reap();
            all(PODS).stream()
                    .filter(pod -> !PodState.of(pod).isReady() && !Objects.isDeleting(pod))
                    .findFirst()
                    .ifPresent(pod -> report(Objects.name(pod), "Running", true));
        }
        assertThat(pods()).hasSize(20).allMatch(pod -> pod.endsWith(":two+"));
    }

    @Test
    void aPodCountsOnceItHasBeenReadyForLongEnough() {
        create(spec -> spec.put("minReadySeconds", 30));
        ready("a", "b", "c");
        assertThat(count("numberReady")).isEqualTo(3);
        assertThat(count("numberAvailable")).isZero();

        cluster.pass(Duration.ofSeconds(31));
        assertThat(count("numberAvailable")).isEqualTo(3);
    }

    @Test
    void onDeleteReplacesNothingByItself() {
        create(spec -> spec.putObject("updateStrategy").put("type", "OnDelete"));
        ready("a", "b", "c");
        image("two");
        assertThat(pods()).containsExactly("a:one+", "b:one+", "c:one+");
        assertThat(count("updatedNumberScheduled")).isZero();

        api.delete(PODS, "team", on("b"), KubeApi.Deletion.PLAIN.atOnce());
        cluster.settle();
        assertThat(pods()).containsExactly("a:one+", "b:two", "c:one+");
    }

    @Test
    void goingBackFindsTheOldVersionAndOnlySoManyAreKept() {
        create(spec -> {
            spec.put("revisionHistoryLimit", 1);
            limits(spec, 0, 3);
        });
        for (String version : List.of("two", "three", "two")) {
            ready("a", "b", "c");
            image(version);
            reap();
        }
        ready("a", "b", "c");

        assertThat(pods()).containsExactly("a:two+", "b:two+", "c:two+");
        assertThat(versions()).containsExactly(3L, 4L);
    }

    @Test
    void aNameOfAVersionThatIsTakenIsPassedOver() {
        create();
        String name = Objects.name(all(REVISIONS).getFirst());
        api.delete(DAEMON_SETS, "team", "agent", KubeApi.Deletion.PLAIN);
        all(PODS).forEach(pod -> api.delete(PODS, "team", Objects.name(pod), KubeApi.Deletion.PLAIN.atOnce()));
        api.edit(REVISIONS, "team", name, revision -> {
            revision.putObject("data").put("something", "else");
            Json.ensureObject(revision, "metadata").remove(List.of("labels", "ownerReferences"));
            return revision;
        });
        create();

        assertThat(count("collisionCount")).isEqualTo(1);
        assertThat(all(REVISIONS)).hasSize(2);
        assertThat(pods()).containsExactly("a:one", "b:one", "c:one");
    }

    @Test
    void twoOfTheSameVersionBecomeOne() {
        create();
        ObjectNode twin = all(REVISIONS).getFirst().deepCopy();
        Json.ensureObject(twin, "metadata").put("name", "agent-twin").remove(List.of("uid", "resourceVersion"));
        Json.ensureObject(twin, "metadata", "labels").put("controller-revision-hash", "twin");
        twin.put("revision", 2);
        api.create(REVISIONS, "team", twin);
        cluster.settle();

        assertThat(all(REVISIONS)).extracting(Objects::name).containsExactly("agent-twin");
        assertThat(all(PODS)).allMatch(pod -> DaemonPod.of(pod).hash().equals("twin"));
        assertThat(pods()).containsExactly("a:one", "b:one", "c:one");
    }

    // ---- membership and failures

    @Test
    void orphansAreTakenInAndStrangersLetGo() {
        ObjectNode orphan = named("mine");
        Json.ensureObject(orphan, "metadata", "labels").put("app", "agent");
        Json.ensureObject(orphan, "spec").put("nodeName", "a");
        api.create(PODS, "team", orphan);
        create(spec -> spec.putObject("updateStrategy").put("type", "OnDelete"));
        assertThat(all(PODS)).hasSize(3);
        assertThat(PodState.of(api.get(PODS, "team", "mine")).owner()).isNotNull();

        api.edit(PODS, "team", "mine", pod -> {
            Json.ensureObject(pod, "metadata", "labels").put("app", "other");
            return pod;
        });
        cluster.settle();
        assertThat(PodState.of(api.get(PODS, "team", "mine")).owner()).isNull();
        assertThat(all(PODS)).hasSize(4);
    }

    @Test
    void aRefusalIsShownAndTriedAgainLater() {
        api.fail("create pods team/", ApiException.of(403, "Forbidden", "exceeded quota: small"));
        api.fail("create pods team/", ApiException.of(403, "Forbidden", "exceeded quota: small"));
        api.takeWrites();
        create();

        // One try, and one more after its own report; never one for each node.
        assertThat(api.takeWrites().stream().filter(write -> write.startsWith("create pods")))
                .hasSize(2);
        assertThat(messages()).contains("FailedCreate: Error creating: exceeded quota: small");
        cluster.pass(Duration.ofSeconds(5));
        assertThat(pods()).containsExactly("a:one", "b:one", "c:one");
    }

    @Test
    void manyPodsAreMadeInBursts() {
        for (int i = 0; i < 300; i++) {
            ObjectNode node = named("many-" + i);
            api.create(NODES, "", node);
        }
        create();

        assertThat(all(PODS)).hasSize(303);
    }

    @Test
    void aViewThatLagsMakesNothingTwice() {
        create();
        api.takeWrites();
        api.compact();
        cluster.settle();

        assertThat(api.takeWrites()).isEmpty();
        assertThat(all(PODS)).hasSize(3);
    }

    @Test
    void aSetThatIsGoingIsLeftAlone() {
        create();
        api.edit(DAEMON_SETS, "team", "agent", set -> TestingCluster.withFinalizers(set, "foregroundDeletion"));
        api.delete(DAEMON_SETS, "team", "agent", KubeApi.Deletion.PLAIN);
        api.delete(PODS, "team", on("a"), KubeApi.Deletion.PLAIN);
        cluster.settle();

        assertThat(pods()).containsExactly("b:one", "c:one");
    }

    @Test
    void aSetThatSelectsEverythingIsTold() {
        create(spec -> spec.putObject("selector"));

        assertThat(all(PODS)).isEmpty();
        assertThat(messages())
                .containsExactly(
                        "SelectingAll: This daemon set is selecting all pods. A non-empty selector is required.");
    }
}
