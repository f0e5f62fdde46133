package lavaflow.admission;

import lavaflow.apiserver.Call;
import lavaflow.apiserver.Resource;
import lavaflow.apiserver.WebhookClient;
import lavaflow.apiserver.WebhookFailure;
import lavaflow.kube.ApiException;
import lavaflow.kube.GoQuote;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What mutating and validating webhooks have in common: who is asked, how, and what a failure means. */
final class Webhooks {
    private static final Logger logger = LoggerFactory.getLogger(Webhooks.class);
    /** A patch may carry an object of the largest size there is, in base64. */
    private static final int MOST_BYTES = 8 << 20;

    private final WebhookClient client;
    private final Namespaces namespaces;
    private final Evaluations evaluations;

    Webhooks(WebhookClient client, Namespaces namespaces, Evaluations evaluations) {
        this.client = client;
        this.namespaces = namespaces;
        this.evaluations = evaluations;
    }

    /** The form in which a webhook wants to see the occasion; null where it does not want to. */
    Occasion.@Nullable Form wanted(Webhook webhook, Occasion occasion) {
        Resource resource = webhook.matching().find(occasion, namespaces, false);
        if (resource == null) {
            return null;
        }
        Occasion.Form form = occasion.form(resource);
        if (webhook.conditions().conditions().isEmpty()) {
            return form;
        }
        MatchConditions.Verdict verdict = webhook.conditions().judge(evaluations.conditions(occasion, form));
        if (!verdict.error().isEmpty()) {
            throw occasion.resource().forbidden(occasion.knownAs(), verdict.error());
        }
        return verdict.matches() ? form : null;
    }

    /**
     * Asks a webhook. Null where it failed and failures do not matter; throws what the client gets where it denies or
     * failed. Safe on any thread: notes of the answer are taken by {@link #note}.
     */
    @Nullable
    Verdict ask(Webhook webhook, Occasion occasion, Occasion.Form form, boolean mutating) {
        if (occasion.call().isTrial() && !webhook.mayTry()) {
            throw ApiException.badRequest(
                    "admission webhook " + GoQuote.quote(webhook.name()) + " does not support dry run");
        }
        try {
            return answer(webhook, occasion, form, mutating);
        } catch (WebhookFailure e) {
            failed(webhook, e);
            return null;
        }
    }

    /** Throws what the client gets, unless failures of the webhook do not matter. */
    void failed(Webhook webhook, WebhookFailure failure) {
        String text = "failed calling webhook " + GoQuote.quote(webhook.name()) + ": " + failure.text();
        if (!webhook.ignoresFailures()) {
            throw ApiException.internal(text);
        }
        logger.warn("Going on without {}: {}", webhook.id(), text);
    }

    private Verdict answer(Webhook webhook, Occasion occasion, Occasion.Form form, boolean mutating)
            throws WebhookFailure {
        if (webhook.reviewVersion().isEmpty()) {
            throw new WebhookFailure(
                    "could not create admission objects: webhook does not accept known AdmissionReview versions"
                            + " (v1, v1beta1)",
                    0);
        }
        ObjectNode review = Review.of(occasion, form, webhook.reviewVersion());
        ObjectNode answer;
        try {
            answer = client.post(webhook.clientConfig(), review, webhook.timeout(), MOST_BYTES);
        } catch (WebhookFailure e) {
            throw new WebhookFailure("failed to call webhook: " + e.text(), e.code());
        }
        String uid = Json.textAt(review, "request", "uid");
        return Verdict.of(answer, webhook.reviewVersion(), uid, mutating);
    }

    /** Takes over warnings and annotations, and throws a denial. */
    static void note(Webhook webhook, Call call, Verdict verdict) {
        verdict.annotations().forEach((key, value) -> call.annotate(webhook.name() + "/" + key, value));
        verdict.warnings().forEach(call::warn);
        if (!verdict.allowed()) {
            throw verdict.refusal(webhook.name());
        }
    }
}
