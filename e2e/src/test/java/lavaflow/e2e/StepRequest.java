package lavaflow.e2e;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Turns a written step into the request it means, with the variables of one run filled in. */
final class StepRequest {
    /** Verbs that name an object of objects.yaml, with their HTTP methods. */
    private static final Map<String, String> VERBS = Map.of(
            "create",
            "POST",
            "list",
            "GET",
            "delete-all",
            "DELETE",
            "get",
            "GET",
            "delete",
            "DELETE",
            "replace",
            "PUT",
            "edit",
            "PUT",
            "patch",
            "PATCH");

    static final List<String> OBJECT_VERBS =
            List.of("create", "list", "delete-all", "get", "delete", "replace", "edit", "patch");

    private static final List<String> COLLECTION_VERBS = List.of("create", "list", "delete-all");
    private static final List<String> OBJECT_BODY_VERBS = List.of("create", "replace");

    /** Keys that give the body of a patch and its media type. */
    private static final Map<String, String> PATCHES = Map.of(
            "json", "application/json-patch+json",
            "merge", "application/merge-patch+json",
            "strategic", "application/strategic-merge-patch+json",
            "apply", "application/apply-patch+yaml");

    private static final List<String> PATCH_KEYS = List.of("json", "merge", "strategic", "apply");
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{([a-zA-Z0-9-]+)}");

    private final ContractCase contract;
    private final Map<String, String> variables;

    StepRequest(ContractCase contract, Map<String, String> variables) {
        this.contract = contract;
        this.variables = variables;
    }

    ApiServer.Request of(ObjectNode step) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("User-Agent", "contract/1.0");
        headers.put("Accept", "application/json");
        Optional<byte[]> body = body(step, headers);
        if (step.has("accept")) {
            headers.put("Accept", fill(step.get("accept").textValue()));
        }
        if (step.has("type")) {
            headers.put("Content-Type", fill(step.get("type").textValue()));
        }
        user(step, headers);
        for (Map.Entry<String, JsonNode> header : step.path("headers").properties()) {
            headers.put(header.getKey(), fill(header.getValue().asText()));
        }
        headers.values().removeIf(String::isEmpty);
        String line = requestLine(step);
        int space = line.indexOf(' ');
        boolean certificate = !step.has("token") && step.path("certificate").asBoolean(true);
        return new ApiServer.Request(line.substring(0, space), line.substring(space + 1), headers, body, certificate);
    }

    /** Who asks: the administrator as somebody else, or the owner of a token. */
    private void user(ObjectNode step, Map<String, String> headers) {
        JsonNode as = step.path("as");
        if (as.isTextual()) {
            headers.put("Impersonate-User", fill(as.textValue()));
        }
        if (as.isObject()) {
            if (as.has("user")) {
                headers.put("Impersonate-User", fill(as.path("user").asText()));
            }
            if (as.has("uid")) {
                headers.put("Impersonate-Uid", fill(as.path("uid").asText()));
            }
            List<String> groups = new ArrayList<>();
            as.path("groups").forEach(group -> groups.add(fill(group.asText())));
            headers.put("Impersonate-Group", String.join("\n", groups));
            as.path("extra")
                    .properties()
                    .forEach(extra -> headers.put(
                            "Impersonate-Extra-" + extra.getKey(),
                            fill(extra.getValue().asText())));
        }
        if (step.has("token")) {
            headers.put("Authorization", "Bearer " + fill(step.path("token").asText()));
        }
    }

    /** The same step as a plain read of its object, for edits that start from what is there. */
    ApiServer.Request readOf(ObjectNode step) {
        ObjectNode read = Json.object();
        read.set("get", step.get("edit"));
        for (String key : List.of("sub", "name", "as", "token")) {
            if (step.has(key)) {
                read.set(key, step.get(key));
            }
        }
        return of(read);
    }

    private String requestLine(ObjectNode step) {
        StringBuilder line = new StringBuilder();
        if (step.has("do")) {
            line.append(fill(step.get("do").textValue()));
        } else {
            String verb = verb(step);
            ObjectNode object = contract.object(step.get(verb).textValue());
            line.append(VERBS.get(verb))
                    .append(' ')
                    .append(fill(object.get("at").textValue()));
            if (!COLLECTION_VERBS.contains(verb)) {
                String name =
                        step.has("name") ? step.get("name").textValue() : Json.textAt(object, "is", "metadata", "name");
                line.append('/').append(fill(name));
            }
            if (step.has("sub")) {
                line.append('/').append(step.get("sub").textValue());
            }
        }
        String query = query(step);
        if (!query.isEmpty()) {
            line.append(line.indexOf("?") < 0 ? '?' : '&').append(query);
        }
        return line.toString();
    }

    private String query(ObjectNode step) {
        List<String> parts = new ArrayList<>();
        if (step.has("watch")) {
            parts.add("watch=true");
        }
        if (step.has("query")) {
            parts.add(fill(step.get("query").asText()));
        }
        return String.join("&", parts);
    }

    static String verb(ObjectNode step) {
        return OBJECT_VERBS.stream()
                .filter(step::has)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("step without a verb: " + step));
    }

    private Optional<byte[]> body(ObjectNode step, Map<String, String> headers) {
        for (String key : PATCH_KEYS) {
            if (step.has(key)) {
                headers.put("Content-Type", PATCHES.get(key));
                return Optional.of(written(step.get(key)));
            }
        }
        if (step.has("base64")) {
            return Optional.of(Base64.getMimeDecoder().decode(step.get("base64").textValue()));
        }
        if (step.has("body")) {
            headers.put("Content-Type", "application/json");
            return Optional.of(written(step.get("body")));
        }
        if (!step.has("do") && OBJECT_BODY_VERBS.contains(verb(step))) {
            headers.put("Content-Type", "application/json");
            ObjectNode object = contract.object(step.get(verb(step)).textValue());
            return Optional.of(written(merged(object.get("is"), step.path("with"))));
        }
        return Optional.empty();
    }

    private byte[] written(JsonNode body) {
        String text = body.isTextual() ? fill(body.textValue()) : Json.string(fill(body));
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** A merge patch in which null removes, and the string {@code <null>} stands for a null that is really sent. */
    static JsonNode merged(JsonNode target, JsonNode patch) {
        if (patch.isMissingNode()) {
            return target;
        }
        if (!(patch instanceof ObjectNode changes)) {
            return patch.isTextual() && patch.textValue().equals("<null>") ? Json.FACTORY.nullNode() : patch;
        }
        ObjectNode result = target instanceof ObjectNode object ? object.deepCopy() : Json.object();
        for (Map.Entry<String, JsonNode> change : changes.properties()) {
            if (change.getValue().isNull()) {
                result.remove(change.getKey());
            } else {
                result.set(change.getKey(), merged(result.path(change.getKey()), change.getValue()));
            }
        }
        return result;
    }

    JsonNode fill(JsonNode node) {
        return switch (node) {
            case ObjectNode object -> {
                ObjectNode filled = Json.object();
                object.properties().forEach(field -> filled.set(fill(field.getKey()), fill(field.getValue())));
                yield filled;
            }
            case ArrayNode array -> {
                ArrayNode filled = Json.array();
                array.forEach(item -> filled.add(fill(item)));
                yield filled;
            }
            default -> node.isTextual() ? Json.text(fill(node.textValue())) : node;
        };
    }

    String fill(String text) {
        Matcher matcher = VARIABLE.matcher(text);
        return matcher.replaceAll(match -> {
            String value = variables.get(match.group(1));
            if (value == null) {
                throw new IllegalArgumentException(
                        "no variable " + match.group(1).toLowerCase(Locale.ROOT));
            }
            return Matcher.quoteReplacement(value);
        });
    }
}
