package lavaflow.training;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Everything that is made for a job, compared with files. With {@code LAVAFLOW_GOLDEN=write} the files are written instead; look at what
 * changed.
 */
class GoldenTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "tfjob-ps-chief-evaluator",
                "tfjob-single",
                "tfjob-dynamic-worker",
                "tfjob-spellings-and-ports",
                "pytorchjob-master-worker",
                "pytorchjob-workers-only",
                "pytorchjob-elastic",
                "xgboostjob",
                "paddlejob-collective",
                "paddlejob-servers",
                "jaxjob",
                "mpijob",
                "mpijob-gpu-launcher",
                "mpijob-ssh",
                "mpijob-ssh-intel",
                "mpijob-ssh-mpich",
                "gang-volcano",
                "gang-plugins",
            })
    void isAsInTheFile(String name) throws IOException {
        ObjectNode raw = TestingJobs.yaml(TestingJobs.resource("golden/" + name + ".yaml"));
        ObjectNode metadata = Json.ensureObject(raw, "metadata");
        metadata.put("namespace", "team").put("uid", "0123");
        Settings settings = Settings.USUAL.with(Gang.named(Json.textAt(metadata, "annotations", "gang")));
        String made = Json.pretty(made(raw, settings)) + "\n";
        Path file = Path.of("src/test/resources/lavaflow/training/golden", name + ".json");
        if ("write".equals(System.getenv("LAVAFLOW_GOLDEN"))) {
            Files.writeString(file, made);
        }
        assertThat(made).isEqualTo(Files.readString(file));
    }

    private static ArrayNode made(ObjectNode raw, Settings settings) {
        if (Json.textAt(raw, "apiVersion").equals(MpiSshJob.API_VERSION)) {
            return madeForSsh(MpiSshJob.of(raw), settings);
        }
        TrainingJob job = TrainingJob.of(TestingJobs.framework(raw), raw);
        Gang gang = settings.gang().of(job);
        ArrayNode made = Json.array();
        if (gang.isOn()) {
            made.add(GroupForm.group(GroupForm.Wish.of(job), gang, priority -> priority.equals("high") ? 1000 : 0));
        }
        if (job.framework() instanceof Mpi) {
            made.add(MpiForm.configMap(job, List.of("pi-worker-0")));
            made.add(MpiForm.account(job));
            made.add(MpiForm.role(job));
            made.add(MpiForm.binding(job));
        }
        for (TrainingJob.Replica replica : job.replicas()) {
            for (int i = 0; i < replica.count(); i++) {
                made.add(ReplicaForm.pod(job, replica, i, gang, settings));
                if (!(job.framework() instanceof Mpi)) {
                    made.add(ReplicaForm.service(job, replica, i));
                }
            }
        }
        return made;
    }

    private static ArrayNode madeForSsh(MpiSshJob job, Settings settings) {
        MpiSshForm form = new MpiSshForm(job, settings);
        ArrayNode made = Json.array();
        if (settings.gang().isOn()) {
            made.add(GroupForm.group(form.wish(), settings.gang(), _ -> 0));
        }
        made.add(form.service());
        made.add(form.configMap(List.of("pi-worker-0")));
        made.add(form.secret(new SshKey("private", "public")));
        for (int i = 0; i < job.workers(); i++) {
            made.add(form.worker(i, settings.gang()));
        }
        made.add(form.launcher(settings.gang()));
        return made;
    }
}
