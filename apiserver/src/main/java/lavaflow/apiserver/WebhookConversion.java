package lavaflow.apiserver;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Converts by asking a webhook, many objects at once.
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
            throw ConversionAnswer.failure(about + " failed: " + e.text());
        }
        return new ConversionAnswer(about, reviewVersion, uid, apiVersion).converted(objects, answer);
    }
}
