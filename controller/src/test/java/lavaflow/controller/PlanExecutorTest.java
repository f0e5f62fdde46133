package lavaflow.controller;

import java.util.List;
import java.util.stream.IntStream;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class PlanExecutorTest {
    private static final KubeApi.Kind MAPS = KubeApi.Kind.core("configmaps");
    private static final KubeApi.Kind SECRETS = KubeApi.Kind.core("secrets");

    private final TestingKubeApi api =
            new TestingKubeApi().serve(MAPS, "ConfigMap").serve(SECRETS, "Secret");
    private final Followers followers = new Followers(api);
    private final OwnWrites<String> writes = new OwnWrites<>(followers);
    private final PlanExecutor<String> executor = new PlanExecutor<>(api, writes, Fanout.SEQUENTIAL);

    private static Step.Create create(KubeApi.Kind kind, String name) {
        ObjectNode object = Json.object();
        object.putObject("metadata").put("name", name);
        return new Step.Create(kind, "team", object);
    }

    private static List<Step.Create> creates(int count) {
        return IntStream.range(0, count).mapToObj(i -> create(MAPS, "m" + i)).toList();
    }

    @Test
    void doesWavesInOrderAndTellsWhatTheServerMadeOfThem() {
        Outcome outcome = executor.run("key", Plan.inOrder(create(MAPS, "a")).then(Plan.inOrder(create(SECRETS, "b"))));

        assertThat(outcome.isComplete()).isTrue();
        assertThat(api.takeWrites()).containsExactly("create configmaps team/a", "create secrets team/b");
        assertThat(outcome.done())
                .extracting(done -> Json.textAt(done.answer(), "metadata", "uid"))
                .doesNotContain("");
    }

    @Test
    void beginsNoWaveAfterOneWithARefusal() {
        api.fail("create configmaps team/a", ApiException.forbidden("", "configmaps", "a", "no"));

        Outcome outcome = executor.run("key", Plan.inOrder(create(MAPS, "a")).then(Plan.inOrder(create(SECRETS, "b"))));

        assertThat(outcome.refused()).hasSize(1);
        assertThat(outcome.left()).isEqualTo(1);
        assertThat(api.takeWrites()).containsExactly("create configmaps team/a");
        assertThatThrownBy(outcome::orThrow).isInstanceOf(ApiException.class);
    }

    @Test
    void createsInBatchesThatDouble() {
        api.fail("create configmaps team/m1", ApiException.forbidden("", "configmaps", "m1", "quota"));

        Outcome outcome = executor.run("key", Plan.together(creates(100)));

        // One, then two of which one is refused, then no more.
        assertThat(outcome.done()).hasSize(2);
        assertThat(outcome.refused()).hasSize(1);
        assertThat(outcome.left()).isEqualTo(97);
    }

    @Test
    void createsAllOfManyOnce() {
        Outcome outcome = executor.run("key", Plan.together(creates(100)));

        assertThat(outcome.done()).hasSize(100);
        assertThat(api.list(MAPS, "team", KubeApi.View.METADATA).items()).hasSize(100);
    }

    @Test
    void deletesAllItCanAlthoughOneIsRefused() {
        executor.run("key", Plan.together(creates(3)));
        api.fail("delete configmaps team/m1", ApiException.forbidden("", "configmaps", "m1", "no"));

        Outcome outcome = executor.run(
                "key",
                Plan.together(creates(3).stream()
                        .map(made -> new Step.Delete(
                                MAPS, "team", Json.textAt(made.object(), "metadata", "name"), KubeApi.Deletion.PLAIN))
                        .toList()));

        assertThat(outcome.done()).hasSize(2);
        assertThat(outcome.refused()).hasSize(1);
    }

    @Test
    void remembersWhomItDeletedUntilTheViewAgrees() {
        ObjectNode made = api.create(MAPS, "team", create(MAPS, "a").object());
        String uid = Json.textAt(made, "metadata", "uid");

        executor.run("key", Plan.inOrder(new Step.Delete(MAPS, "team", "a", KubeApi.Deletion.ofUid(uid))));

        assertThat(writes.isDeleted("key", uid)).isTrue();
        assertThat(writes.isDeleted("other", uid)).isFalse();
    }

    @Test
    void anUpdateOfWhatChangedInBetweenIsRefused() {
        ObjectNode seen = api.create(MAPS, "team", create(MAPS, "a").object());
        api.edit(MAPS, "team", "a", object -> object.put("changed", true));

        Outcome outcome = executor.run("key", Plan.inOrder(new Step.Update(MAPS, "", seen)));

        assertThat(outcome.refused().getFirst().why().code()).isEqualTo(409);
    }
}
