package lavaflow.apiserver;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import lavaflow.kube.ApiException;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Converts by asking a webhook, many objects at once. Of metadata it may change labels and annotations only; whatever else
 * it answers there is ignored, except that the object must still be the same.
 */
final class WebhookConversion implements CustomConversion {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final int MOST_BYTES = 64 << 20;
    /** Objects in one review: enough to save round trips, few enough for both sides' memory. */
    private static final int BATCH = 256;

    private final WebhookClient client;
    private final JsonNode clientConfig;
    private final String reviewVersion;

    /** @param webhook {@code spec.conversion.webhook} of a definition */
    WebhookConversion(WebhookClient client, JsonNode webhook) {
        this.client = client;
        this.clientConfig = webhook.path("clientConfig");
        String version = "v1";
        for (JsonNode accepted : Json.listAt(webhook, "conversionReviewVersions")) {
            if (accepted.asText().equals("v1") || accepted.asText().equals("v1beta1")) {
                version = accepted.asText();
                break;
            }
        }
        this.reviewVersion = "apiextensions.k8s.io/" + version;
    }

    /** The conversion a definition asks for. */
    static CustomConversion of(WebhookClient client, Definition definition) {
        ObjectNode webhook = Json.objectAt(definition.conversion(), "webhook");
        boolean asks = Json.textAt(definition.conversion(), "strategy").equals("Webhook");
        return asks && webhook != null ? new WebhookConversion(client, webhook) : NONE;
    }

    @Override
    public boolean isCheap() {
        return false;
    }

    @Override
    public List<ObjectNode> convert(List<ObjectNode> objects, String apiVersion) {
        List<ObjectNode> converted = new ArrayList<>(objects.size());
        for (int from = 0; from < objects.size(); from += BATCH) {
            converted.addAll(review(objects.subList(from, Math.min(from + BATCH, objects.size())), apiVersion));
        }
        return converted;
    }

    private List<ObjectNode> review(List<ObjectNode> objects, String apiVersion) {
        String about = "conversion webhook for " + Json.textAt(objects.getFirst(), "apiVersion") + ", Kind="
                + Json.textAt(objects.getFirst(), "kind");
        String uid = UUID.randomUUID().toString();
        ObjectNode review = Json.object();
        review.put("kind", "ConversionReview").put("apiVersion", reviewVersion);
        ObjectNode request = review.putObject("request");
        request.put("uid", uid).put("desiredAPIVersion", apiVersion);
        request.putArray("objects").addAll(objects);
        ObjectNode blank = review.putObject("response").put("uid", "");
        blank.putNull("convertedObjects");
        blank.putObject("result").putObject("metadata");
        ObjectNode answer;
        try {
            answer = client.post(clientConfig, review, TIMEOUT, MOST_BYTES);
        } catch (WebhookFailure e) {
            throw failure(about + " failed: " + e.text());
        }
        ArrayNode results = results(about, answer, uid);
        if (results.size() != objects.size()) {
            throw failure(about + " returned " + results.size() + " objects, expected " + objects.size());
        }
        List<ObjectNode> converted = new ArrayList<>(objects.size());
        for (int i = 0; i < objects.size(); i++) {
            converted.add(checked(about, i, objects.get(i), results.get(i), apiVersion));
        }
        return converted;
    }

    private ArrayNode results(String about, ObjectNode answer, String uid) {
        boolean isReview = Json.textAt(answer, "kind").equals("ConversionReview")
                && Json.textAt(answer, "apiVersion").equals(reviewVersion);
        if (!isReview) {
            throw failure(about + " failed: no kind " + FieldErrors.quoted(Json.textAt(answer, "kind"))
                    + " is registered for version " + FieldErrors.quoted(Json.textAt(answer, "apiVersion"))
                    + " in scheme \"pkg/runtime/scheme.go:111\"");
        }
        ObjectNode response = Json.objectAt(answer, "response");
        if (response == null) {
            throw failure(about + " failed: no response provided");
        }
        String given = Json.textAt(response, "uid");
        if (reviewVersion.endsWith("/v1") && !given.equals(uid)) {
            throw failure(about + " failed: expected response.uid=" + FieldErrors.quoted(uid) + ", got "
                    + FieldErrors.quoted(given));
        }
        String status = Json.textAt(response, "result", "status");
        if (!status.equals("Success")) {
            String message = Json.textAt(response, "result", "message");
            throw failure(about + " failed: "
                    + (message.isEmpty() ? "response.result.status was '" + status + "', not 'Success'" : message));
        }
        return Json.listAt(response, "convertedObjects");
    }

    private static ObjectNode checked(
            String about, int index, ObjectNode original, JsonNode result, String apiVersion) {
        String invalid = about + " returned invalid object";
        if (!(result instanceof ObjectNode converted)) {
            throw failure(invalid + " at index " + index + ": not an object");
        }
        String version = Json.textAt(converted, "apiVersion");
        if (!version.equals(apiVersion)) {
            throw failure(invalid + " at index " + index + ": invalid groupVersion (expected " + apiVersion
                    + ", received " + version + ")");
        }
        String kind = Json.textAt(original, "kind");
        if (!Json.textAt(converted, "kind").equals(kind)) {
            throw failure(invalid + " at index " + index + ": invalid kind (expected " + kind + ", received "
                    + Json.textAt(converted, "kind") + ")");
        }
        same(invalid, "name", Metadata.name(original), Metadata.name(converted));
        same(invalid, "namespace", Metadata.namespace(original), Metadata.namespace(converted));
        same(invalid, "UID", Metadata.uid(original), Metadata.uid(converted));
        ObjectNode metadata = Metadata.of(original).deepCopy();
        for (String changeable : List.of("labels", "annotations")) {
            metadata.remove(changeable);
            ObjectNode changed = texts(Json.objectAt(converted, "metadata", changeable), invalid, changeable);
            if (!changed.isEmpty()) {
                metadata.set(changeable, changed);
            }
        }
        converted.set("metadata", metadata);
        return converted;
    }

    private static void same(String invalid, String what, String before, String after) {
        if (!before.equals(after)) {
            throw failure(invalid + ": must have the same " + what + ": " + before + " != " + after);
        }
    }

    private static ObjectNode texts(@Nullable ObjectNode map, String invalid, String field) {
        ObjectNode texts = Json.object();
        if (map != null) {
            map.properties().forEach(entry -> {
                if (!entry.getValue().isTextual()) {
                    throw failure(invalid + ": metadata." + field + " must be a map of strings");
                }
                texts.set(entry.getKey(), entry.getValue());
            });
        }
        return texts;
    }

    private static ApiException failure(String message) {
        return ApiException.of(500, "", message);
    }
}
