package lavaflow.cluster;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.EventRecorder;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.kube.Json;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Says to claims that want to grow that somebody else has to make them: no volume here can. */
final class VolumeExpansion {
    /** A claim that wants more than it has. */
    private record Growing(String namespace, String name, Quantity wanted) {}

    private final KubeApi api;
    private final EventRecorder events;
    private final ControllerRunner<ReplicaControllers.Key> runner;

    VolumeExpansion(KubeApi api, Followers followers, InstantSource clock, LongSupplier nanoTime) {
        this.api = api;
        this.events = new EventRecorder(api, "volume_expand", clock);
        this.runner =
                new ControllerRunner<>("persistentvolume-expander-controller", followers, 1, this::look, nanoTime);
        new Mirror<>(followers, VolumeBinder.CLAIMS, VolumeExpansion::growing, _ -> List.of())
                .whenDifferent((_, claim) -> {
                    if (claim != null) {
                        runner.queue().add(new ReplicaControllers.Key(claim.namespace(), claim.name()));
                    }
                });
    }

    ControllerRunner<ReplicaControllers.Key> controller() {
        return runner;
    }

    private static @Nullable Growing growing(ObjectNode claim) {
        Quantity wanted = Quantity.at(Json.at(claim, "spec", "resources", "requests"), "storage");
        Quantity present = Quantity.at(Json.at(claim, "status", "capacity"), "storage");
        boolean grows = Json.textAt(claim, "status", "phase").equals("Bound") && wanted.compareTo(present) > 0;
        return grows ? new Growing(Objects.namespace(claim), Objects.name(claim), wanted) : null;
    }

    private Optional<Duration> look(ReplicaControllers.Key key) {
        api.find(VolumeBinder.CLAIMS, key.namespace(), key.name())
                .filter(claim -> growing(claim) != null)
                .ifPresent(claim -> events.normal(
                        claim, "ExternalExpanding", "waiting for an external controller to expand this PVC"));
        return Optional.empty();
    }
}
