package lavaflow.apiserver;

import java.util.ArrayList;
import java.util.List;

import lavaflow.access.BearerTokens;
import lavaflow.access.TokenAuthenticator;
import lavaflow.access.User;
import lavaflow.kube.ApiException;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Questions about access, answered and never stored. */
final class Reviews {
    private static final FieldPath SPEC = FieldPath.of("spec");
    private static final List<String> FRESH = List.of("selfsubjectreviews", "selfsubjectrulesreviews");

    private final AccessReviews access;
    private final BearerTokens tokens;

    Reviews(AccessReviews access, BearerTokens tokens) {
        this.access = access;
        this.tokens = tokens;
    }

    ObjectNode answer(Call call, ObjectNode review, FieldOwnership ownership) {
        ObjectNode status = Json.object();
        ObjectNode answer = review;
        switch (call.resource().name()) {
            case "selfsubjectreviews" -> {
                answer = fresh(call);
                Metadata.of(answer).put("creationTimestamp", Metadata.time(call.now()));
                userInfo(status.putObject("userInfo"), call.user());
            }
            case "selfsubjectaccessreviews" -> {
                checkAccess(call, review);
                status = access.access(call.user(), review.path("spec"));
            }
            case "subjectaccessreviews", "localsubjectaccessreviews" -> {
                checkAccess(call, review);
                JsonNode spec = review.path("spec");
                status = access.access(AccessReviews.subject(spec), spec);
            }
            case "selfsubjectrulesreviews" -> {
                String namespace = Json.textAt(review, "spec", "namespace");
                if (namespace.isEmpty()) {
                    throw ApiException.badRequest("no namespace on request");
                }
                answer = fresh(call);
                answer.putObject("spec");
                status = access.rules(call.user(), namespace);
            }
            case "tokenreviews" -> {
                if (Json.textAt(review, "spec", "token").isEmpty()) {
                    throw ApiException.badRequest("token is required for TokenReview in authentication");
                }
                status = token(review.path("spec"));
            }
            default -> throw ResourceHandler.methodNotAllowed();
        }
        if (!FRESH.contains(call.resource().name())) {
            ResourceHandler.inPlace(call, review);
            review.put("kind", call.resource().info().kind());
            review.put("apiVersion", call.resource().info().apiVersion());
            review.remove("status");
            ownership.update(call, null, review);
        }
        answer.set("status", status);
        return answer;
    }

    private ObjectNode token(JsonNode spec) {
        List<String> audiences = new ArrayList<>();
        Json.listAt(spec, "audiences").forEach(audience -> audiences.add(audience.asText()));
        BearerTokens.Review review =
                tokens.review(Json.textAt(spec, "token"), audiences.isEmpty() ? tokens.audiences() : audiences);
        ObjectNode status = Json.object();
        if (review.outcome() instanceof TokenAuthenticator.Good good) {
            status.put("authenticated", true);
            userInfo(status.putObject("user"), good.user());
            ArrayNode shown = status.putArray("audiences");
            good.audiences().forEach(shown::add);
        } else {
            status.putObject("user");
            status.put("error", review.error());
        }
        return status;
    }

    /** Some reviews are answered by a new object that repeats nothing of the question. */
    private static ObjectNode fresh(Call call) {
        ObjectNode object = Json.object();
        object.put("kind", call.resource().info().kind());
        object.put("apiVersion", call.resource().info().apiVersion());
        object.putObject("metadata");
        return object;
    }

    private static void userInfo(ObjectNode info, User user) {
        info.put("username", user.name());
        if (!user.uid().isEmpty()) {
            info.put("uid", user.uid());
        }
        user.groups().forEach(info.putArray("groups")::add);
        user.extra().forEach((key, values) -> {
            ArrayNode list = Json.ensureObject(info, "extra").putArray(key);
            values.forEach(list::add);
        });
    }

    private static void checkAccess(Call call, ObjectNode review) {
        FieldErrors errors = new FieldErrors();
        ObjectNode resource = Json.objectAt(review, "spec", "resourceAttributes");
        ObjectNode other = Json.objectAt(review, "spec", "nonResourceAttributes");
        if (resource != null && other != null) {
            ObjectNode shown = Json.object();
            shown.put("Path", Json.textAt(other, "path")).put("Verb", Json.textAt(other, "verb"));
            errors.invalid(
                    SPEC.child("nonResourceAttributes"),
                    shown,
                    "cannot be specified in combination with resourceAttributes");
        }
        if (resource == null && other == null) {
            errors.invalid(
                    SPEC.child("resourceAttributes"),
                    Json.at(review, "spec", "resourceAttributes"),
                    "exactly one of nonResourceAttributes or resourceAttributes must be specified");
        }
        boolean self = call.resource().name().equals("selfsubjectaccessreviews");
        boolean nobody = Json.textAt(review, "spec", "user").isEmpty()
                && Json.listAt(review, "spec", "groups").isEmpty();
        if (!self && nobody) {
            errors.invalid(SPEC.child("user"), "", "at least one of user or group must be specified");
        }
        String namespace = Json.textAt(review, "spec", "resourceAttributes", "namespace");
        if (call.resource().namespaced() && resource != null && !namespace.equals(call.namespace())) {
            errors.invalid(SPEC.child("resourceAttributes", "namespace"), namespace, "must match metadata.namespace");
        }
        if (resource != null) {
            checkSelector(resource, "fieldSelector", errors);
            checkSelector(resource, "labelSelector", errors);
        }
        if (!errors.isEmpty()) {
            throw ApiException.invalid(call.resource().group(), "", "", errors.list());
        }
    }

    private static void checkSelector(ObjectNode resource, String field, FieldErrors errors) {
        String raw = Json.textAt(resource, field, "rawSelector");
        if (!raw.isEmpty() && !Json.listAt(resource, field, "requirements").isEmpty()) {
            errors.invalid(
                    SPEC.child("resourceAttributes", field, "rawSelector"),
                    raw,
                    "may not specified at the same time as requirements");
        }
    }
}
