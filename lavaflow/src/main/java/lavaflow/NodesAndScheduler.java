package lavaflow;

import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import lavaflow.access.User;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.node.NodeAccess;
import lavaflow.node.SimNodes;
import lavaflow.scheduler.Scheduler;

import org.jspecify.annotations.Nullable;

/** What gives pods a place: the scheduler, and simulated nodes where some are asked for. */
final class NodesAndScheduler implements AutoCloseable {
    private static final User SCHEDULER = new User("system:kube-scheduler", List.of(User.AUTHENTICATED));
    /** Chance is the same at every start. */
    private static final long SEED = 1;

    private final @Nullable Scheduler scheduler;
    private final @Nullable SimNodes nodes;

    private NodesAndScheduler(@Nullable Scheduler scheduler, @Nullable SimNodes nodes) {
        this.scheduler = scheduler;
        this.nodes = nodes;
    }

    static NodesAndScheduler of(AllInOne.Options options, LocalKubeApi api, Followers followers, InstantSource clock) {
        Scheduler scheduler =
                options.workloads() ? new Scheduler(api.writingAs(_ -> SCHEDULER), followers, clock) : null;
        SimNodes nodes = options.simulated().isEmpty()
                ? null
                : new SimNodes(options.simulated(), api, identities(api), followers, clock, System::nanoTime, SEED);
        return new NodesAndScheduler(scheduler, nodes);
    }

    /** Every node is a user of its own, as kubelets are. */
    private static NodeAccess identities(LocalKubeApi api) {
        Map<String, KubeApi> byName = new ConcurrentHashMap<>();
        return name -> byName.computeIfAbsent(name, node -> {
            User user = new User("system:node:" + node, List.of("system:nodes", User.AUTHENTICATED));
            return api.writingAs(_ -> user);
        });
    }

    void start() {
        if (scheduler != null) {
            scheduler.start();
        }
        if (nodes != null) {
            nodes.start();
        }
    }

    @Override
    public void close() {
        if (nodes != null) {
            nodes.close();
        }
        if (scheduler != null) {
            scheduler.close();
        }
    }
}
