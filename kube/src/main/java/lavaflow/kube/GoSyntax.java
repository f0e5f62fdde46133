package lavaflow.kube;

import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;

/** Go's {@code %#v} of decoded YAML, which appears in a few complaints. */
final class GoSyntax {
    private GoSyntax() {}

    static String text(JsonNode node) {
        StringBuilder out = new StringBuilder();
        append(out, node);
        return out.toString();
    }

    private static void append(StringBuilder out, JsonNode node) {
        String separator = "";
        if (node.isObject()) {
            out.append("map[interface {}]interface {}{");
            for (Map.Entry<String, JsonNode> entry : node.properties()) {
                out.append(separator).append(GoQuote.quote(entry.getKey())).append(':');
                append(out, entry.getValue());
                separator = ", ";
            }
            out.append('}');
        } else if (node.isArray()) {
            out.append("[]interface {}{");
            for (JsonNode element : node) {
                out.append(separator);
                append(out, element);
                separator = ", ";
            }
            out.append('}');
        } else if (node.isTextual()) {
            out.append(GoQuote.quote(node.textValue()));
        } else {
            out.append(node.isNull() ? "interface {}(nil)" : node.asText());
        }
    }
}
