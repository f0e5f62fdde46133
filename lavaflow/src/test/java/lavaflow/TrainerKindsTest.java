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

/** TrainJobs in the whole program, on simulated nodes. */
@Timeout(600)
class TrainerKindsTest {
    private static final KubeApi.Kind TRAIN_JOBS =
            new KubeApi.Kind("trainer.kubeflow.org", "v1alpha1", "trainjobs", true);
    private static final KubeApi.Kind JOB_SETS = new KubeApi.Kind("jobset.x-k8s.io", "v1alpha2", "jobsets", true);
    private static final KubeApi.Kind GROUPS = new KubeApi.Kind("scheduling.volcano.sh", "v1beta1", "podgroups", true);
    private static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");
    private static final KubeApi.Kind ROLE_BINDINGS =
            new KubeApi.Kind("rbac.authorization.k8s.io", "v1", "rolebindings", true);
    private static final KubeApi.Kind REVIEWS =
            new KubeApi.Kind("authorization.k8s.io", "v1", "subjectaccessreviews", false);

    private static ObjectNode job(String runtime) {
        ObjectNode job = TestingAllInOne.named("digits");
        job.put("apiVersion", "trainer.kubeflow.org/v1alpha1").put("kind", "TrainJob");
        ObjectNode spec = job.putObject("spec");
        spec.putObject("runtimeRef").put("name", runtime);
        spec.putObject("trainer").put("numNodes", 2);
        return job;
    }

    private static long count(Optional<ObjectNode> job, String field) {
        JsonNode jobs = Json.listAt(job.orElse(null), "status", "jobsStatus");
        return jobs.isEmpty() ? -1 : Json.longAt(jobs.get(0), -1, field);
    }

    private static List<ObjectNode> pods(TestingAllInOne testing) {
        return testing.api.list(PODS, "default", KubeApi.View.WHOLE).items();
    }

    @Test
    void whoeverIsLoggedInMayAskForTheVersion(@TempDir Path directory) throws Exception {
        AllInOne.Options options = AllInOne.Options.usual(true, List.of(SimShape.usual(1)));
        try (TestingAllInOne testing = new TestingAllInOne(directory.resolve("data"), options)) {
            String name = "kubeflow-trainer-public";
            testing.await(ROLE_BINDINGS, "kubeflow-system", name, Optional::isPresent);
            assertThat(testing.api.find(KubeApi.Kind.core("configmaps"), "kubeflow-system", name))
                    .hasValueSatisfying(found -> assertThat(Json.textAt(found, "data", "kubeflow_trainer_version"))
                            .isEqualTo("v2.3.0"));
            assertThat(mayRead(testing, name)).isTrue();
            assertThat(mayRead(testing, "another")).isFalse();
        }
    }

    /** Whether somebody without any rights of their own may read a ConfigMap beside the version. */
    private static boolean mayRead(TestingAllInOne testing, String map) {
        ObjectNode review = Json.object();
        ObjectNode spec = review.putObject("spec");
        spec.put("user", "anybody").putArray("groups").add("system:authenticated");
        spec.putObject("resourceAttributes")
                .put("verb", "get")
                .put("resource", "configmaps")
                .put("namespace", "kubeflow-system")
                .put("name", map);
        return Json.flagAt(testing.api.create(REVIEWS, "", review), "status", "allowed");
    }

    @Test
    void jobsRunAsGangsAndRestWhileTheyAreSuspended(@TempDir Path directory) throws Exception {
        AllInOne.Options options = AllInOne.Options.usual(true, List.of(SimShape.usual(2)));
        try (TestingAllInOne testing = new TestingAllInOne(directory.resolve("data"), options)) {
            testing.api.create(TRAIN_JOBS, "default", job("torch-distributed"));
            testing.await(TRAIN_JOBS, "default", "digits", found -> count(found, "ready") == 1);
            List<ObjectNode> pods = pods(testing);
            assertThat(pods)
                    .extracting(pod -> Json.textAt(pod, "spec", "hostname"))
                    .containsExactlyInAnyOrder("digits-node-0-0", "digits-node-0-1");
            assertThat(pods).allSatisfy(pod -> {
                assertThat(Json.textAt(pod, "spec", "subdomain")).isEqualTo("digits");
                assertThat(Json.textAt(pod, "spec", "schedulerName")).isEqualTo("volcano");
                assertThat(Json.textAt(pod, "metadata", "annotations", "scheduling.k8s.io/group-name"))
                        .isEqualTo("digits");
            });
            ObjectNode patch = Json.object();
            patch.putObject("spec").put("suspend", true);
            testing.api.patch(TRAIN_JOBS, "default", "digits", "", KubeApi.Merge.PLAIN, patch);
            testing.await(TRAIN_JOBS, "default", "digits", found -> count(found, "suspended") == 1);
            testing.await(GROUPS, "default", "digits", Optional::isEmpty);
            Json.ensureObject(patch, "spec").put("suspend", false);
            testing.api.patch(TRAIN_JOBS, "default", "digits", "", KubeApi.Merge.PLAIN, patch);
            testing.await(TRAIN_JOBS, "default", "digits", found -> count(found, "ready") == 1);
            testing.api.delete(TRAIN_JOBS, "default", "digits", KubeApi.Deletion.PLAIN);
            testing.await(JOB_SETS, "default", "digits", Optional::isEmpty);
        }
    }

    @Test
    void badJobsAreRefusedAndFieldsStay(@TempDir Path directory) throws Exception {
        try (TestingAllInOne testing = new TestingAllInOne(directory.resolve("data"))) {
            assertThatThrownBy(() -> testing.api.create(TRAIN_JOBS, "default", job("nothing")))
                    .isInstanceOfSatisfying(ApiException.class, refused -> {
                        assertThat(refused.code()).isEqualTo(403);
                        assertThat(refused.getMessage())
                                .startsWith("admission webhook \"validator.trainjob.trainer.kubeflow.org\" denied the"
                                        + " request: spec.RuntimeRef: Invalid value: {")
                                .endsWith("ClusterTrainingRuntime.trainer.kubeflow.org \"nothing\" not found: specified"
                                        + " clusterTrainingRuntime must be created before the TrainJob is created");
                    });
            ObjectNode made = testing.api.create(TRAIN_JOBS, "default", job("jax-distributed"));
            assertThat(Json.textAt(made, "spec", "managedBy")).isEqualTo("trainer.kubeflow.org/trainjob-controller");
            ObjectNode patch = Json.object();
            patch.putObject("spec").putObject("trainer").put("numNodes", 3);
            assertThatThrownBy(() -> testing.api.patch(TRAIN_JOBS, "default", "digits", "", KubeApi.Merge.PLAIN, patch))
                    .hasMessageContaining("spec.trainer: Invalid value")
                    .hasMessageContaining("field is immutable");
        }
    }
}
