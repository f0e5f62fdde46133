package lavaflow.placement;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What a pod asks of its neighbours.
 *
 * @param near must be in the same places
 * @param apart must not be
 * @param liked weights are negative for those it would rather avoid
 */
public record PodTerms(List<Term> near, List<Term> apart, List<Liked> liked, List<Spread> spreads) {
    private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
    private static final String PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

    /** Pods, and the label of nodes that says what a place is. */
    public record Term(PodSet pods, String topologyKey) {}

    /** A term that is worth something. */
    public record Liked(Term term, long weight) {}

    /**
     * A constraint on how evenly pods are spread.
     *
     * @param pods counted while they live
     * @param hard a node that would violate it is out
     * @param self whether the pod itself is one of those
     */
    public record Spread(
            PodSet pods,
            String topologyKey,
            long maxSkew,
            long minDomains,
            boolean hard,
            boolean honorAffinity,
            boolean honorTaints,
            boolean self) {}

    static PodTerms of(String namespace, ObjectNode labels, JsonNode spec) {
        JsonNode affinity = Json.at(spec, "affinity", "podAffinity");
        JsonNode anti = Json.at(spec, "affinity", "podAntiAffinity");
        List<Liked> liked = new ArrayList<>();
        Json.listAt(affinity, PREFERRED).forEach(each -> liked.add(liked(namespace, each, 1)));
        Json.listAt(anti, PREFERRED).forEach(each -> liked.add(liked(namespace, each, -1)));
        List<Spread> spreads = new ArrayList<>();
        for (JsonNode each : Json.listAt(spec, "topologySpreadConstraints")) {
            spreads.add(spread(namespace, labels, each));
        }
        return new PodTerms(
                terms(namespace, Json.listAt(affinity, REQUIRED)),
                terms(namespace, Json.listAt(anti, REQUIRED)),
                List.copyOf(liked),
                List.copyOf(spreads));
    }

    boolean isEmpty() {
        return near.isEmpty() && apart.isEmpty() && liked.isEmpty() && spreads.isEmpty();
    }

    private static List<Term> terms(String namespace, ArrayNode list) {
        List<Term> terms = new ArrayList<>();
        list.forEach(each -> terms.add(term(namespace, each)));
        return List.copyOf(terms);
    }

    private static Liked liked(String namespace, JsonNode json, int sign) {
        JsonNode term = Json.at(json, "podAffinityTerm");
        return new Liked(term(namespace, term == null ? Json.object() : term), sign * Json.longAt(json, 0, "weight"));
    }

    private static Term term(String namespace, JsonNode json) {
        Set<String> namespaces = new TreeSet<>();
        Json.listAt(json, "namespaces").forEach(name -> namespaces.add(name.asText()));
        JsonNode namespaceSelector = Json.at(json, "namespaceSelector");
        if (namespaces.isEmpty() && namespaceSelector == null) {
            namespaces.add(namespace);
        }
        return new Term(
                podSet(namespaces, namespaceSelector, Json.at(json, "labelSelector")),
                Json.textAt(json, "topologyKey"));
    }

    static PodSet podSet(Set<String> namespaces, @Nullable JsonNode namespaceSelector, @Nullable JsonNode selector) {
        ObjectNode source = Json.object();
        ArrayNode names = source.putArray("namespaces");
        namespaces.forEach(names::add);
        if (namespaceSelector != null) {
            source.set("namespaceSelector", namespaceSelector);
        }
        if (selector != null) {
            source.set("selector", selector);
        }
        return new PodSet(
                namespaces, LabelSelector.fromJson(namespaceSelector), LabelSelector.fromJson(selector), source);
    }

    private static Spread spread(String namespace, ObjectNode labels, JsonNode json) {
        JsonNode selector = Json.at(json, "labelSelector");
        ObjectNode narrowed = selector instanceof ObjectNode object ? object.deepCopy() : Json.object();
        for (JsonNode key : Json.listAt(json, "matchLabelKeys")) {
            JsonNode value = labels.get(key.asText());
            if (value != null && selector != null) {
                Json.ensureObject(narrowed, "matchLabels").put(key.asText(), value.asText());
            }
        }
        PodSet pods = podSet(Set.of(namespace), null, selector == null ? null : narrowed);
        return new Spread(
                pods,
                Json.textAt(json, "topologyKey"),
                Json.longAt(json, 1, "maxSkew"),
                Json.longAt(json, 1, "minDomains"),
                Json.textAt(json, "whenUnsatisfiable").equals("DoNotSchedule"),
                !Json.textAt(json, "nodeAffinityPolicy").equals("Ignore"),
                Json.textAt(json, "nodeTaintsPolicy").equals("Honor"),
                pods.selector().matches(labels));
    }
}
