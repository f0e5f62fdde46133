package lavaflow.cluster;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.EventRecorder;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Ends pods whose claims do not put up with the NoExecute taints of their devices, or no longer. */
final class DeviceTaintEviction {
    private static final String NAME = "device-taint-eviction-controller";
    private static final String EVENT = "DeviceTaintManagerEviction";

    /** The end of a pod that is due; done once it has been asked for. */
    private record Due(String uid, boolean done) {}

    private final KubeApi api;
    private final EventRecorder events;
    private final InstantSource clock;
    private final Mirror<DeviceUser> users;
    private final Mirror<DeviceGrant> claims;
    private final Mirror<DeviceTaints> slices;
    private final Map<ReplicaControllers.Key, Due> due = new ConcurrentHashMap<>();
    private final ControllerRunner<ReplicaControllers.Key> runner;

    DeviceTaintEviction(KubeApi api, Followers followers, InstantSource clock, LongSupplier nanoTime) {
        this.api = api;
        this.clock = clock;
        this.events = new EventRecorder(api, NAME, clock);
        this.runner = new ControllerRunner<>(NAME, followers, 8, this::reconcile, nanoTime);
        this.users = new Mirror<>(followers, ReplicaControllers.PODS, DeviceUser::of, DeviceUser::words);
        this.claims = Mirror.whileServed(followers, DeviceClaim.KIND, DeviceGrant::of, DeviceGrant::words);
        this.slices = Mirror.whileServed(followers, DeviceTaints.SLICES, DeviceTaints::of, DeviceTaints::words);
        users.whenDifferent((before, after) -> look(after == null ? before : after));
        claims.whenDifferent((before, after) -> look(after == null ? before : after));
        slices.whenDifferent((before, after) -> {
            look(before);
            look(after);
        });
    }

    ControllerRunner<ReplicaControllers.Key> controller() {
        return runner;
    }

    private void look(@Nullable DeviceUser pod) {
        if (pod != null) {
            runner.queue().add(new ReplicaControllers.Key(pod.namespace(), pod.name()));
        }
    }

    private void look(@Nullable DeviceGrant claim) {
        if (claim != null) {
            users.having(DeviceUser.ofClaim(claim.namespace(), claim.name())).forEach(this::look);
        }
    }

    private void look(@Nullable DeviceTaints slice) {
        if (slice != null) {
            claims.having(DeviceTaints.pool(slice.driver(), slice.pool())).forEach(this::look);
        }
    }

    private Optional<Duration> reconcile(ReplicaControllers.Key key) {
        DeviceUser pod = users.get(key.namespace(), key.name());
        Due before = due.get(key);
        if (before != null && (pod == null || !before.uid().equals(pod.uid()))) {
            due.remove(key);
            before = null;
        }
        if (pod == null || (before != null && before.done())) {
            return Optional.empty();
        }
        Instant at = end(pod);
        if (at == null) {
            if (before != null) {
                due.remove(key);
                events.normal(about(pod), EVENT, "Cancelling deletion");
            }
            return Optional.empty();
        }
        Instant now = clock.instant();
        if (at.isAfter(now)) {
            due.put(key, new Due(pod.uid(), false));
            return Optional.of(Duration.between(now, at));
        }
        evict(pod);
        due.put(key, new Due(pod.uid(), true));
        return Optional.empty();
    }

    /** When a pod has to go; null if it need not. */
    private @Nullable Instant end(DeviceUser pod) {
        if (!pod.placed()) {
            return null;
        }
        Instant first = null;
        for (String name : pod.claims()) {
            DeviceGrant claim = claims.get(pod.namespace(), name);
            if (claim != null && claim.users().contains(pod.uid())) {
                for (DeviceGrant.Given given : claim.devices()) {
                    first = earlier(first, end(given));
                }
            }
        }
        return first;
    }

    private @Nullable Instant end(DeviceGrant.Given given) {
        Instant first = null;
        List<DeviceTaints> pool = slices.having(given.word());
        for (DeviceTaints.Mark mark : DeviceTaints.on(given.device(), pool)) {
            first = earlier(first, given.bears(mark));
        }
        return first;
    }

    private static @Nullable Instant earlier(@Nullable Instant one, @Nullable Instant other) {
        return one == null || (other != null && other.isBefore(one)) ? other : one;
    }

    private static ObjectNode about(DeviceUser pod) {
        return TaintEviction.about(new ReplicaControllers.Key(pod.namespace(), pod.name()), pod.uid());
    }

    private void evict(DeviceUser pod) {
        ObjectNode found = api.find(ReplicaControllers.PODS, pod.namespace(), pod.name())
                .filter(each -> Objects.uid(each).equals(pod.uid()) && !Objects.isDeleting(each))
                .orElse(null);
        if (found == null) {
            return;
        }
        events.normal(about(pod), EVENT, "Marking for deletion");
        boolean changed = PodConditions.setDisruptionTarget(
                found,
                "DeletionByDeviceTaintManager",
                "Device Taint manager: deleting due to NoExecute taint",
                clock.instant());
        ObjectNode condition = PodConditions.find(found, "DisruptionTarget");
        if (changed && condition != null) {
            // Of all who say why a pod is ended only this one does not say which of its generations it saw.
            condition.remove("observedGeneration");
            api.update(ReplicaControllers.PODS, "status", found);
        }
        api.delete(ReplicaControllers.PODS, pod.namespace(), pod.name(), KubeApi.Deletion.ofUid(pod.uid()));
    }
}
