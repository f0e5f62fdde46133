package lavaflow.e2e;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** What a server said to one request. */
final class Answer {
    /**
     * Headers whose value is part of the contract. The others are about the connection, or say only that a mechanism
     * exists (flow-schema and audit identifiers).
     */
    private static final List<String> COMPARED_HEADERS = List.of(
            "content-type",
            "content-encoding",
            "warning",
            "allow",
            "vary",
            "location",
            "retry-after",
            "cache-control",
            "x-content-type-options",
            "www-authenticate");

    private static final JsonMapper LINES =
            JsonMapper.builder().nodeFactory(Json.FACTORY).build();

    private final int code;
    private final Map<String, List<String>> headers;
    private final byte[] bytes;

    Answer(int code, Map<String, List<String>> headers, byte[] bytes) {
        this.code = code;
        this.headers = headers;
        this.bytes = bytes;
    }

    int code() {
        return code;
    }

    Optional<String> header(String name) {
        return headers.getOrDefault(name, List.of()).stream().findFirst();
    }

    String text() {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** The body as a tree: JSON, YAML, a list of watch events, or text where it is nothing of these. */
    JsonNode body() {
        if (bytes.length == 0) {
            return Json.FACTORY.missingNode();
        }
        String type = header("content-type").orElse("");
        if (type.contains("json")) {
            return documents();
        }
        if (type.contains("yaml")) {
            return YamlTree.parse(text());
        }
        return type.contains("protobuf") ? Json.text(Base64.getEncoder().encodeToString(bytes)) : Json.text(text());
    }

    private JsonNode documents() {
        ArrayNode all = Json.array();
        try (MappingIterator<JsonNode> documents =
                LINES.readerFor(JsonNode.class).readValues(bytes)) {
            while (documents.hasNext()) {
                all.add(documents.next());
            }
        } catch (IOException | RuntimeException e) {
            return Json.text("not JSON: " + text());
        }
        return all.size() == 1 ? all.get(0) : all;
    }

    /** Everything of the answer that two servers must agree on, as one tree. */
    ObjectNode comparable() {
        ObjectNode tree = Json.object();
        tree.put("code", code);
        ObjectNode sent = tree.putObject("headers");
        Map<String, List<String>> sorted = new TreeMap<>(headers);
        sorted.forEach((name, values) -> {
            if (COMPARED_HEADERS.contains(name)) {
                sent.put(name, String.join(" | ", values));
            } else if (name.equals("etag")) {
                sent.put(name, values.getFirst().startsWith("\"") ? "<quoted>" : "<unquoted>");
            }
        });
        JsonNode body = body();
        if (!body.isMissingNode()) {
            tree.set("body", body);
            if (header("content-type").orElse("").contains("json")) {
                tree.put("layout", layout());
            }
        }
        return tree;
    }

    /** Pretty printing is asked for by people; compact answers end with a newline. */
    private String layout() {
        String text = text();
        String spacing = text.contains("\n  ") ? "indented" : text.contains("\n\t") ? "tabs" : "compact";
        return text.endsWith("\n") ? spacing + ", newline at end" : spacing;
    }
}
