package lavaflow.trainer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

import lavaflow.kube.Json;
import lavaflow.training.Gang;
import lavaflow.training.SshKey;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Everything that is made for a TrainJob and then for its JobSet, compared with files. With {@code LAVAFLOW_GOLDEN=write} the files are written
 * instead; look at what changed.
 */
class GoldenTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "torch",
                "torch-processes-and-patches",
                "torch-plain-pods",
                "torch-injection",
                "torchtune-initializers",
                "jax",
                "xgboost-gpus",
                "deepspeed",
                "volcano-policy",
                "coscheduling-policy",
                "plain",
            })
    void isAsInTheFile(String name) throws IOException {
        ObjectNode file = TestingTrainer.yaml(TestingTrainer.resource("golden/" + name + ".yaml"));
        ObjectNode job = Objects.requireNonNull(Json.objectAt(file, "job"));
        job.put("apiVersion", Trainer.API_VERSION).put("kind", "TrainJob");
        Json.ensureObject(job, "metadata")
                .put("name", "digits")
                .put("namespace", "team")
                .put("uid", "0123");
        ObjectNode own = Json.objectAt(file, "runtime");
        ObjectNode runtime =
                own == null ? TrainerRuntimes.FILES.read(Json.textAt(job, "spec", "runtimeRef", "name")) : own;
        String made = Json.pretty(made(job, runtime, Gang.named(Json.textAt(file, "gang")))) + "\n";
        Path golden = Path.of("src/test/resources/lavaflow/trainer/golden", name + ".json");
        if ("write".equals(System.getenv("LAVAFLOW_GOLDEN"))) {
            Files.writeString(golden, made);
        }
        assertThat(made).isEqualTo(Files.readString(golden));
    }

    private static ArrayNode made(ObjectNode job, ObjectNode runtime, Gang gang) {
        ArrayNode made = Json.array();
        TrainJobForm form = new TrainJobForm(job, runtime, gang);
        form.beside().forEach(made::add);
        if (form.needsKey()) {
            made.add(TrainJobForm.secret(job, new SshKey("private", "public")));
        }
        if (form.gang().isOn()) {
            made.add(form.group(_ -> 0));
        }
        ObjectNode set = form.jobSet();
        made.add(set.deepCopy());
        Json.ensureObject(set, "metadata").put("uid", "4567");
        JobSetView view = JobSetView.of(set);
        ChildForm children = new ChildForm(view);
        made.add(children.service());
        children.claims().forEach(made::add);
        view.jobs().forEach(each -> made.add(children.job(each, 0, 0)));
        return made;
    }
}
