package lavaflow.cluster;

import java.util.Set;

import lavaflow.cluster.OwnerGraph.Item;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class OwnerGraphTest {
    private final OwnerGraph graph = new OwnerGraph();

    private static Item item(String name) {
        return new Item(TestingCluster.MAPS, "team", name, "uid-" + name);
    }

    private static ObjectNode object(String name) {
        ObjectNode object = TestingCluster.named(name);
        Json.ensureObject(object, "metadata").put("namespace", "team").put("uid", "uid-" + name);
        return object;
    }

    private static ObjectNode owned(ObjectNode object, String owner, boolean blocks) {
        ObjectNode reference = Json.ensureObject(object, "metadata")
                .withArray("ownerReferences")
                .addObject();
        reference
                .put("apiVersion", "v1")
                .put("kind", "ConfigMap")
                .put("name", owner)
                .put("uid", "uid-" + owner);
        if (blocks) {
            reference.put("blockOwnerDeletion", true);
        }
        return object;
    }

    private static ObjectNode deleting(ObjectNode object, String finalizer) {
        Json.ensureObject(object, "metadata").put("deletionTimestamp", "2030-01-01T00:00:00Z");
        return TestingCluster.withFinalizers(object, finalizer);
    }

    private void alive(String name) {
        graph.seenAlive("uid-" + name, graph.endings());
    }

    @Test
    void objectsWithoutOwnersCostNothing() {
        assertThat(graph.put(item("free"), object("free"))).isEmpty();
        assertThat(graph.size()).isZero();
    }

    @Test
    void aDependentOfAnUnknownOwnerNeedsALook() {
        assertThat(graph.put(item("child"), owned(object("child"), "parent", false)))
                .containsExactly(item("child"));
        assertThat(graph.isSettled(item("child"))).isFalse();
        assertThat(graph.dependents("uid-parent")).containsExactly(item("child"));
    }

    @Test
    void aDependentOfALivingOwnerNeedsNone() {
        alive("parent");

        assertThat(graph.put(item("child"), owned(object("child"), "parent", false)))
                .isEmpty();
        assertThat(graph.isSettled(item("child"))).isTrue();
    }

    @Test
    void whenAnOwnerEndsItsDependentsNeedALook() {
        alive("parent");
        graph.put(item("child"), owned(object("child"), "parent", false));

        assertThat(graph.remove(item("parent"))).containsExactly(item("child"));
        assertThat(graph.isSettled(item("child"))).isFalse();
    }

    @Test
    void anOwnerIsNotTakenForAliveIfItMayHaveEndedMeanwhile() {
        graph.put(item("child"), owned(object("child"), "parent", false));
        long before = graph.endings();
        graph.remove(item("parent"));
        graph.seenAlive("uid-parent", before);

        assertThat(graph.isSettled(item("child"))).isFalse();
    }

    @Test
    void anOwnerThatBeginsToWaitIsNotAliveAnyMore() {
        alive("parent");
        graph.put(item("child"), owned(object("child"), "parent", true));
        long before = graph.endings();

        assertThat(graph.put(item("parent"), deleting(object("parent"), "foregroundDeletion")))
                .containsExactly(item("parent"));
        graph.seenAlive("uid-parent", before);
        assertThat(graph.isSettled(item("child"))).isFalse();
        assertThat(graph.isBlocked("uid-parent")).isTrue();
    }

    @Test
    void aWaitingOwnerNeedsALookWhenTheLastDependentThatBlocksGoes() {
        graph.put(item("a"), owned(object("a"), "parent", true));
        graph.put(item("b"), owned(object("b"), "parent", true));
        graph.put(item("c"), owned(object("c"), "parent", false));
        graph.put(item("parent"), deleting(object("parent"), "foregroundDeletion"));

        assertThat(graph.remove(item("a"))).isEmpty();
        assertThat(graph.remove(item("b"))).containsExactly(item("parent"));
        assertThat(graph.isBlocked("uid-parent")).isFalse();
    }

    @Test
    void aWaitingOwnerNeedsALookWhenADependentStopsBlockingOrLeaves() {
        graph.put(item("a"), owned(object("a"), "parent", true));
        graph.put(item("b"), owned(object("b"), "parent", true));
        graph.put(item("parent"), deleting(object("parent"), "foregroundDeletion"));

        assertThat(graph.put(item("a"), object("a"))).isEmpty();
        assertThat(graph.put(item("b"), owned(object("b"), "parent", false))).contains(item("parent"));
    }

    @Test
    void anOwnerThatDoesNotWaitIsNotBotheredByItsDependents() {
        graph.put(item("a"), owned(object("a"), "parent", true));

        assertThat(graph.remove(item("a"))).isEmpty();
    }

    @Test
    void twoReferencesToOneOwnerCountOnce() {
        graph.put(item("a"), owned(owned(object("a"), "parent", true), "parent", false));
        assertThat(graph.isBlocked("uid-parent")).isTrue();

        graph.remove(item("a"));
        assertThat(graph.isBlocked("uid-parent")).isFalse();
        assertThat(graph.dependents("uid-parent")).isEmpty();
    }

    @Test
    void dependentsThatGoAreNotLookedAt() {
        assertThat(graph.put(item("a"), deleting(owned(object("a"), "parent", false), "example.com/x")))
                .isEmpty();
        assertThat(graph.isDeleting(item("a"))).isTrue();
    }

    @Test
    void tellsWhetherADependentWaitsItself() {
        graph.put(item("a"), owned(object("a"), "parent", true));
        assertThat(graph.hasWaitingDependent("uid-parent")).isFalse();

        graph.put(item("a"), deleting(owned(object("a"), "parent", true), "foregroundDeletion"));
        assertThat(graph.hasWaitingDependent("uid-parent")).isTrue();
    }

    @Test
    void afterARelistWhatIsGoneIsForgottenAndEveryoneNeedsALook() {
        alive("parent");
        alive("other");
        graph.put(item("a"), owned(object("a"), "parent", false));
        graph.put(item("b"), owned(object("b"), "other", false));
        graph.put(item("waits"), deleting(object("waits"), "foregroundDeletion"));

        assertThat(graph.relisted(TestingCluster.MAPS, Set.of("uid-a", "uid-parent")))
                .containsExactly(item("a"));
        assertThat(graph.dependents("uid-other")).isEmpty();
        assertThat(graph.isSettled(item("a"))).isFalse();
        assertThat(graph.size()).isEqualTo(1);
    }

    @Test
    void aRelistOfAnotherKindForgetsNothing() {
        graph.put(item("a"), owned(object("a"), "parent", false));

        assertThat(graph.relisted(TestingCluster.SECRETS, Set.of())).containsExactly(item("a"));
    }

    @Test
    void nothingIsLeftOfWhatIsGone() {
        graph.put(item("a"), owned(object("a"), "parent", true));
        graph.put(item("parent"), deleting(object("parent"), "foregroundDeletion"));
        graph.remove(item("a"));
        graph.remove(item("parent"));

        assertThat(graph.size()).isZero();
    }
}
