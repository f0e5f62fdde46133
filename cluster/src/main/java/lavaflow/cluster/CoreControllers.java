package lavaflow.cluster;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.Fanout;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;

/** Starts and stops the controllers of this module. */
public final class CoreControllers implements AutoCloseable {
    /** How many requests of one reconcile may be under way; together they share the store's writes. */
    private static final int WIDTH = 32;

    private final Followers followers;
    private final List<ControllerRunner<?>> runners = new ArrayList<>();

    /**
     * @param rootCertificate the certificate authority of the API server, PEM
     * @param workloads whether to make pods of what asks for them; suites that look at the API alone do without
     */
    public CoreControllers(KubeApi api, String rootCertificate, InstantSource clock, boolean workloads) {
        LongSupplier nanoTime = System::nanoTime;
        followers = new Followers(api);
        Mirror<PodState> pods = new Mirror<>(followers, ReplicaControllers.PODS, PodState::of, PodState::words);
        Fanout fanout = Fanout.parallel(WIDTH);
        runners.addAll(List.of(
                new NamespaceDefaults(api, followers, rootCertificate, nanoTime).controller(),
                new NamespaceDeletion(api, followers, clock, nanoTime).controller(),
                new GarbageCollector(api, followers, nanoTime).controller(),
                new VolumeProtection(api, followers, nanoTime).controller(),
                new QuotaStatus(api, followers, clock, nanoTime).controller(),
                new EventExpiry(api, followers, clock, nanoTime).controller()));
        if (workloads) {
            runners.addAll(List.of(
                    ReplicaControllers.replicaSets(api, followers, pods, fanout, clock, nanoTime),
                    ReplicaControllers.replicationControllers(api, followers, pods, fanout, clock, nanoTime),
                    new Deployments(api, followers, pods, clock, nanoTime).controller()));
        }
    }

    public void start() {
        followers.start();
        runners.forEach(ControllerRunner::start);
    }

    /** True once every controller has seen what existed when it started. */
    public boolean areSynced() {
        return followers.areSynced();
    }

    /** Ends everything; when it returns the API is not used any more. */
    @Override
    public void close() {
        followers.close();
        runners.forEach(ControllerRunner::close);
    }
}
