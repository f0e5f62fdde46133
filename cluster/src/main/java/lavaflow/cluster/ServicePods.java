package lavaflow.cluster;

import java.util.List;
import java.util.function.Consumer;

import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;
import lavaflow.kube.SelectorIndex;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Which pods belong to which services: one view for all controllers that write addresses down.
 *
 * <p>Both are found by single labels: a namespace may have a thousand pods with a service each, of one job or of many.
 */
final class ServicePods {
    static final KubeApi.Kind SERVICES = KubeApi.Kind.core("services");

    /** @param selector null where the service selects nothing */
    private record Selecting(ServiceKey key, @Nullable ObjectNode selector) {}

    private final SelectorIndex<ServiceKey> services = new SelectorIndex<>();
    private final Mirror<PodAddress> pods;

    ServicePods(Followers followers) {
        new Mirror<>(followers, SERVICES, ServicePods::selecting, _ -> List.of()).whenDifferent((before, after) -> {
            if (after != null) {
                services.put(after.key(), after.key().namespace(), after.selector());
            } else if (before != null) {
                services.remove(before.key());
            }
        });
        pods = new Mirror<>(
                followers,
                ReplicaControllers.PODS,
                PodAddress::of,
                pod -> SelectorIndex.words(pod.namespace(), pod.labels()));
    }

    private static Selecting selecting(ObjectNode service) {
        return new Selecting(
                ServiceKey.of(service), selects(service) ? Json.objectAt(service, "spec", "selector") : null);
    }

    /** Whether the addresses of a service are those of pods, and not somebody else's business. */
    static boolean selects(ObjectNode service) {
        return hasSelector(service) && !Json.textAt(service, "spec", "type").equals("ExternalName");
    }

    static boolean hasSelector(ObjectNode service) {
        ObjectNode selector = Json.objectAt(service, "spec", "selector");
        return selector != null && !selector.isEmpty();
    }

    /** Tells of each service whose pods changed in a way that matters. Call before anything starts. */
    void whenDifferent(Consumer<ServiceKey> listener) {
        pods.whenDifferent((before, after) -> {
            tell(before, listener);
            if (before == null || after == null || !before.labels().equals(after.labels())) {
                tell(after, listener);
            }
        });
    }

    private void tell(@Nullable PodAddress pod, Consumer<ServiceKey> listener) {
        if (pod == null || pod.labels().isEmpty()) {
            return;
        }
        services.matching(pod.namespace(), pod.labels()).keySet().forEach(listener);
    }

    /** The pods of a service, by name. */
    List<PodAddress> of(ObjectNode service) {
        JsonNode wanted = Json.at(service, "spec", "selector");
        LabelSelector selector = LabelSelector.ofLabels(wanted);
        return pods.havingRarest(SelectorIndex.words(Objects.namespace(service), wanted)).stream()
                .filter(pod -> selector.matches(pod.labels()))
                .toList();
    }
}
