package lavaflow.trainer;

import java.util.List;
import java.util.function.Consumer;

import lavaflow.kube.Json;
import lavaflow.training.Gang;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Whatever was the last thing a controller did, the next one goes on as if nothing had happened. */
class CrashTest {
    /** Replays a story as often as it has writes, each time without the next of them, by a controller that ends there. */
    private static void sweep(Consumer<TestingTrainer> story) {
        TestingTrainer whole = new TestingTrainer(Gang.VOLCANO);
        whole.api.takeWrites();
        story.accept(whole);
        List<String> writes = whole.api.takeWrites().stream()
                .filter(write -> !write.contains(" events ")
                        && !write.startsWith("create " + Trainer.TRAIN_JOBS)
                        && !write.startsWith("create " + Trainer.CLUSTER_RUNTIMES)
                        && !(write.startsWith("update ") && !write.contains("/status")))
                .distinct()
                .toList();
        String wanted = picture(whole);
        int crashes = 0;
        for (String write : writes) {
            TestingTrainer broken = new TestingTrainer(Gang.VOLCANO);
            broken.failNext(write);
            story.accept(broken);
            assertThat(picture(broken)).as("without %s", write).isEqualTo(wanted);
            crashes += broken.crashes();
        }
        assertThat(crashes).isGreaterThan(5);
    }

    private static String picture(TestingTrainer cluster) {
        return cluster.conditions() + "\n" + cluster.setConditions() + "\n" + cluster.names(Trainer.JOBS) + "\n"
                + cluster.names(Trainer.SERVICES) + "\n" + cluster.names(Trainer.CONFIG_MAPS) + "\n"
                + cluster.names(Trainer.SECRETS) + "\n" + cluster.names(TestingTrainer.GROUPS) + "\n"
                + Json.string(
                        cluster.get(Trainer.TRAIN_JOBS, "digits").path("status").path("jobsStatus"))
                + Json.longAt(cluster.get(Trainer.JOB_SETS, "digits"), 0, "status", "restarts");
    }

    @Test
    void aJobThatIsSuspendedResumedAndComplete() {
        sweep(cluster -> {
            cluster.submit(TestingTrainer.job("torch-distributed"));
            cluster.running("digits-node-0");
            cluster.suspend(true);
            cluster.suspend(false);
            cluster.running("digits-node-0");
            cluster.end("digits-node-0", "Complete", "CompletionsReached");
        });
    }

    @Test
    void nodesAndALauncherThatBeginAnewAndFail() {
        sweep(cluster -> {
            ObjectNode runtime = TrainerRuntimes.FILES.read("deepspeed-distributed");
            Json.ensureObject(runtime, "metadata").put("name", "again");
            Json.ensureObject(runtime, "spec", "template", "spec", "failurePolicy")
                    .put("maxRestarts", 1);
            cluster.api.create(Trainer.CLUSTER_RUNTIMES, "", runtime);
            cluster.submit(TestingTrainer.job("again"));
            cluster.running("digits-node-0");
            cluster.end("digits-launcher-0", "Failed", "BackoffLimitExceeded");
            cluster.bury();
            cluster.running("digits-node-0");
            cluster.running("digits-launcher-0");
            cluster.end("digits-launcher-0", "Failed", "BackoffLimitExceeded");
            cluster.bury();
        });
    }
}
