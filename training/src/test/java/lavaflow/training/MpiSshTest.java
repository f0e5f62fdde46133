package lavaflow.training;

import java.math.BigInteger;
import java.security.KeyFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** MPIJobs of the second version. */
class MpiSshTest {
    private final TestingCluster cluster = TestingCluster.ofMpi(Gang.NONE);

    private static ObjectNode pi() {
        ObjectNode job = TestingJobs.job("MPIJob", "Launcher=1", "Worker=2");
        job.put("apiVersion", MpiSshJob.API_VERSION);
        return job;
    }

    private void launcher(String type, String reason) {
        cluster.api.edit(Training.BATCH_JOBS, "team", "digits-launcher", launcher -> {
            ObjectNode status = Json.ensureObject(launcher, "status");
            status.putArray("conditions")
                    .addObject()
                    .put("type", type)
                    .put("status", "True")
                    .put("reason", reason)
                    .put("message", "Job has reached the specified backoff limit");
            return launcher;
        });
        cluster.settle();
    }

    /** As the controller of Jobs makes it. */
    private void launcherPod(String phase) {
        ObjectNode launcher = cluster.api.get(Training.BATCH_JOBS, "team", "digits-launcher");
        ObjectNode pod = Json.object();
        ObjectNode metadata = pod.putObject("metadata");
        metadata.put("name", "digits-launcher-abcde");
        metadata.set("labels", Json.at(launcher, "spec", "template", "metadata", "labels"));
        metadata.putArray("ownerReferences")
                .addObject()
                .put("apiVersion", "batch/v1")
                .put("kind", "Job")
                .put("name", "digits-launcher")
                .put("uid", Training.uid(launcher))
                .put("controller", true);
        pod.putObject("status").put("phase", phase);
        cluster.api.create(Training.PODS, "team", pod);
        cluster.settle();
    }

    @Test
    void aJobMayGiveMpichItsOwnArgumentsForSsh() {
        ObjectNode job = pi();
        Json.ensureObject(job, "spec").put("mpiImplementation", "MPICH");
        ObjectNode replicas = Json.ensureObject(Json.ensureObject(job, "spec"), "mpiReplicaSpecs");
        ObjectNode template = Json.ensureObject(Json.ensureObject(replicas, "Launcher"), "template");
        TrainingJob.containers(Json.ensureObject(template, "spec"))
                .getFirst()
                .putArray("env")
                .addObject()
                .put("name", "HYDRA_LAUNCHER_EXTRA_ARGS")
                .put("value", "-p 2222");
        cluster.submit(job);
        ObjectNode launcher = cluster.api.get(Training.BATCH_JOBS, "team", "digits-launcher");
        assertThat(Json.at(launcher, "spec", "template", "spec", "containers").toString())
                .containsOnlyOnce("HYDRA_LAUNCHER_EXTRA_ARGS")
                .contains("\"value\":\"-p 2222\"")
                .contains("HYDRA_HOST_FILE");
    }

    @Test
    void aLauncherReachesWorkersByKeysAndNames() {
        ObjectNode job = pi();
        cluster.submit(job);
        assertThat(cluster.pods()).containsExactly("digits-worker-0", "digits-worker-1");
        assertThat(cluster.names(Training.SERVICES)).containsExactly("digits");
        assertThat(cluster.names(Training.SECRETS)).containsExactly("digits-ssh");
        assertThat(cluster.names(Training.CONFIG_MAPS)).containsExactly("digits-config");
        assertThat(cluster.names(Training.BATCH_JOBS)).containsExactly("digits-launcher");
        assertThat(cluster.conditions(job)).isEqualTo("Created");
        assertThat(cluster.message(job)).isEqualTo("MPIJobCreated: MPIJob team/digits is created.");
        cluster.all("digits-worker", "Running");
        assertThat(cluster.conditions(job)).isEqualTo("Created");
        launcherPod("Running");
        assertThat(cluster.message(job)).isEqualTo("MPIJobRunning: MPIJob team/digits is running.");
        assertThat(cluster.status(job).path("replicaStatuses"))
                .isEqualTo(Json.parse("{\"Launcher\":{\"active\":1},\"Worker\":{\"active\":2}}"));
        ObjectNode config = cluster.api.get(Training.CONFIG_MAPS, "team", "digits-config");
        assertThat(Json.textAt(config, "data", "discover_hosts.sh"))
                .isEqualTo("#!/bin/sh\necho digits-worker-0.digits.team.svc\necho digits-worker-1.digits.team.svc\n");
        launcher("Complete", "");
        assertThat(cluster.message(job)).isEqualTo("MPIJobSucceeded: MPIJob team/digits successfully completed.");
        assertThat(cluster.conditions(job)).isEqualTo("Created Running(False) Succeeded");
        assertThat(cluster.metrics())
                .contains("mpi_operator_jobs_created_total 1\n", "mpi_operator_jobs_successful_total 1\n");
    }

    @Test
    void theKeyIsMadeOnce() {
        cluster.submit(pi());
        ObjectNode secret = cluster.api.get(Training.SECRETS, "team", "digits-ssh");
        cluster.all("digits-worker", "Running");
        cluster.crash();
        cluster.settle();
        assertThat(cluster.api.get(Training.SECRETS, "team", "digits-ssh")).isEqualTo(secret);
    }

    @ParameterizedTest
    @CsvSource({"None,2", "Running,1", "All,0"})
    void workersGoByThePolicy(String policy, int left) {
        ObjectNode job = pi();
        TestingJobs.policy(job).put("cleanPodPolicy", policy);
        cluster.submit(job);
        cluster.phase("digits-worker-0", "Running");
        cluster.exit("digits-worker-1", 0);
        launcher("Complete", "");
        cluster.pods().stream().filter(cluster::isDeleting).toList().forEach(cluster::gone);
        assertThat(cluster.pods()).hasSize(left);
    }

    @Test
    void theLaunchersFailureIsTheJobs() {
        ObjectNode job = pi();
        cluster.submit(job);
        launcher("Failed", "BackoffLimitExceeded");
        assertThat(cluster.message(job)).isEqualTo("BackoffLimitExceeded: Job has reached the specified backoff limit");
        assertThat(cluster.status(job).has("completionTime")).isTrue();
    }

    @Test
    void theLaunchersLastPodSaysWhy() {
        ObjectNode job = pi();
        cluster.submit(job);
        launcherPod("Running");
        cluster.api.edit(Training.PODS, "team", "digits-launcher-abcde", pod -> {
            Json.ensureObject(pod, "status")
                    .put("phase", "Failed")
                    .put("reason", "Evicted")
                    .put("message", "The node was low on memory");
            return pod;
        });
        launcher("Failed", "BackoffLimitExceeded");
        assertThat(cluster.message(job))
                .isEqualTo("BackoffLimitExceeded/Evicted: Job has reached the specified backoff limit:"
                        + " The node was low on memory");
    }

    @Test
    void whatKeepsAPodFromStartingIsSaidInTheCondition() {
        ObjectNode job = pi();
        cluster.submit(job);
        cluster.api.edit(Training.PODS, "team", "digits-worker-0", pod -> {
            Json.ensureObject(pod, "status")
                    .put("phase", "Pending")
                    .putArray("containerStatuses")
                    .addObject()
                    .put("name", "mpi")
                    .putObject("state")
                    .putObject("waiting")
                    .put("reason", "ErrImagePull")
                    .put("message", "no such image");
            return pod;
        });
        cluster.settle();
        assertThat(cluster.message(job))
                .isEqualTo("MPIJobCreated: MPIJob team/digits is created."
                        + " Pod digits-worker-0 cannot start: no such image");
    }

    @Test
    void theLauncherOfSomebodyElseIsLeftAlone() {
        ObjectNode other = Json.object();
        other.putObject("metadata").put("name", "digits-launcher");
        cluster.api.create(Training.BATCH_JOBS, "team", other);
        cluster.submit(pi());
        assertThat(cluster.pods()).isEmpty();
        assertThat(cluster.events())
                .contains("ErrResourceExists: Resource \"digits-launcher\" of Kind \"Job\" already exists and is not"
                        + " managed by MPIJob");
    }

    @Test
    void aPolicyForRestartsInTheTemplateIsToldToCountForNothing() {
        ObjectNode job = pi();
        Json.ensureObject(TestingJobs.replica(job, "Launcher"), "template", "spec")
                .put("restartPolicy", "Always");
        cluster.submit(job);
        ObjectNode launcher = cluster.api.get(Training.BATCH_JOBS, "team", "digits-launcher");
        assertThat(Json.textAt(launcher, "spec", "template", "spec", "restartPolicy"))
                .isEqualTo("OnFailure");
        assertThat(cluster.events())
                .contains("SetPodTemplateRestartPolicy: Restart policy in pod template overridden by restart policy in"
                        + " replica spec");
    }

    @Test
    void aLauncherMayWaitForWorkers() {
        ObjectNode job = pi();
        Json.ensureObject(job, "spec").put("launcherCreationPolicy", "WaitForWorkersReady");
        cluster.submit(job);
        assertThat(cluster.names(Training.BATCH_JOBS)).isEmpty();
        for (String name : cluster.pods()) {
            cluster.api.edit(Training.PODS, "team", name, pod -> {
                Json.ensureObject(pod, "status")
                        .put("phase", "Running")
                        .putArray("conditions")
                        .addObject()
                        .put("type", "Ready")
                        .put("status", "True");
                return pod;
            });
        }
        cluster.settle();
        assertThat(cluster.names(Training.BATCH_JOBS)).containsExactly("digits-launcher");
    }

    @Test
    void suspensionEndsWorkersAndRestsTheLauncher() {
        ObjectNode job = pi();
        cluster.submit(job);
        cluster.change(job, found -> TestingJobs.policy(found).put("suspend", true));
        assertThat(cluster.pods()).isEmpty();
        assertThat(cluster.conditions(job)).isEqualTo("Created Suspended Running(False)");
        ObjectNode resting = cluster.api.get(Training.BATCH_JOBS, "team", "digits-launcher");
        assertThat(Json.flagAt(resting, "spec", "suspend")).isTrue();
        cluster.change(job, found -> TestingJobs.policy(found).put("suspend", false));
        assertThat(cluster.pods()).hasSize(2);
        assertThat(cluster.conditions(job)).isEqualTo("Created Running(False) Suspended(False)");
        assertThat(cluster.events()).contains("MPIJobSuspended: MPIJob suspended", "MPIJobResumed: MPIJob resumed");
    }

    @Test
    void whatCannotBeIsTold() {
        ObjectNode job = pi();
        TestingJobs.replica(job, "Worker").put("replicas", 0).put("restartPolicy", "Always");
        Json.ensureObject(job, "spec").put("mpiImplementation", "LAM").put("slotsPerWorker", -1);
        TestingJobs.policy(job)
                .put("cleanPodPolicy", "Some")
                .put("backoffLimit", -1)
                .put("managedBy", "");
        cluster.submit(job);
        assertThat(cluster.pods()).isEmpty();
        assertThat(cluster.events())
                .containsExactly(
                        "ValidationError: Found validation errors: [spec.mpiReplicaSpecs[Worker].restartPolicy:"
                                + " Unsupported value: \"Always\": supported values: \"Never\", \"OnFailure\","
                                + " spec.mpiReplicaSpecs[Worker].replicas: Invalid value: 0: must be greater than or equal to 1,"
                                + " spec.slotsPerWorker: Invalid value: -1: must be greater than or equal to 0,"
                                + " spec.runPolicy.cleanPodPolicy: Unsupported value: \"Some\": supported values: \"All\","
                                + " \"None\", \"Running\", spec.runPolicy.backoffLimit: Invalid value: -1: must be greater than"
                                + " or equal to 0, spec.mpiImplementation: Unsupported value: \"LAM\": supported values:"
                                + " \"Intel\", \"MPICH\", \"OpenMPI\"]");
    }

    @Test
    void evictedWorkersFailTheJob() {
        ObjectNode job = pi();
        cluster.submit(job);
        cluster.api.edit(Training.PODS, "team", "digits-worker-0", pod -> {
            Json.ensureObject(pod, "status").put("phase", "Failed").put("reason", "Evicted");
            return pod;
        });
        cluster.settle();
        assertThat(cluster.message(job)).isEqualTo("MPIJobEvicted: 1/2 workers are evicted");
    }

    @Test
    void aGangHasTheLauncherInIt() {
        TestingCluster gangs = TestingCluster.ofMpi(Gang.VOLCANO);
        gangs.submit(pi());
        ObjectNode group = gangs.api.get(Gang.VOLCANO_GROUPS, "team", "digits");
        assertThat(Json.longAt(group, 0, "spec", "minMember")).isEqualTo(3);
        assertThat(gangs.pods()).as("nobody waits").hasSize(2);
    }

    @Test
    void versionsAreKnownByWhoWroteTheSpec() {
        ObjectNode job = pi();
        job.put("apiVersion", Training.API_VERSION);
        assertThat(MpiSshJob.is(job)).isFalse();
        ObjectNode manager =
                Json.ensureObject(job, "metadata").putArray("managedFields").addObject();
        manager.put("apiVersion", MpiSshJob.API_VERSION).putObject("fieldsV1").putObject("f:spec");
        assertThat(MpiSshJob.is(job)).isTrue();
    }

    @Test
    void keysAreInTheFormsOfSsh() throws Exception {
        SshKey key = SshKey.make();
        assertThat(key.publicLine())
                .startsWith("ecdsa-sha2-nistp521 AAAAE2VjZHNhLXNoYTItbmlzdHA1MjEAAAAIbmlzdHA1MjEAAACFB");
        byte[] der = Base64.getMimeDecoder()
                .decode(key.privatePem()
                        .replace("-----BEGIN EC PRIVATE KEY-----", "")
                        .replace("-----END EC PRIVATE KEY-----", ""));
        assertThat(der).hasSize(223);
        byte[] algorithm = new BigInteger("020100301006072a8648ce3d020106052b81040023", 16).toByteArray();
        byte[] whole = new byte[3 + algorithm.length + 3 + der.length];
        byte[] head = {0x30, (byte) 0x81, (byte) (whole.length - 3)};
        System.arraycopy(head, 0, whole, 0, 3);
        System.arraycopy(algorithm, 0, whole, 3, algorithm.length);
        byte[] octets = {0x04, (byte) 0x81, (byte) der.length};
        System.arraycopy(octets, 0, whole, 3 + algorithm.length, 3);
        System.arraycopy(der, 0, whole, 6 + algorithm.length, der.length);
        assertThat(KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(whole)))
                .isNotNull();
    }
}
