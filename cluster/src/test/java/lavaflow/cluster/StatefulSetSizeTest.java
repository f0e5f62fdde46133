package lavaflow.cluster;

import java.time.Duration;

import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingCluster.PODS;
import static lavaflow.cluster.TestingCluster.REVISIONS;
import static org.assertj.core.api.Assertions.assertThat;

/** How the pods of a StatefulSet come and go, one after the other. */
class StatefulSetSizeTest {
    private final TestingStatefulSets team = new TestingStatefulSets();
    private final TestingKubeApi api = team.api;
    private final TestingCluster cluster = team.cluster;

    @Test
    void podsComeOneAfterTheOtherEachOnceTheOneBeforeIsReady() {
        team.create(3);
        assertThat(team.pods()).containsExactly("web-0:one");

        team.report("web-0", "Running", false);
        assertThat(team.pods()).containsExactly("web-0:one");

        team.ready("web-0");
        assertThat(team.pods()).containsExactly("web-0:one+", "web-1:one");

        team.ready("web-1", "web-2");
        assertThat(team.pods()).containsExactly("web-0:one+", "web-1:one+", "web-2:one+");
        assertThat(team.count("readyReplicas")).isEqualTo(3);
        assertThat(team.count("currentReplicas")).isEqualTo(3);
        assertThat(team.count("updatedReplicas")).isEqualTo(3);
        assertThat(team.count("observedGeneration")).isEqualTo(1);
        assertThat(cluster.messages("team"))
                .contains("SuccessfulCreate: Create Pod web-2 in StatefulSet web successful");
    }

    @Test
    void aPodIsNamedNumberedAndReachable() {
        team.create(1);

        ObjectNode pod = api.get(PODS, "team", "web-0");
        ObjectNode revision = team.all(REVISIONS).getFirst();
        assertThat(Json.at(pod, "metadata", "labels"))
                .isEqualTo(Json.object()
                        .put("app", "web")
                        .put("statefulset.kubernetes.io/pod-name", "web-0")
                        .put("apps.kubernetes.io/pod-index", "0")
                        .put("controller-revision-hash", Objects.name(revision)));
        assertThat(Json.textAt(pod, "metadata", "generateName")).isEqualTo("web-");
        assertThat(Json.textAt(pod, "spec", "hostname")).isEqualTo("web-0");
        assertThat(Json.textAt(pod, "spec", "subdomain")).isEqualTo("svc");
        assertThat(PodState.of(pod).owner())
                .isEqualTo(new PodState.OwnerRef("apps/v1", "StatefulSet", "web", Objects.uid(team.set())));
        assertThat(Json.textAt(team.set(), "status", "updateRevision")).isEqualTo(Objects.name(revision));
        assertThat(Json.textAt(team.set(), "status", "currentRevision")).isEqualTo(Objects.name(revision));
    }

    @Test
    void podsGoFromTheHighestNumberDownOneAtATime() {
        team.create(4);
        team.allReady();
        team.all(PODS).forEach(pod -> cluster.place("team", Objects.name(pod), "node-1"));
        cluster.settle();

        team.scale(1);
        assertThat(team.pods()).containsExactly("web-0:one+", "web-1:one+", "web-2:one+", "web-3:onex");
        api.finishPod("team", "web-3");
        cluster.settle();
        assertThat(team.pods()).containsExactly("web-0:one+", "web-1:one+", "web-2:onex");
        api.finishPod("team", "web-2");
        cluster.settle();
        api.finishPod("team", "web-1");
        cluster.settle();
        assertThat(team.pods()).containsExactly("web-0:one+");
        assertThat(cluster.messages("team"))
                .contains("SuccessfulDelete: Delete Pod web-1 in StatefulSet web successful");
    }

    @Test
    void nobodyGoesWhileALowerPodIsUnwell() {
        team.create(3);
        team.allReady();
        team.report("web-0", "Running", false);

        team.scale(1);
        assertThat(team.pods()).containsExactly("web-0:one", "web-1:one+", "web-2:one+");

        team.ready("web-0");
        assertThat(team.pods()).containsExactly("web-0:one+");
    }

    @Test
    void ofSeveralUnwellOnesTheHigherWaitForTheLowest() {
        team.create(4);
        team.allReady();
        team.report("web-3", "Running", false);
        team.report("web-2", "Running", false);

        team.scale(1);
        assertThat(team.pods()).hasSize(4);

        team.ready("web-2");
        assertThat(team.pods()).containsExactly("web-0:one+");
    }

    @Test
    void inParallelNobodyWaits() {
        team.create(4, TestingStatefulSets::parallel);
        assertThat(team.pods()).containsExactly("web-0:one", "web-1:one", "web-2:one", "web-3:one");

        team.scale(1);
        assertThat(team.pods()).containsExactly("web-0:one");
    }

    @Test
    void numbersStartWhereTheSetSays() {
        team.create(2, spec -> spec.putObject("ordinals").put("start", 5));
        team.allReady();
        assertThat(team.pods()).containsExactly("web-5:one+", "web-6:one+");

        team.change(spec -> spec.putObject("ordinals").put("start", 6));
        team.allReady();
        assertThat(team.pods()).containsExactly("web-6:one+", "web-7:one+");
    }

    @Test
    void aPodCountsOnceItHasBeenReadyForLongEnough() {
        team.create(2, spec -> spec.put("minReadySeconds", 30));
        team.ready("web-0");
        assertThat(team.pods()).containsExactly("web-0:one+");
        assertThat(team.count("availableReplicas")).isZero();

        cluster.pass(Duration.ofSeconds(31));
        assertThat(team.pods()).containsExactly("web-0:one+", "web-1:one");
        assertThat(team.count("availableReplicas")).isEqualTo(1);
    }

    @Test
    void podsThatEndedAreReplacedUnderTheirName() {
        team.create(2);
        team.allReady();
        String before = Objects.uid(api.get(PODS, "team", "web-0"));

        team.report("web-0", "Failed", false);
        assertThat(team.pods()).containsExactly("web-0:one", "web-1:one+");
        assertThat(Objects.uid(api.get(PODS, "team", "web-0"))).isNotEqualTo(before);

        team.report("web-1", "Succeeded", false);
        team.allReady();
        assertThat(team.pods()).containsExactly("web-0:one+", "web-1:one+");
    }

    @Test
    void aNodeThatStillRunsAPodKeepsItsName() {
        team.create(2);
        team.allReady();
        cluster.place("team", "web-0", "node-1");

        api.delete(PODS, "team", "web-0", KubeApi.Deletion.PLAIN);
        cluster.settle();
        assertThat(team.pods()).containsExactly("web-0:onex", "web-1:one+");

        api.finishPod("team", "web-0");
        cluster.settle();
        assertThat(team.pods()).containsExactly("web-0:one", "web-1:one+");
    }
}
