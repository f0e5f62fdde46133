package lavaflow.admission;

import lavaflow.apiserver.WebhookFailure;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Whatever a webhook answers, it is either a verdict or a failure that can be told; never anything else. */
final class ReviewAnswerFuzzTest {
    @FuzzTest
    void anAnswerIsAVerdictOrAFailure(FuzzedDataProvider data) {
        boolean mutating = data.consumeBoolean();
        JsonNode tree;
        try {
            tree = Json.parseUntrusted(data.consumeRemainingAsBytes());
        } catch (JsonProcessingException e) {
            return;
        }
        if (!(tree instanceof ObjectNode answer)) {
            return;
        }
        try {
            Verdict verdict = Verdict.of(answer, "v1", "", mutating);
            if (!verdict.allowed()) {
                verdict.refusal("hook");
            }
            if (!verdict.patch().isEmpty()) {
                ForeignPatch.apply(
                        ForeignPatch.parse(verdict.patch()), Json.object().put("kind", "ConfigMap"));
            }
        } catch (WebhookFailure | ApiException e) {
            // Told to the client.
        }
    }
}
