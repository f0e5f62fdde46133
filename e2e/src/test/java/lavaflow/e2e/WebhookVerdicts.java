package lavaflow.e2e;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What the stand-in webhook says at which path. */
final class WebhookVerdicts {
    private static final String MARK = "webhook-e2e-test";
    private static final String UNWANTED = "webhook-disallow";
    private static final long DELAY_MILLIS = 5_000;

    private final String sidecarImage;

    WebhookVerdicts(String sidecarImage) {
        this.sidecarImage = sidecarImage;
    }

    /** The HTTP status and text that the object under review asks for; empty for nearly all. */
    static String toldStatus(String path, ObjectNode review) {
        return path.equals("/as-told") ? Json.textAt(subject(review), "data", "http") : "";
    }

    /** The answer to a review; null where nothing is served, a text where it is to be sent as it is. */
    @Nullable
    JsonNode answer(String path, ObjectNode review) throws InterruptedException {
        if (path.equals("/crdconvert")) {
            return WebhookConversion.answer(review);
        }
        JsonNode subject = subject(review);
        if (path.equals("/as-told")) {
            String raw = Json.textAt(subject, "data", "raw");
            if (!raw.isEmpty()) {
                return Json.text(raw);
            }
        }
        ObjectNode response = verdict(path, review, subject);
        if (response == null) {
            return null;
        }
        ObjectNode answer = Json.object();
        answer.put("kind", "AdmissionReview").put("apiVersion", Json.textAt(review, "apiVersion"));
        if (!response.has("uid")) {
            response.put("uid", Json.textAt(review, "request", "uid"));
        }
        if (response.get("patch") instanceof ArrayNode patch) {
            byte[] bytes = Json.bytes(patch);
            response.put("patch", Base64.getEncoder().encodeToString(bytes)).put("patchType", "JSONPatch");
        }
        answer.set("response", response);
        return answer;
    }

    private static JsonNode subject(ObjectNode review) {
        JsonNode object = Json.at(review, "request", "object");
        return object == null ? review.at("/request/oldObject") : object;
    }

    private @Nullable ObjectNode verdict(String path, ObjectNode review, JsonNode subject) throws InterruptedException {
        return switch (path) {
            case "/always-deny" -> denied("this webhook denies all requests");
            case "/always-allow" -> allowed();
            case "/always-allow-delay-5s" -> {
                Thread.sleep(DELAY_MILLIS);
                yield allowed();
            }
            case "/add-label" -> addLabel(subject);
            case "/pods" -> pods(subject);
            case "/mutating-pods" ->
                named(subject, "webhook-to-be-mutated")
                        ? patched(
                                "/spec/initContainers",
                                Json.array().add(container("webhook-added-init-container", "webhook-added-image")))
                        : allowed();
            case "/mutating-pods-sidecar" ->
                named(subject, "webhook-to-be-mutated")
                        ? patched("/spec/containers/-", container("webhook-added-sidecar", sidecarImage))
                        : allowed();
            case "/pods/attach" -> attach(review);
            case "/configmaps" -> data(review, subject, "configmap", "unwanted key and value");
            case "/custom-resource" -> data(review, subject, "custom resource", "unwanted data");
            case "/mutating-configmaps", "/mutating-custom-resource" -> stages(subject);
            case "/crd" ->
                Json.textAt(subject, "metadata", "labels", MARK).equals(UNWANTED)
                        ? denied("the crd contains unwanted label")
                        : allowed();
            case "/as-told" -> told(Json.textAt(subject, "data", "response"));
            case "/echo" -> denied(Json.string(Echo.comparable(review)));
            default -> null;
        };
    }

    private static ObjectNode allowed() {
        return Json.object().put("allowed", true);
    }

    private static ObjectNode denied(String message) {
        ObjectNode response = Json.object().put("allowed", false);
        response.putObject("status").put("message", message);
        return response;
    }

    private static ObjectNode patched(String path, JsonNode value) {
        ObjectNode response = allowed();
        response.putArray("patch")
                .addObject()
                .put("op", "add")
                .put("path", path)
                .set("value", value);
        return response;
    }

    private static ObjectNode told(String response) {
        return response.isEmpty() ? allowed() : Json.parseObject(response.getBytes(StandardCharsets.UTF_8));
    }

    private static boolean named(JsonNode object, String name) {
        return Json.textAt(object, "metadata", "name").equals(name);
    }

    private static ObjectNode data(ObjectNode review, JsonNode object, String kind, String unwanted) {
        String mark = Json.textAt(object, "data", MARK);
        if (Json.textAt(review, "request", "operation").equals("DELETE")) {
            return mark.equals("webhook-nondeletable")
                    ? denied("the " + kind + " cannot be deleted because it contains unwanted key and value")
                    : allowed();
        }
        return mark.equals(UNWANTED) ? denied("the " + kind + " contains " + unwanted) : allowed();
    }

    private static ObjectNode container(String name, String image) {
        ObjectNode container = Json.object().put("image", image).put("name", name);
        container.putObject("resources");
        return container;
    }

    private static ObjectNode addLabel(JsonNode object) {
        JsonNode labels = Json.at(object, "metadata", "labels");
        if (labels == null) {
            return patched("/metadata/labels", Json.object().put("added-label", "yes"));
        }
        return Json.textAt(labels, "added-label").equals("yes")
                ? allowed()
                : patched("/metadata/labels/added-label", Json.text("yes"));
    }

    private static ObjectNode pods(JsonNode pod) throws InterruptedException {
        StringBuilder message = new StringBuilder();
        String mark = Json.textAt(pod, "metadata", "labels", MARK);
        if (mark.equals(UNWANTED)) {
            message.append("the pod contains unwanted label; ");
        }
        if (mark.equals("wait-forever")) {
            Thread.sleep(Long.MAX_VALUE);
        }
        for (JsonNode container : Json.listAt(pod, "spec", "containers")) {
            if (Json.textAt(container, "name").contains(UNWANTED)) {
                message.append("the pod contains unwanted container name; ");
            }
        }
        return message.isEmpty() ? allowed() : denied(message.toString().strip());
    }

    private static ObjectNode attach(ObjectNode review) {
        JsonNode options = review.at("/request/object");
        boolean unwanted = Json.textAt(review, "request", "name").equals("to-be-attached-pod")
                && Json.flagAt(options, "stdin")
                && Json.textAt(options, "container").equals("container1");
        return unwanted ? denied("attaching to pod 'to-be-attached-pod' is not allowed") : allowed();
    }

    private static ObjectNode stages(JsonNode object) {
        ObjectNode response = allowed();
        ArrayNode patch = Json.array();
        for (List<String> stage : List.of(
                List.of("mutation-start", "mutation-stage-1"), List.of("mutation-stage-1", "mutation-stage-2"))) {
            if (Json.textAt(object, "data", stage.get(0)).equals("yes")) {
                patch.addObject()
                        .put("op", "add")
                        .put("path", "/data/" + stage.get(1))
                        .put("value", "yes");
            }
        }
        if (!patch.isEmpty()) {
            response.set("patch", patch);
        }
        return response;
    }
}
