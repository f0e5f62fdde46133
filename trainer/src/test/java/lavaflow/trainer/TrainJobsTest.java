package lavaflow.trainer;

import java.time.Duration;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;
import lavaflow.training.Gang;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TrainJobsTest {
    private final TestingTrainer cluster = new TestingTrainer(Gang.VOLCANO);

    private ObjectNode seen() {
        return cluster.get(Trainer.TRAIN_JOBS, "digits");
    }

    @Test
    void itIsAJobSetAndAGangAndTellsItsEnd() {
        cluster.submit(TestingTrainer.job("torch-distributed"));
        assertThat(cluster.names(Trainer.JOB_SETS)).containsExactly("digits");
        assertThat(cluster.names(Trainer.JOBS)).containsExactly("digits-node-0");
        assertThat(Json.longAt(cluster.get(TestingTrainer.GROUPS, "digits"), 0, "spec", "minMember"))
                .isEqualTo(2);
        cluster.running("digits-node-0");
        assertThat(Json.string(seen().path("status")))
                .isEqualTo("{\"jobsStatus\":[{\"name\":\"node\",\"ready\":1,\"succeeded\":0,\"failed\":0,\"active\":1,"
                        + "\"suspended\":0}]}");
        cluster.end("digits-node-0", "Complete", "CompletionsReached");
        assertThat(TestingTrainer.message(seen(), "Complete"))
                .isEqualTo("AllJobsCompleted: jobset completed successfully");
        assertThat(cluster.names(TestingTrainer.GROUPS)).isEmpty();
        assertThat(cluster.names(Trainer.JOBS)).containsExactly("digits-node-0");
    }

    @Test
    void jobsThatEndAfterItAreStillCounted() {
        cluster.submit(TestingTrainer.job("deepspeed-distributed"));
        cluster.running("digits-node-0");
        cluster.running("digits-launcher-0");
        cluster.end("digits-launcher-0", "Complete", "CompletionsReached");
        cluster.bury();
        assertThat(cluster.conditions()).isEqualTo("Complete");
        assertThat(Json.string(seen().path("status").path("jobsStatus")))
                .isEqualTo(
                        "[{\"name\":\"node\",\"ready\":0,\"succeeded\":0,\"failed\":0,\"active\":0,\"suspended\":0},"
                                + "{\"name\":\"launcher\",\"ready\":0,\"succeeded\":1,\"failed\":0,\"active\":0,\"suspended\":0}]");
    }

    @Test
    void itsJobSetSaysWhatIsUsualAndEventsNameUpstreamsTellers() {
        cluster.submit(TestingTrainer.job("torch-distributed"));
        ObjectNode set = cluster.get(Trainer.JOB_SETS, "digits");
        assertThat(Json.textAt(set, "spec", "startupPolicy", "startupPolicyOrder"))
                .isEqualTo("AnyOrder");
        cluster.end("digits-node-0", "Complete", "CompletionsReached");
        cluster.submit(named(TestingTrainer.job("missing"), "other"));
        assertThat(cluster.api.list(TestingTrainer.EVENTS, "", KubeApi.View.WHOLE).items().stream()
                        .map(event -> Json.textAt(event, "source", "component")))
                .containsExactlyInAnyOrder("jobset", "trainer-trainjob-controller");
    }

    private static ObjectNode named(ObjectNode job, String name) {
        Json.ensureObject(job, "metadata").put("name", name);
        return job;
    }

    @Test
    void aFailureStaysOneEvenWhenTheJobSetIsGone() {
        cluster.submit(TestingTrainer.job("torch-distributed"));
        cluster.end("digits-node-0", "Failed", "BackoffLimitExceeded");
        assertThat(TestingTrainer.message(seen(), "Failed"))
                .isEqualTo("FailedJobs: jobset failed due to one or more job failures"
                        + " (first failed job: digits-node-0)");
        cluster.api.delete(Trainer.JOB_SETS, TestingTrainer.TEAM, "digits", KubeApi.Deletion.PLAIN);
        cluster.settle();
        assertThat(cluster.names(Trainer.JOB_SETS)).isEmpty();
        assertThat(cluster.conditions()).isEqualTo("Failed");
    }

    @Test
    void theRuntimeIsAsItWasWhenTheJobBegan() {
        cluster.submit(TestingTrainer.job("torch-distributed"));
        cluster.suspend(true);
        cluster.api.delete(Trainer.CLUSTER_RUNTIMES, "", "torch-distributed", KubeApi.Deletion.PLAIN);
        cluster.suspend(false);
        assertThat(cluster.events()).noneMatch(event -> event.startsWith("TrainJobResourcesCreationFailed"));
        assertThat(Json.flagAt(cluster.get(Trainer.JOB_SETS, "digits"), "spec", "suspend"))
                .isFalse();
        assertThat(cluster.names(Trainer.CONFIG_MAPS)).containsExactly("digits-runtime-snapshot");
    }

    @Test
    void aRuntimeThatIsNotThereIsToldAndWaitedFor() {
        cluster.submit(TestingTrainer.job("mine"));
        assertThat(cluster.events())
                .containsExactly("TrainJobResourcesCreationFailed: TrainJob resources reconciliation failed:"
                        + " ClusterTrainingRuntime specified in TrainJob is not found:"
                        + " ClusterTrainingRuntime.trainer.kubeflow.org \"mine\" not found");
        ObjectNode runtime = TrainerRuntimes.FILES.read("jax-distributed");
        Json.ensureObject(runtime, "metadata").put("name", "mine");
        cluster.api.create(Trainer.CLUSTER_RUNTIMES, "", runtime);
        cluster.pass(Duration.ofSeconds(5));
        assertThat(cluster.names(Trainer.JOBS)).containsExactly("digits-node-0");
    }

    @Test
    void aKindOfRuntimeThatNobodyKnowsIsAFailure() {
        ObjectNode job = TestingTrainer.job("x");
        Json.ensureObject(job, "spec", "runtimeRef").put("kind", "Cloud");
        cluster.submit(job);
        assertThat(TestingTrainer.message(seen(), "Failed"))
                .isEqualTo("TrainingRuntimeNotSupported: unsupported runtime: Cloud.trainer.kubeflow.org");
    }

    @Test
    void itIsSuspendedAndResumed() {
        cluster.submit(TestingTrainer.job("torch-distributed"));
        cluster.running("digits-node-0");
        cluster.suspend(true);
        assertThat(TestingTrainer.message(seen(), "Suspended")).isEqualTo("Suspended: TrainJob is suspended");
        assertThat(Json.flagAt(cluster.get(Trainer.JOBS, "digits-node-0"), "spec", "suspend"))
                .isTrue();
        assertThat(cluster.names(TestingTrainer.GROUPS)).isEmpty();
        cluster.suspend(false);
        assertThat(TestingTrainer.message(seen(), "Suspended")).isEqualTo("Resumed: TrainJob is resumed");
        assertThat(Json.flagAt(cluster.get(Trainer.JOBS, "digits-node-0"), "spec", "suspend"))
                .isFalse();
        assertThat(cluster.names(TestingTrainer.GROUPS)).containsExactly("digits");
    }

    @Test
    void patchesReachPodsThatWait() {
        ObjectNode job = TestingTrainer.job("torch-distributed");
        Json.ensureObject(job, "spec").put("suspend", true);
        cluster.submit(job);
        cluster.change(Trainer.TRAIN_JOBS, "digits", found -> {
            ObjectNode spec = Json.ensureObject(found, "spec");
            spec.put("suspend", false);
            spec.set("runtimePatches", TestingTrainer.yaml("""
                    patches:
                    - manager: kueue.x-k8s.io/manager
                      trainingRuntimeSpec: {template: {spec: {replicatedJobs: [
                        {name: node, template: {spec: {template: {spec: {nodeSelector: {zone: a}}}}}}]}}}
                    """).get("patches"));
        });
        assertThat(Json.textAt(
                        cluster.get(Trainer.JOBS, "digits-node-0"), "spec", "template", "spec", "nodeSelector", "zone"))
                .isEqualTo("a");
    }

    @Test
    void itsTimeIsLimited() {
        ObjectNode job = TestingTrainer.job("torch-distributed");
        Json.ensureObject(job, "spec").put("activeDeadlineSeconds", 60);
        cluster.submit(job);
        cluster.pass(Duration.ofSeconds(59));
        assertThat(cluster.conditions()).isEmpty();
        cluster.pass(Duration.ofSeconds(2));
        assertThat(TestingTrainer.message(seen(), "Failed"))
                .isEqualTo("DeadlineExceeded: TrainJob exceeded its active deadline");
        assertThat(cluster.names(Trainer.JOB_SETS)).isEmpty();
        assertThat(cluster.names(TestingTrainer.GROUPS)).isEmpty();
    }

    @Test
    void somebodyElsesIsLeftAlone() {
        ObjectNode job = TestingTrainer.job("torch-distributed");
        Json.ensureObject(job, "spec").put("managedBy", "kueue.x-k8s.io/multikueue");
        cluster.submit(job);
        assertThat(cluster.names(Trainer.JOB_SETS)).isEmpty();
    }

    @Test
    void mpiHasAKeyThatStays() {
        cluster.submit(TestingTrainer.job("deepspeed-distributed"));
        assertThat(cluster.names(Trainer.CONFIG_MAPS))
                .containsExactly("digits-mpi-hostfile", "digits-runtime-snapshot");
        ObjectNode before = cluster.get(Trainer.SECRETS, "digits-mpi-ssh-auth");
        assertThat(cluster.names(Trainer.JOBS)).containsExactly("digits-node-0");
        cluster.running("digits-node-0");
        assertThat(cluster.names(Trainer.JOBS)).containsExactly("digits-launcher-0", "digits-node-0");
        cluster.suspend(true);
        cluster.suspend(false);
        assertThat(cluster.get(Trainer.SECRETS, "digits-mpi-ssh-auth")).isEqualTo(before);
        cluster.end("digits-launcher-0", "Complete", "CompletionsReached");
        assertThat(cluster.conditions()).isEqualTo("Suspended(False) Complete");
        cluster.bury();
        assertThat(cluster.names(Trainer.JOBS)).containsExactly("digits-launcher-0");
    }
}
