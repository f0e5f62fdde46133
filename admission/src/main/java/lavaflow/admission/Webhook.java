package lavaflow.admission;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import lavaflow.kinds.AdmissionVocabulary;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * One webhook of a configuration.
 *
 * @param id tells it apart from all others, also of the same name
 * @param ignoresFailures whether a request goes on where the webhook cannot be asked
 * @param mayTry whether it may be asked about requests that must not have effects
 * @param again whether it wants to see what others changed after it
 * @param reviewVersion the version of AdmissionReview it is asked in; empty where we speak none it understands
 */
record Webhook(
        String id,
        String name,
        JsonNode clientConfig,
        Matching matching,
        MatchConditions conditions,
        boolean ignoresFailures,
        boolean mayTry,
        boolean again,
        Duration timeout,
        String reviewVersion) {

    private static final int DEFAULT_SECONDS = 10;

    /** The webhooks of configurations, which come in the order of their names. */
    static List<Webhook> all(List<ObjectNode> configurations) {
        List<Webhook> webhooks = new ArrayList<>();
        for (ObjectNode configuration : configurations) {
            int index = 0;
            for (JsonNode each : Json.listAt(configuration, "webhooks")) {
                webhooks.add(of(Json.textAt(configuration, "metadata", "name") + "/" + index++, each));
            }
        }
        return webhooks;
    }

    private static Webhook of(String id, JsonNode node) {
        String sideEffects = Json.textAt(node, "sideEffects");
        boolean ignores = Json.textAt(node, "failurePolicy").equals("Ignore");
        return new Webhook(
                id,
                Json.textAt(node, "name"),
                node.path("clientConfig"),
                Matching.of(node, "rules"),
                MatchConditions.of(Json.listAt(node, "matchConditions"), AdmissionVocabulary.CONDITIONS, ignores),
                ignores,
                sideEffects.equals("None") || sideEffects.equals("NoneOnDryRun"),
                Json.textAt(node, "reinvocationPolicy").equals("IfNeeded"),
                Duration.ofSeconds(Json.longAt(node, DEFAULT_SECONDS, "timeoutSeconds")),
                reviewVersion(Json.listAt(node, "admissionReviewVersions")));
    }

    private static String reviewVersion(JsonNode versions) {
        for (JsonNode version : versions) {
            if (version.asText().equals("v1") || version.asText().equals("v1beta1")) {
                return version.asText();
            }
        }
        return "";
    }
}
