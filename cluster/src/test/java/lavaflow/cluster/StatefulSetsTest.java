package lavaflow.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import lavaflow.controller.Fanout;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingCluster.CLAIMS;
import static lavaflow.cluster.TestingCluster.EVENTS;
import static lavaflow.cluster.TestingCluster.PODS;
import static lavaflow.cluster.TestingCluster.REVISIONS;
import static lavaflow.cluster.TestingCluster.STATEFUL_SETS;
import static lavaflow.cluster.TestingCluster.named;
import static org.assertj.core.api.Assertions.assertThat;

/** StatefulSets on pods that become ready when told. */
class StatefulSetsTest {
    private final TestingCluster cluster = new TestingCluster();
    private final TestingKubeApi api = cluster.api;

    @BeforeEach
    void start() {
        Mirror<TemplateRevision> templates =
                new Mirror<>(cluster.followers, REVISIONS, TemplateRevision::of, TemplateRevision::words);
        cluster.run(new StatefulSets(
                        api, cluster.followers, templates, Fanout.SEQUENTIAL, cluster.clock(), cluster.nanoTime())
                .controller());
        cluster.namespace("team");
        cluster.settle();
    }

    // ---- words of the tests

    private void create(long replicas, Consumer<ObjectNode> more) {
        ObjectNode set = named("web");
        Json.ensureObject(set, "metadata").put("generation", 1);
        ObjectNode spec = set.putObject("spec");
        spec.put("replicas", replicas).put("serviceName", "svc").put("revisionHistoryLimit", 10);
        spec.put("podManagementPolicy", "OrderedReady");
        Json.ensureObject(spec, "updateStrategy", "rollingUpdate").put("partition", 0);
        Json.ensureObject(spec, "updateStrategy").put("type", "RollingUpdate");
        Json.ensureObject(spec, "selector", "matchLabels").put("app", "web");
        Json.ensureObject(spec, "template", "metadata", "labels").put("app", "web");
        Json.ensureObject(spec, "template", "spec")
                .putArray("containers")
                .addObject()
                .put("name", "main")
                .put("image", "one");
        more.accept(spec);
        api.create(STATEFUL_SETS, "team", set);
        cluster.settle();
    }

    private void create(long replicas) {
        create(replicas, _ -> {});
    }

    private static void parallel(ObjectNode spec) {
        spec.put("podManagementPolicy", "Parallel");
    }

    private static void claims(ObjectNode spec, String whenDeleted, String whenScaled) {
        ObjectNode template = spec.putArray("volumeClaimTemplates").addObject();
        template.putObject("metadata").put("name", "data");
        template.putObject("spec").putArray("accessModes").add("ReadWriteOnce");
        spec.putObject("persistentVolumeClaimRetentionPolicy")
                .put("whenDeleted", whenDeleted)
                .put("whenScaled", whenScaled);
    }

    private static void partition(ObjectNode spec, long partition) {
        Json.ensureObject(spec, "updateStrategy", "rollingUpdate").put("partition", partition);
    }

    private static void image(ObjectNode spec, String image) {
        ((ObjectNode) spec.at("/template/spec/containers/0")).put("image", image);
    }

    private void change(Consumer<ObjectNode> change) {
        api.edit(STATEFUL_SETS, "team", "web", set -> {
            change.accept(Json.ensureObject(set, "spec"));
            ObjectNode metadata = Json.ensureObject(set, "metadata");
            metadata.put("generation", metadata.path("generation").asLong() + 1);
            return set;
        });
        cluster.settle();
    }

    private void scale(long replicas) {
        change(spec -> spec.put("replicas", replicas));
    }

    private List<ObjectNode> all(KubeApi.Kind kind) {
        return api.list(kind, "team", KubeApi.View.WHOLE).items();
    }

    /** {@code web-0:one+} for a ready pod of image one. */
    private List<String> pods() {
        return all(PODS).stream()
                .map(pod -> Objects.name(pod) + ":"
                        + pod.at("/spec/containers/0/image").asText()
                        + (Objects.isDeleting(pod) ? "x" : PodState.of(pod).isReady() ? "+" : ""))
                .toList();
    }

    private void report(String name, String phase, boolean ready) {
        cluster.report("team", name, phase, ready);
        cluster.settle();
    }

    private void ready(String... names) {
        for (String name : names) {
            report(name, "Running", true);
        }
    }

    private void allReady() {
        for (int i = 0; i < 100; i++) {
            List<String> waiting = all(PODS).stream()
                    .filter(pod -> !Objects.isDeleting(pod) && !PodState.of(pod).isReady())
                    .map(Objects::name)
                    .toList();
            if (waiting.isEmpty()) {
                return;
            }
            ready(waiting.getFirst());
        }
    }

    private void kill(String name) {
        api.delete(PODS, "team", name, KubeApi.Deletion.PLAIN.atOnce());
        cluster.settle();
    }

    private ObjectNode set() {
        return api.get(STATEFUL_SETS, "team", "web");
    }

    private long count(String field) {
        return Json.longAt(set(), 0, "status", field);
    }

    private List<String> messages() {
        return all(EVENTS).stream()
                .map(event -> Json.textAt(event, "reason") + ": " + Json.textAt(event, "message"))
                .toList();
    }

    private List<String> ownersOf(String claim) {
        List<String> owners = new ArrayList<>();
        for (JsonNode owner : Json.listAt(api.get(CLAIMS, "team", claim), "metadata", "ownerReferences")) {
            owners.add(Json.textAt(owner, "kind") + " " + Json.textAt(owner, "name"));
        }
        return owners;
    }

    private List<Long> versions() {
        return all(REVISIONS).stream()
                .map(revision -> Json.longAt(revision, 0, "revision"))
                .sorted()
                .toList();
    }

    // ---- size

    @Test
    void podsComeOneAfterTheOtherEachOnceTheOneBeforeIsReady() {
        create(3);
        assertThat(pods()).containsExactly("web-0:one");

        report("web-0", "Running", false);
        assertThat(pods()).containsExactly("web-0:one");

        ready("web-0");
        assertThat(pods()).containsExactly("web-0:one+", "web-1:one");

        ready("web-1", "web-2");
        assertThat(pods()).containsExactly("web-0:one+", "web-1:one+", "web-2:one+");
        assertThat(count("readyReplicas")).isEqualTo(3);
        assertThat(count("currentReplicas")).isEqualTo(3);
        assertThat(count("updatedReplicas")).isEqualTo(3);
        assertThat(count("observedGeneration")).isEqualTo(1);
        assertThat(messages()).contains("SuccessfulCreate: Create Pod web-2 in StatefulSet web successful");
    }

    @Test
    void aPodIsNamedNumberedAndReachable() {
        create(1);

        ObjectNode pod = api.get(PODS, "team", "web-0");
        ObjectNode revision = all(REVISIONS).getFirst();
        assertThat(Json.at(pod, "metadata", "labels"))
                .isEqualTo(Json.object()
                        .put("app", "web")
                        .put("statefulset.kubernetes.io/pod-name", "web-0")
                        .put("apps.kubernetes.io/pod-index", "0")
                        .put("controller-revision-hash", Objects.name(revision)));
        assertThat(Json.textAt(pod, "metadata", "generateName")).isEqualTo("web-");
        assertThat(Json.textAt(pod, "spec", "hostname")).isEqualTo("web-0");
        assertThat(Json.textAt(pod, "spec", "subdomain")).isEqualTo("svc");
        assertThat(PodState.of(pod).owner())
                .isEqualTo(new PodState.OwnerRef("apps/v1", "StatefulSet", "web", Objects.uid(set())));
        assertThat(Json.textAt(set(), "status", "updateRevision")).isEqualTo(Objects.name(revision));
        assertThat(Json.textAt(set(), "status", "currentRevision")).isEqualTo(Objects.name(revision));
    }

    @Test
    void podsGoFromTheHighestNumberDownOneAtATime() {
        create(4);
        allReady();
        all(PODS).forEach(pod -> cluster.place("team", Objects.name(pod), "node-1"));
        cluster.settle();

        scale(1);
        assertThat(pods()).containsExactly("web-0:one+", "web-1:one+", "web-2:one+", "web-3:onex");
        api.finishPod("team", "web-3");
        cluster.settle();
        assertThat(pods()).containsExactly("web-0:one+", "web-1:one+", "web-2:onex");
        api.finishPod("team", "web-2");
        cluster.settle();
        api.finishPod("team", "web-1");
        cluster.settle();
        assertThat(pods()).containsExactly("web-0:one+");
        assertThat(messages()).contains("SuccessfulDelete: Delete Pod web-1 in StatefulSet web successful");
    }

    @Test
    void nobodyGoesWhileALowerPodIsUnwell() {
        create(3);
        allReady();
        report("web-0", "Running", false);

        scale(1);
        assertThat(pods()).containsExactly("web-0:one", "web-1:one+", "web-2:one+");

        ready("web-0");
        assertThat(pods()).containsExactly("web-0:one+");
    }

    @Test
    void ofSeveralUnwellOnesTheHigherWaitForTheLowest() {
        create(4);
        allReady();
        report("web-3", "Running", false);
        report("web-2", "Running", false);

        scale(1);
        assertThat(pods()).hasSize(4);

        ready("web-2");
        assertThat(pods()).containsExactly("web-0:one+");
    }

    @Test
    void inParallelNobodyWaits() {
        create(4, StatefulSetsTest::parallel);
        assertThat(pods()).containsExactly("web-0:one", "web-1:one", "web-2:one", "web-3:one");

        scale(1);
        assertThat(pods()).containsExactly("web-0:one");
    }

    @Test
    void numbersStartWhereTheSetSays() {
        create(2, spec -> spec.putObject("ordinals").put("start", 5));
        allReady();
        assertThat(pods()).containsExactly("web-5:one+", "web-6:one+");

        change(spec -> spec.putObject("ordinals").put("start", 6));
        allReady();
        assertThat(pods()).containsExactly("web-6:one+", "web-7:one+");
    }

    @Test
    void aPodCountsOnceItHasBeenReadyForLongEnough() {
        create(2, spec -> spec.put("minReadySeconds", 30));
        ready("web-0");
        assertThat(pods()).containsExactly("web-0:one+");
        assertThat(count("availableReplicas")).isZero();

        cluster.pass(Duration.ofSeconds(31));
        assertThat(pods()).containsExactly("web-0:one+", "web-1:one");
        assertThat(count("availableReplicas")).isEqualTo(1);
    }

    @Test
    void podsThatEndedAreReplacedUnderTheirName() {
        create(2);
        allReady();
        String before = Objects.uid(api.get(PODS, "team", "web-0"));

        report("web-0", "Failed", false);
        assertThat(pods()).containsExactly("web-0:one", "web-1:one+");
        assertThat(Objects.uid(api.get(PODS, "team", "web-0"))).isNotEqualTo(before);

        report("web-1", "Succeeded", false);
        allReady();
        assertThat(pods()).containsExactly("web-0:one+", "web-1:one+");
    }

    @Test
    void aNodeThatStillRunsAPodKeepsItsName() {
        create(2);
        allReady();
        cluster.place("team", "web-0", "node-1");

        api.delete(PODS, "team", "web-0", KubeApi.Deletion.PLAIN);
        cluster.settle();
        assertThat(pods()).containsExactly("web-0:onex", "web-1:one+");

        api.finishPod("team", "web-0");
        cluster.settle();
        assertThat(pods()).containsExactly("web-0:one", "web-1:one+");
    }

    // ---- versions

    @Test
    void aNewVersionGoesFromTheHighestNumberDownEachOnceTheLastIsReady() {
        create(3);
        allReady();

        change(spec -> image(spec, "two"));
        assertThat(pods()).containsExactly("web-0:one+", "web-1:one+", "web-2:two");
        assertThat(count("currentReplicas")).isEqualTo(2);
        assertThat(count("updatedReplicas")).isEqualTo(1);
        ready("web-2");
        assertThat(pods()).containsExactly("web-0:one+", "web-1:two", "web-2:two+");
        ready("web-1", "web-0");

        assertThat(pods()).containsExactly("web-0:two+", "web-1:two+", "web-2:two+");
        assertThat(Json.textAt(set(), "status", "currentRevision"))
                .isEqualTo(Json.textAt(set(), "status", "updateRevision"));
        assertThat(count("currentReplicas")).isEqualTo(3);
        assertThat(versions()).containsExactly(1L, 2L);
    }

    @Test
    void aVersionThatDoesNotBecomeReadyStopsThere() {
        create(3);
        allReady();
        change(spec -> image(spec, "broken"));
        report("web-2", "Running", false);

        assertThat(pods()).containsExactly("web-0:one+", "web-1:one+", "web-2:broken");

        // Going back does not help by itself either: in order, the broken pod stands before everything else.
        change(spec -> image(spec, "one"));
        assertThat(pods()).containsExactly("web-0:one+", "web-1:one+", "web-2:broken");
        kill("web-2");
        allReady();
        assertThat(pods()).containsExactly("web-0:one+", "web-1:one+", "web-2:one+");
        assertThat(versions()).containsExactly(2L, 3L);
    }

    @Test
    void podsBelowThePartitionKeepTheirVersionEvenWhenReplaced() {
        create(4, spec -> partition(spec, 2));
        allReady();
        change(spec -> image(spec, "two"));
        allReady();
        assertThat(pods()).containsExactly("web-0:one+", "web-1:one+", "web-2:two+", "web-3:two+");

        kill("web-0");
        kill("web-3");
        allReady();
        assertThat(pods()).containsExactly("web-0:one+", "web-1:one+", "web-2:two+", "web-3:two+");
        assertThat(count("currentReplicas")).isEqualTo(2);
        assertThat(count("updatedReplicas")).isEqualTo(2);

        change(spec -> partition(spec, 0));
        allReady();
        assertThat(pods()).containsExactly("web-0:two+", "web-1:two+", "web-2:two+", "web-3:two+");
    }

    @Test
    void thePartitionCountsFromTheFirstNumber() {
        create(3, spec -> {
            spec.putObject("ordinals").put("start", 10);
            partition(spec, 2);
        });
        allReady();
        change(spec -> image(spec, "two"));
        allReady();

        assertThat(pods()).containsExactly("web-10:one+", "web-11:one+", "web-12:two+");
    }

    @Test
    void onDeleteReplacesNothingByItself() {
        create(2, spec -> spec.putObject("updateStrategy").put("type", "OnDelete"));
        allReady();
        change(spec -> image(spec, "two"));
        assertThat(pods()).containsExactly("web-0:one+", "web-1:one+");

        kill("web-1");
        assertThat(pods()).containsExactly("web-0:one+", "web-1:two");
    }

    @Test
    void sizeComesBeforeVersion() {
        create(2);
        allReady();

        change(spec -> {
            spec.put("replicas", 3);
            image(spec, "two");
        });
        assertThat(pods()).containsExactly("web-0:one+", "web-1:one+", "web-2:two");
        ready("web-2");
        assertThat(pods()).containsExactly("web-0:one+", "web-1:two", "web-2:two+");
    }

    @Test
    void goingBackFindsTheOldVersionAndMakesItTheNewest() {
        create(1);
        allReady();
        String first = Json.textAt(set(), "status", "updateRevision");
        change(spec -> image(spec, "two"));
        allReady();

        change(spec -> image(spec, "one"));
        allReady();

        assertThat(Json.textAt(set(), "status", "updateRevision")).isEqualTo(first);
        assertThat(versions()).containsExactly(2L, 3L);
    }

    @Test
    void onlySoManyOldVersionsAreKept() {
        create(1, spec -> spec.put("revisionHistoryLimit", 1));
        for (String version : List.of("two", "three", "four")) {
            allReady();
            change(spec -> image(spec, version));
        }
        allReady();

        assertThat(versions()).containsExactly(3L, 4L);
    }

    @Test
    void aNameOfAVersionThatIsTakenIsPassedOver() {
        create(1);
        String name = Objects.name(all(REVISIONS).getFirst());
        api.delete(STATEFUL_SETS, "team", "web", KubeApi.Deletion.PLAIN);
        kill("web-0");
        api.edit(REVISIONS, "team", name, revision -> {
            revision.putObject("data").put("something", "else");
            Json.ensureObject(revision, "metadata").remove("labels");
            Json.ensureObject(revision, "metadata").remove("ownerReferences");
            return revision;
        });
        create(1);

        assertThat(Json.textAt(set(), "status", "updateRevision"))
                .isNotEqualTo(name)
                .startsWith("web-");
        assertThat(count("collisionCount")).isEqualTo(1);
        assertThat(pods()).containsExactly("web-0:one");
    }

    // ---- claims

    @Test
    void aPodComesWithItsClaimAndFindsItAgain() {
        create(2, spec -> claims(spec, "Retain", "Retain"));
        allReady();
        ObjectNode claim = api.get(CLAIMS, "team", "data-web-0");
        assertThat(Json.textAt(claim, "metadata", "labels", "app")).isEqualTo("web");
        assertThat(api.get(PODS, "team", "web-0")
                        .at("/spec/volumes/0/persistentVolumeClaim/claimName")
                        .asText())
                .isEqualTo("data-web-0");
        assertThat(ownersOf("data-web-0")).isEmpty();
        assertThat(messages())
                .contains("SuccessfulCreate: Create Claim data-web-1 Pod web-1 in StatefulSet web success");

        scale(1);
        scale(2);
        allReady();
        assertThat(all(CLAIMS)).extracting(Objects::name).containsExactly("data-web-0", "data-web-1");
        assertThat(Objects.uid(api.get(CLAIMS, "team", "data-web-0"))).isEqualTo(Objects.uid(claim));
    }

    @Test
    void claimsThatGoWithTheSetAreItsOwn() {
        create(1, spec -> claims(spec, "Delete", "Retain"));
        assertThat(ownersOf("data-web-0")).containsExactly("StatefulSet web");
        allReady();

        change(spec -> claims(spec, "Retain", "Retain"));
        assertThat(ownersOf("data-web-0")).isEmpty();
        assertThat(messages()).contains("SuccessfulUpdate: Update Pod web-0 in StatefulSet web successful");
    }

    @Test
    void claimsThatGoWithAPodBecomeThePodsBeforeItEnds() {
        create(2, spec -> claims(spec, "Delete", "Delete"));
        allReady();
        assertThat(ownersOf("data-web-1")).containsExactly("StatefulSet web");
        cluster.place("team", "web-1", "node-1");

        scale(1);
        assertThat(ownersOf("data-web-1")).containsExactly("Pod web-1");
        assertThat(pods()).containsExactly("web-0:one+", "web-1:onex");

        // Wanted again before the old claim is gone: the new pod must not get a volume that is about to be deleted.
        scale(2);
        api.finishPod("team", "web-1");
        cluster.pass(Duration.ofSeconds(2));
        assertThat(pods()).containsExactly("web-0:one+");
        api.delete(CLAIMS, "team", "data-web-1", KubeApi.Deletion.PLAIN);
        cluster.pass(Duration.ofSeconds(2));
        assertThat(pods()).containsExactly("web-0:one+", "web-1:one");
        assertThat(ownersOf("data-web-1")).containsExactly("StatefulSet web");
    }

    @Test
    void aClaimThatSomebodyElseControlsIsLeftToThem() {
        ObjectNode claim = named("data-web-0");
        Json.ensureObject(claim, "metadata")
                .putArray("ownerReferences")
                .addObject()
                .put("apiVersion", "v1")
                .put("kind", "ConfigMap")
                .put("name", "other")
                .put("uid", "u")
                .put("controller", true);
        api.create(CLAIMS, "team", claim);
        create(1, spec -> claims(spec, "Delete", "Delete"));

        assertThat(pods()).containsExactly("web-0:one");
        assertThat(ownersOf("data-web-0")).containsExactly("ConfigMap other");
        assertThat(messages())
                .contains("ConflictingController: PersistentVolumeClaim data-web-0 has a conflicting OwnerReference"
                        + " that acts as a manging controller, the retention policy is ignored for this claim");
    }

    @Test
    void aPodWaitsForAClaimThatIsBeingDeleted() {
        create(1, spec -> claims(spec, "Retain", "Retain"));
        allReady();
        api.edit(CLAIMS, "team", "data-web-0", claim -> TestingCluster.withFinalizers(claim, "keep"));
        api.delete(CLAIMS, "team", "data-web-0", KubeApi.Deletion.PLAIN);
        kill("web-0");

        assertThat(pods()).isEmpty();
        assertThat(messages())
                .contains(
                        "FailedCreate: Create Pod web-0 in StatefulSet web failed error: pvc data-web-0 is being deleted");

        cluster.release(CLAIMS, "team", "data-web-0");
        cluster.pass(Duration.ofSeconds(2));
        assertThat(pods()).containsExactly("web-0:one");
    }

    @Test
    void aClaimThatVanishedBeforeItsPodRanIsMadeAgain() {
        create(1, spec -> claims(spec, "Retain", "Retain"));
        api.delete(CLAIMS, "team", "data-web-0", KubeApi.Deletion.PLAIN);
        report("web-0", "Pending", false);

        assertThat(all(CLAIMS)).extracting(Objects::name).containsExactly("data-web-0");
    }

    @Test
    void aClaimThatVanishesWhileItsPodWaitsIsMadeAgain() {
        create(1, spec -> claims(spec, "Retain", "Retain"));
        report("web-0", "Pending", false);
        api.delete(CLAIMS, "team", "data-web-0", KubeApi.Deletion.PLAIN);
        cluster.settle();

        assertThat(all(CLAIMS)).extracting(Objects::name).containsExactly("data-web-0");
    }

    // ---- identity and membership

    @Test
    void aPodThatLostItsNameGetsItBack() {
        create(1);
        allReady();
        api.edit(PODS, "team", "web-0", pod -> {
            Json.ensureObject(pod, "metadata", "labels")
                    .remove(List.of(StatefulPod.NAME_LABEL, StatefulPod.INDEX_LABEL));
            return pod;
        });
        cluster.settle();

        ObjectNode labels = Json.objectAt(api.get(PODS, "team", "web-0"), "metadata", "labels");
        assertThat(Json.textAt(labels, StatefulPod.NAME_LABEL)).isEqualTo("web-0");
        assertThat(Json.textAt(labels, StatefulPod.INDEX_LABEL)).isEqualTo("0");
        assertThat(messages()).contains("SuccessfulUpdate: Update Pod web-0 in StatefulSet web successful");
    }

    @Test
    void orphansWithAFittingNameAreTakenInAndStrangersLetGo() {
        for (String name : List.of("web-0", "web-x", "web-01", "other-0")) {
            ObjectNode orphan = named(name);
            Json.ensureObject(orphan, "metadata", "labels").put("app", "web");
            Json.ensureObject(orphan, "status").put("phase", "Pending");
            api.create(PODS, "team", orphan);
        }
        create(1);
        assertThat(all(PODS)).extracting(Objects::name).containsExactly("other-0", "web-0", "web-01", "web-x");
        assertThat(PodState.of(api.get(PODS, "team", "web-0")).owner()).isNotNull();
        assertThat(PodState.of(api.get(PODS, "team", "web-01")).owner()).isNull();
        assertThat(PodState.of(api.get(PODS, "team", "other-0")).owner()).isNull();

        api.edit(PODS, "team", "web-0", pod -> {
            Json.ensureObject(pod, "metadata", "labels").put("app", "mine");
            return pod;
        });
        cluster.settle();
        assertThat(PodState.of(api.get(PODS, "team", "web-0")).owner()).isNull();
        assertThat(count("replicas")).isZero();

        // Its name is taken; the set gets it once the stranger is gone, without a word about it.
        assertThat(messages()).noneMatch(message -> message.startsWith("Failed"));
        kill("web-0");
        cluster.pass(Duration.ofSeconds(60));
        assertThat(PodState.of(api.get(PODS, "team", "web-0")).owner()).isNotNull();
    }

    @Test
    void aSetThatIsGoingOnlyReports() {
        create(2);
        allReady();
        api.edit(STATEFUL_SETS, "team", "web", set -> TestingCluster.withFinalizers(set, "foregroundDeletion"));
        api.delete(STATEFUL_SETS, "team", "web", KubeApi.Deletion.PLAIN);
        kill("web-1");

        assertThat(pods()).containsExactly("web-0:one+");
        assertThat(count("replicas")).isEqualTo(1);
    }

    // ---- failures

    @Test
    void aRefusalIsShownAndTriedAgain() {
        api.fail("create pods team/web-0", ApiException.of(403, "Forbidden", "exceeded quota: small"));
        create(1);

        assertThat(messages())
                .contains("FailedCreate: Create Pod web-0 in StatefulSet web failed error: exceeded quota: small");
        cluster.pass(Duration.ofSeconds(5));
        assertThat(pods()).containsExactly("web-0:one");
    }

    @Test
    void inParallelAServerThatRefusesOneIsNotAskedForAll() {
        for (int i = 0; i < 50; i++) {
            api.fail("create pods team/web-0", ApiException.of(403, "Forbidden", "exceeded quota: small"));
        }
        api.takeWrites();
        create(50, StatefulSetsTest::parallel);

        // Twice: its own report is news to it.
        assertThat(api.takeWrites().stream().filter(write -> write.startsWith("create pods")))
                .containsExactly("create pods team/web-0", "create pods team/web-0");
    }

    @Test
    void whatFailsBetweenTwoCallsIsMadeUpFor() {
        api.fail("create pods team/web-0", ApiException.of(500, "InternalError", "lost"));
        create(1, spec -> claims(spec, "Delete", "Delete"));
        assertThat(all(CLAIMS)).hasSize(1);
        cluster.pass(Duration.ofSeconds(1));
        assertThat(pods()).containsExactly("web-0:one");
        assertThat(all(CLAIMS)).hasSize(1);

        api.fail("update statefulsets.apps/status team/web", ApiException.modified("apps", "statefulsets", "web"));
        ready("web-0");
        cluster.pass(Duration.ofSeconds(1));
        assertThat(count("readyReplicas")).isEqualTo(1);
    }

    @Test
    void aViewThatLagsMakesNothingTwice() {
        create(3, StatefulSetsTest::parallel);
        api.takeWrites();
        api.compact();
        cluster.settle();

        assertThat(api.takeWrites()).isEmpty();
        assertThat(all(REVISIONS)).hasSize(1);
    }

    @Test
    void nothingIsWrittenWhereNothingChanged() {
        create(2, spec -> claims(spec, "Delete", "Delete"));
        allReady();
        api.takeWrites();
        api.edit(PODS, "team", "web-0", pod -> {
            Json.ensureObject(pod, "metadata", "annotations").put("note", "x");
            return pod;
        });
        cluster.settle();

        assertThat(api.takeWrites()).containsExactly("update pods team/web-0");
    }
}
