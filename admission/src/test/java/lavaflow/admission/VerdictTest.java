package lavaflow.admission;

import java.nio.charset.StandardCharsets;

import lavaflow.apiserver.WebhookFailure;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A webhook's answer is checked before it is used, and denials are told as upstream tells them. */
final class VerdictTest {
    private static final String UID = "u-1";

    private static ObjectNode answer(String response) {
        String text =
                "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"response\":" + response + "}";
        return Json.parseObject(text.getBytes(StandardCharsets.UTF_8));
    }

    private static Verdict verdict(String response, boolean mutating) throws WebhookFailure {
        return Verdict.of(answer(response), "v1", UID, mutating);
    }

    private static void assertRefused(String response, String why) {
        assertThatThrownBy(() -> verdict(response, true)).hasMessage(why);
    }

    @Test
    void anAllowedRequestMayCarryWarningsAndNotes() throws Exception {
        Verdict verdict = verdict(
                "{\"uid\":\"u-1\",\"allowed\":true,\"warnings\":[\"w\"],\"auditAnnotations\":{\"a\":\"b\"}}", false);
        assertThat(verdict.allowed()).isTrue();
        assertThat(verdict.warnings()).containsExactly("w");
        assertThat(verdict.annotations()).containsEntry("a", "b");
    }

    @Test
    void anAnswerToAnotherQuestionIsNone() {
        assertRefused(
                "{\"uid\":\"other\",\"allowed\":true}",
                "received invalid webhook response: expected response.uid=\"u-1\", got \"other\"");
        assertRefused("null", "received invalid webhook response: webhook response was absent");
    }

    @Test
    void patchesNeedTheirType() {
        assertRefused(
                "{\"uid\":\"u-1\",\"allowed\":true,\"patch\":\"W10=\"}",
                "received invalid webhook response: webhook returned response.patch but not response.patchType");
    }

    @Test
    void validatingWebhooksMayNotPatch() {
        assertThatThrownBy(() -> verdict(
                        "{\"uid\":\"u-1\",\"allowed\":true,\"patch\":\"W10=\",\"patchType\":\"JSONPatch\"}", false))
                .hasMessage("received invalid webhook response: validating webhook may not return response.patch");
    }

    @Test
    void aDenialKeepsTheWebhooksStatusIfItIsOne() throws Exception {
        ApiException refusal = verdict(
                        "{\"uid\":\"u-1\",\"allowed\":false,\"status\":{\"code\":418,\"reason\":\"R\",\"message\":\"m\"}}",
                        false)
                .refusal("hook.example.com");
        assertThat(refusal.code()).isEqualTo(418);
        assertThat(refusal.reason()).isEqualTo("R");
        assertThat(refusal).hasMessage("admission webhook \"hook.example.com\" denied the request: m");
    }

    @Test
    void aDenialIsNeverASuccess() throws Exception {
        ApiException refusal = verdict(
                        "{\"uid\":\"u-1\",\"allowed\":false,\"status\":{\"code\":200,\"status\":\"Success\"}}", false)
                .refusal("h");
        assertThat(refusal.code()).isEqualTo(400);
        assertThat(Json.textAt(refusal.status(), "status")).isEqualTo("Failure");
        assertThat(refusal).hasMessage("admission webhook \"h\" denied the request without explanation");
    }
}
