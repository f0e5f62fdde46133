package lavaflow.admission;

import java.util.List;

import lavaflow.apiserver.Admission;
import lavaflow.apiserver.Resource;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;
import lavaflow.kube.MalformedException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Which occasions a webhook or a policy is for: rules, selectors of namespaces and objects, versions. */
record Matching(
        List<Rule> rules, List<Rule> exclusions, LabelSelector namespaces, LabelSelector objects, boolean equivalents) {

    /** Reads what webhooks have at their top and policies in {@code matchConstraints} or {@code matchResources}. */
    static Matching of(JsonNode node, String rulesField) {
        return new Matching(
                Rule.all(Json.listAt(node, rulesField)),
                Rule.all(Json.listAt(node, "excludeResourceRules")),
                selector(Json.at(node, "namespaceSelector")),
                selector(Json.at(node, "objectSelector")),
                !Json.textAt(node, "matchPolicy").equals("Exact"));
    }

    private static LabelSelector selector(@Nullable JsonNode selector) {
        try {
            return selector == null ? LabelSelector.EVERYTHING : LabelSelector.fromJson(selector);
        } catch (MalformedException e) {
            // Validation keeps such selectors out; one that got in selects nothing.
            return LabelSelector.NOTHING;
        }
    }

    /**
     * The resource in whose form the occasion is for it; null where it is not.
     *
     * @param anyWithoutRules whether no rules mean everything, as in bindings of policies, or nothing
     */
    @Nullable
    Resource find(Occasion occasion, Namespaces known, boolean anyWithoutRules) {
        if (!selectsNamespace(occasion, known) || !selectsObject(occasion)) {
            return null;
        }
        if (covered(exclusions, occasion) != null) {
            return null;
        }
        return anyWithoutRules && rules.isEmpty() ? occasion.resource() : covered(rules, occasion);
    }

    private @Nullable Resource covered(List<Rule> list, Occasion occasion) {
        Resource own = occasion.resource();
        for (Rule rule : list) {
            if (rule.covers(occasion, own)) {
                return own;
            }
        }
        if (!equivalents || list.isEmpty()) {
            return null;
        }
        for (Resource other : occasion.equivalents()) {
            for (Rule rule : list) {
                if (rule.covers(occasion, other)) {
                    return other;
                }
            }
        }
        return null;
    }

    private boolean selectsNamespace(Occasion occasion, Namespaces known) {
        boolean inNone = occasion.namespace().isEmpty() && !occasion.isNamespace();
        if (inNone || namespaces.isEverything()) {
            return true;
        }
        JsonNode labels = namespaceLabels(occasion, known);
        return labels != null && namespaces.matches(labels);
    }

    private static @Nullable JsonNode namespaceLabels(Occasion occasion, Namespaces known) {
        boolean written = occasion.isNamespace()
                && occasion.subresource().isEmpty()
                && (occasion.operation() == Admission.Operation.CREATE
                        || occasion.operation() == Admission.Operation.UPDATE);
        ObjectNode namespace = written ? occasion.object() : known.find(occasion.namespace());
        return namespace == null ? null : Occasion.labels(namespace);
    }

    private boolean selectsObject(Occasion occasion) {
        if (objects.isEverything()) {
            return true;
        }
        JsonNode now = Occasion.labels(occasion.object());
        JsonNode before = Occasion.labels(occasion.old());
        return (now != null && objects.matches(now)) || (before != null && objects.matches(before));
    }
}
