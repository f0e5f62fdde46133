package lavaflow.kinds;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Identifiers;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelectorRules;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Checks of webhook configurations, and of the addresses of webhooks of any kind. */
final class WebhookValidation {
    private static final Set<String> REVIEW_VERSIONS = Set.of("v1", "v1beta1");
    private static final String REVIEW_VERSIONS_SHOWN = "v1, v1beta1";

    private WebhookValidation() {}

    /** @param old what it was, null on create: what an older server let in may stay */
    static void configuration(ObjectNode object, @Nullable ObjectNode old, FieldErrors errors) {
        List<ObjectNode> before = Nodes.objects(old, "webhooks");
        boolean uniqueNames = uniqueNames(before);
        boolean knownVersions = before.stream()
                .allMatch(hook -> Nodes.emptyAt(hook, "admissionReviewVersions")
                        || Nodes.strings(hook, "admissionReviewVersions").stream()
                                .anyMatch(REVIEW_VERSIONS::contains));
        boolean noSideEffects = before.stream()
                .allMatch(hook -> Json.textAt(hook, "sideEffects").startsWith("None"));
        Set<String> names = new HashSet<>();
        List<ObjectNode> hooks = Nodes.objects(object, "webhooks");
        for (int i = 0; i < hooks.size(); i++) {
            FieldPath path = FieldPath.of("webhooks").index(i);
            webhook(hooks.get(i), noSideEffects, path, errors);
            reviewVersions(hooks.get(i), knownVersions, path.child("admissionReviewVersions"), errors);
            String name = Json.textAt(hooks.get(i), "name");
            if (uniqueNames && !name.isEmpty() && !names.add(name)) {
                errors.duplicate(path.child("name"), name);
            }
        }
    }

    private static boolean uniqueNames(List<ObjectNode> hooks) {
        Set<String> names = new HashSet<>();
        return hooks.stream().allMatch(hook -> names.add(Json.textAt(hook, "name")));
    }

    private static void webhook(ObjectNode hook, boolean noSideEffects, FieldPath path, FieldErrors errors) {
        Identifiers.fullyQualifiedName(path.child("name"), Json.textAt(hook, "name"), errors);
        List<ObjectNode> rules = Nodes.objects(hook, "rules");
        for (int i = 0; i < rules.size(); i++) {
            AdmissionMatching.rule(rules.get(i), path.child("rules").index(i), errors);
        }
        FieldChecks.optionalOneOf(hook, "failurePolicy", AdmissionMatching.FAILURE_POLICIES, path, errors);
        FieldChecks.optionalOneOf(hook, "matchPolicy", AdmissionMatching.MATCH_POLICIES, path, errors);
        List<String> effects =
                noSideEffects ? List.of("None", "NoneOnDryRun") : List.of("None", "NoneOnDryRun", "Some", "Unknown");
        if (!Nodes.has(hook, "sideEffects")) {
            errors.required(path.child("sideEffects"), "must specify one of " + String.join(", ", effects));
        }
        FieldChecks.optionalOneOf(hook, "sideEffects", effects, path, errors);
        JsonNode timeout = Json.at(hook, "timeoutSeconds");
        if (timeout != null && (timeout.longValue() < 1 || timeout.longValue() > 30)) {
            errors.invalid(path.child("timeoutSeconds"), timeout, "the timeout value must be between 1 and 30 seconds");
        }
        for (String selector : new String[] {"namespaceSelector", "objectSelector"}) {
            LabelSelectorRules.check(hook.get(selector), path.child(selector), errors);
        }
        FieldChecks.optionalOneOf(hook, "reinvocationPolicy", AdmissionMatching.REINVOCATIONS, path, errors);
        client(Json.objectAt(hook, "clientConfig"), path.child("clientConfig"), errors);
        AdmissionMatching.conditions(hook, AdmissionVocabulary.CONDITIONS, path.child("matchConditions"), errors);
    }

    /** Where a webhook is reached. */
    static void client(@Nullable ObjectNode config, FieldPath path, FieldErrors errors) {
        boolean url = Nodes.has(config, "url");
        ObjectNode service = Json.objectAt(config, "service");
        if (url == (service != null)) {
            errors.required(path, "exactly one of url or service is required");
        } else if (url) {
            url(Json.textAt(config, "url"), path.child("url"), errors);
        } else if (service != null) {
            service(service, path.child("service"), errors);
        }
    }

    private static void url(String text, FieldPath path, FieldErrors errors) {
        String form = "; desired format: https://host[/path]";
        GoUrl url;
        try {
            url = GoUrl.parse(text);
        } catch (GoUrl.Malformed e) {
            errors.required(
                    path, "url must be a valid URL: parse " + FieldErrors.quoted(text) + ": " + e.text() + form);
            return;
        }
        if (!url.scheme().equals("https")) {
            errors.invalid(path, url.scheme(), "'https' is the only allowed URL scheme" + form);
        }
        if (url.host().isEmpty()) {
            errors.invalid(path, "", "host must be specified" + form);
        }
        if (url.user() != null) {
            errors.invalid(path, url.user(), "user information is not permitted in the URL");
        }
        if (!url.fragment().isEmpty()) {
            errors.invalid(path, url.fragment(), "fragments are not permitted in the URL");
        }
        if (!url.query().isEmpty()) {
            errors.invalid(path, url.query(), "query parameters are not permitted in the URL");
        }
    }

    private static void service(ObjectNode service, FieldPath path, FieldErrors errors) {
        // Upstream has the two fields the wrong way round.
        if (Json.textAt(service, "namespace").isEmpty()) {
            errors.required(path.child("name"));
        }
        if (Json.textAt(service, "name").isEmpty()) {
            errors.required(path.child("namespace"));
        }
        long port = Json.longAt(service, 0, "port");
        List<String> wrong = Identifiers.portNumber(port);
        if (!wrong.isEmpty()) {
            errors.invalid(path.child("port"), port, "port is not valid: " + String.join(", ", wrong));
        }
        path(Json.textAt(service, "path"), path.child("path"), errors);
    }

    private static void path(String value, FieldPath path, FieldErrors errors) {
        if (value.isEmpty() || value.equals("/")) {
            return;
        }
        if (value.equals("//")) {
            errors.invalid(path, value, "segment[0] may not be empty");
            return;
        }
        if (!value.startsWith("/")) {
            errors.invalid(path, value, "must start with a '/'");
        }
        String rest =
                value.substring(1, value.length() > 1 && value.endsWith("/") ? value.length() - 1 : value.length());
        String[] segments = rest.split("/", -1);
        for (int i = 0; i < segments.length; i++) {
            if (segments[i].isEmpty()) {
                errors.invalid(path, value, "segment[" + i + "] may not be empty");
                continue;
            }
            for (String wrong : Names.dns1123Subdomain(segments[i])) {
                errors.invalid(path, value, "segment[" + i + "]: " + wrong);
            }
        }
    }

    private static void reviewVersions(ObjectNode hook, boolean known, FieldPath path, FieldErrors errors) {
        List<String> versions = Nodes.strings(hook, "admissionReviewVersions");
        if (versions.isEmpty()) {
            errors.required(path, "must specify one of " + REVIEW_VERSIONS_SHOWN);
            return;
        }
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < versions.size(); i++) {
            String version = versions.get(i);
            if (!seen.add(version)) {
                errors.invalid(path.index(i), version, "duplicate version");
            } else {
                FieldChecks.invalid(path.index(i), version, Names.dns1035Label(version), errors);
            }
        }
        if (known && versions.stream().noneMatch(REVIEW_VERSIONS::contains)) {
            errors.invalid(
                    path, hook.get("admissionReviewVersions"), "must include at least one of " + REVIEW_VERSIONS_SHOWN);
        }
    }
}
