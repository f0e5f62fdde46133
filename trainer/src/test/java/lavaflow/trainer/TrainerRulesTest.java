package lavaflow.trainer;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class TrainerRulesTest {
    private static final String TRAIN_JOBS = "trainer.kubeflow.org/trainjobs";

    private final Map<String, ObjectNode> objects = new HashMap<>();

    TrainerRulesTest() {
        TrainerRuntimes.FILES
                .names()
                .forEach(name -> objects.put("clustertrainingruntimes//" + name, TrainerRuntimes.FILES.read(name)));
    }

    private TrainerRules.Answer answer(String bucket, ObjectNode object, ObjectNode old) {
        return Objects.requireNonNull(TrainerRules.judge(
                bucket,
                object,
                old,
                (kind, namespace, name) -> objects.get(kind.resource() + "/" + namespace + "/" + name)));
    }

    private String refusal(ObjectNode job) {
        return answer(TRAIN_JOBS, job, null).refusal();
    }

    private static ObjectNode job(String runtime, String spec) {
        ObjectNode job = TestingTrainer.job(runtime);
        Json.ensureObject(job, "spec")
                .setAll((ObjectNode) TestingTrainer.yaml("spec: " + spec).path("spec"));
        return job;
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            torch-distributed | {trainer: {env: [{name: A}, {name: PET_NNODES}]}} | spec.trainer.env: Invalid value: [{"name":"A"},{"name":"PET_NNODES"}]: must not have reserved envs, invalid envs configured: [PET_NNODES]
            deepspeed-distributed | {trainer: {env: [{name: OMPI_MCA_plm_rsh_args}]}} | spec.trainer.env: Invalid value: [{"name":"OMPI_MCA_plm_rsh_args"}]: must not have reserved envs, invalid envs configured: [OMPI_MCA_plm_rsh_args]
            xgboost-distributed | {trainer: {env: [{name: A}, {name: DMLC_TASK_ID}]}} | spec.trainer.env[1]: Forbidden: DMLC_TASK_ID is reserved for the XGBoost runtime
            torch-distributed | {initializer: {dataset: {}}} | spec.runtimeRef: Invalid value: {"name":"torch-distributed"}: must have dataset-initializer job when trainJob is configured with input datasetConfig
            torch-distributed | {initializer: {model: {}}} | spec.runtimeRef: Invalid value: {"name":"torch-distributed"}: must have model-initializer job when trainJob is configured with input modelConfig
            torchtune-llama3.2-1b | {initializer: {dataset: {}, model: {}}} | ''
            torch-distributed | {runtimePatches: [{manager: me}]} | spec.runtimePatches.manager: Invalid value: "me": must be a domain-prefixed path (such as "acme.io/foo")
            torchtune-llama3.2-1b | {trainer: {command: [tune, run], numNodes: 2}} | spec.trainer.numNodes: Invalid value: 2: must be 1 for llama3_2/1B model
            torchtune-llama3.2-1b | {trainer: {command: [tune, run], args: [output_dir=x]}} | spec.trainer.args[0]: Invalid value: "output_dir=x": must not set immutable config "output_dir" in trainer args; it is managed by the runtime
            torch-distributed | {trainer: {command: [tune, run]}} | spec.runtimeRef.name: Invalid value: "torch-distributed": must have a supported pretrained model, invalid model configured: ''
            nothing | {} | spec.RuntimeRef: Invalid value: {"name":"nothing"}: ClusterTrainingRuntime.trainer.kubeflow.org "nothing" not found: specified clusterTrainingRuntime must be created before the TrainJob is created
            nothing | {runtimeRef: {name: x, kind: TrainingRuntime}} | spec.runtimeRef: Invalid value: {"kind":"TrainingRuntime","name":"x"}: TrainingRuntime.trainer.kubeflow.org "x" not found: specified trainingRuntime must be created before the TrainJob is created
            nothing | {runtimeRef: {name: x, kind: Cloud}} | unsupported runtime: Cloud.trainer.kubeflow.org
            """)
    void jobsAreRefusedInTheWordsOfTheWebhook(String runtime, String spec, String refusal) {
        assertThat(refusal(job(runtime, spec))).isEqualTo(refusal.replace("''", ""));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            other | {} | must not have replicated job that doesn't exist in the runtime job template
            node | {containers: [{name: other}]} | must not have container that doesn't exist in the runtime job node
            node | {initContainers: [{name: other}]} | must not have initContainer that doesn't exist in the runtime job node
            node | {containers: [{name: node, env: [{name: A}]}]} | must not have envs for the dataset-initializer, model-initializer, node containers
            """)
    void patchesChangeOnlyWhatIsThere(String target, String pod, String why) {
        ObjectNode job = job("torch-distributed", """
                {runtimePatches: [{manager: a.example/b, trainingRuntimeSpec: {template: {spec: {replicatedJobs: [
                  {name: %s, template: {spec: {template: {spec: %s}}}}]}}}}]}""".formatted(target, pod));
        assertThat(refusal(job))
                .startsWith("spec.runtimePatches: Invalid value: [")
                .endsWith(": " + why);
    }

    @Test
    void patchesChangeOnlyWhileNobodyRuns() {
        ObjectNode old = TestingTrainer.job("torch-distributed");
        ObjectNode next = job("torch-distributed", "{runtimePatches: [{manager: a.example/b}]}");
        assertThat(answer(TRAIN_JOBS, next, old).refusal())
                .isEqualTo("spec.runtimePatches: Forbidden: RuntimePatches can only be modified when the TrainJob is"
                        + " suspended before or after the update");
        Json.ensureObject(old, "spec").put("suspend", true);
        assertThat(answer(TRAIN_JOBS, next, old).refusal()).isEmpty();
        objects.put("jobsets/team/digits", TestingTrainer.yaml("""
                status: {replicatedJobsStatus: [{name: node, active: 1}]}
                """));
        assertThat(answer(TRAIN_JOBS, next, old).refusal())
                .isEqualTo("spec.runtimePatches: Forbidden: RuntimePatches cannot be modified when the JobSet's"
                        + " ReplicatedJob node is still active");
    }

    @Test
    void aJobWhoseRuntimeIsGoneCanStillBeLetGo() {
        ObjectNode job = TestingTrainer.job("nothing");
        ObjectNode next = job.deepCopy();
        Json.ensureObject(next, "metadata").putArray("finalizers");
        assertThat(answer(TRAIN_JOBS, next, job).refusal()).isEmpty();
    }

    @Test
    void aRuntimeThatIsGivenUpIsWarnedOf() {
        Json.ensureObject(objects.get("clustertrainingruntimes//jax-distributed"), "metadata", "labels")
                .put("trainer.kubeflow.org/support", "deprecated");
        assertThat(answer(TRAIN_JOBS, TestingTrainer.job("jax-distributed"), null)
                        .warnings())
                .singleElement()
                .asString()
                .startsWith("Referenced ClusterTrainingRuntime \"jax-distributed\" is deprecated");
    }

    @Test
    void classesAndQueuesOfGangsMustBeThere() {
        ObjectNode runtime = objects.get("clustertrainingruntimes//jax-distributed");
        Json.ensureObject(runtime, "spec", "podGroupPolicy").putObject("volcano");
        Json.ensureObject(runtime, "spec", "template", "metadata", "annotations")
                .put("scheduling.volcano.sh/queue-name", "");
        ObjectNode node = (ObjectNode) Json.listAt(runtime, "spec", "template", "spec", "replicatedJobs")
                .get(0);
        Json.ensureObject(node, "template", "spec", "template", "spec").put("priorityClassName", "high");
        assertThat(refusal(TestingTrainer.job("jax-distributed")))
                .isEqualTo(
                        "[spec.annotations[scheduling.volcano.sh/queue-name]: Invalid value: \"\": Volcano queue name must"
                                + " not be empty, spec.templateSpec.priorityClassName: Invalid value: \"high\": PriorityClass"
                                + " \"high\" doesn't exist: PriorityClass.scheduling.k8s.io \"high\" not found]");
    }

    @Test
    void stepsOfARuntimeHaveTheirContainersAndRunOnce() {
        ObjectNode runtime = TestingTrainer.yaml("""
                spec: {template: {spec: {replicatedJobs: [
                  {name: node, replicas: 2, template: {
                    metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}},
                    spec: {template: {spec: {containers: [{name: main}]}}}}}]}}}
                """);
        TrainerRules.Answer answer = answer("trainer.kubeflow.org/clustertrainingruntimes", runtime, null);
        assertThat(answer.refusal())
                .isEqualTo("[spec.template.spec.replicatedJobs[0].replicas: Invalid value: 2: always must be 1,"
                        + " spec.template.spec.replicatedJobs[0].template.spec.template.spec.containers: Invalid value:"
                        + " [{\"name\":\"main\"}]: must contain the required container for the ancestor: trainer]");
        assertThat(answer("trainer.kubeflow.org/trainingruntimes", runtime, runtime)
                        .refusal())
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            replicatedJobs: [{name: a, dependsOn: [{name: b, status: Ready}]}, {name: b}] | [DependsOn can't be set for the first ReplicatedJob, replicatedJob: a cannot depend on replicatedJob: b]
            replicatedJobs: [{name: a}], successPolicy: {operator: All, targetReplicatedJobs: [x]} | invalid replicatedJob name 'x' does not appear in .spec.ReplicatedJobs
            replicatedJobs: [{name: a}], failurePolicy: {rules: [{name: r, action: RestartJob}]} | RestartJob and RestartJobAndIgnoreMaxRestarts failure policy actions are not allowed when RestartJob feature gate is disabled
            replicatedJobs: [{name: a}], failurePolicy: {restartStrategy: InPlaceRestart} | InPlaceRestart restart strategy cannot be set when InPlaceRestart feature gate is disabled
            replicatedJobs: [{name: a}], failurePolicy: {rules: [{name: r, action: FailJobSet, onJobFailureReasons: [Rain]}]} | invalid job failure reason 'Rain' in failure policy is not a recognized job failure reason
            replicatedJobs: [{name: a}], failurePolicy: {rules: [{name: r, action: FailJobSet}, {name: r, action: FailJobSet}]} | rule names are not unique, rules with indices [0 1] all have the same name 'r'
            replicatedJobs: [{name: a}], network: {subdomain: a.b} | spec.network.subdomain: Invalid value: "a.b": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')
            replicatedJobs: [], volumeClaimPolicies: [{templates: [{metadata: {name: v}}]}] | spec.replicatedJobs: Invalid value: []: replicatedJob containers don't have a matching volumeMount: v from VolumeClaimPolicies
            replicatedJobs: [{name: a, template: {spec: {template: {spec: {volumes: [{name: v}], containers: [{volumeMounts: [{name: v}]}]}}}}}], volumeClaimPolicies: [{templates: [{metadata: {name: v}}]}] | spec.replicatedJobs[0].template.spec.template.spec.volumes[0].name: Invalid value: "v": volume name conflicts with VolumeClaimPolicy template name: v
            replicatedJobs: [{name: a, template: {spec: {template: {spec: {initContainers: [{volumeMounts: [{name: v}]}]}}}}}], volumeClaimPolicies: [{templates: [{metadata: {name: v}}, {metadata: {name: v}}]}] | spec.volumeClaimPolicies[0].template[1].name: Invalid value: "v": names must be unique for VolumeClaimPolicies template
            replicatedJobs: [{name: a}], coordinator: {replicatedJob: b} | coordinator replicatedJob b does not exist
            replicatedJobs: [{name: a}], coordinator: {replicatedJob: a, jobIndex: 1} | coordinator job index 1 is invalid for replicatedJob a
            replicatedJobs: [{name: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa}] | spec.replicatedJobs[0].name: Invalid value: "digits-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-0": JobSet name is too long, job names generated for this JobSet will exceed 63 characters
            """)
    void jobSetsAreRefusedInTheWordsOfTheirWebhook(String spec, String why) {
        ObjectNode set = TestingTrainer.yaml("{metadata: {name: digits}, spec: {" + spec + "}}");
        TrainerRules.Answer answer = answer("jobset.x-k8s.io/jobsets", set, null);
        assertThat(answer.refusal()).isEqualTo("JobSet.jobset.x-k8s.io \"digits\" is invalid: " + why);
    }

    @Test
    void jobsOfAJobSetStayAsTheyAreButForThePlacementOfSuspendedPods() {
        ObjectNode old = TestingTrainer.yaml("""
                {metadata: {name: digits}, spec: {replicatedJobs: [{name: a, template: {spec: {template: {spec: {
                  containers: [{name: a, image: a}]}}}}}]}}
                """);
        ObjectNode placed = TestingTrainer.yaml(
                Json.string(old).replace("\"containers\"", "\"nodeSelector\":{\"zone\":\"a\"},\"containers\""));
        assertThat(answer("jobset.x-k8s.io/jobsets", placed, old).refusal())
                .startsWith("JobSet.jobset.x-k8s.io \"digits\" is invalid: spec.replicatedJobs: Invalid value: [")
                .endsWith("]: field is immutable");
        Json.ensureObject(old, "spec").put("suspend", true);
        assertThat(answer("jobset.x-k8s.io/jobsets", placed, old).refusal()).isEmpty();
        ObjectNode other = TestingTrainer.yaml(Json.string(placed).replace("\"image\":\"a\"", "\"image\":\"b\""));
        assertThat(answer("jobset.x-k8s.io/jobsets", other, old).refusal()).endsWith("field is immutable");
    }

    @Test
    void patchesKnowWhenTheyWereChanged() {
        Instant before = Instant.parse("2030-01-01T00:00:00Z");
        Instant now = Instant.parse("2030-01-02T00:00:00Z");
        ObjectNode old =
                job("torch-distributed", "{runtimePatches: [{manager: a.example/same}, {manager: a.example/b}]}");
        PatchTimes.stamp(old, null, before);
        ObjectNode next = job("torch-distributed", """
                {runtimePatches: [{manager: a.example/same}, {manager: a.example/b, trainingRuntimeSpec: {}}, {manager: a.example/c}]}
                """);
        PatchTimes.stamp(next, old, now);
        assertThat(Json.listAt(next, "spec", "runtimePatches").findValuesAsText("time"))
                .containsExactly("2030-01-01T00:00:00Z", "2030-01-02T00:00:00Z", "2030-01-02T00:00:00Z");
    }
}
