package lavaflow.kube;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * Which nodes a pod accepts, and which it likes.
 *
 * @param selector labels a node must have exactly
 * @param required any of these must fit; null where nothing is asked
 */
public record NodeAffinity(
        LabelSelector selector, @Nullable List<NodeSelectorTerm> required, List<Preference> preferred) {
    /** What a node that fits a term is worth. */
    public record Preference(long weight, NodeSelectorTerm term) {}

    /** What a pod's spec says. */
    public static NodeAffinity of(@Nullable JsonNode spec) {
        JsonNode affinity = Json.at(spec, "affinity", "nodeAffinity");
        JsonNode required = Json.at(affinity, "requiredDuringSchedulingIgnoredDuringExecution");
        List<Preference> preferred = new ArrayList<>();
        for (JsonNode each : Json.listAt(affinity, "preferredDuringSchedulingIgnoredDuringExecution")) {
            NodeSelectorTerm term = NodeSelectorTerm.of(Json.at(each, "preference"));
            preferred.add(new Preference(Json.longAt(each, 0, "weight"), term));
        }
        return new NodeAffinity(
                LabelSelector.ofLabels(Json.at(spec, "nodeSelector")),
                required == null ? null : NodeSelectorTerm.listOf(required),
                List.copyOf(preferred));
    }

    /** What a volume says of the nodes that reach it; everything fits a volume that says nothing. */
    public static NodeAffinity ofVolume(JsonNode volume) {
        JsonNode required = Json.at(volume, "spec", "nodeAffinity", "required");
        return new NodeAffinity(
                LabelSelector.EVERYTHING, required == null ? null : NodeSelectorTerm.listOf(required), List.of());
    }

    /** True if nodes need not be looked at. */
    public boolean acceptsAll() {
        return selector.isEverything() && required == null;
    }

    public boolean accepts(String name, @Nullable JsonNode labels) {
        return selector.matches(labels) && (required == null || NodeSelectorTerm.anyMatches(required, name, labels));
    }

    /** The only nodes that can fit, where every term asks for names; null if any node might. */
    public @Nullable Set<String> names() {
        if (required == null || required.isEmpty()) {
            return null;
        }
        Set<String> all = new LinkedHashSet<>();
        for (NodeSelectorTerm term : required) {
            Set<String> names = term.names();
            if (names == null) {
                return null;
            }
            all.addAll(names);
        }
        return all;
    }

    public long preference(String name, @Nullable JsonNode labels) {
        long sum = 0;
        for (Preference preference : preferred) {
            if (preference.term().matches(name, labels)) {
                sum += preference.weight();
            }
        }
        return sum;
    }
}
