package lavaflow;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import lavaflow.access.User;
import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static lavaflow.TestingAllInOne.MAPS;
import static lavaflow.TestingAllInOne.named;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Timeout(600)
class LocalKubeApiTest {
    private static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");
    private static final Duration LONG = Duration.ofMinutes(3);

    private static TestingAllInOne testing;
    private static KubeApi api;

    @BeforeAll
    static void start(@TempDir Path directory) throws Exception {
        testing = new TestingAllInOne(directory.resolve("data"));
        api = testing.api;
    }

    @AfterAll
    static void stop() throws Exception {
        testing.close();
    }

    private static ObjectNode map(String name) {
        ObjectNode map = named(name);
        map.putObject("data").put("colour", "red");
        return map;
    }

    @Test
    void oneEntryStandsForAllVersionsOfAKind() {
        List<KubeApi.Kind> autoscalers = api.kinds().stream()
                .filter(kind -> kind.resource().equals("horizontalpodautoscalers"))
                .toList();

        assertThat(autoscalers).hasSize(1);
        assertThat(api.findKind("autoscaling/v1", "HorizontalPodAutoscaler")).contains(autoscalers.getFirst());
        assertThat(api.findKind("autoscaling/v2", "HorizontalPodAutoscaler")).contains(autoscalers.getFirst());
        assertThat(api.kinds().stream().filter(kind -> kind.resource().equals("events")))
                .hasSize(1);
    }

    @Test
    void kindsNobodyServesOrCanDeleteAreUnknown() {
        assertThat(api.findKind("example.com/v1", "Widget")).isEmpty();
        assertThat(api.findKind("v1", "Binding")).isEmpty();
        assertThat(api.findKind("v1", "ConfigMap")).contains(MAPS);
    }

    @Test
    void theMetadataOfAnObjectComesWithoutTheRest() {
        ObjectNode map = map("partial");
        Json.ensureObject(map, "metadata", "labels").put("a", "b");
        ObjectNode created = api.create(MAPS, "default", map);
        assertThat(Json.listAt(created, "metadata", "managedFields")).isNotEmpty();
        ObjectNode partial = api.list(MAPS, "default", KubeApi.View.METADATA).items().stream()
                .filter(item -> Json.textAt(item, "metadata", "name").equals("partial"))
                .findFirst()
                .orElseThrow();

        ObjectNode expected = created.deepCopy();
        expected.remove("data");
        Json.ensureObject(expected, "metadata").remove("managedFields");
        assertThat(partial).isEqualTo(expected);
    }

    @Test
    void aWatchTellsWhatHappenedAndHowFarItGot() throws InterruptedException {
        long before = api.list(MAPS, "default", KubeApi.View.METADATA, _ -> {});
        try (KubeApi.Watch watch = api.watch(MAPS, before, KubeApi.View.WHOLE)) {
            ObjectNode created = api.create(MAPS, "default", map("watched"));
            KubeApi.Progress progress = about("watched", watch);
            assertThat(progress.events()).contains(new KubeApi.Event(false, created));
            assertThat(progress.revision())
                    .isGreaterThanOrEqualTo(Long.parseLong(Json.textAt(created, "metadata", "resourceVersion")));

            api.delete(MAPS, "default", "watched", KubeApi.Deletion.PLAIN);
            assertThat(about("watched", watch).events()).anyMatch(KubeApi.Event::deleted);
        }
    }

    /** The next that is about an object; components write maps too. */
    private static KubeApi.Progress about(String name, KubeApi.Watch watch) throws InterruptedException {
        while (true) {
            KubeApi.Progress progress = watch.next(LONG);
            boolean found = progress.events().stream()
                    .anyMatch(event ->
                            Json.textAt(event.object(), "metadata", "name").equals(name));
            if (found) {
                return progress;
            }
        }
    }

    @Test
    void aWatchThatIsWokenTellsHowFarItGotAlthoughNothingHappened() throws InterruptedException {
        KubeApi.Kind leases = new KubeApi.Kind("coordination.k8s.io", "v1", "leases", true);
        long before = api.list(leases, "", KubeApi.View.METADATA, _ -> {});
        try (KubeApi.Watch watch = api.watch(leases, before, KubeApi.View.METADATA)) {
            ObjectNode created = api.create(MAPS, "default", map("elsewhere"));
            watch.wake();
            KubeApi.Progress progress = watch.next(LONG);

            assertThat(progress.events()).isEmpty();
            assertThat(progress.revision())
                    .isGreaterThanOrEqualTo(Long.parseLong(Json.textAt(created, "metadata", "resourceVersion")));
        }
    }

    @Test
    void deletionsRespectWhatTheyWereMeantFor() {
        ObjectNode created = api.create(MAPS, "default", map("precious"));

        assertThatThrownBy(() -> api.delete(MAPS, "default", "precious", KubeApi.Deletion.ofUid("another")))
                .isInstanceOfSatisfying(
                        ApiException.class, e -> assertThat(e.code()).isEqualTo(409));
        assertThatThrownBy(() -> api.delete(MAPS, "default", "precious", new KubeApi.Deletion(null, "1", null)))
                .isInstanceOfSatisfying(
                        ApiException.class, e -> assertThat(e.code()).isEqualTo(409));
        String uid = Json.textAt(created, "metadata", "uid");
        assertThat(api.delete(MAPS, "default", "precious", KubeApi.Deletion.ofUid(uid)))
                .isTrue();
        assertThat(api.delete(MAPS, "default", "precious", KubeApi.Deletion.PLAIN))
                .isFalse();
    }

    @Test
    void writesGoThroughTheRulesAndAreNoted() {
        assertThatThrownBy(() -> api.create(MAPS, "default", named("Not A Name")))
                .isInstanceOfSatisfying(
                        ApiException.class, e -> assertThat(e.code()).isEqualTo(422));
        assertThatThrownBy(() -> api.create(MAPS, "nowhere", named("a")))
                .isInstanceOfSatisfying(
                        ApiException.class, e -> assertThat(e.code()).isEqualTo(404));
        ObjectNode created = api.create(MAPS, "default", map("noted"));
        assertThat(Json.textAt(Json.listAt(created, "metadata", "managedFields").get(0), "manager"))
                .isEqualTo("admin");
    }

    @Test
    void nobodyMayMoreThanTheirRolesSay() {
        KubeApi stranger = testing.cluster.api(new User("stranger", List.of(User.AUTHENTICATED)));
        assertThatThrownBy(() -> stranger.create(MAPS, "default", map("mine")))
                .isInstanceOfSatisfying(
                        ApiException.class, e -> assertThat(e.code()).isEqualTo(403));
        assertThatThrownBy(() -> stranger.list(MAPS, "default", KubeApi.View.WHOLE))
                .isInstanceOfSatisfying(
                        ApiException.class, e -> assertThat(e.code()).isEqualTo(403));
    }

    @Test
    void aPodIsBoundReportedOnAndEnded() {
        ObjectNode pod = named("worker");
        pod.putObject("spec")
                .putArray("containers")
                .addObject()
                .put("name", "main")
                .put("image", "none");
        api.create(PODS, "default", pod);
        ObjectNode binding = named("worker");
        binding.putObject("target").put("kind", "Node").put("name", "node-1");

        api.post(PODS, "default", "worker", "binding", binding);
        ObjectNode report = Json.object();
        report.putObject("status")
                .putArray("conditions")
                .addObject()
                .put("type", "Ready")
                .put("status", "True");
        ObjectNode reported = api.patch(PODS, "default", "worker", "status", KubeApi.Merge.STRATEGIC, report);

        assertThat(Json.textAt(reported, "spec", "nodeName")).isEqualTo("node-1");
        assertThat(Json.listAt(reported, "status", "conditions"))
                .extracting(condition -> Json.textAt(condition, "type"))
                .contains("PodScheduled", "Ready");
        assertThat(api.delete(PODS, "default", "worker", KubeApi.Deletion.PLAIN.atOnce()))
                .isTrue();
        assertThat(api.find(PODS, "default", "worker")).isEmpty();
    }

    @Test
    void aPatchMeantForAnotherObjectIsRefused() {
        api.create(MAPS, "default", map("patched"));
        ObjectNode patch = Json.object();
        patch.putObject("metadata").put("uid", "another");

        assertThatThrownBy(() -> api.patch(MAPS, "default", "patched", "", KubeApi.Merge.PLAIN, patch))
                .isInstanceOfSatisfying(
                        ApiException.class, e -> assertThat(e.code()).isEqualTo(422));
    }

    @Test
    void theScaleOfAnObjectCanBeSeenAndSet() {
        KubeApi.Kind sets = new KubeApi.Kind("apps", "v1", "replicasets", true);
        ObjectNode set = named("scaled");
        ObjectNode spec = set.putObject("spec").put("replicas", 2);
        Json.ensureObject(spec, "selector", "matchLabels").put("app", "scaled");
        Json.ensureObject(spec, "template", "metadata", "labels").put("app", "scaled");
        Json.ensureObject(spec, "template", "spec")
                .putArray("containers")
                .addObject()
                .put("name", "main")
                .put("image", "one");
        api.create(sets, "default", set);

        ObjectNode scale = api.findScale(sets, "default", "scaled").orElseThrow();
        assertThat(Json.longAt(scale, 0, "spec", "replicas")).isEqualTo(2);
        assertThat(Json.textAt(scale, "status", "selector")).isEqualTo("app=scaled");
        Json.ensureObject(scale, "spec").put("replicas", 5);
        // A controller works on it meanwhile.
        Json.ensureObject(scale, "metadata").remove("resourceVersion");
        assertThat(Json.longAt(api.update(sets, "scale", scale), 0, "spec", "replicas"))
                .isEqualTo(5);
        assertThat(Json.longAt(api.find(sets, "default", "scaled").orElseThrow(), 0, "spec", "replicas"))
                .isEqualTo(5);
        assertThat(api.findScale(sets, "default", "absent")).isEmpty();
        assertThatThrownBy(() -> api.findScale(MAPS, "default", "any")).isInstanceOf(ApiException.class);
    }

    @Test
    void pathsThatNoKindStandsForCanBeAsked() {
        assertThat(Json.textAt(api.read("/apis/batch"), "preferredVersion", "version"))
                .isEqualTo("v1");
        assertThatThrownBy(() -> api.read("/apis/metrics.k8s.io/v1beta1/namespaces/default/pods"))
                .isInstanceOfSatisfying(
                        ApiException.class, e -> assertThat(e.code()).isEqualTo(404));
    }
}
