package lavaflow;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;

import lavaflow.batch.BatchControllers;
import lavaflow.cluster.CoreControllers;
import lavaflow.cluster.Identities;
import lavaflow.controller.Candidate;
import lavaflow.controller.Fanout;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Timing;
import lavaflow.flows.FlowControllers;
import lavaflow.flows.NetworkProbes;
import lavaflow.jobs.JobControllers;
import lavaflow.remote.RemoteKubeApi;
import lavaflow.remote.Settings;
import lavaflow.scheduler.GangSettings;
import lavaflow.trainer.TrainerControllers;
import lavaflow.training.TrainingControllers;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The role of {@code lava controllers}: the core controllers beside any API server. */
final class ControllersRole implements Foreground.Role {
    private static final Logger LOG = LoggerFactory.getLogger(ControllersRole.class);
    /**
     * What may differ between clusters.
     *
     * @param volumes where directories for claims are made; null where nodes are elsewhere
     * @param accounts whether each controller writes as its own service account
     * @param elect whether to wait until no other copy works
     * @param metrics where to tell how it goes; null for nowhere
     * @param training how training jobs are run
     */
    record Options(
            Settings connection,
            ControllerSelection controllers,
            RemoteAccess.Material material,
            @Nullable Path volumes,
            boolean accounts,
            boolean elect,
            @Nullable InetSocketAddress metrics,
            lavaflow.training.Settings training) {}

    private final Options options;
    private final RemoteKubeApi api;
    private final Candidate candidate;
    private final CoreControllers controllers;
    private final BatchControllers batch;
    private final JobControllers jobs;
    private final FlowControllers flows;
    private final TrainingControllers training;
    private final TrainerControllers trainer;
    private final @Nullable MetricsServer metrics;
    private volatile boolean working;

    private ControllersRole(Options options, RemoteKubeApi api) throws IOException {
        InstantSource clock = InstantSource.system();
        this.options = options;
        this.api = api;
        this.controllers = new CoreControllers(
                identities(api, options.accounts()),
                new CoreControllers.Judges(RemoteAccess.of(api, options.material(), clock), null, options.volumes()),
                clock,
                options.controllers().wanted(CoreControllers::isUsual));
        // Only those that are named: a cluster with Volcano has them already.
        this.batch = new BatchControllers(
                api,
                controllers.followers(),
                options.controllers().wanted(_ -> false),
                GangSettings.USUAL_NAMES,
                clock,
                System::nanoTime);
        this.jobs = new JobControllers(
                api,
                controllers.followers(),
                options.controllers().wanted(_ -> false),
                new Timing(clock, System::nanoTime, Fanout.parallel(JobControllers.WIDTH)));
        this.flows = new FlowControllers(
                api,
                controllers.followers(),
                options.controllers().wanted(_ -> false),
                new NetworkProbes(),
                clock,
                System::nanoTime);
        this.training = new TrainingControllers(
                api,
                controllers.followers(),
                options.controllers().wanted(_ -> false),
                options.training(),
                new Timing(clock, System::nanoTime, Fanout.parallel(TrainingControllers.WIDTH)));
        this.trainer = new TrainerControllers(
                api,
                controllers.followers(),
                options.controllers().wanted(_ -> false),
                options.training().gang(),
                new Timing(clock, System::nanoTime, Fanout.parallel(TrainerControllers.WIDTH)));
        // Upstream's name: of its controllers and these, only one may work on a cluster.
        this.candidate = new Candidate(
                api,
                new Candidate.Claim("kube-system", "kube-controller-manager", hostName() + "_" + UUID.randomUUID()),
                new Candidate.Clocks(
                        clock,
                        System::nanoTime,
                        () -> ThreadLocalRandom.current().nextDouble()));
        this.metrics = options.metrics() == null ? null : serveMetrics(options.metrics());
    }

    private MetricsServer serveMetrics(InetSocketAddress listen) throws IOException {
        MetricsServer server = new MetricsServer(
                listen,
                () -> controllers.metrics()
                        + batch.metrics()
                        + jobs.metrics()
                        + flows.metrics()
                        + training.metrics()
                        + candidate.metrics(),
                this::isReady);
        LOG.info("metrics on http://{}:{}/metrics", listen.getHostString(), server.port());
        return server;
    }

    private boolean isReady() {
        return !working || controllers.areSynced();
    }

    static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException _) {
            return "unknown";
        }
    }

    /** Connects, however long the server takes to come up; other failures are the caller's. */
    static ControllersRole connect(Options options) throws IOException, InterruptedException {
        return Foreground.connect(options.connection(), api -> new ControllersRole(options, api));
    }

    private static Identities identities(RemoteKubeApi api, boolean accounts) {
        return new Identities() {
            @Override
            public KubeApi reader() {
                return api;
            }

            @Override
            public KubeApi as(Function<KubeApi.Kind, String> account) {
                return accounts ? api.writingAs(account) : api;
            }
        };
    }

    Set<String> unknownControllers() {
        Set<String> known = new TreeSet<>(controllers.names());
        known.addAll(BatchControllers.NAMES);
        known.addAll(JobControllers.NAMES);
        known.addAll(FlowControllers.NAMES);
        known.addAll(TrainingControllers.NAMES);
        known.addAll(TrainerControllers.NAMES);
        return options.controllers().unknown(known);
    }

    Set<String> withoutMaterial() {
        return controllers.withoutMaterial();
    }

    int metricsPort() {
        return metrics == null ? 0 : metrics.port();
    }

    /** Works until interrupted; true if it had to stop because somebody else may work now. */
    @Override
    public boolean run() throws InterruptedException {
        withoutMaterial()
                .forEach(
                        name -> LOG.warn("{} does not run: what it needs was not given (lava help controllers)", name));
        if (options.elect()) {
            return candidate.run(this::work);
        }
        work();
        while (true) {
            Thread.sleep(Duration.ofDays(1));
        }
    }

    private void work() {
        LOG.info("controllers work on {}", api.server());
        working = true;
        controllers.start();
        batch.start();
        jobs.start();
        flows.start();
        training.start();
        trainer.start();
    }

    boolean areSynced() {
        return working && controllers.areSynced();
    }

    /** The lease goes last: the next one may begin as soon as it is free. */
    @Override
    public void close() {
        // Whoever stops it interrupts it, and there is still something to say to the server.
        boolean interrupted = Thread.interrupted();
        controllers.close();
        batch.close();
        jobs.close();
        flows.close();
        training.close();
        trainer.close();
        candidate.release();
        if (metrics != null) {
            metrics.close();
        }
        api.close();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
