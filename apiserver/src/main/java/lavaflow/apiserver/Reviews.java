package lavaflow.apiserver;

import java.util.List;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Questions about access, answered and never stored. Access is simple so far: masters may do everything, nobody else
 * anything, and there are no tokens.
 */
final class Reviews {
    ObjectNode answer(Call call, ObjectNode review) {
        review.put("kind", call.resource().info().kind());
        review.put("apiVersion", call.resource().info().apiVersion());
        ObjectNode status = Json.object();
        switch (call.resource().name()) {
            case "selfsubjectreviews" -> userInfo(status.putObject("userInfo"), call.user());
            case "selfsubjectaccessreviews" -> decide(status, call.user().isMaster());
            case "subjectaccessreviews", "localsubjectaccessreviews" -> decide(status, namesMaster(review));
            case "selfsubjectrulesreviews" -> rules(status, call.user().isMaster());
            case "tokenreviews" -> status.putObject("user");
            default -> throw ResourceHandler.methodNotAllowed();
        }
        review.set("status", status);
        return review;
    }

    private static void userInfo(ObjectNode info, User user) {
        info.put("username", user.name());
        user.groups().forEach(info.putArray("groups")::add);
    }

    private static void decide(ObjectNode status, boolean allowed) {
        status.put("allowed", allowed);
    }

    private static boolean namesMaster(ObjectNode review) {
        boolean attributes = Json.at(review, "spec", "resourceAttributes") != null
                ^ Json.at(review, "spec", "nonResourceAttributes") != null;
        if (!attributes) {
            throw ApiException.badRequest(
                    "exactly one of nonResourceAttributes or resourceAttributes must be specified");
        }
        for (JsonNode group : Json.listAt(review, "spec", "groups")) {
            if (group.asText().equals("system:masters")) {
                return true;
            }
        }
        return false;
    }

    private static void rules(ObjectNode status, boolean master) {
        var resources = status.putArray("resourceRules");
        var others = status.putArray("nonResourceRules");
        if (master) {
            ObjectNode everything = resources.addObject();
            for (String field : List.of("verbs", "apiGroups", "resources")) {
                everything.putArray(field).add("*");
            }
            ObjectNode paths = others.addObject();
            paths.putArray("verbs").add("*");
            paths.putArray("nonResourceURLs").add("*");
        }
        status.put("incomplete", false);
    }
}
