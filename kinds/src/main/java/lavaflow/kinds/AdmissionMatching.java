package lavaflow.kinds;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelectorRules;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Checks of the parts of webhooks and admission policies that say what they are about. */
final class AdmissionMatching {
    static final List<String> FAILURE_POLICIES = List.of("Fail", "Ignore");
    static final List<String> MATCH_POLICIES = List.of("Equivalent", "Exact");
    static final List<String> REINVOCATIONS = List.of("IfNeeded", "Never");

    private static final List<String> OPERATIONS = List.of("*", "CONNECT", "CREATE", "DELETE", "UPDATE");
    private static final List<String> MUTATING_OPERATIONS = List.of("*", "CONNECT", "CREATE", "UPDATE");
    private static final int MOST_CONDITIONS = 64;

    private AdmissionMatching() {}

    static void rule(ObjectNode rule, FieldPath path, FieldErrors errors) {
        List<String> operations = Nodes.strings(rule, "operations");
        list(rule, "operations", "operations", path, errors);
        for (int i = 0; i < operations.size(); i++) {
            if (!OPERATIONS.contains(operations.get(i))) {
                errors.notSupported(path.child("operations").index(i), operations.get(i), OPERATIONS);
            }
        }
        list(rule, "apiGroups", "API groups", path, errors);
        list(rule, "apiVersions", "API versions", path, errors);
        List<String> versions = Nodes.strings(rule, "apiVersions");
        for (int i = 0; i < versions.size(); i++) {
            if (versions.get(i).isEmpty()) {
                errors.required(path.child("apiVersions").index(i));
            }
        }
        resources(rule, path.child("resources"), errors);
        FieldChecks.optionalOneOf(rule, "scope", List.of("*", "Cluster", "Namespaced"), path, errors);
    }

    private static void list(ObjectNode rule, String field, String what, FieldPath path, FieldErrors errors) {
        List<String> values = Nodes.strings(rule, field);
        if (values.isEmpty()) {
            errors.required(path.child(field));
        }
        if (values.size() > 1 && values.contains("*")) {
            errors.invalid(path.child(field), rule.get(field), "if '*' is present, must not specify other " + what);
        }
    }

    private static void resources(ObjectNode rule, FieldPath path, FieldErrors errors) {
        List<String> resources = Nodes.strings(rule, "resources");
        if (resources.isEmpty()) {
            errors.required(path);
        }
        Set<String> allOf = new HashSet<>();
        Set<String> everywhere = new HashSet<>();
        boolean plain = false;
        for (int i = 0; i < resources.size(); i++) {
            String name = resources.get(i);
            int slash = name.indexOf('/');
            if (name.isEmpty()) {
                errors.required(path.index(i));
            } else if (slash < 0) {
                // As upstream has it: the last one decides.
                plain = !name.equals("*");
            } else {
                String resource = name.substring(0, slash);
                String sub = name.substring(slash + 1);
                if (allOf.contains(resource)) {
                    errors.invalid(path.index(i), name, "if '" + resource + "/*' is present, must not specify " + name);
                }
                if (everywhere.contains(sub)) {
                    errors.invalid(path.index(i), name, "if '*/" + sub + "' is present, must not specify " + name);
                }
                if (sub.equals("*")) {
                    allOf.add(resource);
                }
                if (resource.equals("*")) {
                    everywhere.add(sub);
                }
            }
        }
        if (resources.size() > 1 && resources.contains("*/*")) {
            errors.invalid(path, rule.get("resources"), "if '*/*' is present, must not specify other resources");
        }
        if (plain && resources.contains("*")) {
            errors.invalid(
                    path,
                    rule.get("resources"),
                    "if '*' is present, must not specify other resources without subresources");
        }
    }

    /** What a policy or a binding matches. */
    static void resourcesOf(ObjectNode match, FieldPath path, FieldErrors errors) {
        FieldChecks.requireOneOf(Json.textAt(match, "matchPolicy"), MATCH_POLICIES, path.child("matchPolicy"), errors);
        for (String selector : new String[] {"namespaceSelector", "objectSelector"}) {
            LabelSelectorRules.check(match.get(selector), path.child(selector), errors);
        }
        for (String field : new String[] {"resourceRules", "excludeResourceRules"}) {
            List<ObjectNode> rules = Nodes.objects(match, field);
            for (int i = 0; i < rules.size(); i++) {
                FieldPath place = path.child(field).index(i);
                resourceNames(rules.get(i), place.child("resourceNames"), errors);
                rule(rules.get(i), place, errors);
            }
        }
    }

    /** Nothing can be changed in what is being deleted. */
    static void mutatingOperations(ObjectNode match, FieldPath path, FieldErrors errors) {
        for (ObjectNode rule : Nodes.objects(match, "resourceRules")) {
            for (String operation : Nodes.strings(rule, "operations")) {
                if (!MUTATING_OPERATIONS.contains(operation)) {
                    errors.notSupported(path.child("resourceRules", "operations"), operation, MUTATING_OPERATIONS);
                }
            }
        }
    }

    private static void resourceNames(ObjectNode rule, FieldPath path, FieldErrors errors) {
        Set<String> seen = new HashSet<>();
        List<String> names = Nodes.strings(rule, "resourceNames");
        for (int i = 0; i < names.size(); i++) {
            FieldChecks.invalid(path.index(i), names.get(i), Names.pathSegmentName(names.get(i)), errors);
            if (!seen.add(names.get(i))) {
                errors.duplicate(path.index(i), names.get(i));
            }
        }
    }

    /** Expressions that must hold. */
    static void conditions(ObjectNode holder, AdmissionVocabulary vocabulary, FieldPath path, FieldErrors errors) {
        List<ObjectNode> conditions = Nodes.objects(holder, "matchConditions");
        if (conditions.size() > MOST_CONDITIONS) {
            errors.tooMany(path, conditions.size(), MOST_CONDITIONS);
        }
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < conditions.size(); i++) {
            FieldPath place = path.index(i);
            String name = Json.textAt(conditions.get(i), "name");
            String expression = Json.textAt(conditions.get(i), "expression");
            if (expression.isBlank()) {
                errors.required(place.child("expression"));
            } else {
                vocabulary.check(expression.strip(), AdmissionVocabulary.BOOL, place.child("expression"), errors);
            }
            if (name.isEmpty()) {
                errors.required(place.child("name"));
            } else {
                FieldChecks.invalid(place.child("name"), name, Names.qualifiedName(name), errors);
                if (!seen.add(name)) {
                    errors.duplicate(place.child("name"), name);
                }
            }
        }
    }
}
