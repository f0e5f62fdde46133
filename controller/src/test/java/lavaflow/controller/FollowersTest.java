package lavaflow.controller;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class FollowersTest {
    private static final KubeApi.Kind MAPS = KubeApi.Kind.core("configmaps");
    private static final KubeApi.Kind SECRETS = KubeApi.Kind.core("secrets");
    private static final Duration LONG = Duration.ofMinutes(2);

    private final TestingKubeApi api =
            new TestingKubeApi().serve(MAPS, "ConfigMap").serve(SECRETS, "Secret");
    private final Followers followers = new Followers(api);

    /** Writes down names. */
    private static final class Names implements ChangeListener {
        private final List<String> heard = new CopyOnWriteArrayList<>();
        private final List<KubeApi.Kind> newKinds = new CopyOnWriteArrayList<>();
        private final List<KubeApi.Kind> emptied = new CopyOnWriteArrayList<>();

        @Override
        public void onChange(KubeApi.Kind kind, ObjectNode object, boolean deleted) {
            heard.add(Json.textAt(object, "metadata", "name"));
        }

        @Override
        public void onRelist(KubeApi.Kind kind, Set<String> uids) {
            if (uids.isEmpty()) {
                emptied.add(kind);
            }
        }

        @Override
        public void onNewKind(KubeApi.Kind kind) {
            newKinds.add(kind);
        }
    }

    private ObjectNode create(KubeApi.Kind kind, String name) {
        ObjectNode object = Json.object();
        object.putObject("metadata").put("name", name);
        return api.create(kind, "team", object);
    }

    @Test
    void oneListAndOneWatchServeAllListenersOfAKind() {
        Names first = new Names();
        Names second = new Names();
        followers.listen(MAPS, first);
        followers.listen(MAPS, second);
        create(MAPS, "one");
        api.takeWrites();
        followers.pump();

        assertThat(first.heard).containsExactly("one");
        assertThat(second.heard).containsExactly("one");
        assertThat(api.requestCount()).as("a list and the opening of a watch").isEqualTo(2);
    }

    @Test
    void ofANarrowedKindNothingElseIsHeard() {
        Names names = new Names();
        followers.narrow(MAPS, KubeApi.Scope.of("team", "mine"));
        followers.listen(MAPS, names);
        create(MAPS, "mine");
        create(MAPS, "yours");
        followers.pump();
        api.delete(MAPS, "team", "mine", KubeApi.Deletion.PLAIN);
        create(MAPS, "theirs");
        followers.pump();

        assertThat(names.heard).containsExactly("mine", "mine");
    }

    @Test
    void kindsThatComeLaterAreFollowedForThoseWhoWantAll() {
        KubeApi.Kind widgets = new KubeApi.Kind("example.com", "v1", "widgets", true);
        KubeApi.Kind gadgets = new KubeApi.Kind("example.com", "v1", "gadgets", true);
        Names names = new Names();
        followers.listenToAll(kind -> !kind.equals(gadgets), names);
        followers.pump();

        api.serve(widgets, "Widget").serve(gadgets, "Gadget");
        create(widgets, "one");
        create(gadgets, "two");
        followers.pump();

        assertThat(names.heard).containsExactly("one");
        assertThat(names.newKinds).containsExactly(widgets);
    }

    @Test
    void ofKindsThatGoNothingIsLeft() {
        KubeApi.Kind widgets = new KubeApi.Kind("example.com", "v1", "widgets", true);
        Names names = new Names();
        followers.listenToAll(_ -> true, names);
        api.serve(widgets, "Widget");
        create(widgets, "one");
        followers.pump();

        api.withdraw(widgets);
        followers.pump();
        assertThat(names.emptied).containsExactly(widgets);

        api.serve(widgets, "Widget");
        create(widgets, "again");
        followers.pump();
        assertThat(names.heard).containsExactly("one", "again");
    }

    @Test
    void areSyncedWhenEveryKindIs() {
        followers.listen(MAPS, new Names());
        followers.listen(SECRETS, new Names());
        api.fail("list secrets", ApiException.of(500, "InternalError", "no"));
        followers.pump();
        assertThat(followers.areSynced()).isFalse();

        followers.pump();
        assertThat(followers.areSynced()).isTrue();
    }

    @Test
    void staySyncedWhileAKindThatCameLaterIsListed() throws InterruptedException {
        KubeApi.Kind widgets = new KubeApi.Kind("example.com", "v1", "widgets", true);
        Names names = new Names();
        followers.listenToAll(_ -> true, names);
        followers.start();
        assertThat(followers.awaitSync()).isTrue();
        for (int i = 0; i < 1000; i++) {
            api.fail("list widgets.example.com", ApiException.of(500, "InternalError", "no"));
        }
        api.serve(widgets, "Widget");
        await().atMost(LONG).until(() -> names.newKinds.contains(widgets));

        assertThat(followers.hasSeen(widgets)).isFalse();
        assertThat(followers.areSynced()).isTrue();
        followers.close();
    }

    @Test
    void catchUpWaitsForEveryKind() throws InterruptedException {
        Names names = new Names();
        followers.listen(MAPS, names);
        followers.listen(SECRETS, names);
        followers.start();
        assertThat(followers.awaitSync()).isTrue();

        for (int i = 0; i < 50; i++) {
            String name = "object-" + i;
            ObjectNode created = create(i % 2 == 0 ? MAPS : SECRETS, name);
            long revision = Long.parseLong(Json.textAt(created, "metadata", "resourceVersion"));
            assertThat(followers.catchUp(revision, LONG)).isTrue();
            assertThat(names.heard).contains(name);
        }
        followers.close();
    }

    @Test
    void catchUpSaysSoWhenAKindCannotBeFollowed() throws InterruptedException {
        followers.listen(MAPS, new Names());
        followers.start();
        assertThat(followers.awaitSync()).isTrue();
        followers.close();

        assertThat(followers.catchUp(api.revision() + 1, LONG)).isFalse();
    }

    @Test
    void withoutAStartCatchingUpMovesThemAlong() {
        Names names = new Names();
        followers.listen(MAPS, names);
        followers.pump();
        create(MAPS, "one");

        assertThat(followers.catchUp(api.revision(), LONG)).isTrue();
        assertThat(names.heard).containsExactly("one");
        assertThat(followers.catchUp(api.revision() + 1, LONG)).isFalse();
    }

    @Test
    void aKindThatIsNotServedYetCostsNothingAndIsShownWholeOnceItIs() {
        KubeApi.Kind queues = new KubeApi.Kind("scheduling.volcano.sh", "v1beta1", "queues", false);
        Mirror<String> weights = Mirror.whileServed(
                followers, queues, queue -> Json.textAt(queue, "spec", "weight"), weight -> List.of(weight));
        Names names = new Names();
        followers.listenToAll(kind -> kind.equals(queues), names);
        followers.pump();
        assertThat(api.requestCount()).isZero();
        assertThat(followers.areSynced()).isTrue();
        assertThat(followers.hasSeen(queues)).isFalse();

        api.serve(queues, "Queue");
        ObjectNode queue = Json.object();
        queue.putObject("metadata").put("name", "research");
        queue.putObject("spec").put("weight", "4");
        api.create(queues, "", queue);
        followers.pump();
        assertThat(names.newKinds).containsExactly(queues);
        assertThat(followers.hasSeen(queues)).isTrue();
        assertThat(weights.get("", "research")).isEqualTo("4");

        api.withdraw(queues);
        followers.pump();
        assertThat(followers.hasSeen(queues)).isFalse();
        assertThat(weights.all()).isEmpty();
    }
}
