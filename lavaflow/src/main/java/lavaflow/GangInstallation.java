package lavaflow;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.jobs.JobDefinitions;
import lavaflow.kube.ApiException;
import lavaflow.scheduler.Definitions;
import lavaflow.trainer.TrainerDefinitions;
import lavaflow.trainer.TrainerRuntimes;
import lavaflow.trainer.TrainerVersion;
import lavaflow.training.TrainingDefinitions;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts what gangs need into the cluster, behind the back of a server that is ready without it. */
final class GangInstallation implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GangInstallation.class);
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Duration SERVING = Duration.ofSeconds(20);
    private static final Duration SETTLING = Duration.ofSeconds(2);

    /** The plain collector makes a heap smaller by and by: not at all, by a tenth, by two fifths, then by all it can. */
    private static final int STEPS = 4;

    /** How much of it a cluster gets. */
    enum Extent {
        /** Rights of those who work on the kinds, whoever installs these. */
        RIGHTS,
        KINDS,
        /** Also runtimes of TrainJobs, whose images this machine makes, and the version of their controller. */
        EVERYTHING
    }

    private final KubeApi api;
    private final Definitions definitions;
    private final Followers followers;
    private final Extent extent;
    private final CountDownLatch installed = new CountDownLatch(1);
    private @Nullable Thread thread;

    /**
     * One for a cluster.
     *
     * @param followers what the server waits for before it says that it is ready
     */
    GangInstallation(KubeApi api, Followers followers, Extent extent) {
        this.api = api;
        this.definitions = new Definitions(
                api, List.of(JobDefinitions.FILES, TrainingDefinitions.FILES, TrainerDefinitions.FILES));
        this.followers = followers;
        this.extent = extent;
    }

    void start() {
        thread = Thread.ofVirtual().name("definitions").start(() -> {
            try {
                if (followers.awaitSync()) {
                    install();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (ApiException e) {
                LOG.warn("the kinds of gangs are not installed: {}", e.getMessage());
            } finally {
                installed.countDown();
            }
        });
    }

    /**
     * Waits until all of it is there and served, or cannot be had; false if that is not known after that time. A cluster that
     * had the kinds before serves them from its first moment, and what is new of them may come later.
     */
    boolean await(Duration patience) throws InterruptedException {
        return definitions.awaitServed(Duration.ZERO) || installed.await(patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void install() throws InterruptedException {
        if (extent == Extent.RIGHTS) {
            definitions.ensureRights();
            return;
        }
        definitions.ensure();
        if (extent == Extent.EVERYTHING) {
            TrainerVersion.ensure(api);
            if (!TrainerRuntimes.ensure(api)) {
                LOG.warn("runtimes of TrainJobs are not served, so none is installed");
            }
        }
        if (definitions.hasMade() && !definitions.awaitServed(SERVING)) {
            LOG.warn("not all kinds of jobs are served yet: kubectl get customresourcedefinitions says why");
        }
        installed.countDown();
        giveBack();
    }

    /**
     * Definitions with whole pods in them are megabytes of schemas for a moment, once in the life of a cluster. Without looking through the heap when
     * they are served it would stay as large for as long as the process lives.
     */
    private void giveBack() throws InterruptedException {
        if (definitions.hasMade()) {
            Thread.sleep(SETTLING);
            for (int i = 0; i < STEPS; i++) {
                System.gc();
            }
        }
    }

    @Override
    public void close() {
        Thread running = thread;
        if (running != null) {
            running.interrupt();
            try {
                running.join(PATIENCE);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
