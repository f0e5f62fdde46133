package lavaflow.apiserver;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import lavaflow.access.Attributes;
import lavaflow.access.Authorizer;
import lavaflow.access.NodeIdentity;
import lavaflow.access.RoleAuthorizer;
import lavaflow.access.Rule;
import lavaflow.access.User;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** What somebody may: answers for reviews. */
final class AccessReviews {
    private static final String NODE_RULES = "node authorizer does not support user rule resolution";

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
        String ignored = ignored(spec);
        if (!ignored.isEmpty()) {
            status.put("evaluationError", ignored);
        }
        return status;
    }

    private static String ignored(JsonNode spec) {
        ObjectNode resource = Json.objectAt(spec, "resourceAttributes");
        if (resource == null) {
            return "";
        }
        return Stream.of(ReviewedSelector.FIELDS, ReviewedSelector.LABELS)
                .map(field -> ReviewedSelector.of(resource, field).problem())
                .filter(problem -> !problem.isEmpty())
                .collect(Collectors.joining("; "));
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
                ReviewedSelector.of(resource, ReviewedSelector.FIELDS).text(),
                ReviewedSelector.of(resource, ReviewedSelector.LABELS).text());
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
        // What a node may depends on the objects its pods use, which no list of rules can tell.
        boolean node = NodeIdentity.of(user) != null;
        status.put("incomplete", node);
        List<String> errors = new ArrayList<>();
        if (node) {
            errors.add(NODE_RULES);
        }
        if (!held.error().isEmpty()) {
            errors.add(held.error());
        }
        if (!errors.isEmpty()) {
            status.put("evaluationError", errors.size() == 1 ? errors.getFirst() : errors.toString());
        }
        return status;
    }
}
