package lavaflow.cluster;

import java.time.Duration;

import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingCluster.DEPLOYMENTS;
import static lavaflow.cluster.TestingCluster.MAPS;
import static lavaflow.cluster.TestingCluster.SECRETS;
import static lavaflow.cluster.TestingCluster.named;
import static lavaflow.cluster.TestingCluster.withFinalizers;
import static lavaflow.cluster.TestingOwners.blocking;
import static lavaflow.cluster.TestingOwners.owned;
import static lavaflow.cluster.TestingOwners.refer;
import static org.assertj.core.api.Assertions.assertThat;

/** What becomes of dependents as who deletes their owner wishes. */
class PropagationTest {
    private final TestingOwners team = new TestingOwners();
    private final TestingKubeApi api = team.api;
    private final TestingCluster cluster = team.cluster;
    private final GarbageCollector collector = team.collector;

    private boolean isDeleting(String name) {
        return Objects.isDeleting(api.get(MAPS, "team", name));
    }

    @Nested
    class Background {
        @Test
        void dependentsFollowTheirOwnerDownToTheLast() {
            ObjectNode owner = team.create("owner");
            ObjectNode child = team.create(owned("child", owner));
            team.create(owned("grandchild", child));
            team.create("stranger");
            team.delete("owner", "Background");

            assertThat(team.has("child")).isFalse();
            assertThat(team.has("grandchild")).isFalse();
            assertThat(team.has("stranger")).isTrue();
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
            ObjectNode owner = team.create("owner");
            team.create(withFinalizers(owned("child", owner), "example.com/x"));
            team.delete("owner", "Background");
            assertThat(isDeleting("child")).isTrue();

            cluster.release(MAPS, "team", "child");
            assertThat(team.has("child")).isFalse();
        }

        @Test
        void aDependentKeepsItsOwnWishForItsDependents() {
            ObjectNode owner = team.create("owner");
            ObjectNode child = team.create(withFinalizers(owned("child", owner), "orphan"));
            team.create(owned("grandchild", child));
            team.delete("owner", "Background");

            assertThat(team.has("child")).isFalse();
            assertThat(team.ownersOf("grandchild")).isEmpty();
        }
    }

    @Nested
    class Orphan {
        @Test
        void dependentsStayWithoutTheirOwner() {
            ObjectNode owner = team.create("owner");
            ObjectNode other = team.create("other");
            team.create(owned("child", owner));
            team.create(owned("shared", owner, other));
            team.delete("owner", "Orphan");

            assertThat(team.has("owner")).isFalse();
            assertThat(team.ownersOf("child")).isEmpty();
            assertThat(team.ownersOf("shared")).containsExactly("other");
        }

        @Test
        void theOwnerKeepsOtherFinalizers() {
            team.create(withFinalizers(named("owner"), "example.com/x"));
            team.delete("owner", "Orphan");

            assertThat(Objects.finalizers(api.get(MAPS, "team", "owner"))).containsExactly("example.com/x");
        }

        @Test
        void aDependentNotHeardOfYetIsSparedAsWell() {
            ObjectNode owner = team.create("owner");
            cluster.settle();
            team.create(owned("child", owner));
            cluster.delete(MAPS, "team", "owner", "Orphan");
            collector.controller().queue().add(OwnerGraph.Item.of(MAPS, owner));
            collector.controller().step();
            assertThat(team.ownersOf("child")).isEmpty();

            cluster.settle();
            assertThat(team.has("owner")).isFalse();
            assertThat(team.has("child")).isTrue();
        }

        @Test
        void ifFreeingADependentFailsTheOwnerWaits() {
            ObjectNode owner = team.create("owner");
            team.create(owned("child", owner));
            api.fail("update configmaps team/child", ApiException.of(500, "InternalError", "no"));
            team.delete("owner", "Orphan");
            assertThat(team.has("owner")).isTrue();

            cluster.pass(Duration.ofMillis(5));
            assertThat(team.has("owner")).isFalse();
            assertThat(team.ownersOf("child")).isEmpty();
        }
    }

    @Nested
    class Foreground {
        @Test
        void theOwnerWaitsForDependentsThatBlock() {
            ObjectNode owner = team.create("owner");
            team.create(withFinalizers(blocking(owned("child", owner)), "example.com/x"));
            team.delete("owner", "Foreground");
            assertThat(isDeleting("owner")).isTrue();
            assertThat(isDeleting("child")).isTrue();

            cluster.release(MAPS, "team", "child");
            cluster.settle();
            assertThat(team.has("child")).isFalse();
            assertThat(team.has("owner")).isFalse();
        }

        @Test
        void theOwnerDoesNotWaitForOthers() {
            ObjectNode owner = team.create("owner");
            team.create(withFinalizers(owned("child", owner), "example.com/x"));
            team.delete("owner", "Foreground");

            assertThat(team.has("owner")).isFalse();
            assertThat(isDeleting("child")).isTrue();
        }

        @Test
        void anOwnerWithoutDependentsGoesAtOnce() {
            team.create("owner");
            team.delete("owner", "Foreground");

            assertThat(team.has("owner")).isFalse();
        }

        @Test
        void dependentsWithDependentsWaitInTurn() {
            ObjectNode owner = team.create("owner");
            ObjectNode child = team.create(blocking(owned("child", owner)));
            team.create(withFinalizers(blocking(owned("grandchild", child)), "example.com/x"));
            team.delete("owner", "Foreground");
            assertThat(Objects.finalizers(api.get(MAPS, "team", "child"))).containsExactly("foregroundDeletion");
            assertThat(isDeleting("grandchild")).isTrue();

            cluster.release(MAPS, "team", "grandchild");
            cluster.settle();
            assertThat(team.has("child")).isFalse();
            assertThat(team.has("owner")).isFalse();
        }

        @Test
        void theOwnerGoesWhenADependentStopsBlocking() {
            ObjectNode owner = team.create("owner");
            team.create(withFinalizers(blocking(owned("child", owner)), "example.com/x"));
            team.delete("owner", "Foreground");
            api.edit(MAPS, "team", "child", child -> {
                Json.ensureObject(child, "metadata").remove("ownerReferences");
                return child;
            });
            cluster.settle();

            assertThat(team.has("owner")).isFalse();
        }

        @Test
        void aDependentThatComesLateGoesToo() {
            ObjectNode owner = team.create("owner");
            team.create(withFinalizers(blocking(owned("child", owner)), "example.com/x"));
            team.delete("owner", "Foreground");
            team.create(blocking(owned("late", owner)));
            cluster.settle();

            assertThat(team.has("late")).isFalse();
            assertThat(team.has("owner")).isTrue();
        }

        @Test
        void ownersInACircleDoNotWaitForEachOther() {
            ObjectNode first = team.create("first");
            ObjectNode second = team.create(blocking(owned("second", first)));
            api.edit(MAPS, "team", "first", object -> {
                refer(object, "v1", "ConfigMap", "second", Objects.uid(second)).put("blockOwnerDeletion", true);
                return object;
            });
            cluster.settle();
            assertThat(team.has("first"))
                    .as("a circle alone is no reason to go")
                    .isTrue();

            team.delete("first", "Foreground");
            assertThat(team.has("first")).isFalse();
            assertThat(team.has("second")).isFalse();
        }

        @Test
        void waitingCostsNothing() {
            ObjectNode owner = team.create("owner");
            team.create(withFinalizers(blocking(owned("child", owner)), "example.com/x"));
            team.delete("owner", "Foreground");
            api.takeWrites();
            cluster.pass(Duration.ofMinutes(1));

            assertThat(api.requestCount()).isZero();
        }
    }
}
