package lavaflow.kinds;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

import lavaflow.cel.CelType;
import lavaflow.cel.Identifiers;
import lavaflow.kube.ConditionRules;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelectorRules;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Checks of admission policies and their bindings. */
final class AdmissionPolicyValidation {
    private static final FieldPath SPEC = FieldPath.of("spec");
    private static final int MOST_ANNOTATIONS = 20;
    private static final int LONGEST_ANNOTATION = 5 * 1024;
    private static final Pattern IDENTIFIER = Pattern.compile("[_a-zA-Z][_a-zA-Z0-9]*");

    private AdmissionPolicyValidation() {}

    static void policy(ObjectNode object, boolean mutating, FieldErrors errors) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        FieldChecks.requireOneOf(
                Json.textAt(spec, "failurePolicy"),
                AdmissionMatching.FAILURE_POLICIES,
                SPEC.child("failurePolicy"),
                errors);
        if (Nodes.has(spec, "paramKind")) {
            parameterKind(spec, errors);
        }
        ObjectNode match = Json.objectAt(spec, "matchConstraints");
        FieldPath path = SPEC.child("matchConstraints");
        if (match == null) {
            errors.required(path);
        } else {
            AdmissionMatching.resourcesOf(match, path, errors);
            if (Nodes.emptyAt(match, "resourceRules")) {
                errors.required(path.child("resourceRules"));
            }
            if (mutating) {
                AdmissionMatching.mutatingOperations(match, path, errors);
            }
        }
        AdmissionVocabulary plain = new AdmissionVocabulary(Nodes.has(spec, "paramKind"), true, false, false, Map.of());
        AdmissionMatching.conditions(spec, plain, SPEC.child("matchConditions"), errors);
        AdmissionVocabulary vocabulary = variables(spec, plain, errors);
        if (mutating) {
            mutations(spec, vocabulary.withMutation(), errors);
            FieldChecks.requireOneOf(
                    Json.textAt(spec, "reinvocationPolicy"),
                    AdmissionMatching.REINVOCATIONS,
                    SPEC.child("reinvocationPolicy"),
                    errors);
        } else {
            validations(spec, Json.textAt(object, "metadata", "name"), vocabulary, errors);
        }
    }

    private static void parameterKind(ObjectNode spec, FieldErrors errors) {
        FieldPath version = SPEC.child("paramKind", "apiVersion");
        String apiVersion = Json.textAt(spec, "paramKind", "apiVersion");
        String[] parts = apiVersion.split("/", -1);
        if (apiVersion.isEmpty()) {
            errors.required(version);
        } else if (parts.length > 2) {
            errors.invalid(version, apiVersion, "unexpected GroupVersion string: " + apiVersion);
        } else {
            String group = parts.length == 2 ? parts[0] : "";
            String bare = parts[parts.length - 1];
            joined(version, group, group.isEmpty() ? List.of() : Names.dns1123Subdomain(group), "", errors);
            if (bare.isEmpty()) {
                errors.invalid(version, apiVersion, "version must be specified");
            } else {
                joined(version, bare, Names.dns1035Label(bare), "", errors);
            }
        }
        String kind = Json.textAt(spec, "paramKind", "kind");
        if (kind.isEmpty()) {
            errors.required(SPEC.child("paramKind", "kind"));
        } else {
            joined(
                    SPEC.child("paramKind", "kind"),
                    kind,
                    Names.dns1035Label(kind.toLowerCase(Locale.ROOT)),
                    "may have mixed case, but should otherwise match: ",
                    errors);
        }
    }

    private static void joined(FieldPath path, String value, List<String> wrong, String intro, FieldErrors errors) {
        if (!wrong.isEmpty()) {
            errors.invalid(path, value, intro + String.join(",", wrong));
        }
    }

    private static AdmissionVocabulary variables(ObjectNode spec, AdmissionVocabulary plain, FieldErrors errors) {
        AdmissionVocabulary vocabulary = plain.composed(!Nodes.emptyAt(spec, "variables"));
        List<ObjectNode> variables = Nodes.objects(spec, "variables");
        for (int i = 0; i < variables.size(); i++) {
            FieldPath path = SPEC.child("variables").index(i);
            String name = Json.textAt(variables.get(i), "name");
            if (name.isBlank()) {
                errors.required(path.child("name"), "name is not specified");
            } else if (!IDENTIFIER.matcher(name).matches() || Identifiers.isReserved(name)) {
                errors.invalid(path.child("name"), name, "must be a valid CEL identifier");
            }
            String expression = Json.textAt(variables.get(i), "expression");
            if (expression.isBlank()) {
                errors.required(path.child("expression"), "expression is not specified");
            } else {
                vocabulary = vocabulary.withVariable(
                        name, vocabulary.check(expression.strip(), List.of(), path.child("expression"), errors));
            }
        }
        return vocabulary;
    }

    private static void validations(ObjectNode spec, String name, AdmissionVocabulary vocabulary, FieldErrors errors) {
        List<ObjectNode> validations = Nodes.objects(spec, "validations");
        if (validations.isEmpty() && Nodes.emptyAt(spec, "auditAnnotations")) {
            String needed = "validations or auditAnnotations must contain at least one item";
            errors.required(SPEC.child("validations"), needed);
            errors.required(SPEC.child("auditAnnotations"), needed);
            return;
        }
        for (int i = 0; i < validations.size(); i++) {
            ObjectNode validation = validations.get(i);
            FieldPath path = SPEC.child("validations").index(i);
            String expression = Json.textAt(validation, "expression");
            if (expression.isBlank()) {
                errors.required(path.child("expression"), "expression is not specified");
            } else {
                vocabulary.check(expression.strip(), AdmissionVocabulary.BOOL, path.child("expression"), errors);
            }
            for (String field : new String[] {"messageExpression", "message"}) {
                String text = Json.textAt(validation, field);
                if (!text.isEmpty() && text.isBlank()) {
                    errors.invalid(path.child(field), text, "must be non-empty if specified");
                } else if (field.equals("messageExpression") && !text.isEmpty()) {
                    vocabulary
                            .withAuthorizer(false)
                            .check(text.strip(), AdmissionVocabulary.STRING, path.child(field), errors);
                } else if (field.equals("message") && text.strip().matches("(?s).*[\\n\\r]+.*")) {
                    errors.invalid(path.child(field), text, "must not contain line breaks");
                }
            }
            FieldChecks.optionalOneOf(
                    validation, "reason", List.of("Forbidden", "Invalid", "RequestEntityTooLarge"), path, errors);
        }
        annotations(spec, name, vocabulary, errors);
    }

    private static void annotations(ObjectNode spec, String name, AdmissionVocabulary vocabulary, FieldErrors errors) {
        List<ObjectNode> annotations = Nodes.objects(spec, "auditAnnotations");
        FieldPath all = SPEC.child("auditAnnotations");
        if (annotations.size() > MOST_ANNOTATIONS) {
            errors.invalid(
                    all,
                    spec.get("auditAnnotations"),
                    "must not have more than " + MOST_ANNOTATIONS + " auditAnnotations");
        }
        Set<String> keys = new HashSet<>();
        for (int i = 0; i < annotations.size(); i++) {
            FieldPath path = all.index(i);
            String key = Json.textAt(annotations.get(i), "key");
            String qualified = name + "/" + key;
            FieldChecks.invalid(path.child("key"), qualified, Names.qualifiedName(qualified), errors);
            String expression =
                    Json.textAt(annotations.get(i), "valueExpression").strip();
            if (expression.isEmpty()) {
                errors.required(path.child("valueExpression"), "valueExpression is not specified");
            } else if (Names.utf8Length(expression) > LONGEST_ANNOTATION) {
                errors.required(
                        path.child("valueExpression"), "must not exceed " + LONGEST_ANNOTATION + " bytes in length");
            } else {
                vocabulary.check(expression, AdmissionVocabulary.NOTE, path.child("valueExpression"), errors);
            }
            if (!keys.add(key)) {
                errors.duplicate(path.child("key"), key);
            }
        }
    }

    private static void mutations(ObjectNode spec, AdmissionVocabulary vocabulary, FieldErrors errors) {
        List<ObjectNode> mutations = Nodes.objects(spec, "mutations");
        if (mutations.isEmpty()) {
            errors.required(SPEC.child("mutations"), "mutations must contain at least one item");
        }
        for (int i = 0; i < mutations.size(); i++) {
            FieldPath path = SPEC.child("mutations").index(i);
            String type = Json.textAt(mutations.get(i), "patchType");
            switch (type) {
                case "JSONPatch" -> {
                    patch(mutations.get(i), type, "jsonPatch", "applyConfiguration", path, errors);
                    made(mutations.get(i), "jsonPatch", vocabulary, AdmissionVocabulary.PATCH, path, errors);
                }
                case "ApplyConfiguration" -> {
                    patch(mutations.get(i), type, "applyConfiguration", "jsonPatch", path, errors);
                    made(
                            mutations.get(i),
                            "applyConfiguration",
                            vocabulary,
                            AdmissionVocabulary.CONFIGURATION,
                            path,
                            errors);
                }
                default ->
                    FieldChecks.requireOneOf(
                            type, List.of("ApplyConfiguration", "JSONPatch"), path.child("patchType"), errors);
            }
        }
    }

    private static void made(
            ObjectNode mutation,
            String field,
            AdmissionVocabulary vocabulary,
            List<CelType> type,
            FieldPath path,
            FieldErrors errors) {
        String expression = Json.textAt(mutation, field, "expression").strip();
        if (!expression.isEmpty()) {
            vocabulary.check(expression, type, path.child(field, "expression"), errors);
        }
    }

    private static void patch(
            ObjectNode mutation, String type, String field, String other, FieldPath path, FieldErrors errors) {
        if (!Nodes.has(mutation, field)) {
            errors.required(path.child(field), "must be specified when patchType is " + type);
        } else if (Json.textAt(mutation, field, "expression").isBlank()) {
            errors.required(path.child(field, "expression"));
        }
        if (Nodes.has(mutation, other)) {
            errors.invalid(path.child(other), "{" + other + "}", "must not be specified when patchType is " + type);
        }
    }

    static void status(ObjectNode object, FieldErrors errors) {
        FieldPath path = FieldPath.of("status", "typeChecking", "expressionWarnings");
        List<ObjectNode> warnings = Nodes.objects(object, "status", "typeChecking", "expressionWarnings");
        for (int i = 0; i < warnings.size(); i++) {
            FieldChecks.requireText(warnings.get(i), "warning", path.index(i), errors);
            FieldChecks.requireText(warnings.get(i), "fieldRef", path.index(i), errors);
        }
        ConditionRules.check(Json.listAt(object, "status", "conditions"), FieldPath.of("status", "conditions"), errors);
    }

    static void binding(ObjectNode object, boolean mutating, FieldErrors errors) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        String policy = Json.textAt(spec, "policyName");
        if (policy.isEmpty()) {
            errors.required(SPEC.child("policyName"));
        } else {
            FieldChecks.invalid(SPEC.child("policyName"), policy, Names.dns1123Subdomain(policy), errors);
        }
        ObjectNode parameters = Json.objectAt(spec, "paramRef");
        if (parameters != null) {
            parameters(parameters, SPEC.child("paramRef"), errors);
        }
        ObjectNode match = Json.objectAt(spec, "matchResources");
        if (match != null) {
            AdmissionMatching.resourcesOf(match, SPEC.child("matchResources"), errors);
            if (mutating) {
                AdmissionMatching.mutatingOperations(match, SPEC.child("matchResources"), errors);
            }
        }
        if (!mutating) {
            actions(spec, errors);
        }
    }

    private static void parameters(ObjectNode parameters, FieldPath path, FieldErrors errors) {
        String exclusive = "name and selector are mutually exclusive";
        String name = Json.textAt(parameters, "name");
        boolean selector = Nodes.has(parameters, "selector");
        if (!name.isEmpty()) {
            FieldChecks.invalid(path.child("name"), name, Names.pathSegmentName(name), errors);
            if (selector) {
                errors.forbidden(path.child("name"), exclusive);
            }
        }
        if (selector) {
            LabelSelectorRules.check(parameters.get("selector"), path.child("selector"), errors);
            if (!name.isEmpty()) {
                errors.forbidden(path.child("selector"), exclusive);
            }
        }
        if (name.isEmpty() && !selector) {
            errors.required(path, "one of name or selector must be specified");
        }
        FieldChecks.requireOneOf(
                Json.textAt(parameters, "parameterNotFoundAction"),
                List.of("Deny", "Allow"),
                path.child("parameterNotFoundAction"),
                errors);
    }

    private static void actions(ObjectNode spec, FieldErrors errors) {
        FieldPath path = SPEC.child("validationActions");
        List<String> known = List.of("Audit", "Deny", "Warn");
        List<String> actions = Nodes.strings(spec, "validationActions");
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < actions.size(); i++) {
            if (!known.contains(actions.get(i))) {
                errors.notSupported(path.index(i), actions.get(i), known);
            }
            if (!seen.add(actions.get(i))) {
                errors.duplicate(path.index(i), actions.get(i));
            }
        }
        if (seen.contains("Deny") && seen.contains("Warn")) {
            errors.invalid(
                    path,
                    spec.get("validationActions"),
                    "must not contain both Deny and Warn (repeating the same validation failure information in the"
                            + " API response and headers serves no purpose)");
        }
        if (seen.isEmpty()) {
            errors.required(path, "at least one validation action is required");
        }
    }
}
