package lavaflow;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

import lavaflow.controller.Candidate;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.remote.RemoteKubeApi;
import lavaflow.remote.Settings;
import lavaflow.scheduler.Scheduler;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The role of {@code lava scheduler}: the scheduler beside any API server. */
final class SchedulerRole implements Foreground.Role {
    private static final Logger LOG = LoggerFactory.getLogger(SchedulerRole.class);
    private static final KubeApi.Kind NAMESPACES = KubeApi.Kind.clusterWide("namespaces");
    private static final Lease LEASE = new Lease("volcano-system", "volcano");

    private record Lease(String namespace, String name) {}

    /**
     * What may differ between clusters.
     *
     * @param gangs which pods it places, and how
     * @param install whether the cluster gets the kinds that gangs need
     * @param elect whether to wait until no other copy works
     * @param metrics where to serve measurements; null for nowhere
     */
    record Options(
            Settings connection,
            SchedulerOptions gangs,
            boolean install,
            boolean elect,
            @Nullable InetSocketAddress metrics) {}

    private final Options options;
    private final RemoteKubeApi api;
    private final Candidate candidate;
    private final Followers followers;
    private final Scheduler scheduler;
    private final GangInstallation installation;
    private final @Nullable MetricsServer metrics;
    private volatile boolean working;

    private SchedulerRole(Options options, RemoteKubeApi api) throws IOException {
        InstantSource clock = InstantSource.system();
        this.options = options;
        this.api = api;
        this.followers = new Followers(api);
        Scheduler made = new Scheduler(api, followers, clock, options.gangs().gangs(api));
        this.scheduler = options.gangs().plain() ? made : made.onlyGangs();
        this.installation = new GangInstallation(api, followers, GangInstallation.Extent.KINDS);
        // Upstream's name: of its scheduler and this one, only one may work on a cluster.
        this.candidate = new Candidate(
                api,
                new Candidate.Claim(
                        LEASE.namespace(), LEASE.name(), ControllersRole.hostName() + "_" + UUID.randomUUID()),
                new Candidate.Clocks(
                        clock,
                        System::nanoTime,
                        () -> ThreadLocalRandom.current().nextDouble()));
        this.metrics = options.metrics() == null ? null : serveMetrics(options.metrics());
    }

    private MetricsServer serveMetrics(InetSocketAddress listen) throws IOException {
        MetricsServer server = new MetricsServer(
                listen, () -> scheduler.metrics() + candidate.metrics(), () -> !working || followers.areSynced());
        LOG.info("metrics on http://{}:{}/metrics", listen.getHostString(), server.port());
        return server;
    }

    /** Where measurements are served; -1 for nowhere. */
    int metricsPort() {
        return metrics == null ? -1 : metrics.port();
    }

    /** Connects, however long the server takes to come up; other failures are the caller's. */
    static SchedulerRole connect(Options options) throws IOException, InterruptedException {
        return Foreground.connect(options.connection(), api -> new SchedulerRole(options, api));
    }

    /** Works until interrupted; true if it had to stop because somebody else may work now. */
    @Override
    public boolean run() throws InterruptedException {
        if (options.elect()) {
            ensureNamespace();
            return candidate.run(this::work);
        }
        work();
        while (true) {
            Thread.sleep(Duration.ofDays(1));
        }
    }

    private void work() {
        LOG.info(
                "pods of {} get their nodes on {}",
                String.join(", ", options.gangs().schedulers()),
                api.server());
        working = true;
        followers.start();
        scheduler.start();
        if (options.install()) {
            installation.start();
        }
    }

    /** Where the lease is kept. Who may not make it has to find it there. */
    private void ensureNamespace() {
        try {
            if (api.find(NAMESPACES, "", LEASE.namespace()).isEmpty()) {
                ObjectNode namespace = Json.object().put("apiVersion", "v1").put("kind", "Namespace");
                namespace.putObject("metadata").put("name", LEASE.namespace());
                api.create(NAMESPACES, "", namespace);
            }
        } catch (ApiException e) {
            LOG.warn("the namespace {} cannot be made: {}", LEASE.namespace(), e.getMessage());
        }
    }

    /** The lease goes last: the next one may begin as soon as it is free. */
    @Override
    public void close() {
        // Whoever stops it interrupts it, and there is still something to say to the server.
        boolean interrupted = Thread.interrupted();
        if (metrics != null) {
            metrics.close();
        }
        installation.close();
        scheduler.close();
        followers.close();
        candidate.release();
        api.close();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
