package lavaflow.schema;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import lavaflow.cel.Bindings;
import lavaflow.cel.CelBudget;
import lavaflow.cel.CelLimits;
import lavaflow.cel.CelOptional;
import lavaflow.cel.CelResult;
import lavaflow.kube.FieldError;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Runs the rules of a schema over one object, within one budget. */
final class RuleCheck {
    private static final int LONGEST_MESSAGE = 5 * 1024;
    private static final String OUT_OF_BUDGET =
            "validation failed due to running out of cost budget, no further validation rules will be run";

    private final FieldErrors errors;
    private final List<String> warnings = new ArrayList<>(0);
    private long budget = CelLimits.RUNTIME_BUDGET;
    private boolean stopped;

    RuleCheck(FieldErrors errors) {
        this.errors = errors;
    }

    /** What was wrong but tolerated. */
    List<String> warnings() {
        return warnings;
    }

    /** What tolerance depends on: the value itself, or else the closest value above whose past is known. */
    private record Tolerance(
            @Nullable Correlation own, @Nullable Correlation above) {
        static final Tolerance NONE = new Tolerance(null, null);

        Tolerance member(String name) {
            if (own == null) {
                return this;
            }
            if (above == null && (name.equals("apiVersion") || name.equals("kind"))) {
                return NONE;
            }
            return new Tolerance(own.member(name), own);
        }

        Tolerance element(int position) {
            return own == null ? this : new Tolerance(own.element(position), own);
        }

        boolean holds() {
            return own != null ? own.isUnchanged() : above != null && above.isUnchanged();
        }
    }

    /** Checks a whole object or a part of one. */
    void check(
            RuleNode node, JsonNode value, @Nullable JsonNode old, @Nullable Correlation correlation, FieldPath path) {
        node(node, value, old, new Tolerance(correlation, null), path);
    }

    private void node(RuleNode node, JsonNode value, @Nullable JsonNode old, Tolerance tolerance, FieldPath path) {
        if (stopped || value.isNull()) {
            return;
        }
        JsonNode before = old == null || old.isNull() ? null : old;
        rules(node, value, before, tolerance, path);
        if (value instanceof ArrayNode list && node.items() != null) {
            elements(node, node.items(), list, before, tolerance, path);
        } else if (value instanceof ObjectNode object) {
            members(node, object, before, tolerance, path);
        }
    }

    private void members(
            RuleNode node, ObjectNode object, @Nullable JsonNode old, Tolerance tolerance, FieldPath path) {
        for (Map.Entry<String, JsonNode> entry : object.properties()) {
            String name = entry.getKey();
            RuleNode property = node.properties().get(name);
            JsonNode before = old == null ? null : old.get(name);
            if (property != null) {
                node(property, entry.getValue(), before, tolerance.member(name), path.child(name));
            } else if (node.additional() != null && node.schema().property(name) == null) {
                node(node.additional(), entry.getValue(), before, tolerance.member(name), path.key(name));
            }
            if (stopped) {
                return;
            }
        }
    }

    private void elements(
            RuleNode node,
            RuleNode items,
            ArrayNode list,
            @Nullable JsonNode old,
            Tolerance tolerance,
            FieldPath path) {
        Map<Object, JsonNode> before = new HashMap<>();
        boolean keyed = node.schema().shape().listType().equals("map");
        if (keyed && old instanceof ArrayNode earlier) {
            before.putAll(Correlation.byKey(earlier, node.schema()));
        }
        for (int i = 0; i < list.size() && !stopped; i++) {
            JsonNode element = list.get(i);
            JsonNode past = element.isObject() && !before.isEmpty()
                    ? before.get(Correlation.keyOf(element, node.schema()))
                    : null;
            node(items, element, past, tolerance.element(i), path.index(i));
        }
    }

    private void rules(RuleNode node, JsonNode value, @Nullable JsonNode old, Tolerance tolerance, FieldPath path) {
        String type = node.schema().type();
        for (CompiledRule rule : node.rules()) {
            if (budget <= 0) {
                stop(path, type, OUT_OF_BUDGET);
                return;
            }
            if (rule.error() != null) {
                invalid(path, type, "rule compile error: " + rule.error());
                continue;
            }
            if (rule.program() == null || (rule.usesOldSelf() && old == null && !rule.isOptional())) {
                continue;
            }
            run(node, rule, value, old, tolerance, path);
            if (stopped) {
                return;
            }
        }
    }

    private static Bindings bindings(CompiledRule rule, JsonNode value, @Nullable JsonNode old) {
        Object past = old != null ? old : rule.isOptional() ? CelOptional.NONE : null;
        return past == null ? Bindings.of("self", value) : Bindings.of("self", value, CompiledRule.OLD_SELF, past);
    }

    private void run(
            RuleNode node,
            CompiledRule rule,
            JsonNode value,
            @Nullable JsonNode old,
            Tolerance tolerance,
            FieldPath path) {
        if (rule.program() == null) {
            return;
        }
        String type = node.schema().type();
        CelResult result =
                rule.program().evaluate(bindings(rule, value, old), new CelBudget(CelLimits.RUNTIME_PER_CALL));
        if (result.cost() > budget) {
            stop(path, type, OUT_OF_BUDGET);
            return;
        }
        budget -= result.cost();
        if (result instanceof CelResult.Failure failure) {
            failed(failure, rule, path, type);
        } else if (!result.isTrue()) {
            broken(node, rule, value, old, tolerance, path);
        }
    }

    private void failed(CelResult.Failure failure, CompiledRule rule, FieldPath path, String type) {
        String message = failure.message();
        if (failure.budgetExceeded()) {
            stop(
                    path,
                    type,
                    "'" + message
                            + "': no further validation rules will be run due to call cost exceeds limit for rule: "
                            + rule.name());
        } else if (message.startsWith("no such overload")) {
            invalid(
                    path,
                    type,
                    "'" + message + "': call arguments did not match a supported operator, function or macro signature"
                            + " for rule: " + rule.name());
        } else {
            invalid(path, type, message + " evaluating rule: " + rule.name());
        }
    }

    private void stop(FieldPath path, String type, String why) {
        invalid(path, type, why);
        stopped = true;
    }

    private void invalid(FieldPath path, String type, String why) {
        errors.invalid(path, type, why);
    }

    private void broken(
            RuleNode node,
            CompiledRule rule,
            JsonNode value,
            @Nullable JsonNode old,
            Tolerance tolerance,
            FieldPath path) {
        FieldPath place = rule.field().isEmpty() ? path : path.child(rule.field());
        boolean tolerated = !rule.usesOldSelf() && tolerance.holds();
        String message = message(rule, value, old, node.schema().type(), place, tolerated);
        if (message == null) {
            return;
        }
        String type = node.schema().type();
        String shown = type.equals("object") || type.equals("array") ? "" : Findings.shown(value) + ": ";
        String reason = rule.rule().reason() == null ? "" : rule.rule().reason();
        switch (reason) {
            case "FieldValueForbidden" -> add(FieldError.Reason.FORBIDDEN, place, "Forbidden: " + message, tolerated);
            case "FieldValueRequired" ->
                add(FieldError.Reason.REQUIRED, place, "Required value: " + message, tolerated);
            case "FieldValueDuplicate" ->
                add(
                        FieldError.Reason.DUPLICATE,
                        place,
                        shown.isEmpty() ? "Duplicate value" : "Duplicate value: " + Findings.shown(value),
                        tolerated);
            default -> add(FieldError.Reason.INVALID, place, "Invalid value: " + shown + message, tolerated);
        }
    }

    private void add(FieldError.Reason reason, FieldPath place, String detail, boolean tolerated) {
        if (tolerated) {
            warnings.add(place + ": " + detail);
        } else {
            errors.add(reason, place, detail);
        }
    }

    /** What is said of a broken rule; null where saying it broke the budget, which has been told. */
    private @Nullable String message(
            CompiledRule rule,
            JsonNode value,
            @Nullable JsonNode old,
            String type,
            FieldPath place,
            boolean tolerated) {
        if (rule.message() == null) {
            return rule.plainMessage();
        }
        CelResult result =
                rule.message().evaluate(bindings(rule, value, old), new CelBudget(CelLimits.RUNTIME_PER_CALL));
        String problem = null;
        if (result.cost() > budget) {
            problem = "messageExpression evaluation failed due to running out of cost budget, no further validation"
                    + " rules will be run";
        } else if (result instanceof CelResult.Failure failure && failure.budgetExceeded()) {
            problem = "no further validation rules will be run due to call cost exceeds limit for messageExpression: "
                    + FieldErrors.quoted(rule.rule().messageExpression());
        }
        if (problem != null) {
            add(
                    FieldError.Reason.INVALID,
                    place,
                    "Invalid value: " + FieldErrors.quoted(type) + ": " + problem,
                    tolerated);
            stopped = true;
            return null;
        }
        budget -= result.cost();
        String text =
                result instanceof CelResult.Value made && made.value() instanceof String words ? words.strip() : "";
        boolean usable = !text.isEmpty()
                && Names.utf8Length(text) <= LONGEST_MESSAGE
                && text.indexOf('\n') < 0
                && text.indexOf('\r') < 0;
        return usable ? text : rule.plainMessage();
    }
}
