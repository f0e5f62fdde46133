package lavaflow.admission;

import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.apiserver.WebhookFailure;
import lavaflow.kube.ApiException;
import lavaflow.kube.GoQuote;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * A webhook's answer, checked. The webhook is a stranger: everything in it is looked at before it is used.
 *
 * @param patch the bytes of a JSON patch, empty where there is none
 */
record Verdict(
        boolean allowed,
        @Nullable ObjectNode status,
        String patch,
        String patchType,
        List<String> warnings,
        Map<String, String> annotations) {
    private static final String KIND = "AdmissionReview";
    private static final int BAD_REQUEST = 400;

    static Verdict of(ObjectNode answer, String version, String uid, boolean mutating) throws WebhookFailure {
        requireType(answer, version);
        if (!(Json.at(answer, "response") instanceof ObjectNode given)) {
            throw invalid("webhook response was absent");
        }
        boolean strict = version.equals("v1");
        String answered = text(given, "uid");
        if (strict && !answered.equals(uid)) {
            throw invalid("expected response.uid=" + GoQuote.quote(uid) + ", got " + GoQuote.quote(answered));
        }
        String patch = patch(given);
        if (!mutating && strict) {
            requireNoPatch(given, patch);
        }
        return new Verdict(
                flag(given, "allowed"),
                status(given),
                mutating ? patch : "",
                patch.isEmpty() || !mutating ? "" : patchType(given, strict),
                texts(given, "warnings"),
                annotations(given));
    }

    private static void requireNoPatch(ObjectNode given, String patch) throws WebhookFailure {
        if (!patch.isEmpty()) {
            throw invalid("validating webhook may not return response.patch");
        }
        if (Json.at(given, "patchType") != null) {
            throw invalid("validating webhook may not return response.patchType");
        }
    }

    private static WebhookFailure invalid(String why) {
        return new WebhookFailure("received invalid webhook response: " + why, 0);
    }

    private static WebhookFailure undecodable(String why) {
        return new WebhookFailure("failed to call webhook: " + why, 0);
    }

    /** An answer that does not say what it is, is what was asked for. */
    private static void requireType(ObjectNode answer, String version) throws WebhookFailure {
        String wanted = "admission.k8s.io/" + version;
        String kind = Json.at(answer, "kind") == null ? KIND : text(answer, "kind");
        String given = Json.at(answer, "apiVersion") == null ? wanted : text(answer, "apiVersion");
        if (kind.equals(KIND) && given.equals(wanted)) {
            return;
        }
        boolean other = kind.equals(KIND) && given.matches("admission.k8s.io/v1(beta1)?");
        if (other) {
            String from = given.substring(given.indexOf('/') + 1);
            throw undecodable(
                    "converting (" + from + "." + KIND + ") to (" + version + "." + KIND + "): unknown conversion");
        }
        throw undecodable("no kind " + GoQuote.quote(kind) + " is registered for version " + GoQuote.quote(given)
                + " in scheme \"pkg/runtime/scheme.go:111\"");
    }

    private static String text(ObjectNode node, String field) throws WebhookFailure {
        JsonNode value = Json.at(node, field);
        if (value == null) {
            return "";
        }
        if (!value.isTextual()) {
            throw undecodable("json: cannot unmarshal " + lavaflow.kube.GoText.jsonKind(value)
                    + " into Go struct field AdmissionResponse.response." + field + " of type string");
        }
        return value.textValue();
    }

    private static boolean flag(ObjectNode node, String field) throws WebhookFailure {
        JsonNode value = Json.at(node, field);
        if (value != null && !value.isBoolean()) {
            throw undecodable("json: cannot unmarshal " + lavaflow.kube.GoText.jsonKind(value)
                    + " into Go struct field AdmissionResponse.response." + field + " of type bool");
        }
        return value != null && value.booleanValue();
    }

    private static @Nullable ObjectNode status(ObjectNode response) throws WebhookFailure {
        JsonNode status = Json.at(response, "status");
        if (status != null && !status.isObject()) {
            throw undecodable("json: cannot unmarshal " + lavaflow.kube.GoText.jsonKind(status)
                    + " into Go struct field AdmissionResponse.response.status of type v1.Status");
        }
        return (ObjectNode) status;
    }

    private static String patch(ObjectNode response) throws WebhookFailure {
        String encoded = text(response, "patch");
        try {
            return new String(Base64.getDecoder().decode(encoded), java.nio.charset.StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw undecodable("illegal base64 data in response.patch");
        }
    }

    private static String patchType(ObjectNode response, boolean strict) throws WebhookFailure {
        JsonNode given = Json.at(response, "patchType");
        if (given == null) {
            if (strict) {
                throw invalid("webhook returned response.patch but not response.patchType");
            }
            return "JSONPatch";
        }
        String type = text(response, "patchType");
        if (type.isEmpty()) {
            throw invalid("webhook returned invalid response.patchType of \"\"");
        }
        return type;
    }

    private static List<String> texts(ObjectNode response, String field) {
        List<String> texts = new ArrayList<>();
        Json.listAt(response, field).forEach(each -> texts.add(each.asText()));
        return texts;
    }

    private static Map<String, String> annotations(ObjectNode response) {
        Map<String, String> annotations = new LinkedHashMap<>();
        ObjectNode given = Json.objectAt(response, "auditAnnotations");
        if (given != null) {
            given.properties()
                    .forEach(each ->
                            annotations.put(each.getKey(), each.getValue().asText()));
        }
        return annotations;
    }

    /** What the client is told of a denial: the webhook's own Status, made presentable. */
    ApiException refusal(String webhook) {
        ObjectNode result = Json.object();
        result.put("kind", "Status").put("apiVersion", "v1").putObject("metadata");
        ObjectNode given = status == null ? Json.object() : status;
        String state = Json.textAt(given, "status");
        String message = Json.textAt(given, "message");
        String reason = Json.textAt(given, "reason");
        String denied = "admission webhook " + GoQuote.quote(webhook) + " denied the request";
        String why = message.isEmpty() ? reason : message;
        result.put("status", state.isEmpty() || state.equals("Success") ? "Failure" : state);
        result.put("message", why.isEmpty() ? denied + " without explanation" : denied + ": " + why);
        if (!reason.isEmpty()) {
            result.put("reason", reason);
        }
        ObjectNode details = Json.objectAt(given, "details");
        if (details != null) {
            result.set("details", details);
        }
        result.put("code", Math.max(BAD_REQUEST, Json.longAt(given, 0, "code")));
        return ApiException.of(result);
    }
}
