package lavaflow.controller;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ControllerRunnerTest {
    private static final KubeApi.Kind MAPS = KubeApi.Kind.core("configmaps");
    private static final KubeApi.Kind SECRETS = KubeApi.Kind.core("secrets");

    private final TestingKubeApi api =
            new TestingKubeApi().serve(MAPS, "ConfigMap").serve(SECRETS, "Secret");
    private final Followers followers = new Followers(api);
    private final AtomicLong nanos = new AtomicLong();
    private final List<String> turns = new ArrayList<>();
    private Reconciler<String> behaviour = _ -> Optional.empty();
    private final ControllerRunner<String> runner = new ControllerRunner<>(
            "test",
            followers,
            2,
            key -> {
                turns.add(key);
                return behaviour.reconcile(key);
            },
            nanos::get);

    private void create(String name, String label) {
        ObjectNode map = Json.object();
        ObjectNode metadata = map.putObject("metadata").put("name", name);
        metadata.putObject("labels").put("for", label);
        api.create(MAPS, "team", map);
    }

    private static List<String> label(ObjectNode object) {
        String label = Json.textAt(object, "metadata", "labels", "for");
        return label.isEmpty() ? List.of() : List.of(label);
    }

    private List<String> turns() {
        while (runner.step()) {}
        List<String> taken = List.copyOf(turns);
        turns.clear();
        return taken;
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Test
    void changesBecomeKeys() {
        runner.follow(MAPS, ControllerRunnerTest::label);
        create("one", "a");
        create("two", "a");
        create("three", "b");
        create("four", "");
        followers.pump();

        assertThat(turns()).containsExactly("a", "b");
    }

    @Test
    void anObjectThatNowConcernsAnotherKeyConcernsBoth() {
        runner.follow(MAPS, ControllerRunnerTest::label);
        create("one", "a");
        followers.pump();
        turns();

        api.edit(MAPS, "team", "one", map -> {
            Json.ensureObject(map, "metadata", "labels").put("for", "b");
            return map;
        });
        followers.pump();
        assertThat(turns()).containsExactly("a", "b");

        api.edit(MAPS, "team", "one", map -> {
            Json.ensureObject(map, "metadata").remove("labels");
            return map;
        });
        followers.pump();
        assertThat(turns()).containsExactly("b");
    }

    @Test
    void whatVanishedWhileNobodyLookedConcernsItsKey() {
        runner.follow(MAPS, ControllerRunnerTest::label);
        create("one", "a");
        create("two", "b");
        followers.pump();
        turns();

        api.delete(MAPS, "team", "one", KubeApi.Deletion.PLAIN);
        api.compact();
        followers.pump();
        followers.pump();

        assertThat(turns()).containsExactly("b", "a");
    }

    @Test
    void whatCameAndWentUnseenMayConcernAnyKey() {
        runner.follow(MAPS, ControllerRunnerTest::label);
        runner.follow(SECRETS, ControllerRunnerTest::label);
        create("one", "a");
        followers.pump();
        turns();

        ObjectNode secret = Json.object();
        secret.putObject("metadata").put("name", "for-a").putObject("labels").put("for", "a");
        api.create(SECRETS, "team", secret);
        api.delete(SECRETS, "team", "for-a", KubeApi.Deletion.PLAIN);
        api.fail("watch secrets", ApiException.expired("too old resource version"));
        followers.pump();
        followers.pump();
        assertThat(turns()).containsExactly("a");
    }

    @Test
    void aResultAsksForAnotherLookLater() {
        behaviour = _ -> Optional.of(Duration.ofSeconds(1));
        runner.queue().add("a");
        assertThat(turns()).containsExactly("a");
        assertThat(turns()).isEmpty();

        pass(Duration.ofSeconds(1));
        assertThat(turns()).containsExactly("a");
    }

    @Test
    void failuresAreTriedAgainAndForgottenAfterSuccess() {
        AtomicInteger left = new AtomicInteger(2);
        behaviour = _ -> {
            if (left.getAndDecrement() > 0) {
                throw ApiException.conflict("", "configmaps", "one", "somebody was faster");
            }
            return Optional.empty();
        };
        runner.queue().add("a");
        assertThat(turns()).containsExactly("a");
        pass(Duration.ofMillis(5));
        assertThat(turns()).containsExactly("a");
        pass(Duration.ofMillis(9));
        assertThat(turns()).isEmpty();
        pass(Duration.ofMillis(1));
        assertThat(turns()).containsExactly("a");
        assertThat(runner.queue().isIdle()).isTrue();
    }

    @Test
    void aKeyThatBreaksItsWorkerIsTriedAgainAndOthersGoOn() {
        behaviour = key -> {
            if (key.equals("bad")) {
                throw new StackOverflowError();
            }
            return Optional.empty();
        };
        runner.queue().add("bad");
        runner.queue().add("good");

        assertThat(turns()).containsExactly("bad", "good");
        pass(Duration.ofMillis(5));
        assertThat(turns()).containsExactly("bad");
    }

    @Test
    void workersStartWhenEverythingWasSeen() throws InterruptedException {
        CountDownLatch first = new CountDownLatch(1);
        List<Boolean> syncedAtTurn = new ArrayList<>();
        try (ControllerRunner<String> started = new ControllerRunner<>("test", followers, 1, _ -> {
            syncedAtTurn.add(followers.areSynced());
            first.countDown();
            return Optional.empty();
        })) {
            started.follow(MAPS, ControllerRunnerTest::label);
            for (int i = 0; i < 3; i++) {
                api.fail("list configmaps", ApiException.of(500, "InternalError", "no"));
            }
            started.queue().add("early");
            started.start();
            followers.start();

            assertThat(first.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(syncedAtTurn).containsExactly(true);
        } finally {
            followers.close();
        }
    }

    @Test
    void closingWaitsForTheTurnThatRuns() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger ended = new AtomicInteger();
        ControllerRunner<String> started = new ControllerRunner<>("test", followers, 1, _ -> {
            begun.countDown();
            try {
                release.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            ended.incrementAndGet();
            return Optional.empty();
        });
        started.queue().add("a");
        started.start();
        begun.await();
        Thread closer = Thread.ofVirtual().start(started::close);
        release.countDown();
        closer.join();

        assertThat(ended).hasValue(1);
    }
}
