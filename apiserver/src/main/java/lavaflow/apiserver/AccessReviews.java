package lavaflow.apiserver;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.access.Attributes;
import lavaflow.access.Authorizer;
import lavaflow.access.RoleAuthorizer;
import lavaflow.access.Rule;
import lavaflow.access.User;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** What somebody may: answers for reviews. */
final class AccessReviews {
    private final Authorizer authorizer;
    private final RoleAuthorizer roles;

    AccessReviews(Authorizer authorizer, RoleAuthorizer roles) {
        this.authorizer = authorizer;
        this.roles = roles;
    }

    /** The status of a review of one right. */
    ObjectNode access(User user, JsonNode spec) {
        ObjectNode status = Json.object();
        Authorizer.Decision decision = authorizer.decide(user, attributes(spec));
        status.put("allowed", decision.allowed());
        if (decision instanceof Authorizer.Deny) {
            status.put("denied", true);
        }
        if (!decision.reason().isEmpty()) {
            status.put("reason", decision.reason());
        }
        return status;
    }

    /** The user a review names. */
    static User subject(JsonNode spec) {
        List<String> groups = new ArrayList<>();
        Json.listAt(spec, "groups").forEach(group -> groups.add(group.asText()));
        Map<String, List<String>> extra = new LinkedHashMap<>();
        ObjectNode given = Json.objectAt(spec, "extra");
        if (given != null) {
            given.properties().forEach(entry -> {
                List<String> values = new ArrayList<>();
                entry.getValue().forEach(value -> values.add(value.asText()));
                extra.put(entry.getKey(), values);
            });
        }
        return new User(Json.textAt(spec, "user"), Json.textAt(spec, "uid"), groups, extra);
    }

    private static Attributes attributes(JsonNode spec) {
        ObjectNode resource = Json.objectAt(spec, "resourceAttributes");
        if (resource == null) {
            return Attributes.ofPath(
                    Json.textAt(spec, "nonResourceAttributes", "verb"),
                    Json.textAt(spec, "nonResourceAttributes", "path"));
        }
        String version = Json.textAt(resource, "version");
        return new Attributes(
                true,
                Json.textAt(resource, "verb"),
                Json.textAt(resource, "namespace"),
                Json.textAt(resource, "group"),
                version.isEmpty() ? "*" : version,
                Json.textAt(resource, "resource"),
                Json.textAt(resource, "subresource"),
                Json.textAt(resource, "name"),
                "",
                selector(resource, "fieldSelector"),
                selector(resource, "labelSelector"));
    }

    /** Requirements in the words of a selector; only those that narrow something are kept, as upstream does. */
    private static String selector(ObjectNode attributes, String field) {
        String raw = Json.textAt(attributes, field, "rawSelector");
        if (!raw.isEmpty()) {
            return raw;
        }
        List<String> parts = new ArrayList<>();
        for (JsonNode requirement : Json.listAt(attributes, field, "requirements")) {
            List<JsonNode> values = new ArrayList<>();
            Json.listAt(requirement, "values").forEach(values::add);
            if (Json.textAt(requirement, "operator").equals("In") && values.size() == 1) {
                parts.add(Json.textAt(requirement, "key") + "="
                        + values.getFirst().asText());
            }
        }
        return String.join(",", parts);
    }

    /** The status of a review of all rights in a namespace. */
    ObjectNode rules(User user, String namespace) {
        RoleAuthorizer.Held held = roles.held(user, namespace);
        ObjectNode status = Json.object();
        ArrayNode resources = status.putArray("resourceRules");
        ArrayNode paths = status.putArray("nonResourceRules");
        for (Rule rule : held.rules()) {
            if (!rule.resources().isEmpty()) {
                resources.add(rule.json());
            }
            if (!rule.nonResourceUrls().isEmpty()) {
                paths.add(rule.json());
            }
        }
        status.put("incomplete", false);
        if (!held.error().isEmpty()) {
            status.put("evaluationError", held.error());
        }
        return status;
    }
}
