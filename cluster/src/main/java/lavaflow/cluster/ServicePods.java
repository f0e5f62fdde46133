package lavaflow.cluster;

import java.util.List;
import java.util.function.Consumer;

import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Which pods belong to which services: one view for all controllers that write addresses down. */
final class ServicePods {
    static final KubeApi.Kind SERVICES = KubeApi.Kind.core("services");

    private record Selecting(ServiceKey key, LabelSelector selector) {}

    private final Mirror<Selecting> services;
    private final Mirror<PodAddress> pods;

    ServicePods(Followers followers) {
        services = new Mirror<>(
                followers,
                SERVICES,
                ServicePods::selecting,
                each -> List.of(each.key().namespace()));
        pods = new Mirror<>(followers, ReplicaControllers.PODS, PodAddress::of, pod -> List.of(pod.namespace()));
    }

    private static Selecting selecting(ObjectNode service) {
        return new Selecting(
                ServiceKey.of(service),
                selects(service)
                        ? LabelSelector.ofLabels(Json.at(service, "spec", "selector"))
                        : LabelSelector.NOTHING);
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
        for (Selecting service : services.having(pod.namespace())) {
            if (service.selector().matches(pod.labels())) {
                listener.accept(service.key());
            }
        }
    }

    /** The pods of a service, by name. */
    List<PodAddress> of(ObjectNode service) {
        LabelSelector selector = LabelSelector.ofLabels(Json.at(service, "spec", "selector"));
        return pods.having(Objects.namespace(service)).stream()
                .filter(pod -> selector.matches(pod.labels()))
                .toList();
    }
}
