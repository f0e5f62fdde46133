package lavaflow.cluster;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Which pods belong to which services: one view for all controllers that write addresses down.
 *
 * <p>Both are found by single labels: a namespace may have a thousand pods with a service each.
 */
final class ServicePods {
    static final KubeApi.Kind SERVICES = KubeApi.Kind.core("services");

    /** @param word the label it is found by, with its namespace */
    private record Selecting(ServiceKey key, LabelSelector selector, String word) {}

    private final Mirror<Selecting> services;
    private final Mirror<PodAddress> pods;

    ServicePods(Followers followers) {
        services = new Mirror<>(followers, SERVICES, ServicePods::selecting, each -> List.of(each.word()));
        pods = new Mirror<>(
                followers, ReplicaControllers.PODS, PodAddress::of, pod -> words(pod.namespace(), pod.labels()));
    }

    private static List<String> words(String namespace, @Nullable JsonNode labels) {
        List<String> words = new ArrayList<>();
        if (labels != null) {
            labels.properties()
                    .forEach(label -> words.add(namespace + "/" + label.getKey() + "="
                            + label.getValue().asText()));
        }
        return words;
    }

    /** The label of a selector that says most: a number among equals, or else what is longest. */
    private static String word(String namespace, @Nullable JsonNode selector) {
        return words(namespace, selector).stream()
                .max(Comparator.comparing((String word) -> word.contains("-index="))
                        .thenComparingInt(String::length)
                        .thenComparing(Comparator.naturalOrder()))
                .orElse("");
    }

    private static Selecting selecting(ObjectNode service) {
        return new Selecting(
                ServiceKey.of(service),
                selects(service) ? LabelSelector.ofLabels(Json.at(service, "spec", "selector")) : LabelSelector.NOTHING,
                word(Objects.namespace(service), Json.at(service, "spec", "selector")));
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
        for (String word : words(pod.namespace(), pod.labels())) {
            for (Selecting service : services.having(word)) {
                if (service.selector().matches(pod.labels())) {
                    listener.accept(service.key());
                }
            }
        }
    }

    /** The pods of a service, by name. */
    List<PodAddress> of(ObjectNode service) {
        JsonNode wanted = Json.at(service, "spec", "selector");
        LabelSelector selector = LabelSelector.ofLabels(wanted);
        return pods.having(word(Objects.namespace(service), wanted)).stream()
                .filter(pod -> selector.matches(pod.labels()))
                .toList();
    }
}
