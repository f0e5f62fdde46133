package lavaflow.cli;

import java.util.List;

import lavaflow.kube.Json;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class JobSummaryTest {
    private static JobSummary summary(String yaml) {
        return JobSummary.of(Manifests.read(yaml).jobs().getFirst());
    }

    @Test
    void aVolcanoJobTellsItsTasks() {
        JobSummary job = summary("""
                apiVersion: batch.volcano.sh/v1alpha1
                kind: Job
                metadata: {name: v}
                spec:
                  queue: research
                  minAvailable: 2
                  maxRetry: 5
                  priorityClassName: high
                  tasks:
                  - {name: ps, replicas: 1, template: {spec: {containers: [{image: a}]}}}
                  - {name: worker, replicas: 3, template: {spec: {containers: [{image: a}, {image: b}]}}}
                status:
                  state: {phase: Restarting, lastTransitionTime: "2030-01-01T00:01:00Z"}
                  running: 2
                  succeeded: 1
                  retryCount: 2
                  conditions:
                  - {status: Pending, lastTransitionTime: "2030-01-01T00:00:00Z"}
                  - {status: Running, lastTransitionTime: "2030-01-01T00:00:30Z"}
                """);
        assertThat(job.kind()).isEqualTo("Job");
        assertThat(job.phase()).isEqualTo("Restarting");
        assertThat(List.of(job.queue(), job.priority(), job.began()))
                .containsExactly("research", "high", "2030-01-01T00:00:30Z");
        assertThat(List.of(job.good(), job.all(), job.min(), job.retries(), job.mostRetries()))
                .containsExactly(3L, 4L, 2L, 2L, 5L);
        assertThat(job.parts()).containsExactly("ps:1", "worker:3");
        assertThat(job.images()).containsExactly("a", "b");
    }

    @Test
    void aTrainingJobTellsItsReplicasWhateverTheyAreCalled() {
        JobSummary job = summary("""
                apiVersion: kubeflow.org/v1
                kind: TFJob
                metadata: {name: t}
                spec:
                  runPolicy: {schedulingPolicy: {minAvailable: 3, priorityClass: high}}
                  tfReplicaSpecs:
                    Chief: {template: {spec: {containers: [{image: tf}]}}}
                    Worker: {replicas: 4, template: {spec: {containers: [{image: tf}]}}}
                status:
                  startTime: "2030-01-01T00:00:10Z"
                  completionTime: "2030-01-01T00:02:10Z"
                  replicaStatuses: {Chief: {succeeded: 1}, Worker: {active: 2, failed: 1}}
                  conditions:
                  - {type: Created, status: "True"}
                  - {type: Running, status: "False"}
                  - {type: Succeeded, status: "True"}
                """);
        assertThat(job.phase()).isEqualTo("Succeeded");
        assertThat(job.queue()).isEqualTo("default");
        assertThat(List.of(job.good(), job.all(), job.min())).containsExactly(3L, 5L, 3L);
        assertThat(List.of(job.began(), job.ended())).containsExactly("2030-01-01T00:00:10Z", "2030-01-01T00:02:10Z");
        assertThat(job.parts()).containsExactly("Chief:1", "Worker:4");
        assertThat(job.images()).containsExactly("tf");
    }

    @Test
    void aTrainJobTellsTheJobsItIsMadeOf() {
        JobSummary job = summary("""
                apiVersion: trainer.kubeflow.org/v1alpha1
                kind: TrainJob
                metadata: {name: j, creationTimestamp: "2030-01-01T00:00:00Z"}
                spec: {runtimeRef: {name: torch-distributed}, trainer: {numNodes: 2}}
                status:
                  jobsStatus:
                  - {name: dataset-initializer, ready: 0, succeeded: 1}
                  - {name: node, ready: 0, succeeded: 0, active: 1}
                """);
        assertThat(job.phase()).isEqualTo("Pending");
        assertThat(List.of(job.good(), job.all(), job.min())).containsExactly(1L, 2L, 2L);
        assertThat(job.parts()).containsExactly("dataset-initializer", "node");
        Json.ensureObject(job.object(), "status")
                .putArray("conditions")
                .addObject()
                .put("type", "Complete")
                .put("status", "True")
                .put("lastTransitionTime", "2030-01-01T00:05:00Z");
        JobSummary after = JobSummary.of(job.object());
        assertThat(List.of(after.phase(), after.ended())).containsExactly("Complete", "2030-01-01T00:05:00Z");
    }
}
