package lavaflow.cluster;

import java.time.Duration;

import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.ApiException;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingCluster.EVENTS;
import static lavaflow.cluster.TestingCluster.MAPS;
import static lavaflow.cluster.TestingCluster.NODES;
import static lavaflow.cluster.TestingCluster.named;
import static lavaflow.cluster.TestingCluster.withFinalizers;
import static lavaflow.cluster.TestingOwners.blocking;
import static lavaflow.cluster.TestingOwners.owned;
import static lavaflow.cluster.TestingOwners.refer;
import static org.assertj.core.api.Assertions.assertThat;

/** Which objects are dependents without an owner, and what finding them costs. */
class GarbageCollectorTest {
    private final TestingOwners team = new TestingOwners();
    private final TestingKubeApi api = team.api;
    private final TestingCluster cluster = team.cluster;

    @Test
    void ownersOfKindsThatComeLaterAreLookedFor() {
        KubeApi.Kind widgets = new KubeApi.Kind("example.com", "v1", "widgets", true);
        ObjectNode dependent = named("dependent");
        refer(dependent, "example.com/v1", "Widget", "gone", "no-such-uid");
        team.create(dependent);
        cluster.settle();
        assertThat(api.find(MAPS, "team", "dependent")).isPresent();

        api.serve(widgets, "Widget");
        cluster.settle();
        assertThat(api.find(MAPS, "team", "dependent")).isEmpty();
    }

    @Test
    void dependentsGoWithTheKindOfTheirOwner() {
        KubeApi.Kind widgets = new KubeApi.Kind("example.com", "v1", "widgets", true);
        api.serve(widgets, "Widget");
        ObjectNode owner = api.create(widgets, "team", named("owner"));
        ObjectNode dependent = named("dependent");
        refer(dependent, "example.com/v1", "Widget", "owner", Objects.uid(owner));
        team.create(dependent);
        cluster.settle();

        api.delete(widgets, "team", "owner", KubeApi.Deletion.PLAIN);
        cluster.settle();
        assertThat(api.find(MAPS, "team", "dependent")).isEmpty();
    }

    @Nested
    class Dangling {
        @Test
        void anObjectWhoseOwnerNeverExistedGoes() {
            ObjectNode child = named("child");
            refer(child, "v1", "ConfigMap", "nobody", "uid-nobody");
            team.create(child);
            cluster.settle();

            assertThat(team.has("child")).isFalse();
        }

        @Test
        void anOwnerOfTheSameNameButAnotherUidIsNoOwner() {
            team.create("owner");
            ObjectNode child = named("child");
            refer(child, "v1", "ConfigMap", "owner", "uid-former");
            team.create(child);
            cluster.settle();

            assertThat(team.has("child")).isFalse();
        }

        @Test
        void anOwnerInAnotherNamespaceIsNoOwner() {
            ObjectNode owner = api.create(MAPS, "other", named("owner"));
            team.create(owned("child", owner));
            cluster.settle();

            assertThat(team.has("child")).isFalse();
        }

        @Test
        void aClusterWideOwnerMayHaveDependentsAnywhere() {
            ObjectNode node = api.create(NODES, "", named("node"));
            ObjectNode child = named("child");
            refer(child, "v1", "Node", "node", Objects.uid(node));
            team.create(child);
            cluster.settle();
            assertThat(team.has("child")).isTrue();

            cluster.delete(NODES, "", "node", "Background");
            cluster.settle();
            assertThat(team.has("child")).isFalse();
        }

        @Test
        void aClusterWideObjectIsLeftAloneByAnOwnerInANamespace() {
            ObjectNode node = named("node");
            refer(node, "v1", "ConfigMap", "nobody", "uid-nobody");
            refer(node, "v1", "Node", "nobody", "uid-nobody-else");
            api.create(NODES, "", node);
            api.takeWrites();
            cluster.settle();

            assertThat(api.has(NODES, "", "node")).isTrue();
            assertThat(api.takeWrites()).noneMatch(write -> write.startsWith("update"));
        }

        @Test
        void anOwnerOfAKindNobodyServesIsNotTakenForGone() {
            ObjectNode child = named("child");
            refer(child, "example.com/v1", "Widget", "w", "uid-w");
            refer(child, "v1", "ConfigMap", "nobody", "uid-nobody");
            team.create(child);
            cluster.settle();
            assertThat(team.ownersOf("child")).containsExactly("w", "nobody");

            api.takeWrites();
            cluster.pass(Duration.ofMinutes(1));
            assertThat(api.requestCount())
                    .as("it is not asked about all the time")
                    .isZero();
        }

        @Test
        void aKindThatIsServedLaterIsFoundOut() {
            ObjectNode child = named("child");
            refer(child, "example.com/v1", "Widget", "w", "uid-w");
            team.create(child);
            cluster.settle();
            api.serve(new KubeApi.Kind("example.com", "v1", "widgets", true), "Widget");
            cluster.pass(Duration.ofMinutes(5));

            assertThat(team.has("child")).isFalse();
        }
    }

    @Nested
    class SeveralOwners {
        @Test
        void oneLivingOwnerIsEnoughAndTheOthersAreStruckOut() {
            ObjectNode first = team.create("first");
            ObjectNode second = team.create("second");
            team.create(owned("child", first, second));
            team.delete("first", "Background");
            assertThat(team.ownersOf("child")).containsExactly("second");

            team.delete("second", "Background");
            assertThat(team.has("child")).isFalse();
        }

        @Test
        void anOwnerThatWaitsIsStruckOutToo() {
            ObjectNode first = team.create("first");
            ObjectNode second = team.create("second");
            team.create(blocking(owned("child", first, second)));
            team.delete("first", "Foreground");

            assertThat(team.has("first")).isFalse();
            assertThat(team.ownersOf("child")).containsExactly("second");
        }

        @Test
        void aReferenceIsStruckOutOnTopOfWhatOthersChanged() {
            ObjectNode first = team.create("first");
            ObjectNode second = team.create("second");
            team.create(owned("child", first, second));
            api.fail("update configmaps team/child", ApiException.conflict("", "configmaps", "child", "race"));
            team.delete("first", "Background");

            assertThat(team.ownersOf("child")).containsExactly("second");
        }
    }

    @Nested
    class MissedChanges {
        @Test
        void anOwnerThatWentUnseenIsNoticed() {
            ObjectNode owner = team.create("owner");
            team.create(owned("child", owner));
            cluster.settle();
            cluster.delete(MAPS, "team", "owner", "Background");
            api.compact();
            cluster.settle();

            assertThat(team.has("child")).isFalse();
        }

        @Test
        void aBlockingDependentThatWentUnseenIsNoticed() {
            ObjectNode owner = team.create("owner");
            team.create(withFinalizers(blocking(owned("child", owner)), "example.com/x"));
            team.delete("owner", "Foreground");
            cluster.release(MAPS, "team", "child");
            api.compact();
            cluster.settle();

            assertThat(team.has("owner")).isFalse();
        }

        @Test
        void whatWentWrongBeforeTheStartIsPutRight() {
            TestingCluster later = new TestingCluster();
            later.namespace("team");
            ObjectNode owner = later.api.create(MAPS, "team", named("owner"));
            later.api.create(MAPS, "team", owned("child", owner));
            later.delete(MAPS, "team", "owner", "Background");
            later.run(new GarbageCollector(later.api, later.followers, later.nanoTime()).controller());
            later.settle();

            assertThat(later.api.has(MAPS, "team", "child")).isFalse();
        }
    }

    @Test
    void aHundredDependentsOfOneOwnerAskForTheOwnerOnlyOnce() {
        ObjectNode owner = team.create("owner");
        cluster.settle();
        for (int i = 0; i < 100; i++) {
            team.create(owned("child-" + i, owner));
        }
        api.takeWrites();
        cluster.settle();

        assertThat(api.requestCount())
                .as("one look at a dependent and at the owner")
                .isEqualTo(2);
    }

    @Test
    void aDependentChangedMeanwhileIsLookedAtAgainBeforeItIsDeleted() {
        ObjectNode owner = team.create("owner");
        team.create(owned("child", owner));
        cluster.settle();
        api.fail("delete configmaps team/child Background", ApiException.conflict("", "configmaps", "child", "race"));
        team.delete("owner", "Background");
        assertThat(team.has("child")).isTrue();

        cluster.pass(Duration.ofMillis(5));
        assertThat(team.has("child")).isFalse();
    }

    @Test
    void eventsAreLeftToTheirExpiry() {
        ObjectNode event = named("event");
        refer(event, "v1", "ConfigMap", "nobody", "uid-nobody");
        api.create(EVENTS, "team", event);
        cluster.settle();

        assertThat(api.has(EVENTS, "team", "event")).isTrue();
    }
}
