package lavaflow.schema;

import java.util.List;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Whether the rules of a schema are well formed, before any is compiled. */
final class RuleWords {
    private static final List<String> REASONS =
            List.of("FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired");

    private RuleWords() {}

    static void check(ObjectNode schema, FieldPath path, FieldErrors errors) {
        List<SchemaRule> rules = SchemaRule.parse(schema);
        for (int i = 0; i < rules.size(); i++) {
            rule(rules.get(i), schema, path.child("x-kubernetes-validations").index(i), errors);
        }
    }

    private static boolean hasLineBreak(String text) {
        return text.indexOf('\n') >= 0 || text.indexOf('\r') >= 0;
    }

    private static void rule(SchemaRule rule, ObjectNode schema, FieldPath path, FieldErrors errors) {
        String message = rule.message().strip();
        if (rule.rule().isBlank()) {
            errors.required(path.child("rule"), "rule is not specified");
        } else if (!rule.message().isEmpty() && message.isEmpty()) {
            errors.invalid(path.child("message"), rule.message(), "must be non-empty if specified");
        } else if (hasLineBreak(message)) {
            errors.invalid(path.child("message"), rule.message(), "must not contain line breaks");
        } else if (hasLineBreak(rule.rule().strip()) && message.isEmpty()) {
            errors.required(path.child("message"), "message must be specified if rule contains line breaks");
        }
        if (!rule.messageExpression().isEmpty() && rule.messageExpression().isBlank()) {
            errors.required(path.child("messageExpression"), "messageExpression must be non-empty if specified");
        }
        if (rule.reason() != null && !REASONS.contains(rule.reason())) {
            errors.notSupported(path.child("reason"), rule.reason(), REASONS);
        }
        fieldPath(rule.fieldPath(), schema, path.child("fieldPath"), errors);
    }

    private static void fieldPath(String text, ObjectNode schema, FieldPath path, FieldErrors errors) {
        if (text.isEmpty()) {
            return;
        }
        if (text.isBlank()) {
            errors.invalid(path, text, "must be non-empty if specified");
        }
        if (hasLineBreak(text)) {
            errors.invalid(path, text, "must not contain line breaks");
        }
        if (StructuralRules.hasUnsupported(schema)) {
            return;
        }
        try {
            SchemaPath.follow(text, StructuralSchema.parse(schema), true);
        } catch (SchemaPath.Invalid e) {
            errors.invalid(path, text, "must be a valid path");
        }
    }
}
