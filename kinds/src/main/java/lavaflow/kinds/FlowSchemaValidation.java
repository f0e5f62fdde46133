package lavaflow.kinds;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import lavaflow.kube.FieldError;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Checks of flow schemas. */
final class FlowSchemaValidation {
    private static final FieldPath SPEC = FieldPath.of("spec");
    private static final long HIGHEST_PRECEDENCE = 10_000;
    private static final List<String> VERBS =
            List.of("create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch");

    private FlowSchemaValidation() {}

    static void validate(ObjectNode object, FieldErrors errors) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        String name = Json.textAt(object, "metadata", "name");
        precedence(spec, name, errors);
        if (Nodes.has(spec, "distinguisherMethod")) {
            String method = Json.textAt(spec, "distinguisherMethod", "type");
            if (!method.equals("ByNamespace") && !method.equals("ByUser")) {
                errors.add(
                        FieldError.Reason.NOT_SUPPORTED,
                        SPEC.child("distinguisherMethod", "type"),
                        "Unsupported value: " + Json.string(Json.object().put("Type", method))
                                + ": supported values: \"ByNamespace\", \"ByUser\"");
            }
        }
        FieldPath level = SPEC.child("priorityLevelConfiguration", "name");
        String levelName = Json.textAt(spec, "priorityLevelConfiguration", "name");
        if (levelName.isEmpty()) {
            errors.required(level, "must reference a priority level");
        } else {
            FieldChecks.invalid(level, levelName, Names.dns1123Subdomain(levelName), errors);
        }
        List<ObjectNode> rules = Nodes.objects(spec, "rules");
        for (int i = 0; i < rules.size(); i++) {
            rule(rules.get(i), SPEC.child("rules").index(i), errors);
        }
        ObjectNode fixed = MandatoryFlowControl.schema(name);
        if (fixed != null && !fixed.equals(spec)) {
            errors.invalid(SPEC, spec, "spec of '" + name + "' must equal the fixed value");
        }
        conditions(object, errors);
    }

    private static void precedence(ObjectNode spec, String name, FieldErrors errors) {
        FieldPath path = SPEC.child("matchingPrecedence");
        long precedence = Json.longAt(spec, 0, "matchingPrecedence");
        if (precedence <= 0) {
            errors.invalid(path, precedence, "must be a positive value");
        }
        if (precedence > HIGHEST_PRECEDENCE) {
            errors.invalid(path, precedence, "must not be greater than " + HIGHEST_PRECEDENCE);
        }
        if (precedence == 1 && !name.equals("exempt")) {
            errors.invalid(path, 1, "only the schema named 'exempt' may have matchingPrecedence 1");
        }
    }

    /** Each condition has a type of its own. */
    static void conditions(ObjectNode object, FieldErrors errors) {
        Set<String> types = new HashSet<>();
        List<ObjectNode> conditions = Nodes.objects(object, "status", "conditions");
        for (int i = 0; i < conditions.size(); i++) {
            FieldPath path = FieldPath.of("status", "conditions").index(i).child("type");
            String type = Json.textAt(conditions.get(i), "type");
            if (!types.add(type)) {
                errors.duplicate(path, type);
            }
            if (type.isEmpty()) {
                errors.required(path);
            }
        }
    }

    private static void rule(ObjectNode rule, FieldPath path, FieldErrors errors) {
        List<ObjectNode> subjects = Nodes.objects(rule, "subjects");
        if (subjects.isEmpty()) {
            errors.required(path.child("subjects"), "subjects must contain at least one value");
        }
        for (int i = 0; i < subjects.size(); i++) {
            subject(subjects.get(i), path.child("subjects").index(i), errors);
        }
        List<ObjectNode> resources = Nodes.objects(rule, "resourceRules");
        List<ObjectNode> urls = Nodes.objects(rule, "nonResourceRules");
        if (resources.isEmpty() && urls.isEmpty()) {
            errors.required(path, "at least one of resourceRules and nonResourceRules has to be non-empty");
        }
        for (int i = 0; i < resources.size(); i++) {
            resourceRule(resources.get(i), path.child("resourceRules").index(i), errors);
        }
        for (int i = 0; i < urls.size(); i++) {
            urlRule(urls.get(i), path.child("nonResourceRules").index(i), errors);
        }
    }

    private static void subject(ObjectNode subject, FieldPath path, FieldErrors errors) {
        String kind = Json.textAt(subject, "kind");
        List<String> kinds = List.of("Group", "ServiceAccount", "User");
        if (!kinds.contains(kind)) {
            errors.notSupported(path.child("kind"), kind, kinds);
            return;
        }
        String own = Character.toLowerCase(kind.charAt(0)) + kind.substring(1);
        FieldPath place = path.child(own);
        if (!Nodes.has(subject, own)) {
            errors.required(place, own + " is required when subject kind is '" + kind + "'");
        } else {
            String name = Json.textAt(subject, own, "name");
            if (name.isEmpty()) {
                errors.required(place.child("name"));
            } else if (own.equals("serviceAccount") && !name.equals("*")) {
                FieldChecks.invalid(place.child("name"), name, Names.dns1123Subdomain(name), errors);
            }
            if (own.equals("serviceAccount")) {
                String namespace = Json.textAt(subject, own, "namespace");
                if (namespace.isEmpty()) {
                    errors.required(place.child("namespace"), "must specify namespace for service account");
                } else {
                    FieldChecks.invalid(place.child("namespace"), namespace, Names.dns1123Label(namespace), errors);
                }
            }
        }
        for (String other : new String[] {"ServiceAccount", "User", "Group"}) {
            String field = other.substring(0, 1).toLowerCase(Locale.ROOT) + other.substring(1);
            if (!field.equals(own) && Nodes.has(subject, field)) {
                errors.forbidden(path.child(field), field + " is forbidden when subject kind is not '" + other + "'");
            }
        }
    }

    private static void verbs(ObjectNode rule, FieldPath path, FieldErrors errors) {
        List<String> verbs = Nodes.strings(rule, "verbs");
        FieldPath place = path.child("verbs");
        if (verbs.isEmpty()) {
            errors.required(place, "verbs must contain at least one value");
        } else if (verbs.contains("*")) {
            alone(rule, "verbs", "verbs", place, errors);
        } else if (!VERBS.containsAll(verbs)) {
            List<String> quoted = new ArrayList<>();
            VERBS.forEach(verb -> quoted.add(FieldErrors.quoted(verb)));
            errors.add(
                    FieldError.Reason.NOT_SUPPORTED,
                    place,
                    "Unsupported value: " + Json.string(rule.get("verbs")) + ": supported values: "
                            + String.join(", ", quoted));
        }
    }

    private static void alone(ObjectNode rule, String field, String what, FieldPath path, FieldErrors errors) {
        if (Nodes.strings(rule, field).contains("*") && rule.get(field).size() > 1) {
            errors.invalid(path, rule.get(field), "if '*' is present, must not specify other " + what);
        }
    }

    private static void resourceRule(ObjectNode rule, FieldPath path, FieldErrors errors) {
        verbs(rule, path, errors);
        if (Nodes.emptyAt(rule, "apiGroups")) {
            errors.required(path.child("apiGroups"), "resource rules must supply at least one api group");
        } else {
            alone(rule, "apiGroups", "api groups", path.child("apiGroups"), errors);
        }
        if (Nodes.emptyAt(rule, "resources")) {
            errors.required(path.child("resources"), "resource rules must supply at least one resource");
        } else {
            alone(rule, "resources", "resources", path.child("resources"), errors);
        }
        FieldPath place = path.child("namespaces");
        List<String> namespaces = Nodes.strings(rule, "namespaces");
        if (namespaces.isEmpty() && !Json.flagAt(rule, "clusterScope")) {
            errors.required(place, "resource rules that are not cluster scoped must supply at least one namespace");
        } else if (namespaces.contains("*")) {
            alone(rule, "namespaces", "namespaces", place, errors);
        } else {
            for (int i = 0; i < namespaces.size(); i++) {
                for (String wrong : Names.dns1123Label(namespaces.get(i))) {
                    errors.invalid(
                            place.index(i),
                            namespaces.get(i),
                            "each member of this list must be '*' or a DNS-1123 label; " + wrong);
                }
            }
        }
    }

    private static void urlRule(ObjectNode rule, FieldPath path, FieldErrors errors) {
        verbs(rule, path, errors);
        FieldPath place = path.child("nonResourceURLs");
        List<String> urls = Nodes.strings(rule, "nonResourceURLs");
        if (urls.isEmpty()) {
            errors.required(place, "nonResourceURLs must contain at least one value");
        } else if (urls.contains("*")) {
            alone(rule, "nonResourceURLs", "non-resource URLs", place, errors);
        } else {
            for (int i = 0; i < urls.size(); i++) {
                String wrong = urlProblem(urls.get(i));
                if (!wrong.isEmpty()) {
                    errors.invalid(place.index(i), urls.get(i), wrong);
                }
            }
        }
    }

    private static String urlProblem(String url) {
        if (url.isEmpty()) {
            return "must not be empty";
        }
        if (!url.startsWith("/")) {
            return "must start with slash";
        }
        if (url.contains(" ")) {
            return "must not contain white-space";
        }
        if (url.contains("//")) {
            return "must not contain double slash";
        }
        int star = url.indexOf('*');
        boolean suffix = star == url.length() - 1 && url.endsWith("/*");
        return star >= 0 && !suffix ? "wildcard can only do suffix matching" : "";
    }
}
