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

    private static final List<String> FIRST = List.of("name", "generateName", "namespace");
    private static final List<String> OF_SERVER = List.of(
            "uid",
            "resourceVersion",
            "creationTimestamp",
            "deletionTimestamp",
            "deletionGracePeriodSeconds",
            "selfLink");

    private final AccessReviews access;
    private final BearerTokens tokens;

    Reviews(AccessReviews access, BearerTokens tokens) {
        this.access = access;
        this.tokens = tokens;
    }

    ObjectNode answer(Call call, ObjectNode review, FieldOwnership ownership) {
        ObjectNode status = Json.object();
        ObjectNode answer = review;
        if (!FRESH.contains(call.resource().name())) {
            settle(call, review, ownership);
        }
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
        answer.set("status", status);
        return answer;
    }

    private static void settle(Call call, ObjectNode review, FieldOwnership ownership) {
        ObjectNode metadata = Metadata.of(review);
        metadata.remove(OF_SERVER);
        if (call.resource().namespaced()) {
            ResourceHandler.inPlace(call, review);
        } else {
            metadata.remove("namespace");
        }
        review.put("kind", call.resource().info().kind());
        review.put("apiVersion", call.resource().info().apiVersion());
        review.remove("status");
        ownership.update(call, null, review);
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
            errors.invalid(
                    SPEC.child("nonResourceAttributes"),
                    shown(other),
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
        if (resource != null) {
            ReviewedSelector.check(resource, ReviewedSelector.FIELDS, errors);
            ReviewedSelector.check(resource, ReviewedSelector.LABELS, errors);
        }
        checkMetadata(call, review, errors);
        checkNamespace(call, review, errors);
        if (!errors.isEmpty()) {
            throw ApiException.invalid(call.resource().group(), "", "", errors.list());
        }
    }

    /** What a review in a namespace asks is in that namespace. */
    private static void checkNamespace(Call call, ObjectNode review, FieldErrors errors) {
        if (!call.resource().namespaced()) {
            return;
        }
        String namespace = Json.textAt(review, "spec", "resourceAttributes", "namespace");
        if (Json.objectAt(review, "spec", "resourceAttributes") != null && !namespace.equals(call.namespace())) {
            errors.invalid(SPEC.child("resourceAttributes", "namespace"), namespace, "must match metadata.namespace");
        }
        ObjectNode other = Json.objectAt(review, "spec", "nonResourceAttributes");
        if (other != null) {
            errors.invalid(SPEC.child("nonResourceAttributes"), shown(other), "disallowed on this kind of request");
        }
    }

    private static ObjectNode shown(ObjectNode pathAttributes) {
        ObjectNode shown = Json.object();
        shown.put("Path", Json.textAt(pathAttributes, "path"));
        return shown.put("Verb", Json.textAt(pathAttributes, "verb"));
    }

    /** A review is no object that could have a name or labels. */
    private static void checkMetadata(Call call, ObjectNode review, FieldErrors errors) {
        boolean namespaced = call.resource().namespaced();
        ObjectNode metadata = Metadata.of(review);
        ObjectNode given = metadata.deepCopy();
        given.remove("managedFields");
        if (namespaced) {
            given.remove("namespace");
        }
        if (!given.isEmpty()) {
            String why = namespaced ? "must be empty except for namespace" : "must be empty";
            ObjectNode shown = Json.object();
            FIRST.stream().filter(metadata::has).forEach(field -> shown.set(field, metadata.get(field)));
            shown.setAll(metadata);
            errors.invalid(FieldPath.of("metadata"), shown, why);
        }
    }
}
