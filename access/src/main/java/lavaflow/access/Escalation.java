package lavaflow.access;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

import lavaflow.kube.FieldErrors;

/** Nobody may give away rights they do not have: what a set of rules grants beyond another. */
public final class Escalation {
    private Escalation() {}

    /** The rules that are not covered, taken apart to one verb on one resource each. */
    public static List<Rule> uncovered(List<Rule> owned, List<Rule> granted) {
        List<Rule> missing = new ArrayList<>();
        for (Rule rule : granted) {
            for (Rule part : parts(rule)) {
                if (owned.stream().noneMatch(owner -> covers(owner, part))) {
                    missing.add(part);
                }
            }
        }
        return missing;
    }

    private static List<Rule> parts(Rule rule) {
        List<Rule> parts = new ArrayList<>();
        for (String group : rule.apiGroups()) {
            for (String resource : rule.resources()) {
                for (String verb : rule.verbs()) {
                    if (rule.resourceNames().isEmpty()) {
                        parts.add(Rule.ofResource(List.of(verb), group, resource, List.of()));
                    }
                    for (String name : rule.resourceNames()) {
                        parts.add(Rule.ofResource(List.of(verb), group, resource, List.of(name)));
                    }
                }
            }
        }
        for (String url : rule.nonResourceUrls()) {
            for (String verb : rule.verbs()) {
                parts.add(Rule.ofPath(List.of(verb), url));
            }
        }
        return parts;
    }

    private static boolean covers(Rule owner, Rule part) {
        if (!Rule.has(owner.verbs(), part.verbs().getFirst())) {
            return false;
        }
        if (!part.nonResourceUrls().isEmpty()) {
            return owner.nonResourceUrls().stream()
                    .anyMatch(url -> Rule.coversPath(url, part.nonResourceUrls().getFirst()));
        }
        String resource = part.resources().getFirst();
        int slash = resource.indexOf('/');
        String everySubresource = slash < 0 ? resource : "*" + resource.substring(slash);
        boolean resources =
                Rule.has(owner.resources(), resource) || owner.resources().contains(everySubresource);
        boolean names = owner.resourceNames().isEmpty()
                || (!part.resourceNames().isEmpty() && owner.resourceNames().containsAll(part.resourceNames()));
        return Rule.has(owner.apiGroups(), part.apiGroups().getFirst()) && resources && names;
    }

    /** What upstream says of an attempt; {@code resource} is what was being written. */
    public static String refusal(User user, List<Rule> missing, List<String> unresolved, String resource) {
        TreeSet<String> shown = new TreeSet<>();
        compact(missing).forEach(rule -> shown.add(rule.print()));
        List<String> groups = user.groups().stream().map(FieldErrors::quoted).toList();
        StringBuilder text = new StringBuilder("user ")
                .append(FieldErrors.quoted(user.name()))
                .append(" (groups=[")
                .append(String.join(" ", groups))
                .append("]) is attempting to grant RBAC permissions not currently held:\n")
                .append(String.join("\n", shown));
        if (!unresolved.isEmpty()) {
            List<String> errors = unresolved.stream()
                    .map(role -> resource + ".rbac.authorization.k8s.io " + FieldErrors.quoted(role) + " not found")
                    .toList();
            String joined = errors.size() == 1 ? errors.getFirst() : "[" + String.join(", ", errors) + "]";
            text.append("; resolution errors: [").append(joined).append(']');
        }
        return text.toString();
    }

    /** Joins verbs on the same resource. */
    private static List<Rule> compact(List<Rule> rules) {
        Map<String, Rule> simple = new LinkedHashMap<>();
        List<Rule> all = new ArrayList<>();
        for (Rule rule : rules) {
            if (!rule.resourceNames().isEmpty() || !rule.nonResourceUrls().isEmpty()) {
                all.add(rule);
                continue;
            }
            String key = rule.apiGroups().getFirst() + "/" + rule.resources().getFirst();
            simple.merge(key, rule, Escalation::joined);
        }
        all.addAll(simple.values());
        return all;
    }

    private static Rule joined(Rule first, Rule second) {
        List<String> verbs = new ArrayList<>(first.verbs());
        for (String verb : second.verbs()) {
            if (!verbs.contains(verb)) {
                verbs.add(verb);
            }
        }
        return new Rule(verbs, first.apiGroups(), first.resources(), List.of(), List.of());
    }
}
