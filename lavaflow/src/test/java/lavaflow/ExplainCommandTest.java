package lavaflow;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import lavaflow.batch.Batch;
import lavaflow.cli.VolcanoObjects;
import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;
import lavaflow.node.SimShapes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A cluster of one node with one GPU, and a gang that wants four. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ExplainCommandTest {
    private static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");
    private static final KubeApi.Kind JOBS = new KubeApi.Kind("batch", "v1", "jobs", true);

    private TestingAllInOne testing;

    private record Said(int code, String text) {}

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        testing = new TestingAllInOne(
                directory.resolve("data"),
                AllInOne.Options.usual(
                        true, SimShapes.parse("shapes:\n- {name: gpu, count: 1, cpu: 16, memory: 64Gi, gpus: 1}\n")));
        testing.awaitReady("gpu-0");
        create(Batch.POD_GROUPS, """
                {"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup","metadata":{"name":"unmade"},
                 "spec":{"minMember":6,"queue":"default","minResources":{"cpu":"6","nvidia.com/gpu":"4"}}}""");
        create(Batch.POD_GROUPS, """
                {"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup","metadata":{"name":"tf"},
                 "spec":{"minMember":6,"queue":"default"}}""");
        for (int i = 0; i < 6; i++) {
            create(PODS, """
                    {"metadata":{"name":"%1$s-%2$d","annotations":{"scheduling.k8s.io/group-name":"tf",
                     "volcano.sh/task-spec":"%1$s"}},
                     "spec":{"schedulerName":"volcano","containers":[{"name":"c","image":"x",
                      "resources":{"requests":{"cpu":"1"},"limits":{%3$s}}}]}}""".formatted(i < 4 ? "worker" : "ps", i, i < 4 ? "\"nvidia.com/gpu\":\"1\"" : ""));
        }
        awaitScheduling("ps-5");
        awaitUnschedulable("unmade");
    }

    /** Waits until the scheduler has had a look at a gang. */
    private void awaitUnschedulable(String group) throws InterruptedException {
        testing.await(
                Batch.POD_GROUPS,
                "default",
                group,
                found -> found.stream()
                        .flatMap(each ->
                                Json.listAt(each, "status", "conditions").valueStream())
                        .anyMatch(condition -> Json.textAt(condition, "type").equals("Unschedulable")));
    }

    /** Waits until the scheduler has had a look at a pod. */
    private void awaitScheduling(String pod) throws InterruptedException {
        testing.await(
                PODS,
                "default",
                pod,
                found -> found.stream()
                        .flatMap(each ->
                                Json.listAt(each, "status", "conditions").valueStream())
                        .anyMatch(condition -> Json.textAt(condition, "type").equals("PodScheduled")));
    }

    @AfterAll
    void stop() throws Exception {
        testing.close();
    }

    private ObjectNode create(KubeApi.Kind kind, String text) {
        return testing.api.create(kind, "default", (ObjectNode) Json.parse(text));
    }

    private Said lava(String... words) {
        StringWriter text = new StringWriter();
        List<String> all = new ArrayList<>(List.of(words));
        all.add("--kubeconfig");
        all.add(testing.home.kubeconfig().toString());
        int code = Lava.run(all, new PrintWriter(text));
        return new Said(code, text.toString());
    }

    /** What is asked of the scheduler changes while it gets to know the cluster. */
    private static void soon(ThrowingRunnable asserted) {
        await().atMost(Duration.ofMinutes(3)).ignoreExceptions().untilAsserted(asserted);
    }

    private void awaitLines(String what, String... lines) {
        soon(() -> {
            Said said = lava("explain", what);
            assertThat(said.code()).isZero();
            assertThat(lines(said)).contains(lines);
        });
    }

    private static List<String> lines(Said said) {
        return said.text()
                .lines()
                .map(line -> line.strip().replaceAll(" +", " "))
                .toList();
    }

    @Test
    void theMissingGpusAreNamedBeforePodsAreMade() {
        awaitLines(
                "podgroup/unmade",
                "● PodGroup default/unmade is not let into queue default: it asks for nvidia.com/gpu 4, nodes have 1,"
                        + " 1 of it free: 3 missing.",
                "add 3 more nodes like gpu-0 with each cpu 16, ephemeral-storage 1Ti, memory 64Gi, nvidia.com/gpu 1");
    }

    @Test
    void theMissingGpusAreNamedWithThePodsThatWantThem() {
        awaitLines(
                "podgroup/tf",
                "● PodGroup default/tf waits for room: 3 of 4 worker pods that ask for cpu 1, nvidia.com/gpu 1 each"
                        + " fit on no node: missing nvidia.com/gpu 3.",
                "Pods 6 waiting",
                "Queue passed",
                "worker 1/4 cpu 1, nvidia.com/gpu 1 1/1 Insufficient nvidia.com/gpu gpu-0",
                "What would free it (tried on a copy of the cluster):",
                "add 3 more nodes like gpu-0 with each cpu 16, ephemeral-storage 1Ti, memory 64Gi, nvidia.com/gpu 1");
    }

    @Test
    void theSchedulerAndTheListsSayTheSame() {
        for (String what : List.of("podgroup/tf", "podgroup/unmade")) {
            soon(() -> {
                JsonNode served = Json.parse(lava("explain", what, "-o", "json").text());
                JsonNode listed = Json.parse(
                        lava("explain", what, "-o", "json", "--from-lists").text());
                assertThat(listed).as(what).isEqualTo(served);
            });
        }
    }

    @Test
    void aPodIsExplainedWithItsGang() {
        soon(() -> {
            JsonNode document =
                    Json.parse(lava("explain", "pod/worker-1", "-o", "json").text());
            assertThat(Json.textAt(document, "metadata", "name")).isEqualTo("tf");
            assertThat(Json.textAt(document, "pod", "name")).isEqualTo("worker-1");
        });
    }

    @Test
    void aPodOfNoGangIsExplainedByItself() throws InterruptedException {
        create(PODS, """
                {"metadata":{"name":"large"},"spec":{"containers":[{"name":"c","image":"x",
                 "resources":{"requests":{"cpu":"40"}}}]}}""");
        awaitScheduling("large");
        awaitLines(
                "pod/large",
                "● Pod default/large waits for room: it asks for cpu 40 and fits on no node.",
                "- 0/1 cpu 40 1/1 Insufficient cpu gpu-0",
                "add 1 more node with cpu 40");
    }

    @Test
    void claimsWithoutVolumesAreNamed() {
        create(KubeApi.Kind.core("persistentvolumeclaims"), """
                {"metadata":{"name":"data"},"spec":{"accessModes":["ReadWriteOnce"],"storageClassName":"unknown",
                 "resources":{"requests":{"storage":"1Gi"}}}}""");
        create(Batch.POD_GROUPS, """
                {"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup","metadata":{"name":"claims"},
                 "spec":{"minMember":2,"queue":"default"}}""");
        for (String claim : List.of("data", "missing")) {
            create(PODS, """
                    {"metadata":{"name":"claims-%1$s","annotations":{"scheduling.k8s.io/group-name":"claims"}},
                     "spec":{"schedulerName":"volcano","volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"%1$s"}}],
                      "containers":[{"name":"c","image":"x"}]}}""".formatted(claim));
        }
        awaitLines(
                "podgroup/claims",
                "data NoClass claim data names storage class unknown, which does not exist",
                "missing NoClaim claim missing does not exist",
                "create PersistentVolumeClaim missing in namespace default");
    }

    @Test
    void podsThatCannotStartAreNamedWithWhatToDo() {
        create(Batch.POD_GROUPS, """
                {"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup","metadata":{"name":"bad"},
                 "spec":{"minMember":2,"queue":"default"}}""");
        String[] states = {
            "{\"waiting\":{\"reason\":\"ImagePullBackOff\",\"message\":\"Back-off pulling image \\\"x\\\": ErrImagePull: no such image\"}}",
            "{\"terminated\":{\"exitCode\":3,\"reason\":\"Error\"}}"
        };
        for (int i = 0; i < states.length; i++) {
            create(PODS, """
                    {"metadata":{"name":"bad-%d","annotations":{"scheduling.k8s.io/group-name":"bad"}},
                     "spec":{"schedulerName":"volcano","nodeName":"nowhere","containers":[{"name":"c","image":"x"}]}}""".formatted(i));
            ObjectNode status = (ObjectNode) Json.parse("""
                    {"status":{"phase":"Pending","containerStatuses":[{"name":"c","image":"x","imageID":"","ready":false,
                     "restartCount":0,"state":%s}]}}""".formatted(states[i]));
            testing.api.patch(PODS, "default", "bad-" + i, "status", KubeApi.Merge.PLAIN, status);
        }
        awaitLines(
                "podgroup/bad",
                "● PodGroup default/bad has its nodes, but 2 of its pods do not run: no such image",
                "0 ErrImagePull no such image",
                "1 Error its program ends with exit code 3",
                "kubectl logs bad-1 -n default -c c");
    }

    @Test
    void aJobIsExplainedByItsPodGroup() throws InterruptedException {
        ObjectNode job = create(JOBS, """
                {"metadata":{"name":"train"},"spec":{"template":{"spec":{"schedulerName":"volcano","restartPolicy":"Never",
                 "containers":[{"name":"c","image":"x","resources":{"requests":{"cpu":"40"}}}]}}}}""");
        String group = "podgroup-" + Json.textAt(job, "metadata", "uid");
        awaitUnschedulable(group);
        soon(() -> {
            JsonNode document =
                    Json.parse(lava("explain", "job/train", "-o", "json").text());
            assertThat(Json.textAt(document, "metadata", "name")).isEqualTo(group);
            assertThat(Json.flagAt(document, "waiting")).isTrue();
        });
    }

    @Test
    void aJobThatHasEndedSaysSo() throws InterruptedException {
        ObjectNode job = create(VolcanoObjects.JOBS, """
                {"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","metadata":{"name":"done"},
                 "spec":{"schedulerName":"volcano","minAvailable":1,"queue":"default","tasks":[{"name":"only","replicas":1,
                  "template":{"metadata":{"annotations":{"sim.lavaflow.io/duration":"1s"}},"spec":{"restartPolicy":"Never",
                   "containers":[{"name":"c","image":"x"}]}}}]}}""");
        testing.await(
                VolcanoObjects.JOBS,
                "default",
                "done",
                found -> found.isPresent()
                        && Json.textAt(found.get(), "status", "state", "phase").equals("Completed"));
        testing.awaitGone(Batch.POD_GROUPS, "default", "done-" + Json.textAt(job, "metadata", "uid"));

        Said said = lava("explain", "job/done");
        assertThat(said.code()).isZero();
        assertThat(lines(said))
                .contains("● Job default/done is Completed: it waits for nothing.", "Queue default", "Phase Completed");
    }

    @Test
    void aTrainingJobThatHasFailedSaysWhy() throws InterruptedException {
        KubeApi.Kind jobs = new KubeApi.Kind("kubeflow.org", "v1", "pytorchjobs", true);
        create(jobs, """
                {"apiVersion":"kubeflow.org/v1","kind":"PyTorchJob","metadata":{"name":"wrong"},
                 "spec":{"pytorchReplicaSpecs":{"Master":{"replicas":1,"restartPolicy":"Never","template":{
                  "metadata":{"annotations":{"sim.lavaflow.io/duration":"1s","sim.lavaflow.io/exit-code":"3"}},
                  "spec":{"containers":[{"name":"pytorch","image":"x"}]}}}}}}""");
        testing.await(
                jobs,
                "default",
                "wrong",
                found -> found.isPresent() && found.get().toString().contains("\"Failed\""));
        testing.awaitGone(Batch.POD_GROUPS, "default", "wrong");

        Said said = lava("explain", "pytorchjob/wrong");
        assertThat(said.code()).isZero();
        assertThat(said.text())
                .contains(
                        "● PyTorchJob default/wrong has failed: PyTorchJob wrong is failed because 1 Master replica(s) failed.",
                        "its program ends with exit code 3",
                        "kubectl logs wrong-master-0 -n default -c pytorch");
    }

    @Test
    void trainingJobsAreExplainedByTheGroupOfTheirName() {
        for (String kind : List.of("tfjob", "pytorchjobs", "mpijob", "xgboostjob", "paddlejob", "jaxjob")) {
            JsonNode document =
                    Json.parse(lava("explain", kind + "/tf", "-o", "json").text());
            assertThat(Json.textAt(document, "metadata", "name")).as(kind).isEqualTo("tf");
        }
    }

    @Test
    void aQueueTellsWhoWaits() {
        soon(() -> assertThat(lava("explain", "queue/default").text())
                .contains("default/unmade", "default/tf", "lava explain podgroup/"));
    }

    @Test
    void whatDoesNotExistIsSaid() {
        assertThat(lava("explain", "podgroup/none").code()).isEqualTo(Lava.FAILED);
        assertThat(lava("explain", "queue/none").code()).isEqualTo(Lava.FAILED);
        assertThat(lava("explain", "pod/none").code()).isEqualTo(Lava.FAILED);
        assertThat(lava("explain", "job/none").code()).isEqualTo(Lava.FAILED);
        assertThat(lava("explain", "none").code()).isEqualTo(Lava.USAGE);
    }

    @Test
    void whoMayViewMayAsk() {
        JsonNode role = testing.api
                .find(
                        new KubeApi.Kind("rbac.authorization.k8s.io", "v1", "clusterroles", false),
                        "",
                        "lavaflow:explain")
                .orElseThrow();
        assertThat(Json.textAt(role, "metadata", "labels", "rbac.authorization.k8s.io/aggregate-to-view"))
                .isEqualTo("true");
    }
}
