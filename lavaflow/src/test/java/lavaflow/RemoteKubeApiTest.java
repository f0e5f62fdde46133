package lavaflow;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import lavaflow.controller.ChangeListener;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.remote.RemoteKubeApi;
import lavaflow.remote.Settings;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static lavaflow.TestingAllInOne.MAPS;
import static lavaflow.TestingAllInOne.NAMESPACES;
import static lavaflow.TestingAllInOne.named;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** The API over HTTP against the API in the process: one server, the same answers. */
@Timeout(600)
class RemoteKubeApiTest {
    private static final Duration LONG = Duration.ofMinutes(3);

    private TestingAllInOne testing;
    private KubeApi local;
    private RemoteKubeApi remote;

    @BeforeEach
    void start(@TempDir Path directory) throws Exception {
        testing = new TestingAllInOne(directory.resolve("data"), false);
        local = testing.api;
        remote = new RemoteKubeApi(Settings.of(testing.home.kubeconfig(), "test/0"));
    }

    @AfterEach
    void stop() throws Exception {
        remote.close();
        testing.close();
    }

    private static ObjectNode map(String name) {
        ObjectNode map = named(name);
        map.putObject("data").put("colour", "red");
        return map;
    }

    @Test
    void theSameKindsAndObjectsAreSeen() {
        remote.onKindsChange(() -> {}); // who listens hears of new kinds
        assertSoonAlike(() -> Set.copyOf(local.kinds()), () -> Set.copyOf(remote.kinds()));
        for (String type :
                List.of("v1/Pod", "apps/v1/Deployment", "autoscaling/v1/HorizontalPodAutoscaler", "a/v1/B")) {
            int slash = type.lastIndexOf('/');
            String apiVersion = type.substring(0, slash);
            String kind = type.substring(slash + 1);
            assertThat(remote.findKind(apiVersion, kind)).as(type).isEqualTo(local.findKind(apiVersion, kind));
        }
        KubeApi.Kind roles = new KubeApi.Kind("rbac.authorization.k8s.io", "v1", "clusterroles", false);
        for (KubeApi.View view : KubeApi.View.values()) {
            assertThat(remote.list(roles, "", view).items()).hasSizeGreaterThan(50);
            assertSoonAlike(
                    () -> local.list(roles, "", view).items(),
                    () -> remote.list(roles, "", view).items());
        }
        String name = "system:controller:job-controller";
        assertThat(remote.find(roles, "", name)).isPresent();
        assertThat(remote.find(roles, "", name)).isEqualTo(local.find(roles, "", name));
        assertThat(remote.find(roles, "", "nobody")).isEmpty();
    }

    /** Asks both until they answer alike; what is never alike fails. */
    private static <T> void assertSoonAlike(Supplier<T> expected, Supplier<T> asked) {
        long deadline = System.nanoTime() + LONG.toNanos();
        while (true) {
            T before = expected.get();
            T answer = asked.get();
            if (answer.equals(before)) {
                return;
            }
            if (System.nanoTime() > deadline) {
                assertThat(answer).isEqualTo(before);
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    @Test
    void longListsComeInPages() {
        for (int i = 0; i < 1101; i++) {
            local.create(MAPS, "kube-public", map("m" + i));
        }
        KubeApi.Listing listing = remote.list(MAPS, "kube-public", KubeApi.View.METADATA);

        assertThat(listing.items())
                .isEqualTo(
                        local.list(MAPS, "kube-public", KubeApi.View.METADATA).items());
        assertThat(listing.items()).hasSizeGreaterThan(1100);
        assertThat(listing.revision()).isPositive();
    }

    @Test
    void oneObjectIsListedAndWatchedWithoutItsNeighbours() throws InterruptedException {
        for (KubeApi api : List.of(local, remote)) {
            String name = "one-" + api.getClass().getSimpleName().toLowerCase(java.util.Locale.ROOT);
            KubeApi.Scope scope = KubeApi.Scope.of("default", name);
            local.create(MAPS, "default", map(name + "-neighbour"));
            List<ObjectNode> none = new ArrayList<>();
            long before = api.list(MAPS, scope, KubeApi.View.WHOLE, none::add);
            assertThat(none).isEmpty();
            try (KubeApi.Watch watch = api.watch(MAPS, scope, before, KubeApi.View.WHOLE)) {
                local.delete(MAPS, "default", name + "-neighbour", KubeApi.Deletion.PLAIN);
                local.create(MAPS, "default", map(name));
                assertThat(next(watch))
                        .singleElement()
                        .satisfies(event -> assertThat(Json.textAt(event.object(), "metadata", "name"))
                                .isEqualTo(name));
                local.delete(MAPS, "default", name, KubeApi.Deletion.PLAIN);
                assertThat(next(watch)).singleElement().matches(KubeApi.Event::deleted);
            }
        }
    }

    @Test
    void whatIsAskedOfAnObjectIsAnswered() {
        for (KubeApi api : List.of(local, remote)) {
            ObjectNode request =
                    Json.object().put("kind", "TokenRequest").put("apiVersion", "authentication.k8s.io/v1");
            request.putObject("spec").put("expirationSeconds", 3600);
            KubeApi.Kind accounts = KubeApi.Kind.core("serviceaccounts");
            ObjectNode answer = api.post(accounts, "kube-system", "default", "token", request);
            assertThat(Json.textAt(answer, "status", "token")).startsWith("ey");
        }
    }

    @Test
    void writesReturnWhatTheServerMade() {
        ObjectNode created = remote.create(MAPS, "default", map("written"));
        assertThat(local.find(MAPS, "default", "written")).contains(created);

        ObjectNode next = created.deepCopy();
        Json.ensureObject(next, "data").put("colour", "green");
        ObjectNode updated = remote.update(MAPS, "", next);
        assertThat(Json.textAt(updated, "data", "colour")).isEqualTo("green");

        ObjectNode patch = Json.object();
        patch.putObject("data").put("shape", "round");
        ObjectNode patched = remote.patch(MAPS, "default", "written", "", KubeApi.Merge.PLAIN, patch);
        assertThat(Json.textAt(patched, "data", "shape")).isEqualTo("round");
        assertThat(Json.textAt(patched, "data", "colour")).isEqualTo("green");

        String uid = Json.textAt(created, "metadata", "uid");
        assertThat(remote.delete(MAPS, "default", "written", KubeApi.Deletion.ofUid(uid)))
                .isTrue();
        assertThat(remote.delete(MAPS, "default", "written", KubeApi.Deletion.ofUid(uid)))
                .isFalse();
    }

    @Test
    void refusalsAreTheSame() {
        local.create(MAPS, "default", map("taken"));
        List<java.util.function.Function<KubeApi, Object>> wrong = List.of(
                api -> api.create(MAPS, "default", map("taken")),
                api -> api.create(MAPS, "default", map("Not Good")),
                api -> api.create(MAPS, "nowhere", map("m")),
                api -> api.delete(MAPS, "default", "taken", KubeApi.Deletion.ofUid("other")),
                api -> api.patch(MAPS, "default", "absent", "", KubeApi.Merge.PLAIN, Json.object()));
        for (java.util.function.Function<KubeApi, Object> each : wrong) {
            ApiException here = catchThrowableOfType(ApiException.class, () -> each.apply(local));
            ApiException there = catchThrowableOfType(ApiException.class, () -> each.apply(remote));
            assertThat(there.status()).isEqualTo(here.status());
        }
    }

    @Test
    void aWatchTellsWhatHappensAndGoesOnAfterARestart() throws Exception {
        long before = remote.list(MAPS, "default", KubeApi.View.METADATA, _ -> {});
        try (KubeApi.Watch watch = remote.watch(MAPS, before, KubeApi.View.METADATA)) {
            local.create(MAPS, "default", map("first"));
            assertThat(nextName(watch)).isEqualTo("first");
            restartOnTheSamePort();
            local.create(MAPS, "default", map("second"));
            assertThat(nextName(watch)).isEqualTo("second");
            local.delete(MAPS, "default", "first", KubeApi.Deletion.PLAIN);
            assertThat(next(watch)).singleElement().satisfies(event -> {
                assertThat(event.deleted()).isTrue();
                assertThat(event.object().has("data")).isFalse();
            });
        }
    }

    /** The next that is told; who watches may also hear only how far it is. */
    private static List<KubeApi.Event> next(KubeApi.Watch watch) throws InterruptedException {
        KubeApi.Progress progress = watch.next(LONG);
        while (progress.events().isEmpty()) {
            progress = watch.next(LONG);
        }
        return progress.events();
    }

    private static String nextName(KubeApi.Watch watch) throws InterruptedException {
        return Json.textAt(next(watch).getFirst().object(), "metadata", "name");
    }

    private void restartOnTheSamePort() throws Exception {
        int port = java.net.URI.create(testing.cluster.url()).getPort();
        testing.restart(port);
        local = testing.api;
    }

    /** Remembers which maps there are. */
    private static final class Seen implements ChangeListener {
        private final Set<String> names = ConcurrentHashMap.newKeySet();
        private final ConcurrentHashMap<String, String> byUid = new ConcurrentHashMap<>();
        private final AtomicInteger relists = new AtomicInteger();

        @Override
        public void onChange(KubeApi.Kind kind, ObjectNode object, boolean deleted) {
            String name = Json.textAt(object, "metadata", "namespace") + "/" + Json.textAt(object, "metadata", "name");
            byUid.put(Json.textAt(object, "metadata", "uid"), name);
            if (deleted) {
                names.remove(name);
            } else {
                names.add(name);
            }
        }

        @Override
        public void onRelist(KubeApi.Kind kind, Set<String> uids) {
            relists.incrementAndGet();
            byUid.forEach((uid, name) -> {
                if (!uids.contains(uid)) {
                    names.remove(name);
                }
            });
        }
    }

    @Test
    void followersSurviveRestarts() throws Exception {
        Seen seen = new Seen();
        try (Followers followers = new Followers(remote)) {
            followers.listen(MAPS, seen);
            followers.start();
            for (int round = 0; round < 3; round++) {
                ObjectNode made = local.create(MAPS, "default", map("before-" + round));
                restartOnTheSamePort();
                local.delete(MAPS, "default", "before-" + round, KubeApi.Deletion.PLAIN);
                ObjectNode last = local.create(MAPS, "default", map("after-" + round));
                long revision = Long.parseLong(Json.textAt(last, "metadata", "resourceVersion"));
                assertThat(Long.parseLong(Json.textAt(made, "metadata", "resourceVersion")))
                        .isLessThan(revision);
                assertThat(followers.catchUp(MAPS, revision, LONG)).isTrue();
                // Over HTTP nobody can tell whether something is still under way.
                assertSoonAlike(this::mapNames, () -> Set.copyOf(seen.names));
            }
        }
    }

    private Set<String> mapNames() {
        return local.list(MAPS, "", KubeApi.View.METADATA).items().stream()
                .map(map -> Json.textAt(map, "metadata", "namespace") + "/" + Json.textAt(map, "metadata", "name"))
                .collect(Collectors.toSet());
    }

    @Test
    void quietKindsCatchUpWithTheRest() throws Exception {
        Seen seen = new Seen();
        try (Followers followers = new Followers(remote)) {
            followers.listen(MAPS, seen);
            followers.listen(NAMESPACES, seen);
            followers.start();
            ObjectNode last = local.create(MAPS, "default", map("new"));
            long revision = Long.parseLong(Json.textAt(last, "metadata", "resourceVersion"));

            assertThat(followers.catchUp(NAMESPACES, revision, LONG))
                    .as("although no namespace changed")
                    .isTrue();
        }
    }

    @Test
    void newKindsAreHeardOf() throws Exception {
        CountDownLatch changed = new CountDownLatch(1);
        remote.onKindsChange(() -> {
            if (remote.findKind("example.com/v1", "Widget").isPresent()) {
                changed.countDown();
            }
        });
        KubeApi.Kind definitions = new KubeApi.Kind("apiextensions.k8s.io", "v1", "customresourcedefinitions", false);
        remote.create(definitions, "", (ObjectNode) Json.parse("""
                {"metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced",
                 "names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},
                 "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}
                """));

        assertThat(changed.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        remote.onKindsChange(() -> {}); // who listens hears of new kinds
        assertSoonAlike(() -> Set.copyOf(local.kinds()), () -> Set.copyOf(remote.kinds()));
        KubeApi.Kind widgets = remote.findKind("example.com/v1", "Widget").orElseThrow();
        ObjectNode made = remote.create(widgets, "default", named("w"));
        assertThat(remote.find(widgets, "default", "w")).isEqualTo(Optional.of(made));
    }

    @Test
    void aServerThatIsGoneIsAnAnswerToo() throws Exception {
        testing.cluster.close();

        ApiException failure =
                catchThrowableOfType(ApiException.class, () -> remote.find(MAPS, "default", "kube-root-ca.crt"));
        assertThat(failure.code()).isEqualTo(503);
        assertThat(failure).hasMessageStartingWith("cannot reach https://127.0.0.1:");
        testing.cluster = TestingAllInOne.start(testing.home);
    }
}
