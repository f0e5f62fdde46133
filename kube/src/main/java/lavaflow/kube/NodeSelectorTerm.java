package lavaflow.kube;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** Requirements on a node, all of which it must meet: on its labels, and on its name. None at all fit no node. */
public record NodeSelectorTerm(List<Requirement> labels, List<Requirement> fields) {
    private static final String NAME = "metadata.name";

    /** One requirement; the operator is one of In, NotIn, Exists, DoesNotExist, Gt, Lt. */
    public record Requirement(String key, String operator, List<String> values) {
        static Requirement of(JsonNode json) {
            List<String> values = new ArrayList<>();
            Json.listAt(json, "values").forEach(value -> values.add(value.asText()));
            return new Requirement(Json.textAt(json, "key"), Json.textAt(json, "operator"), List.copyOf(values));
        }

        boolean matches(@Nullable String value) {
            return switch (operator) {
                case "In" -> value != null && values.contains(value);
                case "NotIn" -> value == null || !values.contains(value);
                case "Exists" -> value != null;
                case "DoesNotExist" -> value == null;
                case "Gt", "Lt" -> value != null && compares(value);
                default -> false;
            };
        }

        private boolean compares(String value) {
            try {
                int order = Long.compare(Long.parseLong(value), Long.parseLong(values.getFirst()));
                return operator.equals("Gt") ? order > 0 : order < 0;
            } catch (NumberFormatException e) {
                return false;
            }
        }
    }

    public static NodeSelectorTerm of(@Nullable JsonNode json) {
        return new NodeSelectorTerm(requirements(json, "matchExpressions"), requirements(json, "matchFields"));
    }

    private static List<Requirement> requirements(@Nullable JsonNode json, String field) {
        List<Requirement> requirements = new ArrayList<>();
        Json.listAt(json, field).forEach(each -> requirements.add(Requirement.of(each)));
        return List.copyOf(requirements);
    }

    /** The terms of a node selector, any of which is enough. */
    public static List<NodeSelectorTerm> listOf(@Nullable JsonNode nodeSelector) {
        List<NodeSelectorTerm> terms = new ArrayList<>();
        Json.listAt(nodeSelector, "nodeSelectorTerms").forEach(each -> terms.add(of(each)));
        return List.copyOf(terms);
    }

    public boolean matches(String name, @Nullable JsonNode nodeLabels) {
        if (labels.isEmpty() && fields.isEmpty()) {
            return false;
        }
        for (Requirement requirement : labels) {
            JsonNode value = nodeLabels == null ? null : nodeLabels.get(requirement.key());
            if (!requirement.matches(value == null ? null : value.asText())) {
                return false;
            }
        }
        for (Requirement requirement : fields) {
            // The only field of a node that may be asked for.
            if (!requirement.key().equals(NAME) || !requirement.matches(name)) {
                return false;
            }
        }
        return true;
    }

    /** The nodes it asks for by name; null where it does not. */
    @Nullable
    Set<String> names() {
        Set<String> names = null;
        for (Requirement requirement : fields) {
            if (requirement.key().equals(NAME) && requirement.operator().equals("In")) {
                if (names == null) {
                    names = new LinkedHashSet<>(requirement.values());
                } else {
                    names.retainAll(requirement.values());
                }
            }
        }
        return names;
    }

    public static boolean anyMatches(List<NodeSelectorTerm> terms, String name, @Nullable JsonNode nodeLabels) {
        for (NodeSelectorTerm term : terms) {
            if (term.matches(name, nodeLabels)) {
                return true;
            }
        }
        return false;
    }
}
