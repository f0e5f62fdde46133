package lavaflow.schema;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * One entry of {@code x-kubernetes-validations}: an expression that must hold.
 *
 * @param rule the expression, over {@code self} and maybe {@code oldSelf}
 * @param message what to say where it does not hold; empty for a text made of the rule
 * @param messageExpression an expression that makes the message, or empty
 * @param reason the reason of the error, or null for the usual one
 * @param fieldPath where to report, below the place of the rule, or empty
 * @param optionalOldSelf {@code oldSelf} is optional and the rule also runs without it; null where not said
 */
public record SchemaRule(
        String rule,
        String message,
        String messageExpression,
        @Nullable String reason,
        String fieldPath,
        @Nullable Boolean optionalOldSelf) {
    static List<SchemaRule> parse(JsonNode props) {
        ArrayNode entries = Json.listAt(props, "x-kubernetes-validations");
        if (entries.isEmpty()) {
            return List.of();
        }
        List<SchemaRule> rules = new ArrayList<>(entries.size());
        for (JsonNode entry : entries) {
            JsonNode reason = Json.at(entry, "reason");
            JsonNode optional = Json.at(entry, "optionalOldSelf");
            rules.add(new SchemaRule(
                    Json.textAt(entry, "rule"),
                    Json.textAt(entry, "message"),
                    Json.textAt(entry, "messageExpression"),
                    reason == null ? null : reason.asText(),
                    Json.textAt(entry, "fieldPath"),
                    optional == null ? null : optional.booleanValue()));
        }
        return List.copyOf(rules);
    }

    /** The rule as upstream's struct prints it. */
    ObjectNode shown() {
        ObjectNode shown =
                Json.object().put("Rule", rule).put("Message", message).put("MessageExpression", messageExpression);
        shown.put("Reason", reason);
        shown.put("FieldPath", fieldPath);
        shown.put("OptionalOldSelf", optionalOldSelf);
        return shown;
    }
}
