package lavaflow.trainer;

import java.time.Duration;

import lavaflow.kube.Json;
import lavaflow.training.Gang;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class JobSetsTest {
    private final TestingTrainer cluster = new TestingTrainer(Gang.NONE);

    /** Two sorts of Jobs, a and b, with more of the spec before them. */
    private static ObjectNode independent(String more) {
        return set(more, "");
    }

    private static ObjectNode set(String more, String ofB) {
        return TestingTrainer.yaml("""
                apiVersion: jobset.x-k8s.io/v1alpha2
                kind: JobSet
                metadata: {name: digits}
                spec: {%s replicatedJobs: [
                  {name: a, template: {spec: {parallelism: 2, template: {spec: {containers: [{name: a, image: a}]}}}}},
                  {name: b, replicas: 2, %s template: {spec: {template: {spec: {containers: [{name: b, image: b}]}}}}}]}
                """.formatted(more, ofB));
    }

    private ObjectNode seen() {
        return cluster.get(Trainer.JOB_SETS, "digits");
    }

    @Test
    void laterJobsComeWhenTheOthersAreReady() {
        cluster.submit(set("", "dependsOn: [{name: a, status: Ready}],"));
        assertThat(cluster.names(Trainer.SERVICES)).containsExactly("digits");
        assertThat(cluster.names(Trainer.JOBS)).containsExactly("digits-a-0");
        cluster.job("digits-a-0", status -> status.put("active", 2).put("ready", 1));
        assertThat(cluster.names(Trainer.JOBS)).containsExactly("digits-a-0");
        cluster.running("digits-a-0");
        assertThat(cluster.names(Trainer.JOBS)).containsExactly("digits-a-0", "digits-b-0", "digits-b-1");
        assertThat(Json.string(seen().path("status").path("replicatedJobsStatus")))
                .isEqualTo("[{\"name\":\"b\",\"ready\":0,\"succeeded\":0,\"failed\":0,\"active\":0,\"suspended\":0},"
                        + "{\"name\":\"a\",\"ready\":1,\"succeeded\":0,\"failed\":0,\"active\":1,\"suspended\":0}]");
    }

    @Test
    void theyComeOneSortAfterTheOtherIfThatIsTheOrder() {
        cluster.submit(independent("startupPolicy: {startupPolicyOrder: InOrder},"));
        assertThat(cluster.names(Trainer.JOBS)).containsExactly("digits-a-0");
        assertThat(cluster.setConditions()).isEqualTo("StartupPolicyInProgress");
        cluster.running("digits-a-0");
        assertThat(cluster.names(Trainer.JOBS)).containsExactly("digits-a-0", "digits-b-0", "digits-b-1");
        cluster.running("digits-b-0");
        cluster.running("digits-b-1");
        assertThat(cluster.setConditions()).isEqualTo("StartupPolicyInProgress(False) StartupPolicyCompleted");
    }

    @Test
    void itIsCompleteWithAllJobs() {
        cluster.submit(independent(""));
        cluster.end("digits-a-0", "Complete", "CompletionsReached");
        cluster.end("digits-b-0", "Complete", "CompletionsReached");
        assertThat(cluster.setConditions()).isEmpty();
        cluster.end("digits-b-1", "Complete", "CompletionsReached");
        assertThat(TestingTrainer.message(seen(), "Completed"))
                .isEqualTo("AllJobsCompleted: jobset completed successfully");
        assertThat(Json.textAt(seen(), "status", "terminalState")).isEqualTo("Completed");
    }

    @Test
    void itIsCompleteWithThoseThatCountAndTheOthersEnd() {
        cluster.submit(independent("successPolicy: {operator: All, targetReplicatedJobs: [a]},"));
        cluster.end("digits-a-0", "Complete", "CompletionsReached");
        assertThat(cluster.setConditions()).isEqualTo("Completed");
        cluster.bury();
        assertThat(cluster.names(Trainer.JOBS)).containsExactly("digits-a-0");
    }

    @Test
    void oneFailureIsTheEndWhereNothingIsSaid() {
        cluster.submit(independent(""));
        cluster.end("digits-b-1", "Failed", "BackoffLimitExceeded");
        assertThat(TestingTrainer.message(seen(), "Failed"))
                .isEqualTo("FailedJobs: jobset failed due to one or more job failures (first failed job: digits-b-1)");
        cluster.bury();
        assertThat(cluster.names(Trainer.JOBS)).containsExactly("digits-b-1");
        assertThat(cluster.events())
                .contains("FailedJobs: jobset failed due to one or more job failures (first failed job: digits-b-1)");
    }

    @Test
    void allBeginAnewAsOftenAsTheyMay() {
        cluster.submit(independent("failurePolicy: {maxRestarts: 1},"));
        cluster.running("digits-a-0");
        cluster.end("digits-b-1", "Failed", "BackoffLimitExceeded");
        assertThat(Json.longAt(seen(), 0, "status", "restarts")).isEqualTo(1);
        assertThat(Json.longAt(seen(), 0, "status", "restartsCountTowardsMax")).isEqualTo(1);
        assertThat(TestingTrainer.message(seen(), "RestartingJobSet"))
                .isEqualTo("DefaultFailurePolicy: applying RestartJobSet failure policy action"
                        + " (first failed job: digits-b-1)");
        cluster.bury();
        assertThat(cluster.names(Trainer.JOBS)).containsExactly("digits-a-0", "digits-b-0", "digits-b-1");
        assertThat(Json.textAt(cluster.get(Trainer.JOBS, "digits-a-0"), "metadata", "labels", JobSetLabels.ATTEMPT))
                .isEqualTo("1");
        cluster.running("digits-a-0");
        cluster.running("digits-b-0");
        cluster.running("digits-b-1");
        assertThat(cluster.setConditions()).isEqualTo("RestartingJobSet(False)");
        cluster.end("digits-a-0", "Failed", "BackoffLimitExceeded");
        assertThat(TestingTrainer.message(seen(), "Failed"))
                .isEqualTo("ReachedMaxRestarts: jobset failed due to reaching max number of restarts"
                        + " (first failed job: digits-a-0)");
    }

    @Test
    void rulesDecideByReasonAndJob() {
        cluster.submit(independent("""
                failurePolicy: {maxRestarts: 0, rules: [
                  {name: host, action: RestartJobSetAndIgnoreMaxRestarts, onJobFailureReasons: [PodFailurePolicy]},
                  {name: b, action: FailJobSet, targetReplicatedJobs: [b]}]},"""));
        cluster.end("digits-b-0", "Failed", "PodFailurePolicy");
        assertThat(Json.longAt(seen(), 0, "status", "restarts")).isEqualTo(1);
        assertThat(TestingTrainer.message(seen(), "RestartingJobSet")).startsWith("FailurePolicy_host: ");
        cluster.bury();
        cluster.end("digits-b-0", "Failed", "BackoffLimitExceeded");
        assertThat(TestingTrainer.message(seen(), "Failed")).startsWith("FailJobSetFailurePolicyAction: ");
    }

    @Test
    void whileItIsSuspendedThePlacementOfPodsMayChange() {
        cluster.submit(independent("suspend: true,"));
        assertThat(cluster.setConditions()).isEqualTo("Suspended");
        assertThat(Json.flagAt(cluster.get(Trainer.JOBS, "digits-a-0"), "spec", "suspend"))
                .isTrue();
        cluster.job("digits-a-0", status -> status.put("startTime", "2030-01-01T00:00:00Z"));
        cluster.change(Trainer.JOB_SETS, "digits", found -> {
            Json.ensureObject(found, "spec").put("suspend", false);
            ObjectNode job =
                    (ObjectNode) Json.listAt(found, "spec", "replicatedJobs").get(0);
            Json.ensureObject(job, "template", "spec", "template", "spec", "nodeSelector")
                    .put("zone", "a");
        });
        ObjectNode job = cluster.get(Trainer.JOBS, "digits-a-0");
        assertThat(Json.flagAt(job, "spec", "suspend")).isFalse();
        assertThat(Json.textAt(job, "spec", "template", "spec", "nodeSelector", "zone"))
                .isEqualTo("a");
        assertThat(Json.at(job, "status", "startTime")).isNull();
        assertThat(cluster.setConditions()).isEqualTo("Suspended(False)");
    }

    @Test
    void itGoesWhenItsTimeIsOver() {
        cluster.submit(independent("ttlSecondsAfterFinished: 60,"));
        cluster.end("digits-b-1", "Failed", "BackoffLimitExceeded");
        cluster.pass(Duration.ofSeconds(59));
        assertThat(cluster.names(Trainer.JOB_SETS)).containsExactly("digits");
        cluster.pass(Duration.ofSeconds(1));
        assertThat(Trainer.isDeleting(seen())).isTrue();
    }

    @Test
    void somebodyElsesIsLeftAlone() {
        cluster.submit(independent("managedBy: kueue.x-k8s.io/multikueue,"));
        assertThat(cluster.names(Trainer.JOBS)).isEmpty();
    }
}
