package lavaflow.kinds;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelectorRules;
import lavaflow.kube.Names;
import lavaflow.kube.ObjectMetaRules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Where pods want to run: near to or far from nodes and other pods. */
final class AffinityRules {
    private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
    private static final String PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";
    private static final String BAD_OPERATOR = "not a valid selector operator";

    private AffinityRules() {}

    static void affinity(@Nullable JsonNode affinity, FieldPath path, FieldErrors errors) {
        JsonNode node = Json.at(affinity, "nodeAffinity");
        if (node != null) {
            node(node, path.child("nodeAffinity"), errors);
        }
        for (String kind : List.of("podAffinity", "podAntiAffinity")) {
            pods(Json.at(affinity, kind), path.child(kind), errors);
        }
    }

    private static void node(JsonNode affinity, FieldPath path, FieldErrors errors) {
        if (Nodes.has(affinity, REQUIRED)) {
            nodeSelector(Json.at(affinity, REQUIRED), path.child(REQUIRED), errors);
        }
        List<ObjectNode> preferred = Nodes.objects(affinity, PREFERRED);
        for (int i = 0; i < preferred.size(); i++) {
            FieldPath place = path.child(PREFERRED).index(i);
            weight(preferred.get(i), place, errors);
            nodeTerm(Json.at(preferred.get(i), "preference"), false, place.child("preference"), errors);
        }
    }

    private static void weight(ObjectNode term, FieldPath path, FieldErrors errors) {
        long weight = Json.longAt(term, 0, "weight");
        if (weight <= 0 || weight > 100) {
            errors.invalid(path.child("weight"), weight, "must be in the range 1-100");
        }
    }

    /** A NodeSelector: any of its terms must hold. */
    static void nodeSelector(@Nullable JsonNode selector, FieldPath path, FieldErrors errors) {
        FieldPath place = path.child("nodeSelectorTerms");
        List<ObjectNode> terms = Nodes.objects(selector, "nodeSelectorTerms");
        if (terms.isEmpty()) {
            errors.required(place, "must have at least one node selector term");
        }
        for (int i = 0; i < terms.size(); i++) {
            nodeTerm(terms.get(i), true, place.index(i), errors);
        }
    }

    /** Preferences may hold label values that no node can have: with one node they never mattered. */
    private static void nodeTerm(@Nullable JsonNode term, boolean checkValues, FieldPath path, FieldErrors errors) {
        List<ObjectNode> expressions = Nodes.objects(term, "matchExpressions");
        for (int i = 0; i < expressions.size(); i++) {
            nodeLabel(
                    expressions.get(i),
                    checkValues,
                    path.child("matchExpressions").index(i),
                    errors);
        }
        List<ObjectNode> fields = Nodes.objects(term, "matchFields");
        for (int i = 0; i < fields.size(); i++) {
            nodeField(fields.get(i), path.child("matchFields").index(i), errors);
        }
    }

    private static void nodeLabel(ObjectNode requirement, boolean checkValues, FieldPath path, FieldErrors errors) {
        List<String> values = Nodes.strings(requirement, "values");
        String operator = Json.textAt(requirement, "operator");
        FieldPath place = path.child("values");
        switch (operator) {
            case "In", "NotIn" -> {
                if (values.isEmpty()) {
                    errors.required(place, "must be specified when `operator` is 'In' or 'NotIn'");
                }
            }
            case "Exists", "DoesNotExist" -> {
                if (!values.isEmpty()) {
                    errors.forbidden(place, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
                }
            }
            case "Gt", "Lt" -> {
                if (values.size() != 1) {
                    errors.required(place, "must be specified single value when `operator` is 'Lt' or 'Gt'");
                }
            }
            default -> errors.invalid(path.child("operator"), operator, BAD_OPERATOR);
        }
        ObjectMetaRules.labelName(Json.textAt(requirement, "key"), path.child("key"), errors);
        for (int i = 0; checkValues && i < values.size(); i++) {
            FieldChecks.invalid(place.index(i), values.get(i), Names.labelValue(values.get(i)), errors);
        }
    }

    private static void nodeField(ObjectNode requirement, FieldPath path, FieldErrors errors) {
        List<String> values = Nodes.strings(requirement, "values");
        String operator = Json.textAt(requirement, "operator");
        if (!operator.equals("In") && !operator.equals("NotIn")) {
            errors.invalid(path.child("operator"), operator, BAD_OPERATOR);
        } else if (values.size() != 1) {
            errors.required(
                    path.child("values"),
                    "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
        }
        String key = Json.textAt(requirement, "key");
        if (!key.equals("metadata.name")) {
            errors.invalid(path.child("key"), key, "not a valid field selector key");
            return;
        }
        for (int i = 0; i < values.size(); i++) {
            FieldPath place = path.child("values").index(i);
            FieldChecks.invalid(place, values.get(i), Names.dns1123Subdomain(values.get(i)), errors);
        }
    }

    private static void pods(@Nullable JsonNode affinity, FieldPath path, FieldErrors errors) {
        List<ObjectNode> required = Nodes.objects(affinity, REQUIRED);
        for (int i = 0; i < required.size(); i++) {
            podTerm(required.get(i), path.child(REQUIRED).index(i), errors);
        }
        List<ObjectNode> preferred = Nodes.objects(affinity, PREFERRED);
        for (int i = 0; i < preferred.size(); i++) {
            FieldPath place = path.child(PREFERRED).index(i);
            weight(preferred.get(i), place, errors);
            podTerm(Json.at(preferred.get(i), "podAffinityTerm"), place.child("podAffinityTerm"), errors);
        }
    }

    private static void podTerm(@Nullable JsonNode term, FieldPath path, FieldErrors errors) {
        LabelSelectorRules.check(Json.at(term, "labelSelector"), path.child("labelSelector"), errors);
        LabelSelectorRules.check(Json.at(term, "namespaceSelector"), path.child("namespaceSelector"), errors);
        for (String namespace : Nodes.strings(term, "namespaces")) {
            FieldChecks.invalid(path.child("namespace"), namespace, Names.dns1123Label(namespace), errors);
        }
        labelKeys(term, path, errors);
        String key = Json.textAt(term, "topologyKey");
        if (key.isEmpty()) {
            errors.required(path.child("topologyKey"), "can not be empty");
        }
        ObjectMetaRules.labelName(key, path.child("topologyKey"), errors);
    }

    /** {@code matchLabelKeys} and {@code mismatchLabelKeys}, after they have been merged into the selector. */
    static void labelKeys(@Nullable JsonNode term, FieldPath path, FieldErrors errors) {
        JsonNode selector = Json.at(term, "labelSelector");
        List<String> matching = Nodes.strings(term, "matchLabelKeys");
        List<String> mismatching = Nodes.strings(term, "mismatchLabelKeys");
        labelKeys(matching, selector, path.child("matchLabelKeys"), errors);
        labelKeys(mismatching, selector, path.child("mismatchLabelKeys"), errors);
        Map<String, Integer> positions = new LinkedHashMap<>();
        for (int i = 0; i < matching.size(); i++) {
            positions.put(matching.get(i), i);
        }
        Set<String> seen = new HashSet<>(Nodes.entries(selector, "matchLabels").keySet());
        for (ObjectNode expression : Nodes.objects(selector, "matchExpressions")) {
            String key = Json.textAt(expression, "key");
            Integer position = positions.get(key);
            if (!seen.add(key) && position != null) {
                errors.invalid(path.index(position), key, "exists in both matchLabelKeys and labelSelector");
            }
        }
        for (int i = 0; i < matching.size(); i++) {
            if (mismatching.contains(matching.get(i))) {
                errors.invalid(
                        path.child("matchLabelKeys").index(i),
                        matching.get(i),
                        "exists in both matchLabelKeys and mismatchLabelKeys");
            }
        }
    }

    private static void labelKeys(List<String> keys, @Nullable JsonNode selector, FieldPath path, FieldErrors errors) {
        if (!keys.isEmpty() && selector == null) {
            errors.forbidden(path, "must not be specified when labelSelector is not set");
            return;
        }
        for (int i = 0; i < keys.size(); i++) {
            ObjectMetaRules.labelName(keys.get(i), path.index(i), errors);
        }
    }
}
