package lavaflow;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntConsumer;

import lavaflow.access.ServiceAccounts;
import lavaflow.access.User;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.node.NodeAccess;
import lavaflow.node.SimNodes;
import lavaflow.scheduler.GangSettings;
import lavaflow.scheduler.Scheduler;

import org.jspecify.annotations.Nullable;

/** What gives pods a place: the scheduler, this machine's node, and simulated nodes where some are asked for. */
final class NodesAndScheduler implements AutoCloseable {
    private static final User SCHEDULER = new User("system:kube-scheduler", List.of(User.AUTHENTICATED));
    private static final User GANG_SCHEDULER = ServiceAccounts.user("volcano-system", "volcano-scheduler");
    /** Makes what installers of clusters make. */
    static final User ADMIN = new User("lava-admin", List.of(User.MASTERS, User.AUTHENTICATED));

    /** Chance is the same at every start. */
    private static final long SEED = 1;

    private final @Nullable Scheduler scheduler;
    private final @Nullable GangInstallation installation;
    private final @Nullable SimNodes nodes;
    private final @Nullable WorkerNode worker;
    private final WorkerNode.@Nullable Cluster cluster;

    private NodesAndScheduler(
            @Nullable Scheduler scheduler,
            @Nullable GangInstallation installation,
            @Nullable SimNodes nodes,
            @Nullable WorkerNode worker,
            WorkerNode.@Nullable Cluster cluster) {
        this.scheduler = scheduler;
        this.installation = installation;
        this.nodes = nodes;
        this.worker = worker;
        this.cluster = cluster;
    }

    static NodesAndScheduler of(
            AllInOne.Options options,
            Home home,
            WorkerNode.Certificates certificates,
            LocalKubeApi api,
            Followers followers,
            InstantSource clock) {
        GangSettings gangs = options.gangs().gangs(api.writingAs(_ -> GANG_SCHEDULER));
        Scheduler scheduler =
                options.scheduling() ? new Scheduler(api.writingAs(_ -> SCHEDULER), followers, clock, gangs) : null;
        GangInstallation installation = options.scheduling() || options.workloads()
                ? new GangInstallation(
                        api.writingAs(_ -> ADMIN),
                        followers,
                        options.scheduling() ? GangInstallation.Extent.EVERYTHING : GangInstallation.Extent.RIGHTS)
                : null;
        SimNodes nodes = options.simulated().isEmpty()
                ? null
                : new SimNodes(options.simulated(), api, identities(api), followers, clock, System::nanoTime, SEED);
        WorkerNode.Wish wish = options.node();
        WorkerNode worker = wish == null ? null : new WorkerNode(home.directory(), wish, certificates);
        WorkerNode.Cluster cluster = wish == null
                ? null
                : new WorkerNode.Cluster(api, identities(api).as(wish.name()), api.writingAs(_ -> ADMIN), null, false);
        return new NodesAndScheduler(scheduler, installation, nodes, worker, cluster);
    }

    /** Every node is a user of its own, as kubelets are. */
    private static NodeAccess identities(LocalKubeApi api) {
        Map<String, KubeApi> byName = new ConcurrentHashMap<>();
        return name -> byName.computeIfAbsent(name, node -> {
            User user = new User("system:node:" + node, List.of("system:nodes", User.AUTHENTICATED));
            return api.writingAs(_ -> user);
        });
    }

    /** The scheduler; null where there is none. */
    @Nullable
    Scheduler scheduler() {
        return scheduler;
    }

    /** @param server where the API server listens */
    void start(InetSocketAddress server) {
        if (scheduler != null) {
            scheduler.start();
        }
        if (installation != null) {
            installation.start();
        }
        if (nodes != null) {
            nodes.start();
        }
        if (worker != null && cluster != null) {
            worker.start(cluster.at(server));
        }
    }

    /** Waits for the kinds of jobs, queues and gangs; false if they are not there after that time. */
    boolean awaitKinds(Duration patience) throws InterruptedException {
        return installation == null || installation.await(patience);
    }

    /** What is measured of scheduling in Prometheus' text format. */
    String metrics() {
        return scheduler == null ? "" : scheduler.metrics();
    }

    /** Who hears, once this closes, how many pods have not ended yet. */
    void whenEnding(IntConsumer listener) {
        if (worker != null) {
            worker.whenEnding(listener);
        }
    }

    void hurry() {
        if (worker != null) {
            worker.hurry();
        }
    }

    @Override
    public void close() {
        if (worker != null) {
            worker.close();
        }
        if (nodes != null) {
            nodes.close();
        }
        if (installation != null) {
            installation.close();
        }
        if (scheduler != null) {
            scheduler.close();
        }
    }
}
