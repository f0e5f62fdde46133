package lavaflow.jobs;

import java.util.List;
import java.util.Objects;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static lavaflow.jobs.TestingManifests.pluggedPod;
import static lavaflow.jobs.TestingManifests.variable;
import static lavaflow.jobs.TestingManifests.yaml;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What pods are told so that frameworks of machine learning find themselves. */
class FrameworkPluginsTest {
    private static final String TEMPLATE =
            ", template: {spec: {initContainers: [{name: i}], containers: [{name: c}]}}}";

    private static VolcanoJob job(String plugins, String... tasks) {
        StringBuilder spec = new StringBuilder("plugins: {" + plugins + "}\ntasks:\n");
        for (String task : tasks) {
            String[] parts = task.split(":", -1);
            spec.append("- {name: ")
                    .append(parts[0])
                    .append(", replicas: ")
                    .append(parts[1])
                    .append(TEMPLATE)
                    .append("\n");
        }
        return TestingManifests.job(spec.toString());
    }

    private static JsonNode ports(ObjectNode pod, String list) {
        return Json.listAt(Json.listAt(pod, "spec", list).path(0), "ports");
    }

    @Test
    void envTellsTheIndexUnderBothNamesToEveryContainer() {
        ObjectNode pod = pluggedPod(job("env: []", "w:3"), "w", 2);
        for (String list : List.of("containers", "initContainers")) {
            assertThat(variable(pod, list, "VK_TASK_INDEX")).isEqualTo("2");
            assertThat(variable(pod, list, "VC_TASK_INDEX")).isEqualTo("2");
        }
    }

    // ---- tensorflow

    @Test
    void tensorflowTellsWhoTakesPartAndWhoOneIs() {
        VolcanoJob job = job("tensorflow: []", "ps:1", "worker:2", "chief:1", "evaluator:1");
        assertThat(variable(pluggedPod(job, "worker", 1), "TF_CONFIG"))
                .isEqualTo("{\"cluster\":{\"ps\":[\"train-ps-0.train:2222\"],"
                        + "\"worker\":[\"train-worker-0.train:2222\",\"train-worker-1.train:2222\"],"
                        + "\"chief\":[\"train-chief-0.train:2222\"],\"evaluator\":[\"train-evaluator-0.train:2222\"]},"
                        + "\"task\":{\"type\":\"worker\",\"index\":1}}");
        assertThat(variable(pluggedPod(job, "worker", 1), "initContainers", "TF_CONFIG"))
                .isEqualTo("-");
    }

    @Test
    void tensorflowKnowsRolesByOtherNamesAndLeavesOutWhatIsNotThere() {
        VolcanoJob job =
                job("tensorflow: [--ps=server, --worker=trainer, --port=5000]", "server:1", "trainer:1", "log:1");
        assertThat(variable(pluggedPod(job, "server", 0), "TF_CONFIG"))
                .isEqualTo("{\"cluster\":{\"ps\":[\"train-server-0.train:5000\"],"
                        + "\"worker\":[\"train-trainer-0.train:5000\"]},\"task\":{\"type\":\"ps\",\"index\":0}}");
        assertThat(variable(pluggedPod(job, "log", 0), "TF_CONFIG"))
                .endsWith("\"task\":{\"type\":\"log\",\"index\":0}}");
    }

    @Test
    void tensorflowSaysNothingToOneThatIsAlone() {
        assertThat(variable(pluggedPod(job("tensorflow: []", "worker:1"), "worker", 0), "TF_CONFIG"))
                .isEqualTo("-");
    }

    // ---- pytorch

    @ParameterizedTest
    @CsvSource({"master,0,0", "worker,0,1", "worker,1,2", "other,0,-"})
    void pytorchTellsWhereToMeetAndTheRank(String task, long index, String rank) {
        ObjectNode pod = pluggedPod(job("pytorch: []", "master:1", "worker:2", "other:1"), task, index);
        assertThat(variable(pod, "MASTER_ADDR")).isEqualTo("train-master-0.train");
        assertThat(variable(pod, "MASTER_PORT")).isEqualTo("23456");
        assertThat(variable(pod, "WORLD_SIZE")).isEqualTo("3");
        assertThat(variable(pod, "RANK")).isEqualTo(rank);
        assertThat(ports(pod, "containers"))
                .isEqualTo(Json.parse("[{\"name\":\"pytorchjob-port\",\"containerPort\":23456}]"));
        assertThat(Json.listAt(pod, "spec", "initContainers")).hasSize(1);
    }

    @Test
    void pytorchDoesNothingWithoutAMaster() {
        ObjectNode pod = pluggedPod(job("pytorch: []", "worker:2"), "worker", 0);
        assertThat(variable(pod, "MASTER_ADDR")).isEqualTo("-");
    }

    @Test
    void pytorchLetsWorkersWaitForTheMasterIfAsked() {
        VolcanoJob job = job(
                "pytorch: [--wait-master-enabled=true, --wait-master-timeout=10, --wait-master-image=b:1]",
                "master:1",
                "worker:1");
        JsonNode waiting = Json.listAt(pluggedPod(job, "worker", 0), "spec", "initContainers")
                .get(1);
        assertThat(waiting.get("name").asText()).isEqualTo("wait-for-master");
        assertThat(waiting.get("image").asText()).isEqualTo("b:1");
        assertThat(waiting.get("command").get(2).asText())
                .contains("nc -z train-master-0.train 23456")
                .contains("left=10");
        assertThat(Json.listAt(pluggedPod(job, "master", 0), "spec", "initContainers"))
                .hasSize(1);
    }

    @Test
    void portsThatAreOpenStayAsTheyAre() {
        VolcanoJob job = TestingManifests.job("""
                plugins: {pytorch: []}
                tasks:
                - {name: master, replicas: 1, template: {spec: {containers: [{name: c, ports: [{containerPort: 23456}]}]}}}
                """);
        assertThat(ports(pluggedPod(job, "master", 0), "containers"))
                .isEqualTo(Json.parse("[{\"containerPort\":23456}]"));
    }

    // ---- mpi

    @Test
    void mpiTellsTheMasterItsWorkersAndOpensThePortEverywhere() {
        VolcanoJob job =
                job("mpi: [--master=mpimaster, --worker=mpiworker, --port=2022]", "mpimaster:1", "mpiworker:2");
        for (String list : List.of("containers", "initContainers")) {
            assertThat(variable(pluggedPod(job, "mpimaster", 0), list, "MPI_HOST"))
                    .isEqualTo("train-mpiworker-0.train,train-mpiworker-1.train");
            assertThat(variable(pluggedPod(job, "mpiworker", 0), list, "MPI_HOST"))
                    .isEqualTo("-");
            assertThat(ports(pluggedPod(job, "mpiworker", 0), list))
                    .isEqualTo(Json.parse("[{\"name\":\"mpijob-port\",\"containerPort\":2022}]"));
        }
    }

    // ---- ray

    private static final String RAY = """
            plugins: {ray: []}
            tasks:
            - {name: head, replicas: 1, template: {spec: {containers: [{name: head}, {name: side}]}}}
            - {name: worker, replicas: 2, template: {spec: {containers: [{name: worker}]}}}
            """;

    @Test
    void rayStartsHeadAndWorkers() {
        VolcanoJob job = TestingManifests.job(RAY);
        JsonNode head = Json.listAt(pluggedPod(job, "head", 0), "spec", "containers");
        assertThat(head.get(0).get("command"))
                .isEqualTo(Json.parse("[\"sh\",\"-c\",\"ray start --head --block --dashboard-host=0.0.0.0 --port=6379"
                        + " --dashboard-port=8265 --ray-client-server-port=10001\"]"));
        assertThat(head.get(0).get("ports"))
                .isEqualTo(
                        Json.parse(
                                "[{\"name\":\"gcs\",\"containerPort\":6379},"
                                        + "{\"name\":\"dashboard\",\"containerPort\":8265},{\"name\":\"client-server\",\"containerPort\":10001}]"));
        assertThat(head.get(1).has("command")).isFalse();
        JsonNode worker =
                Json.listAt(pluggedPod(job, "worker", 1), "spec", "containers").get(0);
        assertThat(worker.get("command"))
                .isEqualTo(Json.parse("[\"sh\",\"-c\",\"ray start --block --address=train-head-0.train:6379\"]"));
        assertThat(worker.has("ports")).isFalse();
    }

    @Test
    void rayHasAServiceForTheHead() {
        VolcanoJob job = TestingManifests.job(RAY);
        List<JobObject> objects = Objects.requireNonNull(JobPlugins.named("ray", List.of()))
                .objects(job, () -> {
                    throw new AssertionError("no keys are needed");
                });
        assertThat(objects).hasSize(1);
        assertThat(objects.getFirst().object()).isEqualTo(yaml("""
                                apiVersion: v1
                                kind: Service
                                metadata: {name: train-head-svc}
                                spec:
                                  selector: {volcano.sh/job-name: train, volcano.sh/job-namespace: ai, volcano.sh/task-spec: head}
                                  ports:
                                  - {name: gcs, port: 6379, targetPort: gcs, protocol: TCP}
                                  - {name: dashboard, port: 8265, targetPort: dashboard, protocol: TCP}
                                  - {name: client-server, port: 10001, targetPort: client-server, protocol: TCP}
                                """));
    }

    @Test
    void rayRefusesPodsOfAJobWithoutAHead() {
        VolcanoJob job = job("ray: [--head=boss]", "worker:1");
        assertThatThrownBy(() -> pluggedPod(job, "worker", 0)).hasMessage("job train doesn't have head task boss");
        JobPlugin ray = Objects.requireNonNull(JobPlugins.named("ray", List.of("--head=boss")));
        assertThatThrownBy(() -> ray.objects(job, () -> new JobPlugin.SshKeys("", "")))
                .as("before it has made anything")
                .isInstanceOf(ApiException.class)
                .hasMessage("job train doesn't have head task boss");
    }

    // ---- jax

    @Test
    void jaxTellsWhereToMeetAndTheProcess() {
        ObjectNode pod = pluggedPod(job("jax: []", "worker:4"), "worker", 3);
        assertThat(variable(pod, "COORDINATOR_ADDRESS")).isEqualTo("train-worker-0.train");
        assertThat(variable(pod, "COORDINATOR_PORT")).isEqualTo("6666");
        assertThat(variable(pod, "NUM_PROCESSES")).isEqualTo("4");
        assertThat(variable(pod, "PROCESS_ID")).isEqualTo("3");
    }

    // ---- hcclrank

    @ParameterizedTest
    @CsvSource({"master,1,1", "worker,0,2", "worker,2,4", "other,0,''"})
    void hcclrankNumbersWorkersAfterMasters(String task, long index, String rank) {
        ObjectNode pod = pluggedPod(job("hcclrank: []", "master:2", "worker:3", "other:1"), task, index);
        assertThat(Json.textAt(pod, "metadata", "annotations", "hccl/rankIndex"))
                .isEqualTo(rank);
    }

    @Test
    void hcclrankTakesTheRankThatPytorchGave() {
        ObjectNode pod = pluggedPod(job("pytorch: [], hcclrank: []", "master:2", "worker:1"), "worker", 0);
        assertThat(Json.textAt(pod, "metadata", "annotations", "hccl/rankIndex"))
                .isEqualTo("1");
    }

    // ---- all of them

    @Test
    void saysWhatIsWrongWithPluginsInUpstreamsWords() {
        assertThat(JobPlugins.complaints(job("nothing: [], svc: [--no], env: [--any]", "w:1")))
                .containsExactly(
                        "failed to get plugin nothing",
                        "plugin svc flagset parse failed, err: flag provided but not defined: -no");
    }

    @Test
    void leavesOutPluginsThatDoNotExist() {
        assertThat(JobPlugins.of(job("nothing: [], env: []", "w:1"))).hasSize(1);
        assertThat(JobPlugins.named("nothing", List.of())).isNull();
    }
}
