package lavaflow.audit;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import lavaflow.kube.DecodingException;
import lavaflow.kube.FieldError;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;
import lavaflow.kube.Yaml;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** A policy file of {@code audit.k8s.io/v1}: the first rule that matches a request decides. */
public final class AuditPolicy {
    private static final String TYPE = "audit.k8s.io/v1";
    private static final List<String> LEVELS = List.of("None", "Metadata", "Request", "RequestResponse");
    private static final String STAGES = "RequestReceived,ResponseStarted,ResponseComplete,Panic";

    /** What applies to one request. */
    record Decision(Level level, Set<Stage> omitStages, boolean omitManagedFields) {
        boolean omits(Stage stage) {
            return omitStages.contains(stage);
        }
    }

    private final List<PolicyRule> rules;
    private final Decision otherwise;

    private AuditPolicy(List<PolicyRule> rules, Decision otherwise) {
        this.rules = List.copyOf(rules);
        this.otherwise = otherwise;
    }

    /** Reads a policy file's text, YAML or JSON; says what is wrong in one line. */
    public static AuditPolicy parse(String text) throws AuditPolicyException {
        JsonNode root;
        try {
            root = Yaml.parse(text.getBytes(StandardCharsets.UTF_8)).root();
        } catch (DecodingException e) {
            throw new AuditPolicyException("failed decoding: " + e.getMessage());
        }
        if (!(root instanceof ObjectNode document)) {
            throw new AuditPolicyException("failed decoding: the policy is not an object");
        }
        String version = Json.textAt(document, "apiVersion");
        String kind = Json.textAt(document, "kind");
        if (!version.equals(TYPE) || !kind.equals("Policy")) {
            throw new AuditPolicyException("no kind " + FieldErrors.quoted(kind) + " is registered for version "
                    + FieldErrors.quoted(version));
        }
        FieldErrors errors = new FieldErrors();
        Set<Stage> omitted = stages(document, FieldPath.of("omitStages"), errors);
        boolean omitManaged = Json.flagAt(document, "omitManagedFields");
        List<PolicyRule> rules = new ArrayList<>();
        ArrayNode given = Json.listAt(document, "rules");
        for (int i = 0; i < given.size(); i++) {
            PolicyRule rule = rule(given.get(i), FieldPath.of("rules").index(i), omitted, omitManaged, errors);
            if (rule != null) {
                rules.add(rule);
            }
        }
        if (!errors.isEmpty()) {
            throw new AuditPolicyException(String.join(
                    ", ", errors.list().stream().map(FieldError::message).toList()));
        }
        if (rules.isEmpty()) {
            throw new AuditPolicyException("loaded illegal policy with 0 rules");
        }
        return new AuditPolicy(rules, new Decision(Level.NONE, omitted, omitManaged));
    }

    private static @Nullable PolicyRule rule(
            JsonNode rule, FieldPath path, Set<Stage> omitted, boolean omitManaged, FieldErrors errors) {
        String levelText = Json.textAt(rule, "level");
        Level level = Level.find(levelText);
        if (levelText.isEmpty()) {
            errors.required(path.child("level"));
        } else if (level == null) {
            errors.notSupported(path.child("level"), levelText, LEVELS);
        }
        List<String> urls = strings(rule, "nonResourceURLs");
        urls(urls, path.child("nonResourceURLs"), errors);
        List<PolicyRule.GroupResources> resources = resources(rule, path.child("resources"), errors);
        Set<Stage> stages = stages(rule, path.child("omitStages"), errors);
        stages.addAll(omitted);
        List<String> namespaces = strings(rule, "namespaces");
        if (!urls.isEmpty() && !(resources.isEmpty() && namespaces.isEmpty())) {
            errors.invalid(
                    path.child("nonResourceURLs"),
                    rule.get("nonResourceURLs"),
                    "rules cannot apply to both regular resources and non-resource URLs");
        }
        if (level == null) {
            return null;
        }
        JsonNode own = Json.at(rule, "omitManagedFields");
        return new PolicyRule(
                level,
                strings(rule, "users"),
                strings(rule, "userGroups"),
                strings(rule, "verbs"),
                resources,
                namespaces,
                urls,
                stages,
                own == null ? omitManaged : own.asBoolean());
    }

    private static void urls(List<String> urls, FieldPath path, FieldErrors errors) {
        for (int i = 0; i < urls.size(); i++) {
            String url = urls.get(i);
            if (url.equals("*")) {
                continue;
            }
            if (!url.startsWith("/")) {
                errors.invalid(path.index(i), url, "non-resource URL rules must begin with a '/' character");
            }
            if (url.indexOf('*') >= 0 && url.indexOf('*') < url.length() - 1) {
                errors.invalid(
                        path.index(i), url, "non-resource URL wildcards '*' must be the final character of the rule");
            }
        }
    }

    private static List<PolicyRule.GroupResources> resources(JsonNode rule, FieldPath path, FieldErrors errors) {
        List<PolicyRule.GroupResources> all = new ArrayList<>();
        for (JsonNode each : Json.listAt(rule, "resources")) {
            String group = Json.textAt(each, "group");
            if (!group.isEmpty() && !group.equals("*")) {
                List<String> wrong = Names.dns1123Subdomain(group);
                if (!wrong.isEmpty()) {
                    errors.invalid(path.child("group"), group, String.join(",", wrong));
                }
            }
            List<String> resources = strings(each, "resources");
            List<String> names = strings(each, "resourceNames");
            if (!names.isEmpty() && resources.isEmpty()) {
                errors.invalid(
                        path.child("resourceNames"),
                        each.get("resourceNames"),
                        "using resourceNames requires at least one resource");
            }
            all.add(new PolicyRule.GroupResources(group, resources, names));
        }
        return all;
    }

    private static Set<Stage> stages(JsonNode node, FieldPath path, FieldErrors errors) {
        Set<Stage> stages = EnumSet.noneOf(Stage.class);
        List<String> given = strings(node, "omitStages");
        for (int i = 0; i < given.size(); i++) {
            Stage stage = Stage.find(given.get(i));
            if (stage == null) {
                errors.invalid(path.index(i), given.get(i), "allowed stages are " + STAGES);
            } else {
                stages.add(stage);
            }
        }
        return stages;
    }

    private static List<String> strings(JsonNode node, String field) {
        List<String> values = new ArrayList<>();
        Json.listAt(node, field).forEach(value -> values.add(value.asText()));
        return values;
    }

    Decision decide(AuditedRequest request) {
        for (PolicyRule rule : rules) {
            if (rule.matches(request)) {
                return new Decision(rule.level(), rule.omitStages(), rule.omitManagedFields());
            }
        }
        return otherwise;
    }
}
