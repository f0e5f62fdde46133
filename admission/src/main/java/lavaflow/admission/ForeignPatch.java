package lavaflow.admission;

import java.nio.charset.StandardCharsets;

import lavaflow.apiserver.WebhookFailure;
import lavaflow.kube.ApiException;
import lavaflow.kube.GoJsonSyntax;
import lavaflow.kube.GoText;
import lavaflow.kube.Json;
import lavaflow.kube.JsonPatch;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** A JSON patch of a webhook or policy. Its author, unlike a client, is told which operation does not work and why. */
final class ForeignPatch {
    private ForeignPatch() {}

    static JsonNode parse(String patch) throws WebhookFailure {
        byte[] bytes = patch.getBytes(StandardCharsets.UTF_8);
        String problem;
        try {
            JsonNode operations = Json.parseUntrusted(bytes);
            if (operations.isArray()) {
                return operations;
            }
            problem =
                    "json: cannot unmarshal " + GoText.jsonKind(operations) + " into Go value of type jsonpatch.Patch";
        } catch (JsonProcessingException e) {
            problem = String.valueOf(GoJsonSyntax.complaint(bytes));
        }
        throw new WebhookFailure("received undecodable patch in webhook response: " + problem, 0);
    }

    /** The patched document; throws an internal error that explains where one operation does not apply. */
    static JsonNode apply(JsonNode operations, ObjectNode document) {
        if (operations.size() > JsonPatch.MAX_OPERATIONS) {
            throw ApiException.internal("The allowed maximum operations in a JSON patch is " + JsonPatch.MAX_OPERATIONS
                    + ", got " + operations.size());
        }
        try {
            return JsonPatch.parse(operations, false).apply(document);
        } catch (ApiException e) {
            throw ApiException.internal(problem(operations, document));
        }
    }

    private static String problem(JsonNode operations, ObjectNode document) {
        JsonNode state = document;
        for (JsonNode operation : operations) {
            try {
                state = JsonPatch.parse(Json.array().add(operation), false).apply(state);
            } catch (ApiException e) {
                return problem(operation, state);
            }
        }
        return "the patch does not apply";
    }

    /** Whether a patch does not apply because the document is another one than it was made for, as one of its tests shows. */
    static boolean failsTest(JsonNode operations, ObjectNode document) {
        JsonNode state = document;
        for (JsonNode operation : operations) {
            try {
                state = JsonPatch.parse(Json.array().add(operation), false).apply(state);
            } catch (ApiException e) {
                return Json.textAt(operation, "op").equals("test") && reaches(state, Json.textAt(operation, "path"));
            }
        }
        return false;
    }

    private static boolean reaches(JsonNode state, String path) {
        return path.startsWith("/")
                && state.at(path.substring(0, path.lastIndexOf('/'))).isContainerNode();
    }

    private static String problem(JsonNode operation, JsonNode state) {
        String kind = Json.textAt(operation, "op");
        String path = Json.textAt(operation, "path");
        boolean reached = reaches(state, path);
        String refused = kind + " operation does not apply: ";
        return switch (kind) {
            case "test" ->
                reached
                        ? "testing value " + path + " failed: test failed"
                        : refused + "is missing path: " + path + ": missing value";
            case "remove" ->
                reached
                        ? "error in remove for path: '" + path + "': Unable to remove nonexistent key: " + key(path)
                                + ": missing value"
                        : refused + "doc is missing path: \"" + path + "\": missing value";
            case "add" -> refused + "doc is missing path: \"" + path + "\": missing value";
            case "replace" -> refused + "doc is missing path: " + path + ": missing value";
            case "move", "copy" -> {
                String from = Json.textAt(operation, "from");
                if (!reaches(state, from)) {
                    yield refused + "doc is missing from path: " + from + ": missing value";
                }
                yield kind.equals("move") && state.at(from).isMissingNode()
                        ? "error in move for path: '" + key(from) + "': Unable to remove nonexistent key: " + key(from)
                                + ": missing value"
                        : refused + "doc is missing destination path: " + path + ": missing value";
            }
            default -> "Unexpected kind: " + kind;
        };
    }

    private static String key(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }
}
