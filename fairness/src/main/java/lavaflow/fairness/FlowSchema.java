package lavaflow.fairness;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** A FlowSchema object, ready for matching. */
record FlowSchema(
        String name, String uid, long precedence, String level, Distinguisher distinguisher, List<Rule> rules) {
    /** What tells the flows of one schema apart. */
    enum Distinguisher {
        NOTHING,
        USER,
        NAMESPACE
    }

    static FlowSchema of(ObjectNode object) {
        List<Rule> rules = new ArrayList<>();
        Json.listAt(object, "spec", "rules").forEach(rule -> rules.add(Rule.of(rule)));
        Distinguisher distinguisher = switch (Json.textAt(object, "spec", "distinguisherMethod", "type")) {
            case "ByUser" -> Distinguisher.USER;
            case "ByNamespace" -> Distinguisher.NAMESPACE;
            default -> Distinguisher.NOTHING;
        };
        return new FlowSchema(
                Json.textAt(object, "metadata", "name"),
                Json.textAt(object, "metadata", "uid"),
                Json.longAt(object, 1000, "spec", "matchingPrecedence"),
                Json.textAt(object, "spec", "priorityLevelConfiguration", "name"),
                distinguisher,
                List.copyOf(rules));
    }

    boolean matches(FlowRequest request) {
        for (Rule rule : rules) {
            if (rule.matches(request)) {
                return true;
            }
        }
        return false;
    }

    /** Requests of one schema with the same mark are one flow. */
    String flow(FlowRequest request) {
        return switch (distinguisher) {
            case NOTHING -> "";
            case USER -> request.user();
            case NAMESPACE -> request.namespace();
        };
    }

    /** Whose requests, and which of them. */
    record Rule(List<Subject> subjects, List<ResourceRule> resources, List<PathRule> paths) {
        static Rule of(JsonNode rule) {
            List<Subject> subjects = new ArrayList<>();
            Json.listAt(rule, "subjects").forEach(subject -> subjects.add(Subject.of(subject)));
            List<ResourceRule> resources = new ArrayList<>();
            Json.listAt(rule, "resourceRules").forEach(each -> resources.add(ResourceRule.of(each)));
            List<PathRule> paths = new ArrayList<>();
            Json.listAt(rule, "nonResourceRules").forEach(each -> paths.add(PathRule.of(each)));
            return new Rule(subjects, resources, paths);
        }

        boolean matches(FlowRequest request) {
            boolean meant = false;
            for (Subject subject : subjects) {
                meant |= subject.matches(request);
            }
            if (!meant) {
                return false;
            }
            if (request.resourceRequest()) {
                return resources.stream().anyMatch(rule -> rule.matches(request));
            }
            return paths.stream().anyMatch(rule -> rule.matches(request));
        }
    }

    /** A user, a group or a service account; {@code *} stands for all of the kind. */
    sealed interface Subject {
        boolean matches(FlowRequest request);

        static Subject of(JsonNode subject) {
            return switch (Json.textAt(subject, "kind")) {
                case "User" -> new UserNamed(Json.textAt(subject, "user", "name"));
                case "Group" -> new MemberOf(Json.textAt(subject, "group", "name"));
                default ->
                    new Account(
                            Json.textAt(subject, "serviceAccount", "namespace"),
                            Json.textAt(subject, "serviceAccount", "name"));
            };
        }
    }

    private record UserNamed(String name) implements Subject {
        @Override
        public boolean matches(FlowRequest request) {
            return name.equals("*") || name.equals(request.user());
        }
    }

    private record MemberOf(String group) implements Subject {
        @Override
        public boolean matches(FlowRequest request) {
            return group.equals("*") || request.groups().contains(group);
        }
    }

    private record Account(String namespace, String name) implements Subject {
        @Override
        public boolean matches(FlowRequest request) {
            String prefix = "system:serviceaccount:" + namespace + ":";
            if (!request.user().startsWith(prefix)) {
                return false;
            }
            return name.equals("*") || request.user().substring(prefix.length()).equals(name);
        }
    }

    /** Requests about resources. */
    record ResourceRule(
            List<String> verbs,
            List<String> groups,
            List<String> resources,
            boolean clusterScope,
            List<String> namespaces) {
        static ResourceRule of(JsonNode rule) {
            return new ResourceRule(
                    strings(rule, "verbs"),
                    strings(rule, "apiGroups"),
                    strings(rule, "resources"),
                    Json.flagAt(rule, "clusterScope"),
                    strings(rule, "namespaces"));
        }

        boolean matches(FlowRequest request) {
            String resource = request.subresource().isEmpty()
                    ? request.resource()
                    : request.resource() + "/" + request.subresource();
            return contains(verbs, request.verb())
                    && contains(groups, request.group())
                    && contains(resources, resource)
                    && (request.namespace().isEmpty() ? clusterScope : contains(namespaces, request.namespace()));
        }
    }

    /** Requests for paths. */
    record PathRule(List<String> verbs, List<String> urls) {
        static PathRule of(JsonNode rule) {
            return new PathRule(strings(rule, "verbs"), strings(rule, "nonResourceURLs"));
        }

        boolean matches(FlowRequest request) {
            return contains(verbs, request.verb()) && urls.stream().anyMatch(url -> matches(url, request.path()));
        }

        private static boolean matches(String pattern, String path) {
            return pattern.equals("*")
                    || pattern.equals(path)
                    || (pattern.endsWith("/*") && path.startsWith(pattern.substring(0, pattern.length() - 1)));
        }
    }

    private static List<String> strings(JsonNode node, String field) {
        List<String> values = new ArrayList<>();
        Json.listAt(node, field).forEach(value -> values.add(value.asText()));
        return List.copyOf(values);
    }

    private static boolean contains(List<String> patterns, String value) {
        return patterns.contains("*") || patterns.contains(value);
    }
}
