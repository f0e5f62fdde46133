package lavaflow;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;

import lavaflow.cluster.CoreControllers;
import lavaflow.cluster.Identities;
import lavaflow.controller.Candidate;
import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.remote.RemoteKubeApi;
import lavaflow.remote.Settings;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The role of {@code lava controllers}: the core controllers beside any API server. */
final class ControllersRole implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ControllersRole.class);
    private static final Duration PAUSE = Duration.ofSeconds(1);

    /**
     * What may differ between clusters.
     *
     * @param accounts whether each controller writes as its own service account
     * @param elect whether to wait until no other copy works
     * @param metrics where to tell how it goes; null for nowhere
     */
    record Options(
            Settings connection,
            ControllerSelection controllers,
            RemoteAccess.Material material,
            boolean accounts,
            boolean elect,
            @Nullable InetSocketAddress metrics) {}

    private final Options options;
    private final RemoteKubeApi api;
    private final Candidate candidate;
    private final CoreControllers controllers;
    private final @Nullable MetricsServer metrics;
    private volatile boolean working;

    private ControllersRole(Options options, RemoteKubeApi api) throws IOException {
        InstantSource clock = InstantSource.system();
        this.options = options;
        this.api = api;
        this.controllers = new CoreControllers(
                identities(api, options.accounts()),
                new CoreControllers.Judges(RemoteAccess.of(api, options.material(), clock), null, null),
                clock,
                options.controllers().wanted(CoreControllers::isUsual));
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
        MetricsServer server =
                new MetricsServer(listen, () -> controllers.metrics() + candidate.metrics(), this::isReady);
        LOG.info("metrics on http://{}:{}/metrics", listen.getHostString(), server.port());
        return server;
    }

    private boolean isReady() {
        return !working || controllers.areSynced();
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException _) {
            return "unknown";
        }
    }

    /** Connects, however long the server takes to come up; other failures are the caller's. */
    static ControllersRole connect(Options options) throws IOException, InterruptedException {
        while (true) {
            try {
                RemoteKubeApi api = new RemoteKubeApi(options.connection());
                try {
                    return new ControllersRole(options, api);
                } catch (IOException | RuntimeException e) {
                    api.close();
                    throw e;
                }
            } catch (ApiException e) {
                if (e.code() < 500) {
                    throw e;
                }
                Thread.sleep(PAUSE);
            }
        }
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
        return options.controllers().unknown(controllers.names());
    }

    Set<String> withoutMaterial() {
        return controllers.withoutMaterial();
    }

    int metricsPort() {
        return metrics == null ? 0 : metrics.port();
    }

    /** Works until interrupted; true if it had to stop because somebody else may work now. */
    boolean run() throws InterruptedException {
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
