package lavaflow.training;

import java.util.Objects;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class TrainingRulesTest {
    private static String refusal(ObjectNode job) {
        return answer(job).refusal();
    }

    private static TrainingRules.Answer answer(ObjectNode job) {
        return Objects.requireNonNull(
                TrainingRules.judge(TestingJobs.framework(job).words().plural(), job, null));
    }

    private static ObjectNode valid(String kind) {
        return kind.equals("JAXJob")
                ? TestingJobs.job(kind, "Worker=2")
                : TestingJobs.job(kind, "Master=1", "Worker=2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"TFJob", "PyTorchJob", "XGBoostJob", "PaddleJob", "JAXJob"})
    void everyKindHasTheCommonRules(String kind) {
        String field = "spec." + TestingJobs.framework(valid(kind)).words().replicas();
        assertThat(refusal(valid(kind))).isEmpty();
        assertThat(answer(valid(kind)).webhook())
                .isEqualTo("validator." + Training.lower(kind) + ".training-operator.kubeflow.org");

        ObjectNode badName = valid(kind);
        Json.ensureObject(badName, "metadata").put("name", "0-digits");
        assertThat(refusal(badName))
                .startsWith(
                        "metadata.name: Invalid value: \"0-digits\": should match: a DNS-1035 label must consist of");

        ObjectNode noImage = valid(kind);
        TestingJobs.container(noImage, "Worker").remove("image");
        assertThat(refusal(noImage))
                .isEqualTo(field + "[Worker].template.spec.containers[0].image: Required value: must be required");

        ObjectNode otherName = valid(kind);
        TestingJobs.container(otherName, "Worker").put("name", "main");
        String name = TestingJobs.framework(otherName).words().container();
        assertThat(refusal(otherName))
                .isEqualTo(field + "[Worker].template.spec.containers: Required value: must have at least one container"
                        + " with name " + (kind.equals("PaddleJob") ? "\"paddle\"" : name));

        ObjectNode noContainer = valid(kind);
        Json.ensureObject(TestingJobs.replica(noContainer, "Worker"), "template", "spec")
                .putArray("containers");
        assertThat(refusal(noContainer))
                .startsWith(
                        "[" + field + "[Worker].template.spec.containers: Required value: must be specified, " + field
                                + "[Worker].template.spec.containers: Required value: must have at least one container");

        ObjectNode nothing = valid(kind);
        Json.ensureObject(nothing, "spec").removeAll();
        assertThat(refusal(nothing)).contains(field + ": Required value: must be required");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PyTorchJob", "XGBoostJob", "PaddleJob", "JAXJob"})
    void onlyKnownTypesAreTaken(String kind) {
        ObjectNode job = valid(kind);
        ObjectNode specs = Json.ensureObject(
                job, "spec", TestingJobs.framework(job).words().replicas());
        specs.set("worker", specs.get("Worker").deepCopy());
        String types = kind.equals("JAXJob") ? "\"Worker\"" : "\"Master\", \"Worker\"";
        assertThat(refusal(job)).endsWith("[worker]: Unsupported value: \"worker\": supported values: " + types);
    }

    @Test
    void tensorFlowTakesAnyTypeAndOneChief() {
        ObjectNode job = TestingJobs.job("TFJob", "worker=1", "Gardener=1", "Chief=1");
        assertThat(refusal(job)).isEmpty();
        assertThat(refusal(TestingJobs.job("TFJob", "Chief=1", "Master=1")))
                .isEqualTo("spec.tfReplicaSpecs: Forbidden: must not have more than 1 Chief or Master role");
    }

    @Test
    void thereIsOneMaster() {
        assertThat(refusal(TestingJobs.job("PyTorchJob", "Master=2")))
                .isEqualTo("spec.pytorchReplicaSpecs[Master].replicas: Forbidden: must be 1");
        ObjectNode unsaid = valid("PyTorchJob");
        TestingJobs.replica(unsaid, "Master").remove("replicas");
        assertThat(refusal(unsaid)).isEqualTo("spec.pytorchReplicaSpecs[Master].replicas: Forbidden: must be 1");
        assertThat(refusal(TestingJobs.job("PyTorchJob", "Master=1", "Worker=0")))
                .isEqualTo("spec.pytorchReplicaSpecs[Worker].replicas: Forbidden: must be at least 1");
        assertThat(refusal(TestingJobs.job("XGBoostJob", "Master=1", "Worker=0")))
                .isEmpty();
        assertThat(refusal(TestingJobs.job("XGBoostJob", "Worker=1")))
                .isEqualTo("spec.xgbReplicaSpecs[Master]: Required value: must be present");
        assertThat(refusal(TestingJobs.job("PaddleJob", "Master=2"))).isEmpty();
    }

    @Test
    void elasticJobsHaveWorkers() {
        ObjectNode job = TestingJobs.job("PyTorchJob", "Master=1");
        Json.ensureObject(job, "spec", "elasticPolicy");
        assertThat(refusal(job))
                .isEqualTo("spec.pytorchReplicaSpecs[Worker]: Required value: must be configured if elastic policy is"
                        + " used");
        ObjectNode old = valid("PyTorchJob");
        Json.ensureObject(old, "spec", "elasticPolicy").put("nProcPerNode", 2);
        assertThat(refusal(old)).isEmpty();
        assertThat(answer(old).warnings())
                .containsExactly("spec.elasticPolicy.nProcPerNode is deprecated, use spec.nprocPerNode instead");
        Json.ensureObject(old, "spec").put("nprocPerNode", "2");
        assertThat(refusal(old))
                .isEqualTo("spec.elasticPolicy.nProcPerNode: Forbidden: must not be used with spec.nprocPerNode");
    }

    @ParameterizedTest
    @ValueSource(strings = {"TFJob", "PyTorchJob", "XGBoostJob", "PaddleJob", "JAXJob"})
    void managersAreKnownAndStay(String kind) {
        ObjectNode job = valid(kind);
        TestingJobs.policy(job).put("managedBy", "somebody");
        assertThat(refusal(job))
                .isEqualTo("spec.runPolicy.managedBy: Unsupported value: \"somebody\": supported values:"
                        + " \"kubeflow.org/training-operator\", \"kueue.x-k8s.io/multikueue\"");
        ObjectNode old = valid(kind);
        TestingJobs.policy(old).put("managedBy", "kubeflow.org/training-operator");
        ObjectNode next = valid(kind);
        TestingJobs.policy(next).put("managedBy", "kueue.x-k8s.io/multikueue");
        TrainingRules.Answer answer =
                TrainingRules.judge(TestingJobs.framework(next).words().plural(), next, old);
        assertThat(Objects.requireNonNull(answer).refusal())
                .isEqualTo(
                        "spec.runPolicy.managedBy: Invalid value: \"kueue.x-k8s.io/multikueue\": field is immutable");
    }

    @Test
    void namesLeaveRoomForThoseOfPods() {
        ObjectNode job = TestingJobs.job("JAXJob", "Worker=11");
        Json.ensureObject(job, "metadata").put("name", "a".repeat(54));
        assertThat(refusal(job)).contains("invalid DNS label \"" + "a".repeat(54) + "-worker-10\"");
        Json.ensureObject(job, "metadata").put("name", "a".repeat(53));
        assertThat(refusal(job)).isEmpty();
    }

    @Test
    void othersHaveNoRules() {
        assertThat(TrainingRules.judge("mpijobs", TestingJobs.job("MPIJob"), null))
                .isNull();
        assertThat(TrainingRules.judge("others", Json.object(), null)).isNull();
    }
}
