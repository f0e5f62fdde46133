package lavaflow.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingCluster.DEPLOYMENTS;
import static lavaflow.cluster.TestingCluster.MAPS;
import static lavaflow.cluster.TestingCluster.NAMESPACES;
import static lavaflow.cluster.TestingCluster.PODS;
import static lavaflow.cluster.TestingCluster.SECRETS;
import static lavaflow.cluster.TestingCluster.named;
import static lavaflow.cluster.TestingCluster.withFinalizers;
import static org.assertj.core.api.Assertions.assertThat;

class NamespaceDeletionTest {
    private static final Duration SETTLED = Duration.ofMillis(20);

    private final TestingCluster cluster = new TestingCluster();
    private final TestingKubeApi api = cluster.api;

    @BeforeEach
    void start() {
        cluster.run(new NamespaceDeletion(api, cluster.followers, cluster.clock(), cluster.nanoTime()).controller());
        cluster.namespace("team");
        cluster.namespace("other");
        cluster.settle();
        api.takeWrites();
    }

    private void deleteNamespace() {
        cluster.delete(NAMESPACES, "", "team", "Background");
        cluster.settle();
    }

    private boolean exists() {
        return api.has(NAMESPACES, "", "team");
    }

    private List<String> conditions() {
        List<String> lines = new ArrayList<>();
        for (JsonNode condition : Json.listAt(api.get(NAMESPACES, "", "team"), "status", "conditions")) {
            lines.add(Json.textAt(condition, "type") + "=" + Json.textAt(condition, "status") + " "
                    + Json.textAt(condition, "reason") + ": " + Json.textAt(condition, "message"));
        }
        return lines;
    }

    @Test
    void anEmptyNamespaceGoesAtOnceAndWithOneWrite() {
        deleteNamespace();

        assertThat(exists()).isFalse();
        assertThat(api.takeWrites())
                .containsExactly("delete namespaces team Background", "update namespaces/finalize team");
    }

    @Test
    void everythingInItGoesAndNothingElse() {
        api.create(MAPS, "team", named("a"));
        api.create(SECRETS, "team", named("b"));
        api.create(DEPLOYMENTS, "team", named("c"));
        api.create(MAPS, "other", named("a"));
        deleteNamespace();

        assertThat(exists()).isFalse();
        assertThat(api.has(MAPS, "team", "a")).isFalse();
        assertThat(api.has(SECRETS, "team", "b")).isFalse();
        assertThat(api.has(DEPLOYMENTS, "team", "c")).isFalse();
        assertThat(api.has(MAPS, "other", "a")).isTrue();
    }

    @Test
    void podsMustBeGoneBeforeTheRestIsTouched() {
        ObjectNode pod = named("pod");
        pod.putObject("spec").put("nodeName", "node");
        api.create(PODS, "team", pod);
        api.create(MAPS, "team", named("map"));
        deleteNamespace();
        assertThat(api.has(MAPS, "team", "map")).isTrue();
        assertThat(Objects.isDeleting(api.get(PODS, "team", "pod"))).isTrue();

        api.finishPod("team", "pod");
        cluster.settle();
        cluster.pass(SETTLED);
        assertThat(api.has(MAPS, "team", "map")).isFalse();
        assertThat(exists()).isFalse();
    }

    @Test
    void theConditionsTellWhatIsLeftAndWhy() {
        api.create(MAPS, "team", withFinalizers(named("a"), "example.com/a", "example.com/b"));
        api.create(MAPS, "team", withFinalizers(named("b"), "example.com/a"));
        api.create(DEPLOYMENTS, "team", withFinalizers(named("c"), "example.com/a"));
        api.create(SECRETS, "team", named("d"));
        deleteNamespace();

        assertThat(api.has(SECRETS, "team", "d")).isFalse();
        assertThat(conditions())
                .containsExactly(
                        "NamespaceDeletionDiscoveryFailure=False ResourcesDiscovered: All resources successfully"
                                + " discovered",
                        "NamespaceDeletionGroupVersionParsingFailure=False ParsedGroupVersions: All legacy kube types"
                                + " successfully parsed",
                        "NamespaceDeletionContentFailure=False ContentDeleted: All content successfully deleted, may be"
                                + " waiting on finalization",
                        "NamespaceContentRemaining=True SomeResourcesRemain: Some resources are remaining: configmaps."
                                + " has 2 resource instances, deployments.apps has 1 resource instances",
                        "NamespaceFinalizersRemaining=True SomeFinalizersRemain: Some content in the namespace has"
                                + " finalizers remaining: example.com/a in 3 resource instances, example.com/b in 1"
                                + " resource instances");
    }

    @Test
    void theConditionsFollowAndKeepTheirTimes() {
        api.create(MAPS, "team", withFinalizers(named("a"), "example.com/a"));
        api.create(MAPS, "team", withFinalizers(named("b"), "example.com/a"));
        deleteNamespace();
        ObjectNode before = api.get(NAMESPACES, "", "team");
        cluster.release(MAPS, "team", "a");
        cluster.pass(Duration.ofSeconds(3));

        assertThat(conditions().get(3)).endsWith("configmaps. has 1 resource instances");
        JsonNode conditions = api.get(NAMESPACES, "", "team").path("status").path("conditions");
        assertThat(conditions.get(0))
                .isEqualTo(before.path("status").path("conditions").get(0));
        assertThat(Json.textAt(conditions.get(3), "lastTransitionTime"))
                .isNotEqualTo(
                        Json.textAt(before.path("status").path("conditions").get(3), "lastTransitionTime"));
    }

    @Test
    void theNamespaceGoesSoonAfterTheLastFinalizer() {
        api.create(MAPS, "team", withFinalizers(named("a"), "example.com/a"));
        deleteNamespace();
        cluster.pass(Duration.ofHours(1));
        cluster.release(MAPS, "team", "a");
        cluster.settle();
        cluster.pass(SETTLED);

        assertThat(exists()).isFalse();
    }

    @Test
    void waitingGetsRarerAndWritesNothing() {
        api.create(MAPS, "team", withFinalizers(named("a"), "example.com/a"));
        deleteNamespace();
        api.takeWrites();
        int looks = 0;
        for (int second = 0; second < 600; second++) {
            int before = api.requestCount();
            cluster.pass(Duration.ofSeconds(1));
            looks += api.requestCount() > before ? 1 : 0;
        }

        assertThat(api.takeWrites()).isEmpty();
        assertThat(looks).isBetween(20, 30);
    }

    @Test
    void whatCannotBeDeletedIsReportedAndTriedAgain() {
        api.create(MAPS, "team", named("a"));
        api.fail("delete configmaps team/a Background", ApiException.of(500, "InternalError", "the disk is full"));
        deleteNamespace();
        assertThat(conditions().get(2))
                .isEqualTo("NamespaceDeletionContentFailure=True ContentDeletionFailed: Failed to delete all resource"
                        + " types, 1 remaining: the disk is full (configmaps a)");

        cluster.pass(NamespaceDeletion.FIRST_RECHECK);
        assertThat(exists()).isFalse();
    }

    @Test
    void aKindThatCannotBeListedHoldsTheNamespace() {
        api.fail("list secrets", ApiException.of(500, "InternalError", "not now"));
        cluster.delete(NAMESPACES, "", "team", "Background");
        cluster.settle();
        assertThat(exists()).isTrue();

        cluster.pass(NamespaceDeletion.FIRST_RECHECK);
        assertThat(exists()).isFalse();
    }

    @Test
    void otherFinalizersOfTheNamespaceStay() {
        api.edit(NAMESPACES, "", "team", namespace -> {
            Json.ensureObject(namespace, "spec").withArray("finalizers").add("example.com/mine");
            return namespace;
        });
        deleteNamespace();
        cluster.pass(Duration.ofHours(1));

        ObjectNode namespace = api.get(NAMESPACES, "", "team");
        assertThat(Json.listAt(namespace, "spec", "finalizers")).hasSize(1);
    }

    @Test
    void aLostRaceForTheNamespaceIsRunAgain() {
        api.fail("update namespaces/finalize team", ApiException.conflict("", "namespaces", "team", "race"));
        deleteNamespace();
        cluster.pass(Duration.ofMillis(5));

        assertThat(exists()).isFalse();
    }

    @Test
    void namespacesThatLiveAreLeftAlone() {
        api.create(MAPS, "team", named("a"));
        cluster.pass(Duration.ofHours(1));

        assertThat(api.takeWrites()).containsExactly("create configmaps team/a");
    }

    @Test
    void deletionsBegunBeforeTheStartAreFinished() {
        TestingCluster later = new TestingCluster();
        later.namespace("team");
        later.api.create(MAPS, "team", named("a"));
        later.delete(NAMESPACES, "", "team", "Background");
        later.run(new NamespaceDeletion(later.api, later.followers, later.clock(), later.nanoTime()).controller());
        later.settle();

        assertThat(later.api.has(NAMESPACES, "", "team")).isFalse();
        assertThat(later.api.has(MAPS, "team", "a")).isFalse();
    }

    @Test
    void aWriteThatArrivesAfterTheEndIsCleanedUp() {
        deleteNamespace();
        api.createAnywhere(MAPS, "team", named("late"));
        cluster.settle();
        assertThat(api.has(MAPS, "team", "late")).isTrue();

        cluster.pass(NamespaceDeletion.AFTERMATH);
        assertThat(api.has(MAPS, "team", "late")).isFalse();
    }

    @Test
    void theNextNamespaceOfThatNameIsNotCleanedUp() {
        deleteNamespace();
        cluster.namespace("team");
        api.create(MAPS, "team", named("new"));
        cluster.pass(NamespaceDeletion.AFTERMATH);

        assertThat(api.has(MAPS, "team", "new")).isTrue();
    }

    @Test
    void missedChangesAreLookedFor() {
        api.create(MAPS, "team", withFinalizers(named("a"), "example.com/a"));
        deleteNamespace();
        cluster.release(MAPS, "team", "a");
        api.compact();
        cluster.settle();

        assertThat(exists()).isFalse();
    }
}
