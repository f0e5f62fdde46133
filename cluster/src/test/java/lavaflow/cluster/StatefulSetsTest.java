package lavaflow.cluster;

import java.time.Duration;
import java.util.List;

import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingCluster.CLAIMS;
import static lavaflow.cluster.TestingCluster.PODS;
import static lavaflow.cluster.TestingCluster.REVISIONS;
import static lavaflow.cluster.TestingCluster.STATEFUL_SETS;
import static lavaflow.cluster.TestingCluster.named;
import static lavaflow.cluster.TestingStatefulSets.claims;
import static org.assertj.core.api.Assertions.assertThat;

/** Which pods are of a StatefulSet, and what it does when requests fail. */
class StatefulSetsTest {
    private final TestingStatefulSets team = new TestingStatefulSets();
    private final TestingKubeApi api = team.api;
    private final TestingCluster cluster = team.cluster;

    // ---- identity and membership

    @Test
    void aPodThatLostItsNameGetsItBack() {
        team.create(1);
        team.allReady();
        api.edit(PODS, "team", "web-0", pod -> {
            Json.ensureObject(pod, "metadata", "labels")
                    .remove(List.of(StatefulPod.NAME_LABEL, StatefulPod.INDEX_LABEL));
            return pod;
        });
        cluster.settle();

        ObjectNode labels = Json.objectAt(api.get(PODS, "team", "web-0"), "metadata", "labels");
        assertThat(Json.textAt(labels, StatefulPod.NAME_LABEL)).isEqualTo("web-0");
        assertThat(Json.textAt(labels, StatefulPod.INDEX_LABEL)).isEqualTo("0");
        assertThat(cluster.messages("team"))
                .contains("SuccessfulUpdate: Update Pod web-0 in StatefulSet web successful");
    }

    @Test
    void orphansWithAFittingNameAreTakenInAndStrangersLetGo() {
        for (String name : List.of("web-0", "web-x", "web-01", "other-0")) {
            ObjectNode orphan = named(name);
            Json.ensureObject(orphan, "metadata", "labels").put("app", "web");
            Json.ensureObject(orphan, "status").put("phase", "Pending");
            api.create(PODS, "team", orphan);
        }
        team.create(1);
        assertThat(team.all(PODS)).extracting(Objects::name).containsExactly("other-0", "web-0", "web-01", "web-x");
        assertThat(PodState.of(api.get(PODS, "team", "web-0")).owner()).isNotNull();
        assertThat(PodState.of(api.get(PODS, "team", "web-01")).owner()).isNull();
        assertThat(PodState.of(api.get(PODS, "team", "other-0")).owner()).isNull();

        api.edit(PODS, "team", "web-0", pod -> {
            Json.ensureObject(pod, "metadata", "labels").put("app", "mine");
            return pod;
        });
        cluster.settle();
        assertThat(PodState.of(api.get(PODS, "team", "web-0")).owner()).isNull();
        assertThat(team.count("replicas")).isZero();

        // Its name is taken; the set gets it once the stranger is gone, without a word about it.
        assertThat(cluster.messages("team")).noneMatch(message -> message.startsWith("Failed"));
        team.kill("web-0");
        cluster.pass(Duration.ofSeconds(60));
        assertThat(PodState.of(api.get(PODS, "team", "web-0")).owner()).isNotNull();
    }

    @Test
    void aSetThatIsGoingOnlyReports() {
        team.create(2);
        team.allReady();
        api.edit(STATEFUL_SETS, "team", "web", set -> TestingCluster.withFinalizers(set, "foregroundDeletion"));
        api.delete(STATEFUL_SETS, "team", "web", KubeApi.Deletion.PLAIN);
        team.kill("web-1");

        assertThat(team.pods()).containsExactly("web-0:one+");
        assertThat(team.count("replicas")).isEqualTo(1);
    }

    // ---- failures

    @Test
    void aRefusalIsShownAndTriedAgain() {
        api.fail("create pods team/web-0", ApiException.of(403, "Forbidden", "exceeded quota: small"));
        team.create(1);

        assertThat(cluster.messages("team"))
                .contains("FailedCreate: Create Pod web-0 in StatefulSet web failed error: exceeded quota: small");
        cluster.pass(Duration.ofSeconds(5));
        assertThat(team.pods()).containsExactly("web-0:one");
    }

    @Test
    void inParallelAServerThatRefusesOneIsNotAskedForAll() {
        for (int i = 0; i < 50; i++) {
            api.fail("create pods team/web-0", ApiException.of(403, "Forbidden", "exceeded quota: small"));
        }
        api.takeWrites();
        team.create(50, TestingStatefulSets::parallel);

        // Twice: its own report is news to it.
        assertThat(api.takeWrites().stream().filter(write -> write.startsWith("create pods")))
                .containsExactly("create pods team/web-0", "create pods team/web-0");
    }

    @Test
    void whatFailsBetweenTwoCallsIsMadeUpFor() {
        api.fail("create pods team/web-0", ApiException.of(500, "InternalError", "lost"));
        team.create(1, spec -> claims(spec, "Delete", "Delete"));
        assertThat(team.all(CLAIMS)).hasSize(1);
        cluster.pass(Duration.ofSeconds(1));
        assertThat(team.pods()).containsExactly("web-0:one");
        assertThat(team.all(CLAIMS)).hasSize(1);

        api.fail("update statefulsets.apps/status team/web", ApiException.modified("apps", "statefulsets", "web"));
        team.ready("web-0");
        cluster.pass(Duration.ofSeconds(1));
        assertThat(team.count("readyReplicas")).isEqualTo(1);
    }

    @Test
    void aViewThatLagsMakesNothingTwice() {
        team.create(3, TestingStatefulSets::parallel);
        api.takeWrites();
        api.compact();
        cluster.settle();

        assertThat(api.takeWrites()).isEmpty();
        assertThat(team.all(REVISIONS)).hasSize(1);
    }

    @Test
    void nothingIsWrittenWhereNothingChanged() {
        team.create(2, spec -> claims(spec, "Delete", "Delete"));
        team.allReady();
        api.takeWrites();
        api.edit(PODS, "team", "web-0", pod -> {
            Json.ensureObject(pod, "metadata", "annotations").put("note", "x");
            return pod;
        });
        cluster.settle();

        assertThat(api.takeWrites()).containsExactly("update pods team/web-0");
    }
}
