package lavaflow.cluster;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import lavaflow.controller.ChangeListener;
import lavaflow.controller.ControllerRunner;
import lavaflow.controller.EventRecorder;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Writes the addresses of the pods of every service into Endpoints, for the sake of those who know nothing newer. */
final class EndpointsObjects {
    static final KubeApi.Kind ENDPOINTS = KubeApi.Kind.core("endpoints");
    static final String MANAGED_BY = "endpoints.kubernetes.io/managed-by";
    static final String MANAGER = "endpoint-controller";
    private static final String OVER_CAPACITY = "endpoints.kubernetes.io/over-capacity";

    private final KubeApi api;
    private final ServicePods pods;
    private final EventRecorder events;
    private final TriggerTimes triggers = new TriggerTimes();
    /** What this controller wrote last for each service. */
    private final Map<ServiceKey, String> written = new ConcurrentHashMap<>();

    private final ControllerRunner<ServiceKey> runner;

    EndpointsObjects(KubeApi api, Followers followers, ServicePods pods, InstantSource clock, LongSupplier nanoTime) {
        this.api = api;
        this.pods = pods;
        this.events = new EventRecorder(api, MANAGER, clock);
        this.runner = new ControllerRunner<>(MANAGER, followers, 5, this::reconcile, nanoTime)
                .follow(ServicePods.SERVICES, service -> List.of(ServiceKey.of(service)))
                .follow(ENDPOINTS, new OthersWrites());
        pods.whenDifferent(runner.queue()::add);
    }

    ControllerRunner<ServiceKey> controller() {
        return runner;
    }

    /** What others do to our objects is undone; our own writes need no second look. */
    private final class OthersWrites implements ChangeListener {
        @Override
        public void onChange(KubeApi.Kind kind, ObjectNode endpoints, boolean deleted) {
            ServiceKey key = ServiceKey.of(endpoints);
            boolean ours =
                    Json.textAt(endpoints, "metadata", "labels", MANAGED_BY).equals(MANAGER)
                            || written.containsKey(key);
            if (ours && (deleted || !Objects.resourceVersion(endpoints).equals(written.get(key)))) {
                runner.queue().add(key);
            }
        }

        @Override
        public void onRelist(KubeApi.Kind kind, Set<String> uids) {
            written.keySet().forEach(runner.queue()::add);
        }
    }

    private Optional<Duration> reconcile(ServiceKey key) {
        ObjectNode service =
                api.find(ServicePods.SERVICES, key.namespace(), key.name()).orElse(null);
        if (service == null) {
            triggers.forget(key);
            written.remove(key);
            api.delete(ENDPOINTS, key.namespace(), key.name(), KubeApi.Deletion.PLAIN);
            return Optional.empty();
        }
        if (!ServicePods.selects(service)) {
            return Optional.empty();
        }
        List<PodAddress> selected = pods.of(service);
        String trigger = triggers.next(key, service, selected);
        ObjectNode present = api.find(ENDPOINTS, key.namespace(), key.name()).orElse(null);
        write(service, present, wanted(service, present, selected, trigger));
        return Optional.empty();
    }

    /** What should be there; only the time that triggered it may differ where nothing is to be done. */
    private static ObjectNode wanted(
            ObjectNode service, @Nullable ObjectNode present, List<PodAddress> pods, String trigger) {
        ObjectNode wanted = present == null ? Objects.named(Objects.name(service)) : present.deepCopy();
        ObjectNode metadata = Json.ensureObject(wanted, "metadata");
        ObjectNode labels = Objects.map(service, "metadata", "labels");
        labels.remove(SliceState.HEADLESS);
        if (SlicePacking.isHeadless(service)) {
            labels.put(SliceState.HEADLESS, "");
        }
        metadata.set("labels", labels.put(MANAGED_BY, MANAGER));
        ObjectNode annotations = Json.ensureObject(metadata, "annotations");
        List<EndpointSubsets.Subset> all = EndpointSubsets.of(service, pods);
        List<EndpointSubsets.Subset> truncated = EndpointSubsets.truncated(all);
        put(annotations, OVER_CAPACITY, truncated == null ? "" : "truncated");
        put(annotations, SliceChanges.TRIGGER_TIME, trigger);
        if (annotations.isEmpty()) {
            metadata.remove("annotations");
        }
        ArrayNode subsets = EndpointSubsets.json(truncated == null ? all : truncated);
        if (subsets.isEmpty()) {
            wanted.remove("subsets");
        } else {
            wanted.set("subsets", subsets);
        }
        return wanted;
    }

    private static void put(ObjectNode annotations, String name, String value) {
        if (value.isEmpty()) {
            annotations.remove(name);
        } else {
            annotations.put(name, value);
        }
    }

    private static boolean isSame(ObjectNode present, ObjectNode wanted) {
        JsonNode subsets = Json.listAt(present, "subsets");
        return subsets.equals(Json.listAt(wanted, "subsets"))
                && Json.textAt(present, "metadata", "annotations", OVER_CAPACITY)
                        .equals(Json.textAt(wanted, "metadata", "annotations", OVER_CAPACITY))
                && wanted.path("metadata").path("labels").equals(Json.at(present, "metadata", "labels"));
    }

    private void write(ObjectNode service, @Nullable ObjectNode present, ObjectNode wanted) {
        if (present != null && isSame(present, wanted)) {
            return;
        }
        boolean create = present == null;
        try {
            ObjectNode answer = create
                    ? api.create(ENDPOINTS, Objects.namespace(service), wanted)
                    : api.update(ENDPOINTS, "", wanted);
            written.put(ServiceKey.of(service), Objects.resourceVersion(answer));
        } catch (ApiException e) {
            if (create && Refusals.isNamespaceTerminating(e)) {
                return;
            }
            events.warning(
                    wanted.has("kind") ? wanted : service,
                    create ? "FailedToCreateEndpoint" : "FailedToUpdateEndpoint",
                    (create ? "Failed to create endpoint for service " : "Failed to update endpoint ")
                            + ServiceKey.of(service) + ": " + e.getMessage());
            throw e;
        }
    }
}
