package lavaflow.cluster;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.EventRecorder;
import lavaflow.controller.Fanout;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.controller.Outcome;
import lavaflow.controller.OwnWrites;
import lavaflow.controller.PlanExecutor;
import lavaflow.controller.Step;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Shows Endpoints of services without a selector as slices too, so that clients need to know slices only. */
final class EndpointMirroring {
    private static final String NAME = "endpointslicemirroring-controller";

    private final KubeApi api;
    private final Mirror<SliceState> slices;
    private final EventRecorder events;
    private final OwnWrites<ServiceKey> writes;
    private final PlanExecutor<ServiceKey> executor;
    private final ControllerRunner<ServiceKey> runner;

    EndpointMirroring(
            KubeApi api,
            Followers followers,
            Mirror<SliceState> slices,
            Fanout fanout,
            InstantSource clock,
            LongSupplier nanoTime) {
        this.api = api;
        this.slices = slices;
        this.events = new EventRecorder(api, NAME, clock);
        this.writes = new OwnWrites<>(followers);
        this.executor = new PlanExecutor<>(api, writes, fanout);
        this.runner = new ControllerRunner<>(NAME, followers, 5, this::reconcile, nanoTime)
                .follow(EndpointsObjects.ENDPOINTS, endpoints -> List.of(ServiceKey.of(endpoints)))
                .follow(ServicePods.SERVICES, service -> List.of(ServiceKey.of(service)));
        slices.whenDifferent((before, after) -> {
            sliceChanged(before);
            sliceChanged(after);
        });
    }

    ControllerRunner<ServiceKey> controller() {
        return runner;
    }

    private void sliceChanged(@Nullable SliceState slice) {
        if (slice != null && slice.label(SliceState.MANAGED_BY).equals(MirroredSlices.MANAGER)) {
            runner.queue().add(new ServiceKey(slice.namespace(), slice.label(SliceState.SERVICE_NAME)));
        }
    }

    private Optional<Duration> reconcile(ServiceKey key) {
        ObjectNode service =
                api.find(ServicePods.SERVICES, key.namespace(), key.name()).orElse(null);
        if (service != null && ServicePods.hasSelector(service)) {
            // Slices from before it had a selector stay, as upstream leaves them.
            return Optional.empty();
        }
        if (!writes.areSeen(key)) {
            return Optional.of(Duration.ofMillis(100));
        }
        ObjectNode endpoints = api.find(EndpointsObjects.ENDPOINTS, key.namespace(), key.name())
                .filter(MirroredSlices::isMirrored)
                .orElse(null);
        List<SliceState> existing = existing(key);
        if (service == null || endpoints == null) {
            SliceChanges all = new SliceChanges(List.of(), List.of(), existing, List.of());
            executor.run(key, all.plan(key.namespace())).orThrow();
            writes.forget(key);
            return Optional.empty();
        }
        MirroredSlices.Decision decision = new MirroredSlices(endpoints).decide(existing);
        complain(endpoints, decision);
        SliceChanges wanted = decision.changes();
        if (Objects.isDeleting(endpoints)) {
            wanted = new SliceChanges(List.of(), wanted.update(), wanted.delete(), List.of());
        }
        Outcome outcome = executor.run(key, wanted.plan(key.namespace()));
        boolean pointless = outcome.refused().stream()
                .anyMatch(refused ->
                        refused.step() instanceof Step.Create && Refusals.isNamespaceTerminating(refused.why()));
        if (!pointless) {
            outcome.orThrow();
        }
        return Optional.empty();
    }

    private List<SliceState> existing(ServiceKey key) {
        List<SliceState> existing =
                new ArrayList<>(slices.having(SliceState.word(MirroredSlices.MANAGER, key.namespace(), key.name())));
        writes.keepDeleted(key, existing.stream().map(SliceState::uid).collect(Collectors.toSet()));
        existing.removeIf(slice -> slice.isDeleting() || writes.isDeleted(key, slice.uid()));
        return existing;
    }

    private void complain(ObjectNode endpoints, MirroredSlices.Decision decision) {
        if (decision.invalid() > 0) {
            events.warning(
                    endpoints,
                    "InvalidIPAddress",
                    "Skipped " + decision.invalid() + " invalid IP addresses when mirroring to EndpointSlices");
        }
        if (decision.skipped() > 0) {
            events.warning(
                    endpoints,
                    "TooManyAddressesToMirror",
                    "A max of " + MirroredSlices.MOST_ADDRESSES
                            + " addresses can be mirrored to EndpointSlices per Endpoints subset. "
                            + decision.skipped() + " addresses were skipped");
        }
    }
}
