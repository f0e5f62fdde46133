package lavaflow.cluster;

import java.util.List;

import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingCluster.REVISIONS;
import static lavaflow.cluster.TestingCluster.STATEFUL_SETS;
import static lavaflow.cluster.TestingStatefulSets.image;
import static org.assertj.core.api.Assertions.assertThat;

/** How the pods of a StatefulSet get a new template. */
class StatefulSetVersionsTest {
    private final TestingStatefulSets team = new TestingStatefulSets();
    private final TestingCluster cluster = team.cluster;
    private final TestingKubeApi api = team.api;

    private static void partition(ObjectNode spec, long partition) {
        Json.ensureObject(spec, "updateStrategy", "rollingUpdate").put("partition", partition);
    }

    @Test
    void aNewVersionGoesFromTheHighestNumberDownEachOnceTheLastIsReady() {
        team.create(3);
        team.allReady();

        team.change(spec -> image(spec, "two"));
        assertThat(team.pods()).containsExactly("web-0:one+", "web-1:one+", "web-2:two");
        assertThat(team.count("currentReplicas")).isEqualTo(2);
        assertThat(team.count("updatedReplicas")).isEqualTo(1);
        team.ready("web-2");
        assertThat(team.pods()).containsExactly("web-0:one+", "web-1:two", "web-2:two+");
        team.ready("web-1", "web-0");

        assertThat(team.pods()).containsExactly("web-0:two+", "web-1:two+", "web-2:two+");
        assertThat(Json.textAt(team.set(), "status", "currentRevision"))
                .isEqualTo(Json.textAt(team.set(), "status", "updateRevision"));
        assertThat(team.count("currentReplicas")).isEqualTo(3);
        assertThat(cluster.versions("team")).containsExactly(1L, 2L);
    }

    @Test
    void aVersionThatDoesNotBecomeReadyStopsThere() {
        team.create(3);
        team.allReady();
        team.change(spec -> image(spec, "broken"));
        team.report("web-2", "Running", false);

        assertThat(team.pods()).containsExactly("web-0:one+", "web-1:one+", "web-2:broken");

        // Going back does not help by itself either: in order, the broken pod stands before everything else.
        team.change(spec -> image(spec, "one"));
        assertThat(team.pods()).containsExactly("web-0:one+", "web-1:one+", "web-2:broken");
        team.kill("web-2");
        team.allReady();
        assertThat(team.pods()).containsExactly("web-0:one+", "web-1:one+", "web-2:one+");
        assertThat(cluster.versions("team")).containsExactly(2L, 3L);
    }

    @Test
    void podsBelowThePartitionKeepTheirVersionEvenWhenReplaced() {
        team.create(4, spec -> partition(spec, 2));
        team.allReady();
        team.change(spec -> image(spec, "two"));
        team.allReady();
        assertThat(team.pods()).containsExactly("web-0:one+", "web-1:one+", "web-2:two+", "web-3:two+");

        team.kill("web-0");
        team.kill("web-3");
        team.allReady();
        assertThat(team.pods()).containsExactly("web-0:one+", "web-1:one+", "web-2:two+", "web-3:two+");
        assertThat(team.count("currentReplicas")).isEqualTo(2);
        assertThat(team.count("updatedReplicas")).isEqualTo(2);

        team.change(spec -> partition(spec, 0));
        team.allReady();
        assertThat(team.pods()).containsExactly("web-0:two+", "web-1:two+", "web-2:two+", "web-3:two+");
    }

    @Test
    void thePartitionCountsFromTheFirstNumber() {
        team.create(3, spec -> {
            spec.putObject("ordinals").put("start", 10);
            partition(spec, 2);
        });
        team.allReady();
        team.change(spec -> image(spec, "two"));
        team.allReady();

        assertThat(team.pods()).containsExactly("web-10:one+", "web-11:one+", "web-12:two+");
    }

    @Test
    void onDeleteReplacesNothingByItself() {
        team.create(2, spec -> spec.putObject("updateStrategy").put("type", "OnDelete"));
        team.allReady();
        team.change(spec -> image(spec, "two"));
        assertThat(team.pods()).containsExactly("web-0:one+", "web-1:one+");

        team.kill("web-1");
        assertThat(team.pods()).containsExactly("web-0:one+", "web-1:two");
    }

    @Test
    void sizeComesBeforeVersion() {
        team.create(2);
        team.allReady();

        team.change(spec -> {
            spec.put("replicas", 3);
            image(spec, "two");
        });
        assertThat(team.pods()).containsExactly("web-0:one+", "web-1:one+", "web-2:two");
        team.ready("web-2");
        assertThat(team.pods()).containsExactly("web-0:one+", "web-1:two", "web-2:two+");
    }

    @Test
    void goingBackFindsTheOldVersionAndMakesItTheNewest() {
        team.create(1);
        team.allReady();
        String first = Json.textAt(team.set(), "status", "updateRevision");
        team.change(spec -> image(spec, "two"));
        team.allReady();

        team.change(spec -> image(spec, "one"));
        team.allReady();

        assertThat(Json.textAt(team.set(), "status", "updateRevision")).isEqualTo(first);
        assertThat(cluster.versions("team")).containsExactly(2L, 3L);
    }

    @Test
    void onlySoManyOldVersionsAreKept() {
        team.create(1, spec -> spec.put("revisionHistoryLimit", 1));
        for (String version : List.of("two", "three", "four")) {
            team.allReady();
            team.change(spec -> image(spec, version));
        }
        team.allReady();

        assertThat(cluster.versions("team")).containsExactly(3L, 4L);
    }

    @Test
    void aNameOfAVersionThatIsTakenIsPassedOver() {
        team.create(1);
        String name = Objects.name(team.all(REVISIONS).getFirst());
        api.delete(STATEFUL_SETS, "team", "web", KubeApi.Deletion.PLAIN);
        team.kill("web-0");
        api.edit(REVISIONS, "team", name, revision -> {
            revision.putObject("data").put("something", "else");
            Json.ensureObject(revision, "metadata").remove("labels");
            Json.ensureObject(revision, "metadata").remove("ownerReferences");
            return revision;
        });
        team.create(1);

        assertThat(Json.textAt(team.set(), "status", "updateRevision"))
                .isNotEqualTo(name)
                .startsWith("web-");
        assertThat(team.count("collisionCount")).isEqualTo(1);
        assertThat(team.pods()).containsExactly("web-0:one");
    }
}
