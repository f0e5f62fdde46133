package lavaflow.admission;

import lavaflow.apiserver.WebhookFailure;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Whatever a webhook answers, it is either a verdict or a failure that can be told; never anything else. */
final class ReviewAnswerFuzzTest {
    @FuzzTest
    void anAnswerIsAVerdictOrAFailure(byte[] input) {
        JsonNode tree;
        try {
            tree = Json.parseUntrusted(input);
        } catch (JsonProcessingException e) {
            return;
        }
        if (tree instanceof ObjectNode answer) {
            judge(answer, "v1", true);
            judge(answer, "v1", false);
            judge(answer, "v1beta1", true);
        }
    }

    private static void judge(ObjectNode answer, String version, boolean mutating) {
        try {
            Verdict verdict = Verdict.of(answer, version, "u", mutating);
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
