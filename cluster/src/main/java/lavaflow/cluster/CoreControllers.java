package lavaflow.cluster;

import java.time.InstantSource;
import java.util.List;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.KubeApi;

/** Starts and stops the controllers of this module. */
public final class CoreControllers implements AutoCloseable {
    private final List<ControllerRunner<?>> runners;

    /**
     * @param rootCertificate the certificate authority of the API server, PEM
     */
    public CoreControllers(KubeApi api, String rootCertificate, InstantSource clock) {
        runners = List.of(
                new NamespaceDefaults(api, rootCertificate).controller(),
                new NamespaceDeletion(api, clock).controller(),
                new GarbageCollector(api).controller(),
                new VolumeProtection(api).controller(),
                new EventExpiry(api, clock).controller());
    }

    public void start() {
        runners.forEach(ControllerRunner::start);
    }

    /** True once every controller has seen what existed when it started. */
    public boolean areSynced() {
        return runners.stream().allMatch(ControllerRunner::isSynced);
    }

    @Override
    public void close() {
        runners.forEach(ControllerRunner::close);
    }
}
