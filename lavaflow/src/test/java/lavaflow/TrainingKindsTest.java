package lavaflow;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.node.SimShape;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Training jobs in the whole program, on simulated nodes. */
@Timeout(600)
class TrainingKindsTest {
    private static final KubeApi.Kind DEFINITIONS =
            new KubeApi.Kind("apiextensions.k8s.io", "v1", "customresourcedefinitions", false);
    private static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");

    private static KubeApi.Kind kind(String version, String resource) {
        return new KubeApi.Kind("kubeflow.org", version, resource, true);
    }

    private static ObjectNode job(String kind, String field, String container, String... types) {
        ObjectNode job = TestingAllInOne.named("digits");
        job.put("apiVersion", "kubeflow.org/v1").put("kind", kind);
        ObjectNode specs = job.putObject("spec").putObject(field);
        for (String type : types) {
            ObjectNode spec = specs.putObject(type)
                    .put("replicas", 1)
                    .putObject("template")
                    .putObject("spec");
            spec.putArray("containers").addObject().put("name", container).put("image", "trainer");
        }
        return job;
    }

    private static boolean is(Optional<ObjectNode> object, String type) {
        for (JsonNode condition : Json.listAt(object.orElse(null), "status", "conditions")) {
            if (Json.textAt(condition, "type").equals(type)) {
                return Json.textAt(condition, "status").equals("True");
            }
        }
        return false;
    }

    private static void awaitKind(TestingAllInOne testing, String resource) throws InterruptedException {
        // They come after the kinds of gangs and the queues, which take their time on a busy machine.
        testing.await(DEFINITIONS, "", "podgroups.scheduling.volcano.sh", found -> is(found, "Established"));
        testing.await(DEFINITIONS, "", "jobs.batch.volcano.sh", found -> is(found, "Established"));
        testing.await(DEFINITIONS, "", resource + ".kubeflow.org", found -> is(found, "Established"));
    }

    @Test
    void jobsRunAsGangsWithoutAnybodyInstallingAnything(@TempDir Path directory) throws Exception {
        AllInOne.Options options = AllInOne.Options.usual(true, List.of(SimShape.usual(2)));
        try (TestingAllInOne testing = new TestingAllInOne(directory.resolve("data"), options)) {
            awaitKind(testing, "tfjobs");
            ObjectNode job = job("TFJob", "tfReplicaSpecs", "tensorflow", "Ps", "Chief", "Worker");
            Json.ensureObject(job, "spec").put("schedulerName", "volcano");
            KubeApi.Kind tfjobs = kind("v1", "tfjobs");
            testing.api.create(tfjobs, "default", job);
            testing.await(tfjobs, "default", "digits", found -> is(found, "Running"));
            ObjectNode pod = testing.api.find(PODS, "default", "digits-ps-0").orElseThrow();
            assertThat(Json.textAt(pod, "spec", "schedulerName")).isEqualTo("volcano");
            assertThat(Json.textAt(pod, "metadata", "annotations", "scheduling.k8s.io/group-name"))
                    .isEqualTo("digits");
        }
    }

    @Test
    void badJobsAreRefusedAsByUpstreamsWebhooks(@TempDir Path directory) throws Exception {
        try (TestingAllInOne testing = new TestingAllInOne(directory.resolve("data"))) {
            awaitKind(testing, "pytorchjobs");
            ObjectNode job = job("PyTorchJob", "pytorchReplicaSpecs", "main", "Master");
            assertThatThrownBy(() -> testing.api.create(kind("v1", "pytorchjobs"), "default", job))
                    .isInstanceOfSatisfying(ApiException.class, refused -> {
                        assertThat(refused.code()).isEqualTo(403);
                        assertThat(refused.getMessage())
                                .isEqualTo("admission webhook \"validator.pytorchjob.training-operator.kubeflow.org\""
                                        + " denied the request: spec.pytorchReplicaSpecs[Master].template.spec.containers:"
                                        + " Required value: must have at least one container with name pytorch");
                    });
        }
    }

    @Test
    void bothVersionsOfMpiAreKept(@TempDir Path directory) throws Exception {
        try (TestingAllInOne testing = new TestingAllInOne(directory.resolve("data"))) {
            awaitKind(testing, "mpijobs");
            ObjectNode old = job("MPIJob", "mpiReplicaSpecs", "mpi", "Launcher");
            Json.ensureObject(old, "spec").put("mainContainer", "mpi");
            testing.api.create(kind("v1", "mpijobs"), "default", old);
            ObjectNode next = job("MPIJob", "mpiReplicaSpecs", "mpi", "Launcher");
            next.put("apiVersion", "kubeflow.org/v2beta1");
            Json.ensureObject(next, "metadata").put("name", "next");
            Json.ensureObject(next, "spec").put("mpiImplementation", "Intel");
            testing.api.create(kind("v2beta1", "mpijobs"), "default", next);
            testing.awaitThere(KubeApi.Kind.core("serviceaccounts"), "default", "digits-launcher");
            testing.awaitThere(new KubeApi.Kind("batch", "v1", "jobs", true), "default", "next-launcher");
            ObjectNode first =
                    testing.api.find(kind("v1", "mpijobs"), "default", "digits").orElseThrow();
            ObjectNode second = testing.api
                    .find(kind("v2beta1", "mpijobs"), "default", "next")
                    .orElseThrow();
            assertThat(Json.textAt(first, "spec", "mainContainer")).isEqualTo("mpi");
            assertThat(Json.textAt(second, "spec", "mpiImplementation")).isEqualTo("Intel");
            assertThat(Json.textAt(second, "spec", "sshAuthMountPath")).isEqualTo("/root/.ssh");
        }
    }
}
