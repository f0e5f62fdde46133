package lavaflow.kinds;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.GoQuote;
import lavaflow.kube.Json;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Checks of definitions of custom kinds.
 *
 * <p>What all versions say alike upstream keeps once, above the versions, and complains about it there; so must we.
 */
final class DefinitionValidation {
    private static final FieldPath SPEC = FieldPath.of("spec");
    private static final String APPROVAL = "api-approved.kubernetes.io";
    private static final String APPROVAL_HELP = ", see https://github.com/kubernetes/enhancements/pull/1111";
    private static final int LONGEST_WARNING = 256;

    private DefinitionValidation() {}

    static void create(ObjectNode object, FieldErrors errors) {
        String name = Json.textAt(object, "metadata", "name");
        String required = Json.textAt(object, "spec", "names", "plural") + "." + Json.textAt(object, "spec", "group");
        if (!name.equals(required)) {
            errors.invalid(FieldPath.of("metadata", "name"), name, "must be spec.names.plural+\".\"+spec.group");
        }
        validate(object, null, errors);
    }

    static void update(ObjectNode object, ObjectNode old, FieldErrors errors) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        spec(spec, Json.at(old, "spec"), errors);
        if (isEstablished(old)) {
            keep(object, old, errors, "scope");
            keep(object, old, errors, "names", "kind");
        }
        keep(object, old, errors, "group");
        keep(object, old, errors, "names", "plural");
        rest(object, old, errors);
    }

    private static boolean isEstablished(ObjectNode definition) {
        return Nodes.objects(definition, "status", "conditions").stream()
                .anyMatch(condition -> Json.textAt(condition, "type").equals("Established")
                        && Json.textAt(condition, "status").equals("True"));
    }

    private static void keep(ObjectNode object, ObjectNode old, FieldErrors errors, String... field) {
        JsonNode now = Json.at(Json.at(object, "spec"), field);
        FieldChecks.immutable(now, Json.at(Json.at(old, "spec"), field), SPEC.child(field), errors);
    }

    private static void validate(ObjectNode object, @Nullable ObjectNode old, FieldErrors errors) {
        spec(Json.ensureObject(object, "spec"), null, errors);
        rest(object, old, errors);
    }

    private static void rest(ObjectNode object, @Nullable ObjectNode old, FieldErrors errors) {
        status(object, errors);
        storedVersions(object, errors);
        approval(object, old, errors);
        boolean preserved = Json.flagAt(old, "spec", "preserveUnknownFields");
        if (!preserved && Json.flagAt(object, "spec", "preserveUnknownFields")) {
            errors.invalid(
                    SPEC.child("preserveUnknownFields"),
                    BooleanNode.TRUE,
                    "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in"
                            + " spec.versions[*].schema instead");
        }
    }

    static void status(ObjectNode object, FieldErrors errors) {
        names(Json.at(object, "status", "acceptedNames"), FieldPath.of("status", "acceptedNames"), errors);
    }

    private static void spec(ObjectNode spec, @Nullable JsonNode old, FieldErrors errors) {
        String group = Json.textAt(spec, "group");
        List<String> wrong = Names.dns1123Subdomain(group);
        if (group.isEmpty()) {
            errors.required(SPEC.child("group"));
        } else if (!wrong.isEmpty()) {
            errors.invalid(SPEC.child("group"), group, String.join(",", wrong));
        } else if (group.indexOf('.') < 0) {
            errors.invalid(SPEC.child("group"), group, "should be a domain with at least one dot");
        }
        FieldChecks.requireOneOf(
                Json.textAt(spec, "scope"), List.of("Cluster", "Namespaced"), SPEC.child("scope"), errors);
        DefinitionVersions versions = new DefinitionVersions(spec, old);
        if (Json.flagAt(spec, "preserveUnknownFields") && versions.haveDefaults()) {
            errors.invalid(
                    SPEC.child("preserveUnknownFields"),
                    BooleanNode.TRUE,
                    "must be false in order to use defaults in the schema");
        }
        versions.validate(errors);
        for (String name : new String[] {"plural", "singular", "kind", "listKind"}) {
            FieldChecks.requireText(spec.get("names"), name, SPEC.child("names"), errors);
        }
        names(spec.get("names"), SPEC.child("names"), errors);
        versions.validateShared(errors);
        conversion(spec, errors);
    }

    private static void names(@Nullable JsonNode names, FieldPath path, FieldErrors errors) {
        Map<String, String> intros = new LinkedHashMap<>();
        intros.put("plural", "");
        intros.put("singular", "");
        intros.put("kind", "may have mixed case, but should otherwise match: ");
        intros.put("listKind", "may have mixed case, but should otherwise match: ");
        intros.forEach((field, intro) -> {
            String name = Json.textAt(names, field);
            String checked = intro.isEmpty() ? name : name.toLowerCase(Locale.ROOT);
            List<String> wrong = name.isEmpty() ? List.of() : Names.dns1035Label(checked);
            if (!wrong.isEmpty()) {
                errors.invalid(path.child(field), name, intro + String.join(",", wrong));
            }
        });
        labels(names, "shortNames", path, errors);
        String kind = Json.textAt(names, "kind");
        if (!kind.isEmpty() && kind.equals(Json.textAt(names, "listKind"))) {
            errors.invalid(path.child("listKind"), kind, "kind and listKind may not be the same");
        }
        labels(names, "categories", path, errors);
    }

    private static void labels(@Nullable JsonNode names, String field, FieldPath path, FieldErrors errors) {
        List<String> values = Nodes.strings(names, field);
        for (int i = 0; i < values.size(); i++) {
            List<String> wrong = Names.dns1035Label(values.get(i));
            if (!wrong.isEmpty()) {
                errors.invalid(path.child(field).index(i), values.get(i), String.join(",", wrong));
            }
        }
    }

    /** What is wrong with the warning that users of a version get. */
    static void deprecation(ObjectNode version, FieldPath path, FieldErrors errors) {
        if (!Nodes.has(version, "deprecationWarning")) {
            return;
        }
        String warning = Json.textAt(version, "deprecationWarning");
        FieldPath place = path.child("deprecationWarning");
        if (!Json.flagAt(version, "deprecated")) {
            errors.invalid(place, warning, "can only be set for deprecated versions");
            return;
        }
        if (Names.utf8Length(warning) > LONGEST_WARNING) {
            errors.invalid(place, warning, "must be <= " + LONGEST_WARNING + " characters long");
        }
        if (warning.isEmpty()) {
            errors.invalid(place, warning, "must not be an empty string");
        }
        for (int at = 0; at < warning.length(); at = warning.offsetByCodePoints(at, 1)) {
            if (!GoQuote.isPrint(warning.codePointAt(at))) {
                int index = Names.utf8Length(warning.substring(0, at));
                errors.invalid(
                        place,
                        warning,
                        "must only contain printable UTF-8 characters; non-printable character found at index "
                                + index);
                return;
            }
        }
    }

    private static void conversion(ObjectNode spec, FieldErrors errors) {
        ObjectNode conversion = Json.objectAt(spec, "conversion");
        if (conversion == null) {
            return;
        }
        FieldPath path = SPEC.child("conversion");
        String strategy = Json.textAt(conversion, "strategy");
        FieldChecks.requireOneOf(strategy, List.of("None", "Webhook"), path.child("strategy"), errors);
        ObjectNode client = Json.objectAt(conversion, "webhook", "clientConfig");
        List<String> versions = Nodes.strings(conversion, "webhook", "conversionReviewVersions");
        if (strategy.equals("Webhook")) {
            if (Json.flagAt(spec, "preserveUnknownFields")) {
                errors.invalid(path.child("strategy"), strategy, "must be None if spec.preserveUnknownFields is true");
            }
            if (client == null) {
                errors.required(path.child("webhookClientConfig"), "required when strategy is set to Webhook");
            } else {
                WebhookValidation.client(client, path.child("webhookClientConfig"), errors);
            }
            reviewVersions(conversion, versions, path.child("conversionReviewVersions"), errors);
            return;
        }
        String unwanted = "should not be set when strategy is not set to Webhook";
        if (client != null) {
            errors.forbidden(path.child("webhookClientConfig"), unwanted);
        }
        if (!versions.isEmpty()) {
            errors.forbidden(path.child("conversionReviewVersions"), unwanted);
        }
    }

    private static void reviewVersions(
            ObjectNode conversion, List<String> versions, FieldPath path, FieldErrors errors) {
        if (versions.isEmpty()) {
            errors.required(path);
            return;
        }
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < versions.size(); i++) {
            if (!seen.add(versions.get(i))) {
                errors.invalid(path.index(i), versions.get(i), "duplicate version");
            } else {
                FieldChecks.invalid(path.index(i), versions.get(i), Names.dns1035Label(versions.get(i)), errors);
            }
        }
        if (!seen.contains("v1") && !seen.contains("v1beta1")) {
            errors.invalid(
                    path,
                    Json.at(conversion, "webhook", "conversionReviewVersions"),
                    "must include at least one of v1, v1beta1");
        }
    }

    private static void storedVersions(ObjectNode object, FieldErrors errors) {
        FieldPath path = FieldPath.of("status", "storedVersions");
        List<String> stored = Nodes.strings(object, "status", "storedVersions");
        JsonNode shown = Json.at(object, "status", "storedVersions");
        if (stored.isEmpty()) {
            errors.invalid(path, (JsonNode) null, "must have at least one stored version");
            return;
        }
        Set<String> declared = new HashSet<>();
        for (ObjectNode version : Nodes.objects(object, "spec", "versions")) {
            String name = Json.textAt(version, "name");
            declared.add(name);
            if (Json.flagAt(version, "storage") && !stored.contains(name)) {
                errors.invalid(path, shown, "must have the storage version " + name);
            }
        }
        for (int i = 0; i < stored.size(); i++) {
            String name = stored.get(i);
            if (!declared.contains(name)) {
                errors.invalid(
                        path.index(i),
                        name,
                        "missing from spec.versions; " + name + " was previously a storage version, and must remain in"
                                + " spec.versions until a storage migration ensures no data remains persisted in "
                                + name + " and removes " + name + " from status.storedVersions");
            }
        }
    }

    /** Groups of the community itself need the word of those who review its interfaces. */
    private static void approval(ObjectNode object, @Nullable ObjectNode old, FieldErrors errors) {
        String group = Json.textAt(object, "spec", "group");
        boolean isProtected = group.equals("k8s.io")
                || group.endsWith(".k8s.io")
                || group.equals("kubernetes.io")
                || group.endsWith(".kubernetes.io");
        String value = Json.textAt(object, "metadata", "annotations", APPROVAL);
        String state = approvalState(value);
        if (!isProtected
                || (old != null
                        && state.equals(approvalState(Json.textAt(old, "metadata", "annotations", APPROVAL))))) {
            return;
        }
        FieldPath path = FieldPath.of("metadata", "annotations").key(APPROVAL);
        String head = "protected groups must have approval annotation " + FieldErrors.quoted(APPROVAL);
        switch (state) {
            case "missing" -> errors.required(path, head + APPROVAL_HELP);
            case "invalid" ->
                errors.invalid(
                        path,
                        value,
                        head + " with either a URL or a reason starting with \"unapproved\"" + APPROVAL_HELP);
            default -> {
                // Approved, or knowingly not.
            }
        }
    }

    private static String approvalState(String value) {
        if (value.isEmpty()) {
            return "missing";
        }
        if (value.startsWith("unapproved")) {
            return "bypassed";
        }
        try {
            URI url = new URI(value);
            return url.getScheme() != null && url.getRawAuthority() != null ? "approved" : "invalid";
        } catch (URISyntaxException e) {
            return "invalid";
        }
    }

    /** The versions as upstream shows them: without what all of them share. */
    static ArrayNode shown(ObjectNode spec, Set<String> shared) {
        ArrayNode shown = Json.array();
        for (ObjectNode version : Nodes.objects(spec, "versions")) {
            ObjectNode go = shown.addObject().put("Name", Json.textAt(version, "name"));
            go.put("Served", Json.flagAt(version, "served")).put("Storage", Json.flagAt(version, "storage"));
            go.put("Deprecated", Json.flagAt(version, "deprecated"));
            go.set("DeprecationWarning", Json.at(version, "deprecationWarning"));
            for (String field :
                    new String[] {"schema", "subresources", "additionalPrinterColumns", "selectableFields"}) {
                String name = Character.toUpperCase(field.charAt(0)) + field.substring(1);
                go.set(name, shared.contains(field) ? null : Json.at(version, field));
            }
        }
        return shown;
    }
}
