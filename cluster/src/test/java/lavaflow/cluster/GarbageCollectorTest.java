package lavaflow.cluster;

import java.time.Duration;
import java.util.List;
import java.util.stream.StreamSupport;

import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingCluster.DEPLOYMENTS;
import static lavaflow.cluster.TestingCluster.EVENTS;
import static lavaflow.cluster.TestingCluster.MAPS;
import static lavaflow.cluster.TestingCluster.NODES;
import static lavaflow.cluster.TestingCluster.SECRETS;
import static lavaflow.cluster.TestingCluster.named;
import static lavaflow.cluster.TestingCluster.withFinalizers;
import static org.assertj.core.api.Assertions.assertThat;

class GarbageCollectorTest {
    private final TestingCluster cluster = new TestingCluster();
    private final TestingKubeApi api = cluster.api;
    private final GarbageCollector collector = new GarbageCollector(api, cluster.followers, cluster.nanoTime());

    @BeforeEach
    void start() {
        cluster.run(collector.controller());
        cluster.namespace("team");
        cluster.namespace("other");
        cluster.settle();
    }

    private ObjectNode create(String name) {
        return api.create(MAPS, "team", named(name));
    }

    private ObjectNode create(ObjectNode object) {
        return api.create(MAPS, "team", object);
    }

    private static ObjectNode owned(String name, ObjectNode... owners) {
        ObjectNode object = named(name);
        for (ObjectNode owner : owners) {
            refer(object, "v1", "ConfigMap", Objects.name(owner), Objects.uid(owner));
        }
        return object;
    }

    private static ObjectNode refer(ObjectNode object, String apiVersion, String kind, String name, String uid) {
        ObjectNode reference = Json.ensureObject(object, "metadata")
                .withArray("ownerReferences")
                .addObject();
        reference
                .put("apiVersion", apiVersion)
                .put("kind", kind)
                .put("name", name)
                .put("uid", uid);
        return reference;
    }

    @Test
    void ownersOfKindsThatComeLaterAreLookedFor() {
        KubeApi.Kind widgets = new KubeApi.Kind("example.com", "v1", "widgets", true);
        ObjectNode dependent = named("dependent");
        refer(dependent, "example.com/v1", "Widget", "gone", "no-such-uid");
        create(dependent);
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
        create(dependent);
        cluster.settle();

        api.delete(widgets, "team", "owner", KubeApi.Deletion.PLAIN);
        cluster.settle();
        assertThat(api.find(MAPS, "team", "dependent")).isEmpty();
    }

    private static ObjectNode blocking(ObjectNode object) {
        for (JsonNode reference : Json.listAt(object, "metadata", "ownerReferences")) {
            ((ObjectNode) reference).put("blockOwnerDeletion", true);
        }
        return object;
    }

    private void delete(String name, String policy) {
        cluster.delete(MAPS, "team", name, policy);
        cluster.settle();
    }

    private boolean has(String name) {
        return api.has(MAPS, "team", name);
    }

    private boolean isDeleting(String name) {
        return Objects.isDeleting(api.get(MAPS, "team", name));
    }

    private List<String> ownersOf(String name) {
        ObjectNode object = api.get(MAPS, "team", name);
        return StreamSupport.stream(
                        Json.listAt(object, "metadata", "ownerReferences").spliterator(), false)
                .map(reference -> Json.textAt(reference, "name"))
                .toList();
    }

    @Nested
    class Background {
        @Test
        void dependentsFollowTheirOwnerDownToTheLast() {
            ObjectNode owner = create("owner");
            ObjectNode child = create(owned("child", owner));
            create(owned("grandchild", child));
            create("stranger");
            delete("owner", "Background");

            assertThat(has("child")).isFalse();
            assertThat(has("grandchild")).isFalse();
            assertThat(has("stranger")).isTrue();
        }

        @Test
        void ownersAndDependentsMayBeOfDifferentKinds() {
            ObjectNode owner = api.create(DEPLOYMENTS, "team", named("web"));
            ObjectNode secret = named("child");
            refer(secret, "apps/v1", "Deployment", "web", Objects.uid(owner));
            api.create(SECRETS, "team", secret);
            cluster.settle();
            cluster.delete(DEPLOYMENTS, "team", "web", "Background");
            cluster.settle();

            assertThat(api.has(SECRETS, "team", "child")).isFalse();
        }

        @Test
        void aDependentWithFinalizersIsMarkedAndGoesWhenTheyAreGone() {
            ObjectNode owner = create("owner");
            create(withFinalizers(owned("child", owner), "example.com/x"));
            delete("owner", "Background");
            assertThat(isDeleting("child")).isTrue();

            cluster.release(MAPS, "team", "child");
            assertThat(has("child")).isFalse();
        }

        @Test
        void aDependentKeepsItsOwnWishForItsDependents() {
            ObjectNode owner = create("owner");
            ObjectNode child = create(withFinalizers(owned("child", owner), "orphan"));
            create(owned("grandchild", child));
            delete("owner", "Background");

            assertThat(has("child")).isFalse();
            assertThat(ownersOf("grandchild")).isEmpty();
        }
    }

    @Nested
    class Dangling {
        @Test
        void anObjectWhoseOwnerNeverExistedGoes() {
            ObjectNode child = named("child");
            refer(child, "v1", "ConfigMap", "nobody", "uid-nobody");
            create(child);
            cluster.settle();

            assertThat(has("child")).isFalse();
        }

        @Test
        void anOwnerOfTheSameNameButAnotherUidIsNoOwner() {
            create("owner");
            ObjectNode child = named("child");
            refer(child, "v1", "ConfigMap", "owner", "uid-former");
            create(child);
            cluster.settle();

            assertThat(has("child")).isFalse();
        }

        @Test
        void anOwnerInAnotherNamespaceIsNoOwner() {
            ObjectNode owner = api.create(MAPS, "other", named("owner"));
            create(owned("child", owner));
            cluster.settle();

            assertThat(has("child")).isFalse();
        }

        @Test
        void aClusterWideOwnerMayHaveDependentsAnywhere() {
            ObjectNode node = api.create(NODES, "", named("node"));
            ObjectNode child = named("child");
            refer(child, "v1", "Node", "node", Objects.uid(node));
            create(child);
            cluster.settle();
            assertThat(has("child")).isTrue();

            cluster.delete(NODES, "", "node", "Background");
            cluster.settle();
            assertThat(has("child")).isFalse();
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
            create(child);
            cluster.settle();
            assertThat(ownersOf("child")).containsExactly("w", "nobody");

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
            create(child);
            cluster.settle();
            api.serve(new KubeApi.Kind("example.com", "v1", "widgets", true), "Widget");
            cluster.pass(Duration.ofMinutes(5));

            assertThat(has("child")).isFalse();
        }
    }

    @Nested
    class SeveralOwners {
        @Test
        void oneLivingOwnerIsEnoughAndTheOthersAreStruckOut() {
            ObjectNode first = create("first");
            ObjectNode second = create("second");
            create(owned("child", first, second));
            delete("first", "Background");
            assertThat(ownersOf("child")).containsExactly("second");

            delete("second", "Background");
            assertThat(has("child")).isFalse();
        }

        @Test
        void anOwnerThatWaitsIsStruckOutToo() {
            ObjectNode first = create("first");
            ObjectNode second = create("second");
            create(blocking(owned("child", first, second)));
            delete("first", "Foreground");

            assertThat(has("first")).isFalse();
            assertThat(ownersOf("child")).containsExactly("second");
        }

        @Test
        void aReferenceIsStruckOutOnTopOfWhatOthersChanged() {
            ObjectNode first = create("first");
            ObjectNode second = create("second");
            create(owned("child", first, second));
            api.fail("update configmaps team/child", ApiException.conflict("", "configmaps", "child", "race"));
            delete("first", "Background");

            assertThat(ownersOf("child")).containsExactly("second");
        }
    }

    @Nested
    class Orphan {
        @Test
        void dependentsStayWithoutTheirOwner() {
            ObjectNode owner = create("owner");
            ObjectNode other = create("other");
            create(owned("child", owner));
            create(owned("shared", owner, other));
            delete("owner", "Orphan");

            assertThat(has("owner")).isFalse();
            assertThat(ownersOf("child")).isEmpty();
            assertThat(ownersOf("shared")).containsExactly("other");
        }

        @Test
        void theOwnerKeepsOtherFinalizers() {
            create(withFinalizers(named("owner"), "example.com/x"));
            delete("owner", "Orphan");

            assertThat(Objects.finalizers(api.get(MAPS, "team", "owner"))).containsExactly("example.com/x");
        }

        @Test
        void aDependentNotHeardOfYetIsSparedAsWell() {
            ObjectNode owner = create("owner");
            cluster.settle();
            create(owned("child", owner));
            cluster.delete(MAPS, "team", "owner", "Orphan");
            collector.controller().queue().add(OwnerGraph.Item.of(MAPS, owner));
            collector.controller().step();
            assertThat(ownersOf("child")).isEmpty();

            cluster.settle();
            assertThat(has("owner")).isFalse();
            assertThat(has("child")).isTrue();
        }

        @Test
        void ifFreeingADependentFailsTheOwnerWaits() {
            ObjectNode owner = create("owner");
            create(owned("child", owner));
            api.fail("update configmaps team/child", ApiException.of(500, "InternalError", "no"));
            delete("owner", "Orphan");
            assertThat(has("owner")).isTrue();

            cluster.pass(Duration.ofMillis(5));
            assertThat(has("owner")).isFalse();
            assertThat(ownersOf("child")).isEmpty();
        }
    }

    @Nested
    class Foreground {
        @Test
        void theOwnerWaitsForDependentsThatBlock() {
            ObjectNode owner = create("owner");
            create(withFinalizers(blocking(owned("child", owner)), "example.com/x"));
            delete("owner", "Foreground");
            assertThat(isDeleting("owner")).isTrue();
            assertThat(isDeleting("child")).isTrue();

            cluster.release(MAPS, "team", "child");
            cluster.settle();
            assertThat(has("child")).isFalse();
            assertThat(has("owner")).isFalse();
        }

        @Test
        void theOwnerDoesNotWaitForOthers() {
            ObjectNode owner = create("owner");
            create(withFinalizers(owned("child", owner), "example.com/x"));
            delete("owner", "Foreground");

            assertThat(has("owner")).isFalse();
            assertThat(isDeleting("child")).isTrue();
        }

        @Test
        void anOwnerWithoutDependentsGoesAtOnce() {
            create("owner");
            delete("owner", "Foreground");

            assertThat(has("owner")).isFalse();
        }

        @Test
        void dependentsWithDependentsWaitInTurn() {
            ObjectNode owner = create("owner");
            ObjectNode child = create(blocking(owned("child", owner)));
            create(withFinalizers(blocking(owned("grandchild", child)), "example.com/x"));
            delete("owner", "Foreground");
            assertThat(Objects.finalizers(api.get(MAPS, "team", "child"))).containsExactly("foregroundDeletion");
            assertThat(isDeleting("grandchild")).isTrue();

            cluster.release(MAPS, "team", "grandchild");
            cluster.settle();
            assertThat(has("child")).isFalse();
            assertThat(has("owner")).isFalse();
        }

        @Test
        void theOwnerGoesWhenADependentStopsBlocking() {
            ObjectNode owner = create("owner");
            create(withFinalizers(blocking(owned("child", owner)), "example.com/x"));
            delete("owner", "Foreground");
            api.edit(MAPS, "team", "child", child -> {
                Json.ensureObject(child, "metadata").remove("ownerReferences");
                return child;
            });
            cluster.settle();

            assertThat(has("owner")).isFalse();
        }

        @Test
        void aDependentThatComesLateGoesToo() {
            ObjectNode owner = create("owner");
            create(withFinalizers(blocking(owned("child", owner)), "example.com/x"));
            delete("owner", "Foreground");
            create(blocking(owned("late", owner)));
            cluster.settle();

            assertThat(has("late")).isFalse();
            assertThat(has("owner")).isTrue();
        }

        @Test
        void ownersInACircleDoNotWaitForEachOther() {
            ObjectNode first = create("first");
            ObjectNode second = create(blocking(owned("second", first)));
            api.edit(MAPS, "team", "first", object -> {
                refer(object, "v1", "ConfigMap", "second", Objects.uid(second)).put("blockOwnerDeletion", true);
                return object;
            });
            cluster.settle();
            assertThat(has("first")).as("a circle alone is no reason to go").isTrue();

            delete("first", "Foreground");
            assertThat(has("first")).isFalse();
            assertThat(has("second")).isFalse();
        }

        @Test
        void waitingCostsNothing() {
            ObjectNode owner = create("owner");
            create(withFinalizers(blocking(owned("child", owner)), "example.com/x"));
            delete("owner", "Foreground");
            api.takeWrites();
            cluster.pass(Duration.ofMinutes(1));

            assertThat(api.requestCount()).isZero();
        }
    }

    @Nested
    class MissedChanges {
        @Test
        void anOwnerThatWentUnseenIsNoticed() {
            ObjectNode owner = create("owner");
            create(owned("child", owner));
            cluster.settle();
            cluster.delete(MAPS, "team", "owner", "Background");
            api.compact();
            cluster.settle();

            assertThat(has("child")).isFalse();
        }

        @Test
        void aBlockingDependentThatWentUnseenIsNoticed() {
            ObjectNode owner = create("owner");
            create(withFinalizers(blocking(owned("child", owner)), "example.com/x"));
            delete("owner", "Foreground");
            cluster.release(MAPS, "team", "child");
            api.compact();
            cluster.settle();

            assertThat(has("owner")).isFalse();
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
        ObjectNode owner = create("owner");
        cluster.settle();
        for (int i = 0; i < 100; i++) {
            create(owned("child-" + i, owner));
        }
        api.takeWrites();
        cluster.settle();

        assertThat(api.requestCount())
                .as("one look at a dependent and at the owner")
                .isEqualTo(2);
    }

    @Test
    void aDependentChangedMeanwhileIsLookedAtAgainBeforeItIsDeleted() {
        ObjectNode owner = create("owner");
        create(owned("child", owner));
        cluster.settle();
        api.fail("delete configmaps team/child Background", ApiException.conflict("", "configmaps", "child", "race"));
        delete("owner", "Background");
        assertThat(has("child")).isTrue();

        cluster.pass(Duration.ofMillis(5));
        assertThat(has("child")).isFalse();
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
