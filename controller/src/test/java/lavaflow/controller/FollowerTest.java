package lavaflow.controller;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class FollowerTest {
    private static final KubeApi.Kind MAPS = KubeApi.Kind.core("configmaps");

    private final TestingKubeApi api = new TestingKubeApi().serve(MAPS, "ConfigMap");
    private final List<String> heard = new ArrayList<>();
    private final ChangeListener listener = new ChangeListener() {
        @Override
        public void onChange(KubeApi.Kind kind, ObjectNode object, boolean deleted) {
            heard.add((deleted ? "-" : "+") + Json.textAt(object, "metadata", "name"));
            assertThat(object.has("data")).as("only metadata is followed").isFalse();
        }

        @Override
        public void onRelist(KubeApi.Kind kind, Set<String> uids) {
            heard.add("relist " + new TreeSet<>(uids));
        }
    };
    private final Follower follower = new Follower(api, MAPS, List.of(listener));

    private void create(String name) {
        ObjectNode map = Json.object();
        map.putObject("metadata").put("name", name);
        map.putObject("data").put("a", "b");
        api.create(MAPS, "team", map);
    }

    private Duration step() throws InterruptedException {
        return follower.step(Duration.ZERO);
    }

    @Test
    void tellsWhatExistsThenWhatChanges() throws InterruptedException {
        create("one");
        assertThat(follower.isSynced()).isFalse();
        step();
        assertThat(follower.isSynced()).isTrue();

        create("two");
        api.delete(MAPS, "team", "one", KubeApi.Deletion.PLAIN);
        step();

        assertThat(heard).containsExactly("+one", "+two", "-one");
    }

    @Test
    void listsAgainWhenThePastIsGoneAndTellsWhatIsThere() throws InterruptedException {
        create("one");
        create("two");
        step();
        heard.clear();

        api.delete(MAPS, "team", "one", KubeApi.Deletion.PLAIN);
        create("three");
        api.compact();

        assertThat(step()).isEqualTo(Follower.FIRST_PAUSE);
        step();
        assertThat(heard).containsExactly("+three", "+two", "relist [uid-2, uid-3]");
    }

    @Test
    void listingBeginsAnewWhenItsMomentIsForgottenHalfway() {
        create("one");
        api.fail("list configmaps", ApiException.expired("the continue token is too old"));
        api.fail("list configmaps", ApiException.expired("the continue token is too old"));

        assertThat(api.list(MAPS, "", KubeApi.View.METADATA).items()).hasSize(1);
    }

    @Test
    void aServerThatWasPutBackToAnOlderStateCountsOnFromThere() throws InterruptedException {
        AtomicReference<KubeApi> server = new AtomicReference<>(api);
        KubeApi any = (KubeApi) Proxy.newProxyInstance(
                KubeApi.class.getClassLoader(),
                new Class<?>[] {KubeApi.class},
                (_, method, arguments) -> method.invoke(server.get(), arguments));
        Follower shown = new Follower(any, MAPS, List.of(listener));
        for (int i = 0; i < 20; i++) {
            create("map" + i);
        }
        shown.step(Duration.ZERO);
        assertThat(shown.hasReached(api.revision())).isTrue();

        create("last");
        api.compact();
        server.set(new TestingKubeApi().serve(MAPS, "ConfigMap"));
        shown.step(Duration.ZERO);
        shown.step(Duration.ZERO);

        assertThat(shown.isSynced()).isTrue();
        assertThat(shown.hasReached(api.revision() - 1)).isFalse();
    }

    @Test
    void theFirstListIsNoRelist() throws InterruptedException {
        step();
        create("one");
        step();

        assertThat(heard).containsExactly("+one");
    }

    @Test
    void aListThatFailedHalfwayCountsAsAnEarlierOne() throws InterruptedException {
        create("one");
        ChangeListener failing = new ChangeListener() {
            private boolean failed;

            @Override
            public void onChange(KubeApi.Kind kind, ObjectNode object, boolean deleted) {
                if (!failed) {
                    failed = true;
                    throw new IllegalStateException("once");
                }
            }

            @Override
            public void onRelist(KubeApi.Kind kind, Set<String> uids) {}
        };
        Follower shaky = new Follower(api, MAPS, List.of(listener, failing));

        assertThat(shaky.step(Duration.ZERO)).isPositive();
        assertThat(shaky.isSynced()).isFalse();
        api.delete(MAPS, "team", "one", KubeApi.Deletion.PLAIN);
        shaky.step(Duration.ZERO);

        assertThat(shaky.isSynced()).isTrue();
        assertThat(heard).containsExactly("+one", "relist []");
    }

    @Test
    void pausesLongerWithEveryFailureAndBrieflyAgainAfterSuccess() throws InterruptedException {
        List<Duration> pauses = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            api.fail("list configmaps", ApiException.of(500, "InternalError", "no"));
            pauses.add(step());
        }
        assertThat(pauses.subList(0, 3))
                .containsExactly(Duration.ofMillis(50), Duration.ofMillis(100), Duration.ofMillis(200));
        assertThat(pauses.getLast()).isEqualTo(Follower.LAST_PAUSE);

        step();
        step();
        api.fail("watch configmaps", new IllegalStateException("broken"));
        assertThat(step()).isEqualTo(Follower.FIRST_PAUSE);
    }

    @Test
    void aServerThatForgetsAtOnceIsNotListedInALoop() throws InterruptedException {
        List<Duration> pauses = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            step();
            create("map-" + i);
            api.compact();
            pauses.add(step());
        }

        assertThat(pauses)
                .containsExactly(
                        Duration.ofMillis(50), Duration.ofMillis(100), Duration.ofMillis(200), Duration.ofMillis(400));
    }

    @Test
    void knowsHowFarItGotEvenWhenNothingHappened() throws InterruptedException {
        TestingKubeApi other =
                new TestingKubeApi().serve(MAPS, "ConfigMap").serve(KubeApi.Kind.core("secrets"), "Secret");
        Follower maps = new Follower(other, MAPS, List.of(listener));
        maps.step(Duration.ZERO);
        other.create(KubeApi.Kind.core("secrets"), "team", named("secret"));
        assertThat(maps.hasReached(other.revision())).isFalse();

        maps.step(Duration.ZERO);
        assertThat(maps.hasReached(other.revision())).isTrue();
    }

    private static ObjectNode named(String name) {
        ObjectNode object = Json.object();
        object.putObject("metadata").put("name", name);
        return object;
    }

    @Test
    void whoClosesItEndsItsThread() throws InterruptedException {
        Thread thread = Thread.ofVirtual().start(follower);
        assertThat(follower.awaitSync()).isTrue();
        follower.close();

        assertThat(thread.join(Duration.ofMinutes(1))).isTrue();
    }

    @Test
    void closingEndsAPauseAndWhoeverWaits() throws InterruptedException {
        for (int i = 0; i < 100; i++) {
            api.fail("list configmaps", ApiException.of(500, "InternalError", "no"));
        }
        Thread thread = Thread.ofVirtual().start(follower);
        Thread waiting = Thread.ofVirtual().start(() -> {
            try {
                assertThat(follower.awaitSync()).isFalse();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        follower.close();

        assertThat(thread.join(Duration.ofMinutes(1))).isTrue();
        assertThat(waiting.join(Duration.ofMinutes(1))).isTrue();
        assertThat(follower.isSynced()).isFalse();
    }
}
