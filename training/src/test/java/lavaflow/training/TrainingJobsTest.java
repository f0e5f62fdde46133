package lavaflow.training;

import java.time.Duration;
import java.util.List;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class TrainingJobsTest {
    private final TestingCluster cluster = TestingCluster.whole(Gang.NONE);

    private static ObjectNode torch() {
        return TestingJobs.job("PyTorchJob", "Master=1", "Worker=2");
    }

    @Test
    void withoutDefinitionsNobodyIsAskedForJobs() {
        TestingCluster bare = new TestingCluster(Gang.VOLCANO);
        bare.settle();
        bare.pass(Duration.ofMinutes(10));
        assertThat(bare.api.takeWrites()).isEmpty();
        bare.pass(Duration.ofMinutes(10));
        assertThat(bare.api.requestCount()).isZero();
    }

    @Test
    void aJobGetsAPodAndAServiceForEveryReplica() {
        ObjectNode job = torch();
        cluster.submit(job);
        assertThat(cluster.pods()).containsExactly("digits-master-0", "digits-worker-0", "digits-worker-1");
        assertThat(cluster.names(Training.SERVICES))
                .containsExactly("digits-master-0", "digits-worker-0", "digits-worker-1");
        assertThat(cluster.conditions(job)).isEqualTo("Created");
        assertThat(cluster.message(job)).isEqualTo("PyTorchJobCreated: PyTorchJob digits is created.");
        assertThat(Json.textAt(cluster.status(job), "startTime")).isEqualTo("2030-01-02T03:04:05Z");
        assertThat(cluster.events())
                .containsExactlyInAnyOrder(
                        "SuccessfulCreatePod: Created pods: digits-master-0, digits-worker-0, digits-worker-1",
                        "SuccessfulCreateService: Created services: digits-master-0, digits-worker-0,"
                                + " digits-worker-1");
    }

    @Test
    void theMastersSuccessIsTheJobs() {
        ObjectNode job = torch();
        cluster.submit(job);
        cluster.all("digits", "Running");
        assertThat(cluster.conditions(job)).isEqualTo("Created Running");
        assertThat(cluster.message(job)).isEqualTo("PyTorchJobRunning: PyTorchJob digits is running.");
        String selector = ",\"selector\":\"training.kubeflow.org/job-name=digits,training.kubeflow.org/operator-name="
                + "pytorchjob-controller,training.kubeflow.org/replica-type=";
        assertThat(cluster.counts(job))
                .isEqualTo("{\"Master\":{\"active\":1" + selector + "master\"},\"Worker\":{\"active\":2" + selector
                        + "worker\"}}");
        cluster.exit("digits-master-0", 0);
        assertThat(cluster.conditions(job)).isEqualTo("Created Running(False) Succeeded");
        assertThat(cluster.message(job)).isEqualTo("PyTorchJobSucceeded: PyTorchJob digits is successfully completed.");
        assertThat(Json.longAt(cluster.status(job), 0, "replicaStatuses", "Master", "succeeded"))
                .isEqualTo(1);
        assertThat(Json.longAt(cluster.status(job), 0, "replicaStatuses", "Worker", "succeeded"))
                .isEqualTo(2);
        assertThat(cluster.counts(job)).doesNotContain("active");
        assertThat(Json.textAt(cluster.status(job), "completionTime")).isEqualTo("2030-01-02T03:04:05Z");
        assertThat(cluster.pods()).hasSize(3);
        assertThat(cluster.metrics())
                .contains("training_operator_jobs_created_total{job_namespace=\"team\",framework=\"pytorch\"} 1\n")
                .contains("training_operator_jobs_successful_total{job_namespace=\"team\",framework=\"pytorch\"} 1\n");
    }

    @ParameterizedTest
    @CsvSource({"None,3,3", "Running,1,1", "All,0,0", "Whatever,0,0"})
    void podsOfAJobThatEndedGoByItsPolicy(String policy, int pods, int services) {
        ObjectNode job = torch();
        TestingJobs.policy(job).put("cleanPodPolicy", policy);
        cluster.submit(job);
        cluster.all("digits-worker", "Running");
        cluster.exit("digits-master-0", 0);
        cluster.pods().stream().filter(cluster::isDeleting).toList().forEach(cluster::gone);
        assertThat(cluster.pods()).hasSize(pods);
        assertThat(cluster.names(Training.SERVICES)).hasSize(services);
        assertThat(cluster.conditions(job)).startsWith("Created").endsWith("Succeeded");
    }

    @Test
    void numbersAloneAreToldAfterAWhile() {
        ObjectNode job = torch();
        cluster.submit(job);
        cluster.all("digits", "Running");
        cluster.api.takeWrites();
        cluster.exit("digits-worker-0", 0);
        assertThat(cluster.api.takeWrites()).noneMatch(write -> write.contains("status"));
        cluster.pass(Duration.ofSeconds(1));
        assertThat(cluster.api.takeWrites())
                .filteredOn(write -> write.contains("status"))
                .hasSize(1);
        assertThat(cluster.counts(job)).contains("\"Worker\":{\"active\":1,\"succeeded\":1");
    }

    @Test
    void aReplicaThatMayIsMadeAnew() {
        ObjectNode job = torch();
        cluster.submit(job);
        cluster.all("digits", "Running");
        cluster.phase("digits-worker-1", "Failed");
        assertThat(cluster.isDeleting("digits-worker-1")).isTrue();
        assertThat(cluster.conditions(job)).isEqualTo("Created Restarting");
        assertThat(cluster.message(job))
                .isEqualTo("PyTorchJobRestarting: job digits is restarting because Worker replica(s) failed.");
        cluster.gone("digits-worker-1");
        assertThat(cluster.isDeleting("digits-worker-1")).isFalse();
        cluster.all("digits", "Running");
        assertThat(cluster.conditions(job)).isEqualTo("Created Running");
        assertThat(cluster.metrics())
                .contains("jobs_restarted_total{job_namespace=\"team\",framework=\"pytorch\"} 1\n");
        assertThat(cluster.events())
                .filteredOn(event -> event.startsWith("PyTorchJobRestarting"))
                .hasSize(1);
    }

    @Test
    void aReplicaThatMayNotFailsTheJob() {
        ObjectNode job = torch();
        TestingJobs.replica(job, "Worker").put("restartPolicy", "Never");
        cluster.submit(job);
        cluster.all("digits", "Running");
        cluster.exit("digits-worker-1", 1);
        assertThat(cluster.conditions(job)).isEqualTo("Created Running(False) Failed");
        assertThat(cluster.message(job))
                .isEqualTo("PyTorchJobFailed: PyTorchJob digits is failed because 1 Worker replica(s) failed.");
        assertThat(cluster.events()).contains("ExitedWithCode: Pod: team.digits-worker-1 exited with code 1");
        cluster.exit("digits-master-0", 0);
        assertThat(cluster.conditions(job)).isEqualTo("Created Running(False) Failed");
    }

    @ParameterizedTest
    @CsvSource({"1,true", "127,true", "128,false", "137,false"})
    void exitCodesSayWhetherTryingAgainHelps(int code, boolean forGood) {
        for (String kind : List.of("TFJob", "PyTorchJob", "XGBoostJob", "PaddleJob", "JAXJob")) {
            TestingCluster own = TestingCluster.whole(Gang.NONE);
            ObjectNode job = TestingJobs.job(kind, kind.equals("XGBoostJob") ? "Master=1" : "Worker=2");
            String type = kind.equals("XGBoostJob") ? "Master" : "Worker";
            TestingJobs.replica(job, type).put("restartPolicy", "ExitCode");
            own.submit(job);
            own.all("digits", "Running");
            String pod = "digits-" + Training.lower(type) + "-0";
            own.exit(pod, code);
            if (forGood) {
                assertThat(own.conditions(job)).as(kind).endsWith("Failed");
                assertThat(own.message(job))
                        .isEqualTo(
                                kind + "Failed: job \"digits\" is failing because \"" + type + "\" replica(s) failed.");
                assertThat(own.status(job).has("completionTime")).isTrue();
                assertThat(own.isDeleting(pod)).isFalse();
            } else {
                assertThat(own.conditions(job)).as(kind).endsWith("Restarting");
                assertThat(own.isDeleting(pod)).isTrue();
            }
        }
    }

    @Test
    void aDrainedReplicaIsMadeAnewAlsoWhereUpstreamFails() {
        for (String kind : List.of("TFJob", "XGBoostJob")) {
            TestingCluster own = TestingCluster.whole(Gang.NONE);
            ObjectNode job = TestingJobs.job(kind, "Master=1", "Worker=1");
            TestingJobs.replica(job, "Master").put("restartPolicy", "OnFailure");
            TestingJobs.replica(job, "Worker").put("restartPolicy", "OnFailure");
            own.submit(job);
            own.all("digits", "Running");
            own.delete(Training.PODS, "digits-worker-0");
            assertThat(own.conditions(job)).as(kind).isEqualTo("Created Restarting");
            own.gone("digits-worker-0");
            own.all("digits", "Running");
            assertThat(own.conditions(job)).as(kind).isEqualTo("Created Running");
        }
    }

    @Test
    void replacementsCountForTheBackoffLimitEachOnce() {
        ObjectNode job = torch();
        TestingJobs.policy(job).put("backoffLimit", 2);
        cluster.submit(job);
        cluster.all("digits", "Running");
        cluster.phase("digits-worker-0", "Failed");
        cluster.crash();
        cluster.settle();
        cluster.gone("digits-worker-0");
        cluster.all("digits", "Running");
        assertThat(cluster.conditions(job)).isEqualTo("Created Running");
        cluster.phase("digits-worker-0", "Failed");
        assertThat(cluster.conditions(job)).isEqualTo("Created Running(False) Failed");
        assertThat(cluster.message(job))
                .isEqualTo(
                        "PyTorchJobFailed: Job digits has failed because it has reached the specified backoff limit");
        assertThat(cluster.isDeleting("digits-worker-0")).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"0,1,true", "3,2,false", "3,3,true"})
    void restartsInPlaceCountForTheBackoffLimit(int limit, int restarts, boolean failed) {
        ObjectNode job = torch();
        TestingJobs.policy(job).put("backoffLimit", limit);
        cluster.submit(job);
        cluster.all("digits", "Running");
        cluster.restarts("digits-worker-0", restarts);
        assertThat(cluster.conditions(job).endsWith("Failed")).isEqualTo(failed);
    }

    @Test
    void theDeadlineIsKeptWithoutAnybodyMoving() {
        ObjectNode job = torch();
        TestingJobs.policy(job).put("activeDeadlineSeconds", 60).put("cleanPodPolicy", "Running");
        cluster.submit(job);
        cluster.all("digits", "Running");
        cluster.pass(Duration.ofSeconds(59));
        assertThat(cluster.conditions(job)).isEqualTo("Created Running");
        cluster.pass(Duration.ofSeconds(1));
        assertThat(cluster.conditions(job)).isEqualTo("Created Running(False) Failed");
        assertThat(cluster.message(job))
                .isEqualTo("PyTorchJobFailed: Job digits has failed because it was active longer than specified"
                        + " deadline");
        assertThat(cluster.pods()).allMatch(cluster::isDeleting);
    }

    @Test
    void aJobThatEndedGoesAfterItsTime() {
        ObjectNode job = torch();
        TestingJobs.policy(job).put("ttlSecondsAfterFinished", 100);
        cluster.submit(job);
        cluster.exit("digits-master-0", 0);
        cluster.pass(Duration.ofSeconds(99));
        assertThat(cluster.api.has(TestingCluster.kind(job), "team", "digits")).isTrue();
        cluster.pass(Duration.ofSeconds(1));
        assertThat(cluster.api.has(TestingCluster.kind(job), "team", "digits")).isFalse();
        assertThat(cluster.events()).contains("SuccessfulDeletePod: Deleted job: digits");
    }

    @Test
    void suspensionTakesEverythingAndResumingMakesItAnew() {
        ObjectNode job = torch();
        cluster.submit(job);
        cluster.all("digits", "Running");
        cluster.change(job, found -> TestingJobs.policy(found).put("suspend", true));
        assertThat(cluster.conditions(job)).isEqualTo("Created Running(False) Suspended");
        assertThat(cluster.message(job)).isEqualTo("PyTorchJobSuspended: PyTorchJob digits is suspended.");
        assertThat(cluster.pods()).allMatch(cluster::isDeleting);
        assertThat(cluster.names(Training.SERVICES)).isEmpty();
        assertThat(cluster.counts(job)).doesNotContain("active");
        cluster.pass(Duration.ofSeconds(10));
        cluster.change(job, found -> TestingJobs.policy(found).put("suspend", false));
        assertThat(cluster.conditions(job)).as("pods of before are still there").endsWith("Suspended");
        cluster.exit("digits-worker-0", 143);
        cluster.pods().forEach(cluster::gone);
        assertThat(cluster.conditions(job)).isEqualTo("Created Running(False) Suspended(False)");
        assertThat(cluster.message(job)).isEqualTo("PyTorchJobResumed: PyTorchJob digits is resumed.");
        assertThat(Json.textAt(cluster.status(job), "startTime")).isEqualTo("2030-01-02T03:04:15Z");
        assertThat(cluster.pods()).hasSize(3).noneMatch(cluster::isDeleting);
        cluster.all("digits", "Running");
        assertThat(cluster.conditions(job)).isEqualTo("Created Suspended(False) Running");
    }

    @Test
    void whatIsLeftOfASuspensionGoesBeforeAJobResumes() {
        ObjectNode job = torch();
        cluster.submit(job);
        cluster.all("digits", "Running");
        // It was resumed while the server was too busy to delete its pods.
        cluster.api.edit(TestingCluster.kind(job), "team", "digits", found -> {
            ObjectNode condition = Json.listAt(found, "status", "conditions").addObject();
            condition.put("type", "Suspended").put("status", "True");
            return found;
        });
        cluster.settle();
        assertThat(cluster.pods()).hasSize(3).allMatch(cluster::isDeleting);
        cluster.api.takeWrites();
        cluster.pods().forEach(cluster::gone);
        assertThat(cluster.conditions(job)).isEqualTo("Created Running(False) Suspended(False)");
        assertThat(cluster.pods()).hasSize(3).noneMatch(cluster::isDeleting);
        assertThat(cluster.api.takeWrites().stream().filter(write -> !write.startsWith("update pods")))
                .as("that it resumes comes before its pods")
                .element(0)
                .asString()
                .contains("pytorchjobs");
    }

    @Test
    void aJobBornSuspendedHasNothing() {
        ObjectNode job = torch();
        TestingJobs.policy(job).put("suspend", true);
        cluster.submit(job);
        assertThat(cluster.pods()).isEmpty();
        assertThat(cluster.conditions(job)).isEqualTo("Created Suspended");
        assertThat(cluster.status(job).has("startTime")).isFalse();
        assertThat(cluster.events()).containsExactly("PyTorchJobSuspended: PyTorchJob digits is suspended.");
    }

    @Test
    void othersMayManageAJob() {
        for (String kind : List.of("TFJob", "JAXJob", "MPIJob")) {
            ObjectNode job = TestingJobs.job(kind, "Worker=1");
            TestingJobs.policy(job).put("managedBy", "kueue.x-k8s.io/multikueue");
            cluster.api.takeWrites();
            cluster.api.create(TestingCluster.kind(job), "team", job);
            cluster.settle();
            assertThat(cluster.api.takeWrites()).hasSize(1);
        }
    }

    @Test
    void fewerReplicasLeaveTheLowest() {
        ObjectNode job = TestingJobs.job("JAXJob", "Worker=4");
        cluster.submit(job);
        cluster.all("digits", "Running");
        cluster.change(job, found -> TestingJobs.replica(found, "Worker").put("replicas", 2));
        assertThat(cluster.pods().stream().filter(cluster::isDeleting))
                .containsExactly("digits-worker-2", "digits-worker-3");
        assertThat(cluster.names(Training.SERVICES)).containsExactly("digits-worker-0", "digits-worker-1");
        cluster.gone("digits-worker-2");
        assertThat(cluster.pods()).doesNotContain("digits-worker-2");
        assertThat(cluster.conditions(job)).isEqualTo("Created Running");
    }

    @Test
    void trouble() {
        ObjectNode job = torch();
        cluster.submit(job);
        cluster.api.edit(Training.PODS, "team", "digits-master-0", pod -> {
            ObjectNode status = Json.ensureObject(pod, "status");
            status.put("phase", "Pending");
            status.putArray("containerStatuses")
                    .addObject()
                    .put("name", "pytorch")
                    .putObject("state")
                    .putObject("waiting")
                    .put("reason", "ImagePullBackOff")
                    .put("message", "Back-off pulling image \"trainer\"");
            return pod;
        });
        cluster.settle();
        assertThat(created(job))
                .isEqualTo("PyTorchJob digits is created. Pod digits-master-0 cannot start: Back-off pulling image"
                        + " \"trainer\"");
        assertThat(cluster.events())
                .contains("ImagePullBackOff: Error pod digits-master-0 container pytorch waiting message: Back-off"
                        + " pulling image \"trainer\"");
    }

    private String created(ObjectNode job) {
        return Json.textAt(Json.listAt(cluster.job(job), "status", "conditions").get(0), "message");
    }

    @Test
    void troubleThatIsOverIsForgotten() {
        ObjectNode job = torch();
        cluster.submit(job);
        cluster.api.edit(Training.PODS, "team", "digits-master-0", pod -> {
            Json.ensureObject(pod, "status")
                    .put("phase", "Pending")
                    .putArray("containerStatuses")
                    .addObject()
                    .put("name", "pytorch")
                    .putObject("state")
                    .putObject("waiting")
                    .put("reason", "ErrImagePull")
                    .put("message", "no such image");
            return pod;
        });
        cluster.settle();
        assertThat(created(job)).endsWith("Pod digits-master-0 cannot start: no such image");
        cluster.api.edit(Training.PODS, "team", "digits-master-0", pod -> {
            Json.ensureObject(pod, "status").put("phase", "Running").remove("containerStatuses");
            return pod;
        });
        cluster.settle();
        assertThat(created(job)).isEqualTo("PyTorchJob digits is created.");
    }

    @Test
    void troubleOfThoseWhoPrepareIsTold() {
        ObjectNode job = torch();
        cluster.submit(job);
        cluster.api.edit(Training.PODS, "team", "digits-worker-0", pod -> {
            ObjectNode status = Json.ensureObject(pod, "status");
            status.put("phase", "Pending");
            status.putArray("containerStatuses")
                    .addObject()
                    .put("name", "pytorch")
                    .putObject("state")
                    .putObject("waiting")
                    .put("reason", "PodInitializing");
            status.putArray("initContainerStatuses")
                    .addObject()
                    .put("name", "init-pytorch")
                    .putObject("state")
                    .putObject("waiting")
                    .put("reason", "ErrImagePull")
                    .put("message", "no such image");
            return pod;
        });
        cluster.settle();
        assertThat(cluster.events())
                .contains("ErrImagePull: Error pod digits-worker-0 container init-pytorch waiting message: no such"
                        + " image");
    }

    @Test
    void whatTheServerRefusesIsTold() {
        ObjectNode job = torch();
        cluster.api.fail(
                "create pods team/digits-master-0", ApiException.forbidden("", "pods", "digits-master-0", "quota"));
        cluster.submit(job);
        assertThat(cluster.events())
                .contains("FailedCreatePod: Error creating: pods \"digits-master-0\" is forbidden: quota");
    }

    @Test
    void elasticJobsAreScaled() {
        ObjectNode job = TestingJobs.job("PyTorchJob", "Worker=2");
        ObjectNode elastic = Json.ensureObject(job, "spec", "elasticPolicy");
        elastic.put("minReplicas", 1).put("maxReplicas", 3);
        elastic.putArray("metrics")
                .addObject()
                .put("type", "Resource")
                .putObject("resource")
                .put("name", "cpu");
        cluster.submit(job);
        ObjectNode scaler = cluster.api.get(Training.AUTOSCALERS, "team", "digits");
        assertThat(Json.string(scaler.path("spec")))
                .isEqualTo("{\"scaleTargetRef\":{\"kind\":\"PyTorchJob\",\"name\":\"digits\",\"apiVersion\":"
                        + "\"kubeflow.org/v1\"},\"minReplicas\":1,\"maxReplicas\":3,\"metrics\":[{\"type\":"
                        + "\"Resource\",\"resource\":{\"name\":\"cpu\"}}]}");
        cluster.change(
                job, found -> Json.ensureObject(found, "spec", "elasticPolicy").put("maxReplicas", 5));
        assertThat(Json.longAt(cluster.api.get(Training.AUTOSCALERS, "team", "digits"), 0, "spec", "maxReplicas"))
                .isEqualTo(5);
        cluster.exit("digits-worker-1", 0);
        assertThat(cluster.conditions(job)).as("one worker's success is enough").endsWith("Succeeded");
    }
}
