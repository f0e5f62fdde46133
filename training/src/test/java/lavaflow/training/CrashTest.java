package lavaflow.training;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Whatever was the last thing a controller did, the next one goes on as if nothing had happened. */
class CrashTest {
    private record Story(Gang gang, ObjectNode job, Consumer<TestingCluster> play) {}

    /** Replays a story as often as it has writes, each time without the next of them, by a controller that ends there. */
    private static void sweep(Story story) {
        TestingCluster whole = cluster(story);
        whole.api.takeWrites();
        story.play().accept(whole);
        List<String> writes = whole.api.takeWrites().stream()
                .filter(write -> !write.contains(" events ") && !isOurs(write, story.job()))
                .distinct()
                .toList();
        String wanted = picture(whole, story.job());
        int crashes = 0;
        for (String write : writes) {
            TestingCluster broken = cluster(story);
            broken.failNext(write);
            story.play().accept(broken);
            assertThat(picture(broken, story.job())).as("without %s", write).isEqualTo(wanted);
            crashes += broken.crashes();
        }
        assertThat(crashes).isGreaterThan(2);
    }

    /** What the story does itself. */
    private static boolean isOurs(String write, ObjectNode job) {
        return write.startsWith("create " + TestingCluster.kind(job))
                || (write.startsWith("update ") && !write.contains("/status"));
    }

    private static TestingCluster cluster(Story story) {
        return Json.textAt(story.job(), "apiVersion").equals(MpiSshJob.API_VERSION)
                ? TestingCluster.ofMpi(story.gang())
                : TestingCluster.whole(story.gang());
    }

    private static String picture(TestingCluster cluster, ObjectNode job) {
        return cluster.conditions(job) + "\n" + cluster.counts(job) + "\n" + cluster.pods() + "\n"
                + cluster.names(Training.SERVICES) + "\n" + cluster.names(Training.CONFIG_MAPS) + "\n"
                + cluster.names(Training.BATCH_JOBS) + "\n" + cluster.names(Gang.VOLCANO_GROUPS) + "\n"
                + Json.textAt(cluster.job(job), "metadata", "annotations", Training.REPLACED)
                        .split(",", -1)
                        .length;
    }

    @Test
    void aGangThatRestartsAndSucceeds() {
        ObjectNode job = TestingJobs.job("PyTorchJob", "Master=1", "Worker=2");
        TestingJobs.policy(job).put("backoffLimit", 5).put("cleanPodPolicy", "Running");
        sweep(new Story(Gang.VOLCANO, job, cluster -> {
            cluster.submit(job);
            cluster.groupPhase("digits", "Inqueue");
            cluster.all("digits", "Running");
            cluster.phase("digits-worker-1", "Failed");
            cluster.gone("digits-worker-1");
            cluster.all("digits", "Running");
            cluster.pass(Duration.ofSeconds(1));
            cluster.exit("digits-master-0", 0);
            cluster.pods().stream().filter(cluster::isDeleting).toList().forEach(cluster::gone);
            cluster.pass(Duration.ofSeconds(1));
        }));
    }

    @Test
    void aJobThatIsSuspendedAndResumed() {
        ObjectNode job = TestingJobs.job("TFJob", "Chief=1", "Worker=2");
        sweep(new Story(Gang.VOLCANO, job, cluster -> {
            cluster.submit(job);
            cluster.groupPhase("digits", "Inqueue");
            cluster.all("digits", "Running");
            cluster.change(job, found -> TestingJobs.policy(found).put("suspend", true));
            cluster.pods().stream().filter(cluster::isDeleting).toList().forEach(cluster::gone);
            cluster.change(job, found -> TestingJobs.policy(found).put("suspend", false));
            cluster.groupPhase("digits", "Inqueue");
            cluster.all("digits", "Running");
            cluster.pass(Duration.ofSeconds(1));
        }));
    }

    @Test
    void anMpiJobOfEachVersion() {
        ObjectNode job = TestingJobs.job("MPIJob", "Launcher=1", "Worker=2");
        sweep(new Story(Gang.NONE, job, cluster -> {
            cluster.submit(job);
            cluster.all("digits", "Running");
            cluster.exit("digits-launcher", 0);
        }));
        ObjectNode next = job.deepCopy().put("apiVersion", MpiSshJob.API_VERSION);
        sweep(new Story(Gang.NONE, next, cluster -> {
            cluster.submit(next);
            cluster.all("digits-worker", "Running");
            cluster.pass(Duration.ofSeconds(1));
        }));
    }
}
