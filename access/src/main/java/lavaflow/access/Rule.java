package lavaflow.access;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** One rule of a role: which verbs on which resources, or on which paths. */
public record Rule(
        List<String> verbs,
        List<String> apiGroups,
        List<String> resources,
        List<String> resourceNames,
        List<String> nonResourceUrls) {
    private static final String ALL = "*";

    /** The rules of a role as it is stored. */
    public static List<Rule> of(JsonNode role) {
        List<Rule> rules = new ArrayList<>();
        for (JsonNode rule : Json.listAt(role, "rules")) {
            rules.add(new Rule(
                    texts(rule, "verbs"),
                    texts(rule, "apiGroups"),
                    texts(rule, "resources"),
                    texts(rule, "resourceNames"),
                    texts(rule, "nonResourceURLs")));
        }
        return List.copyOf(rules);
    }

    private static List<String> texts(JsonNode rule, String field) {
        List<String> texts = new ArrayList<>();
        Json.listAt(rule, field).forEach(value -> texts.add(value.asText()));
        return List.copyOf(texts);
    }

    public static Rule ofResource(List<String> verbs, String group, String resource, List<String> names) {
        return new Rule(verbs, List.of(group), List.of(resource), names, List.of());
    }

    public static Rule ofPath(List<String> verbs, String path) {
        return new Rule(verbs, List.of(), List.of(), List.of(), List.of(path));
    }

    boolean allows(Attributes attributes) {
        if (!has(verbs, attributes.verb())) {
            return false;
        }
        return attributes.resourceRequest()
                ? has(apiGroups, attributes.group())
                        && covers(resources, attributes)
                        && (resourceNames.isEmpty() || resourceNames.contains(attributes.name()))
                : coversPath(attributes.path());
    }

    static boolean has(List<String> values, String wanted) {
        for (String value : values) {
            if (value.equals(ALL) || value.equals(wanted)) {
                return true;
            }
        }
        return false;
    }

    /** A star stands for everything, a star with a subresource for that of every resource. */
    private static boolean covers(List<String> resources, Attributes attributes) {
        String subresource = attributes.subresource();
        for (String resource : resources) {
            if (resource.equals(ALL)) {
                return true;
            }
            if (subresource.isEmpty() ? resource.equals(attributes.resource()) : names(resource, attributes)) {
                return true;
            }
        }
        return false;
    }

    private static boolean names(String rule, Attributes attributes) {
        int slash = rule.length() - attributes.subresource().length() - 1;
        if (slash < 1 || rule.charAt(slash) != '/' || !rule.endsWith(attributes.subresource())) {
            return false;
        }
        boolean every = slash == 1 && rule.charAt(0) == '*';
        return every || (slash == attributes.resource().length() && rule.startsWith(attributes.resource()));
    }

    private boolean coversPath(String path) {
        for (String url : nonResourceUrls) {
            if (coversPath(url, path)) {
                return true;
            }
        }
        return false;
    }

    static boolean coversPath(String url, String path) {
        if (url.equals(ALL) || url.equals(path)) {
            return true;
        }
        return url.endsWith(ALL) && path.startsWith(withoutStars(url));
    }

    static String withoutStars(String url) {
        int end = url.length();
        while (end > 0 && url.charAt(end - 1) == '*') {
            end--;
        }
        return url.substring(0, end);
    }

    /** As a role has it, and a review of rules shows it. */
    public ObjectNode json() {
        ObjectNode rule = Json.object();
        put(rule, "verbs", verbs);
        put(rule, "apiGroups", apiGroups);
        put(rule, "resources", resources);
        put(rule, "resourceNames", resourceNames);
        put(rule, "nonResourceURLs", nonResourceUrls);
        return rule;
    }

    private static void put(ObjectNode rule, String field, List<String> values) {
        if (!values.isEmpty()) {
            ArrayNode list = rule.putArray(field);
            values.forEach(list::add);
        }
    }

    /** As upstream's messages print it: {@code {APIGroups:[""], Resources:["pods"], Verbs:["get"]}}. */
    public String print() {
        List<String> parts = new ArrayList<>();
        Map<String, List<String>> fields = new java.util.LinkedHashMap<>();
        fields.put("APIGroups", apiGroups);
        fields.put("Resources", resources);
        fields.put("ResourceNames", resourceNames);
        fields.put("NonResourceURLs", nonResourceUrls);
        fields.put("Verbs", verbs);
        fields.forEach((name, values) -> {
            if (!values.isEmpty()) {
                List<String> quoted =
                        values.stream().map(lavaflow.kube.FieldErrors::quoted).toList();
                parts.add(name + ":[" + String.join(" ", quoted) + "]");
            }
        });
        return "{" + String.join(", ", parts) + "}";
    }
}
