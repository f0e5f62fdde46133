package lavaflow.training;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** When jobs of each framework run, have succeeded, have failed. */
class VerdictTest {
    private final TestingCluster cluster = TestingCluster.whole(Gang.NONE);

    private ObjectNode running(ObjectNode job) {
        cluster.submit(job);
        cluster.all("digits", "Running");
        return job;
    }

    @Test
    void aChiefDecidesForTensorFlow() {
        ObjectNode job = running(TestingJobs.job("TFJob", "Chief=1", "Worker=2", "PS=1"));
        assertThat(cluster.message(job)).isEqualTo("TFJobRunning: TFJob team/digits is running.");
        cluster.exit("digits-worker-0", 0);
        cluster.exit("digits-worker-1", 0);
        assertThat(cluster.conditions(job)).isEqualTo("Created Running");
        cluster.exit("digits-chief-0", 0);
        assertThat(cluster.message(job)).isEqualTo("TFJobSucceeded: TFJob team/digits successfully completed.");
        cluster.exit("digits-ps-0", 1);
        assertThat(cluster.conditions(job)).isEqualTo("Created Running(False) Succeeded");
    }

    @Test
    void withoutAChiefTheFirstWorkerDecides() {
        ObjectNode job = running(TestingJobs.job("TFJob", "Worker=2", "PS=1"));
        cluster.exit("digits-worker-1", 0);
        assertThat(cluster.conditions(job)).isEqualTo("Created Running");
        cluster.exit("digits-worker-0", 0);
        assertThat(cluster.conditions(job)).endsWith("Succeeded");
    }

    @Test
    void orAllWorkersWhereThatIsWanted() {
        ObjectNode job = TestingJobs.job("TFJob", "Worker=2");
        Json.ensureObject(job, "spec").put("successPolicy", "AllWorkers");
        running(job);
        cluster.exit("digits-worker-0", 0);
        assertThat(cluster.conditions(job)).isEqualTo("Created Running");
        cluster.exit("digits-worker-1", 0);
        assertThat(cluster.conditions(job)).endsWith("Succeeded");
    }

    @Test
    void anyFailureIsTensorFlows() {
        ObjectNode job = running(TestingJobs.job("TFJob", "Chief=1", "Evaluator=1"));
        cluster.exit("digits-evaluator-0", 2);
        assertThat(cluster.message(job))
                .isEqualTo("TFJobFailed: TFJob team/digits has failed because 1 Evaluator replica(s) failed.");
    }

    @Test
    void butNotThatOfADynamicWorker() {
        ObjectNode job = TestingJobs.job("TFJob", "Chief=1", "Worker=2");
        Json.ensureObject(job, "spec").put("enableDynamicWorker", true);
        running(job);
        cluster.exit("digits-worker-1", 2);
        assertThat(cluster.conditions(job)).isEqualTo("Created Running");
    }

    @Test
    void workersAloneSucceedTogether() {
        for (String kind : new String[] {"PyTorchJob", "PaddleJob", "JAXJob"}) {
            TestingCluster own = TestingCluster.whole(Gang.NONE);
            ObjectNode job = TestingJobs.job(kind, "Worker=2");
            own.submit(job);
            own.all("digits", "Running");
            assertThat(own.message(job)).isEqualTo(kind + "Running: " + kind + " team/digits is running.");
            own.exit("digits-worker-0", 0);
            assertThat(own.conditions(job)).isEqualTo("Created Running");
            own.exit("digits-worker-1", 0);
            assertThat(own.message(job))
                    .isEqualTo(kind + "Succeeded: " + kind + " team/digits successfully completed.");
        }
    }

    @Test
    void xgboostHasBeenRunningBeforeItEnds() {
        ObjectNode job = TestingJobs.job("XGBoostJob", "Master=1", "Worker=1");
        cluster.submit(job);
        cluster.exit("digits-master-0", 0);
        assertThat(cluster.conditions(job)).isEqualTo("Created Running(False) Succeeded");
        assertThat(cluster.message(job)).isEqualTo("XGBoostJobSucceeded: XGBoostJob digits is successfully completed.");
    }

    @Test
    void theLauncherDecidesForMpi() {
        ObjectNode job = TestingJobs.job("MPIJob", "Launcher=1", "Worker=2");
        cluster.submit(job);
        assertThat(cluster.pods()).containsExactly("digits-launcher", "digits-worker-0", "digits-worker-1");
        assertThat(cluster.names(Training.SERVICES)).isEmpty();
        assertThat(cluster.names(Training.CONFIG_MAPS)).containsExactly("digits-config");
        assertThat(cluster.names(Training.SERVICE_ACCOUNTS)).containsExactly("digits-launcher");
        assertThat(cluster.names(Training.ROLES)).containsExactly("digits-launcher");
        assertThat(cluster.names(Training.BINDINGS)).containsExactly("digits-launcher");
        cluster.all("digits", "Running");
        assertThat(cluster.message(job)).isEqualTo("MPIJobRunning: MPIJob digits is running.");
        ObjectNode config = cluster.api.get(Training.CONFIG_MAPS, "team", "digits-config");
        assertThat(Json.textAt(config, "data", "discover_hosts.sh"))
                .isEqualTo("#!/bin/sh\necho digits-worker-0:1\necho digits-worker-1:1");
        cluster.exit("digits-launcher", 0);
        assertThat(cluster.message(job)).isEqualTo("MPIJobSucceeded: MPIJob digits is successfully completed.");
    }

    @Test
    void anMpiJobFailsWithItsLauncher() {
        ObjectNode job = running(TestingJobs.job("MPIJob", "Launcher=1", "Worker=1"));
        cluster.exit("digits-launcher", 1);
        assertThat(cluster.message(job))
                .isEqualTo("MPIJobFailed: MPIJob digits is failed because 1 Launcher replica(s) failed.");
        assertThat(cluster.status(job).path("replicaStatuses"))
                .hasToString("{\"Launcher\":{\"failed\":1},\"Worker\":{}}");
    }

    @Test
    void moreWorkersOfMpiMayBeEntered() {
        ObjectNode job = running(TestingJobs.job("MPIJob", "Launcher=1", "Worker=1"));
        cluster.change(job, found -> TestingJobs.replica(found, "Worker").put("replicas", 2));
        assertThat(cluster.pods()).contains("digits-worker-1");
        assertThat(Json.string(cluster.api
                        .get(Training.ROLES, "team", "digits-launcher")
                        .path("rules")))
                .contains("[\"digits-worker-0\",\"digits-worker-1\"]");
    }

    @Test
    void somebodyElsesObjectsAreNotTaken() {
        ObjectNode config = Json.object();
        config.putObject("metadata").put("name", "digits-config");
        cluster.api.create(Training.CONFIG_MAPS, "team", config);
        cluster.submit(TestingJobs.job("MPIJob", "Launcher=1", "Worker=1"));
        assertThat(cluster.pods()).isEmpty();
        assertThat(cluster.events())
                .contains("ErrResourceExists: Resource \"digits-config\" of MPIJobKind \"ConfigMap\" already exists"
                        + " and is not managed by MPIJob");
    }

    @Test
    void anMpiJobThatCannotBeIsTold() {
        cluster.submit(TestingJobs.job("MPIJob", "Worker=1"));
        assertThat(cluster.pods()).isEmpty();
        assertThat(cluster.events())
                .containsExactly("MPIJobFailedValidation: MPIJob failed validation because MPIReplicaSpec is not valid:"
                        + " Master ReplicaSpec must be present");
    }
}
