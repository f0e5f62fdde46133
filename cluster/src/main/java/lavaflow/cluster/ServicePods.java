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
 * <p>Both are found by single labels: a namespace may have a thousand pods with a service each, of one job or of many.
 */
final class ServicePods {
    static final KubeApi.Kind SERVICES = KubeApi.Kind.core("services");
    /** Before the label a service is found by; the others are only counted. */
    private static final String FOUND_BY = "=";

    /**
     * What a service selects.
     *
     * @param words its labels with the namespace; none where it selects nothing
     * @param word the one it is found by
     */
    private record Selecting(ServiceKey key, LabelSelector selector, List<String> words, String word) {
        List<String> index() {
            List<String> all = new ArrayList<>(words);
            all.add(FOUND_BY + word);
            return all;
        }
    }

    private final Mirror<Selecting> services;
    private final Mirror<PodAddress> pods;

    ServicePods(Followers followers) {
        services = new Mirror<>(followers, SERVICES, this::selecting, Selecting::index);
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

    /** As long as a service selects the same, it is found by the same label. */
    private Selecting selecting(ObjectNode service) {
        ServiceKey key = ServiceKey.of(service);
        JsonNode wanted = selects(service) ? Json.at(service, "spec", "selector") : null;
        List<String> words = words(key.namespace(), wanted);
        Selecting before = services.get(key.namespace(), key.name());
        if (before != null && before.words().equals(words)) {
            return before;
        }
        return new Selecting(
                key, wanted == null ? LabelSelector.NOTHING : LabelSelector.ofLabels(wanted), words, rarest(words));
    }

    /** The label that fewest other services ask for, which says most. */
    private String rarest(List<String> words) {
        return words.stream().min(Comparator.comparingInt(services::count)).orElse("");
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
            for (Selecting service : services.having(FOUND_BY + word)) {
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
        return pods.havingRarest(words(Objects.namespace(service), wanted)).stream()
                .filter(pod -> selector.matches(pod.labels()))
                .toList();
    }
}
