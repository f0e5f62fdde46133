package lavaflow.admission;

import java.util.ArrayList;
import java.util.List;

import lavaflow.apiserver.Resource;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;

/** Operations on resources: what webhooks and policies are for. */
record Rule(
        List<String> operations,
        List<String> groups,
        List<String> versions,
        List<String> resources,
        String scope,
        List<String> names) {

    static List<Rule> all(JsonNode list) {
        List<Rule> rules = new ArrayList<>();
        for (JsonNode each : list) {
            rules.add(new Rule(
                    texts(each, "operations"),
                    texts(each, "apiGroups"),
                    texts(each, "apiVersions"),
                    texts(each, "resources"),
                    Json.textAt(each, "scope"),
                    texts(each, "resourceNames")));
        }
        return rules;
    }

    private static List<String> texts(JsonNode node, String field) {
        List<String> texts = new ArrayList<>();
        Json.listAt(node, field).forEach(text -> texts.add(text.asText()));
        return texts;
    }

    /** Whether the rule is for the occasion, were it about this resource. */
    boolean covers(Occasion occasion, Resource resource) {
        return has(operations, occasion.operation().name())
                && has(groups, resource.group())
                && has(versions, resource.info().version())
                && coversScope(occasion)
                && coversResource(resource.name(), occasion.subresource())
                && (names.isEmpty() || names.contains(occasion.name()));
    }

    private static boolean has(List<String> list, String wanted) {
        return list.contains("*") || list.contains(wanted);
    }

    private boolean coversScope(Occasion occasion) {
        boolean inNamespace = !occasion.namespace().isEmpty() && !occasion.isNamespace();
        return switch (scope) {
            case "Namespaced" -> inNamespace;
            case "Cluster" -> !inNamespace;
            default -> true;
        };
    }

    private boolean coversResource(String resource, String subresource) {
        for (String each : resources) {
            int slash = each.indexOf('/');
            String name = slash < 0 ? each : each.substring(0, slash);
            String sub = slash < 0 ? "" : each.substring(slash + 1);
            boolean found = (name.equals("*") || name.equals(resource)) && (sub.equals("*") || sub.equals(subresource));
            if (found) {
                return true;
            }
        }
        return false;
    }
}
