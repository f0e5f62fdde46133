package lavaflow.cli;

import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class ScriptJobTest {
    private static Manifests made(ScriptJob.Framework framework, int replicas) {
        return ScriptJob.of(
                new ScriptJob.Wish(
                        "train",
                        framework,
                        replicas,
                        framework.image(),
                        List.of("--epochs", "3"),
                        VolcanoObjects.resources("cpu=1"),
                        "lab"),
                "train.py",
                "print('hi')\n");
    }

    @ParameterizedTest
    @CsvSource({
        "TENSORFLOW, TFJob, tfReplicaSpecs, 'Chief=1,Worker=2', tensorflow",
        "PYTORCH, PyTorchJob, pytorchReplicaSpecs, 'Master=1,Worker=2', pytorch",
        "XGBOOST, XGBoostJob, xgbReplicaSpecs, 'Master=1,Worker=2', xgboost",
        "PADDLE, PaddleJob, paddleReplicaSpecs, Worker=3, paddle",
        "JAX, JAXJob, jaxReplicaSpecs, Worker=3, jax",
    })
    void aProgramBecomesAJobOfItsFramework(
            ScriptJob.Framework framework, String kind, String field, String replicas, String container) {
        Manifests made = made(framework, 3);
        assertThat(Json.string(made.needed().getFirst().path("data"))).isEqualTo("{\"train.py\":\"print('hi')\\n\"}");
        ObjectNode job = made.jobs().getFirst();
        assertThat(Json.textAt(job, "kind")).isEqualTo(kind);
        assertThat(Json.textAt(job, "spec", "runPolicy", "schedulingPolicy", "queue"))
                .isEqualTo("lab");
        ObjectNode specs = Json.objectAt(job, "spec", field);
        assertThat(String.join(
                        ",",
                        specs.properties().stream()
                                .map(each ->
                                        each.getKey() + "=" + each.getValue().path("replicas"))
                                .toList()))
                .isEqualTo(replicas);
        assertThat(Json.string(specs.path("Worker")
                        .path("template")
                        .path("spec")
                        .path("containers")
                        .path(0)))
                .startsWith("{\"name\":\"" + container + "\",\"image\":\"" + framework.image()
                        + "\",\"command\":[\"python\",\"-u\",\"/workspace/train.py\",\"--epochs\",\"3\"],"
                        + "\"resources\":{\"requests\":{\"cpu\":\"1\"},\"limits\":{\"cpu\":\"1\"}}");
    }

    @Test
    void oneReplicaIsTheLeaderAlone() {
        ObjectNode job = made(ScriptJob.Framework.PYTORCH, 1).jobs().getFirst();
        assertThat(Json.objectAt(job, "spec", "pytorchReplicaSpecs").fieldNames())
                .toIterable()
                .containsExactly("Master");
    }

    @Test
    void otherJobsRunTheMachinesOwnPython() {
        ObjectNode volcano = made(ScriptJob.Framework.VOLCANO, 2).jobs().getFirst();
        assertThat(Json.longAt(volcano, 0, "spec", "minAvailable")).isEqualTo(2);
        assertThat(Json.textAt(volcano, "spec", "queue")).isEqualTo("lab");
        ObjectNode plain = made(ScriptJob.Framework.JOB, 2).jobs().getFirst();
        assertThat(Json.textAt(plain, "apiVersion")).isEqualTo("batch/v1");
        assertThat(Json.textAt(plain, "spec", "completionMode")).isEqualTo("Indexed");
        assertThat(Json.string(plain)).contains("[\"python3\",\"-u\",\"/workspace/train.py\"");
    }

    @ParameterizedTest
    @CsvSource({"train.py, train", "My_Train v2.py, my-train-v2", "3d.py, run-3d", "-x-.py, x"})
    void namesOfFilesBecomeNamesOfJobs(String file, String name) {
        assertThat(ScriptJob.nameOf(file)).isEqualTo(name);
    }
}
