package lavaflow.cluster;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

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
import lavaflow.kube.ApiException;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Writes the addresses of the pods of every service into endpoint slices. */
final class EndpointSlices {
    private static final KubeApi.Kind NODES = KubeApi.Kind.clusterWide("nodes");

    private final KubeApi api;
    private final ServicePods pods;
    private final Mirror<NodePlace> nodes;
    private final Mirror<SliceState> slices;
    private final EventRecorder events;
    private final OwnWrites<ServiceKey> writes;
    private final PlanExecutor<ServiceKey> executor;
    private final TriggerTimes triggers = new TriggerTimes();
    /** Services that share endpoints among zones by processors; true once that went well. */
    private final Map<ServiceKey, Boolean> shared = new ConcurrentHashMap<>();
    /** Services with pods on nodes that were not there, by the node. */
    private final Map<String, Set<ServiceKey>> waiting = new ConcurrentHashMap<>();

    private final ControllerRunner<ServiceKey> runner;

    EndpointSlices(
            KubeApi api,
            Followers followers,
            ServicePods pods,
            Mirror<SliceState> slices,
            Fanout fanout,
            InstantSource clock,
            LongSupplier nanoTime) {
        this.api = api;
        this.pods = pods;
        this.slices = slices;
        this.events = new EventRecorder(api, "endpoint-slice-controller", clock);
        this.writes = new OwnWrites<>(followers);
        this.executor = new PlanExecutor<>(api, writes, fanout);
        this.nodes = new Mirror<>(followers, NODES, NodePlace::of, _ -> List.of()).whenDifferent(this::nodeChanged);
        this.runner = new ControllerRunner<>("endpointslice-controller", followers, 5, this::reconcile, nanoTime)
                .follow(ServicePods.SERVICES, service -> List.of(ServiceKey.of(service)));
        pods.whenDifferent(runner.queue()::add);
        slices.whenDifferent((before, after) -> {
            sliceChanged(before);
            sliceChanged(after);
        });
    }

    static Mirror<SliceState> mirror(Followers followers) {
        return new Mirror<>(followers, SliceChanges.SLICES, SliceState::of, SliceState::words);
    }

    ControllerRunner<ServiceKey> controller() {
        return runner;
    }

    private void sliceChanged(@Nullable SliceState slice) {
        if (slice != null && slice.label(SliceState.MANAGED_BY).equals(ServiceSlices.MANAGER)) {
            runner.queue().add(new ServiceKey(slice.namespace(), slice.label(SliceState.SERVICE_NAME)));
        }
    }

    private void nodeChanged(@Nullable NodePlace before, @Nullable NodePlace after) {
        shared.keySet().forEach(runner.queue()::add);
        if (before == null && after != null) {
            Set<ServiceKey> delayed = waiting.remove(after.name());
            if (delayed != null) {
                delayed.forEach(runner.queue()::add);
            }
        }
    }

    private Optional<Duration> reconcile(ServiceKey key) {
        ObjectNode service =
                api.find(ServicePods.SERVICES, key.namespace(), key.name()).orElse(null);
        if (service == null) {
            triggers.forget(key);
            shared.remove(key);
            writes.forget(key);
            return Optional.empty();
        }
        if (!ServicePods.selects(service)) {
            return Optional.empty();
        }
        if (!writes.areSeen(key)) {
            return Optional.of(Duration.ofMillis(100));
        }
        List<PodAddress> selected = pods.of(service);
        List<SliceState> existing = existing(key);
        String trigger = triggers.next(key, service, selected);
        List<String> types = ServiceSlices.addressTypes(service);
        SliceChanges changes = SliceChanges.nothing();
        existing.stream().filter(slice -> !types.contains(slice.addressType())).forEach(changes.delete()::add);
        List<PodAddress> missing = new ArrayList<>();
        for (String type : types) {
            ServiceSlices.Decision decision = new ServiceSlices(service, type, this::zone)
                    .decide(
                            selected,
                            existing.stream()
                                    .filter(slice -> slice.addressType().equals(type))
                                    .toList());
            missing.addAll(decision.missing());
            changes.addAll(hinted(key, service, type, decision.changes()).recycled(Objects.uid(service)));
        }
        write(key, service, changes.triggered(trigger));
        skip(key, service, missing);
        return Optional.empty();
    }

    private @Nullable String zone(String node) {
        NodePlace place = nodes.get("", node);
        return place == null ? null : place.zone();
    }

    private List<SliceState> existing(ServiceKey key) {
        List<SliceState> existing =
                new ArrayList<>(slices.having(SliceState.word(ServiceSlices.MANAGER, key.namespace(), key.name())));
        writes.keepDeleted(key, existing.stream().map(SliceState::uid).collect(java.util.stream.Collectors.toSet()));
        existing.removeIf(slice -> slice.isDeleting() || writes.isDeleted(key, slice.uid()));
        return existing;
    }

    private SliceChanges hinted(ServiceKey key, ObjectNode service, String type, SliceChanges changes) {
        String where = ", addressType: " + type;
        if (!ZoneHints.areWanted(service)) {
            if (Boolean.TRUE.equals(shared.remove(key))) {
                events.warning(service, "TopologyAwareHintsDisabled", "Topology Aware Hints has been disabled" + where);
            }
            return TrafficHints.apply(service, changes);
        }
        ZoneHints.Decision decision = new ZoneHints(nodes.all().stream()
                        .filter(NodePlace::serving)
                        .map(node -> new ZoneHints.Capacity(node.zone(), node.cpuMillis()))
                        .toList())
                .apply(changes);
        boolean good = decision.problem() == null;
        boolean before = Boolean.TRUE.equals(shared.put(key, good));
        if (!good) {
            events.warning(service, "TopologyAwareHintsDisabled", decision.problem() + where);
        } else if (!before) {
            events.normal(service, "TopologyAwareHintsEnabled", "Topology Aware Hints has been enabled" + where);
        }
        return decision.changes();
    }

    private void write(ServiceKey key, ObjectNode service, SliceChanges changes) {
        // What is made for a service that goes would only have to be collected after it.
        SliceChanges wanted = Objects.isDeleting(service)
                ? new SliceChanges(List.of(), changes.update(), changes.delete(), List.of())
                : changes;
        Outcome outcome = executor.run(key, wanted.plan(key.namespace()));
        for (Outcome.Refused refused : outcome.refused()) {
            if (refused.step() instanceof Step.Create && Refusals.isNamespaceTerminating(refused.why())) {
                return;
            }
            events.warning(
                    service,
                    "FailedToUpdateEndpointSlices",
                    "Error updating Endpoint Slices for Service " + key + ": " + word(refused.step())
                            + " EndpointSlice for Service " + key + ": "
                            + refused.why().getMessage());
            throw refused.why();
        }
    }

    private static String word(Step step) {
        return switch (step) {
            case Step.Create _ -> "failed to create";
            case Step.Update _, Step.Patch _ -> "failed to update";
            case Step.Delete _ -> "failed to delete";
        };
    }

    /** Says which pods were left out because nobody knows their nodes, and waits for those. */
    private void skip(ServiceKey key, ObjectNode service, List<PodAddress> missing) {
        for (PodAddress pod : missing) {
            waiting.computeIfAbsent(pod.node(), _ -> ConcurrentHashMap.newKeySet())
                    .add(key);
            if (zone(pod.node()) != null) {
                throw ApiException.internal("node " + pod.node() + " came while it was missed");
            }
            events.warning(
                    service,
                    "FailedToUpdateEndpointSlices",
                    "Error updating Endpoint Slices for Service " + key + ": skipping Pod " + pod.name()
                            + " for Service " + key + ": Node " + pod.node() + " Not Found");
        }
    }
}
