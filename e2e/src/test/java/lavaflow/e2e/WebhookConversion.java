package lavaflow.e2e;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Converts the custom resources of the conformance tests: {@code hostPort} of v1 is {@code host} and {@code port} of v2. */
final class WebhookConversion {
    private WebhookConversion() {}

    static ObjectNode answer(ObjectNode review) {
        String desired = Json.textAt(review, "request", "desiredAPIVersion");
        ObjectNode response = Json.object();
        response.put("uid", Json.textAt(review, "request", "uid"));
        ArrayNode converted = response.putArray("convertedObjects");
        String problem = "";
        for (JsonNode each : review.at("/request/objects")) {
            ObjectNode object = each.deepCopy();
            String present = Json.textAt(object, "apiVersion");
            if (present.equals(desired)) {
                problem = "conversion from a version to itself should not call the webhook: " + desired;
            } else if (present.endsWith("/v1")) {
                problem = split(object);
            } else {
                join(object);
            }
            object.put("apiVersion", desired);
            converted.add(object);
        }
        ObjectNode result = response.putObject("result");
        if (problem.isEmpty()) {
            result.put("status", "Success");
        } else {
            converted.removeAll();
            result.put("status", "Failed").put("message", problem);
        }
        ObjectNode answer = Json.object();
        answer.put("kind", "ConversionReview").put("apiVersion", Json.textAt(review, "apiVersion"));
        answer.set("response", response);
        return answer;
    }

    private static String split(ObjectNode object) {
        JsonNode hostPort = object.remove("hostPort");
        if (hostPort == null) {
            return "";
        }
        String[] parts = hostPort.asText().split(":", -1);
        if (parts.length != 2) {
            return "invalid hostPort value `" + hostPort.asText() + "`";
        }
        object.put("host", parts[0]).put("port", parts[1]);
        return "";
    }

    private static void join(ObjectNode object) {
        JsonNode host = object.remove("host");
        JsonNode port = object.remove("port");
        if (host != null || port != null) {
            object.put("hostPort", (host == null ? "" : host.asText()) + ":" + (port == null ? "" : port.asText()));
        }
    }
}
