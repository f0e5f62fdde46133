package lavaflow.cluster;

import java.time.Duration;
import java.util.List;

import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingCluster.DAEMON_SETS;
import static lavaflow.cluster.TestingCluster.NODES;
import static lavaflow.cluster.TestingCluster.PODS;
import static lavaflow.cluster.TestingCluster.REVISIONS;
import static lavaflow.cluster.TestingDaemonSets.limits;
import static org.assertj.core.api.Assertions.assertThat;

/** How the pods of a DaemonSet get a new template. */
class DaemonSetVersionsTest {
    private final TestingDaemonSets team = new TestingDaemonSets();
    private final TestingKubeApi api = team.api;
    private final TestingCluster cluster = team.cluster;

    @Test
    void aNewVersionReplacesAsManyAsMayBeMissing() {
        team.create(spec -> limits(spec, 0, 2));
        team.ready("a", "b", "c");

        team.image("two");
        assertThat(team.pods()).containsExactly("a:onex", "b:onex", "c:one+");
        team.reap();
        assertThat(team.pods()).containsExactly("a:two", "b:two", "c:one+");
        team.ready("a");
        assertThat(team.pods()).containsExactly("a:two+", "b:two", "c:onex");
        team.reap();
        team.ready("b", "c");
        assertThat(team.pods()).containsExactly("a:two+", "b:two+", "c:two+");
        assertThat(team.count("updatedNumberScheduled")).isEqualTo(3);
        assertThat(cluster.versions("team")).containsExactly(1L, 2L);
    }

    @Test
    void oldPodsThatDoNoWorkGoAtOnceAndCountAsMissing() {
        team.create();
        team.ready("a", "b", "c");
        team.report(team.on("a"), "Running", false);
        team.report(team.on("b"), "Running", false);

        team.image("two");
        assertThat(team.pods()).containsExactly("a:onex", "b:onex", "c:one+");
        team.reap();
        team.ready("a");
        assertThat(team.pods()).containsExactly("a:two+", "b:two", "c:one+");
        team.ready("b");
        assertThat(team.pods()).containsExactly("a:two+", "b:two+", "c:onex");
    }

    @Test
    void withSurgeTheNewComesBeforeTheOldGoes() {
        team.create(spec -> limits(spec, 1, 0));
        team.ready("a", "b", "c");

        team.image("two");
        assertThat(team.pods()).containsExactly("a:one+", "a:two", "b:one+", "c:one+");
        team.ready("a");
        assertThat(team.pods()).containsExactly("a:onex", "a:two+", "b:one+", "b:two", "c:one+");
        team.reap();
        team.ready("b");
        team.reap();
        team.ready("c");
        team.reap();
        assertThat(team.pods()).containsExactly("a:two+", "b:two+", "c:two+");
    }

    @Test
    void withSurgeAnOldPodThatDoesNoWorkNeedNotBeWaitedFor() {
        team.create(spec -> limits(spec, 1, 0));
        team.ready("a", "b", "c");
        team.report(team.on("a"), "Running", false);

        team.image("two");
        assertThat(team.pods()).containsExactly("a:onex", "a:two", "b:one+", "b:two", "c:one+");
    }

    @Test
    void anyNumberOfDaemonsIsServedAtAllTimesWhileRolling() {
        for (int i = 0; i < 17; i++) {
            team.node("n" + i);
        }
        team.create(spec -> limits(spec, 0, 3));
        String[] nodes = api.list(NODES, "", KubeApi.View.WHOLE).items().stream()
                .map(Objects::name)
                .toArray(String[]::new);
        team.ready(nodes);

        team.image("two");
        for (int step = 0; step < 40; step++) {
            assertThat(team.pods().stream().filter(pod -> pod.endsWith("+"))).hasSizeGreaterThanOrEqualTo(17);
            assertThat(team.pods()).hasSizeLessThanOrEqualTo(20);
            team.reap();
            team.all(PODS).stream()
                    .filter(pod -> !PodState.of(pod).isReady() && !Objects.isDeleting(pod))
                    .findFirst()
                    .ifPresent(pod -> team.report(Objects.name(pod), "Running", true));
        }
        assertThat(team.pods()).hasSize(20).allMatch(pod -> pod.endsWith(":two+"));
    }

    @Test
    void aPodCountsOnceItHasBeenReadyForLongEnough() {
        team.create(spec -> spec.put("minReadySeconds", 30));
        team.ready("a", "b", "c");
        assertThat(team.count("numberReady")).isEqualTo(3);
        assertThat(team.count("numberAvailable")).isZero();

        cluster.pass(Duration.ofSeconds(31));
        assertThat(team.count("numberAvailable")).isEqualTo(3);
    }

    @Test
    void onDeleteReplacesNothingByItself() {
        team.create(spec -> spec.putObject("updateStrategy").put("type", "OnDelete"));
        team.ready("a", "b", "c");
        team.image("two");
        assertThat(team.pods()).containsExactly("a:one+", "b:one+", "c:one+");
        assertThat(team.count("updatedNumberScheduled")).isZero();

        api.delete(PODS, "team", team.on("b"), KubeApi.Deletion.PLAIN.atOnce());
        cluster.settle();
        assertThat(team.pods()).containsExactly("a:one+", "b:two", "c:one+");
    }

    @Test
    void goingBackFindsTheOldVersionAndOnlySoManyAreKept() {
        team.create(spec -> {
            spec.put("revisionHistoryLimit", 1);
            limits(spec, 0, 3);
        });
        for (String version : List.of("two", "three", "two")) {
            team.ready("a", "b", "c");
            team.image(version);
            team.reap();
        }
        team.ready("a", "b", "c");

        assertThat(team.pods()).containsExactly("a:two+", "b:two+", "c:two+");
        assertThat(cluster.versions("team")).containsExactly(3L, 4L);
    }

    @Test
    void aNameOfAVersionThatIsTakenIsPassedOver() {
        team.create();
        String name = Objects.name(team.all(REVISIONS).getFirst());
        api.delete(DAEMON_SETS, "team", "agent", KubeApi.Deletion.PLAIN);
        team.all(PODS).forEach(pod -> api.delete(PODS, "team", Objects.name(pod), KubeApi.Deletion.PLAIN.atOnce()));
        api.edit(REVISIONS, "team", name, revision -> {
            revision.putObject("data").put("something", "else");
            Json.ensureObject(revision, "metadata").remove(List.of("labels", "ownerReferences"));
            return revision;
        });
        team.create();

        assertThat(team.count("collisionCount")).isEqualTo(1);
        assertThat(team.all(REVISIONS)).hasSize(2);
        assertThat(team.pods()).containsExactly("a:one", "b:one", "c:one");
    }

    @Test
    void twoOfTheSameVersionBecomeOne() {
        team.create();
        ObjectNode twin = team.all(REVISIONS).getFirst().deepCopy();
        Json.ensureObject(twin, "metadata").put("name", "agent-twin").remove(List.of("uid", "resourceVersion"));
        Json.ensureObject(twin, "metadata", "labels").put("controller-revision-hash", "twin");
        twin.put("revision", 2);
        api.create(REVISIONS, "team", twin);
        cluster.settle();
        // Whoever made it has time to look at both: only the next change of anything else makes them one.
        assertThat(team.all(REVISIONS)).hasSize(2);
        api.edit(REVISIONS, "team", "agent-twin", revision -> {
            Json.ensureObject(revision, "metadata", "labels").put("seen", "yes");
            return revision;
        });
        cluster.settle();

        assertThat(team.all(REVISIONS)).extracting(Objects::name).containsExactly("agent-twin");
        assertThat(team.all(PODS)).allMatch(pod -> DaemonPod.of(pod).hash().equals("twin"));
        assertThat(team.pods()).containsExactly("a:one", "b:one", "c:one");
    }
}
