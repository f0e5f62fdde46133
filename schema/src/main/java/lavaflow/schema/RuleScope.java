package lavaflow.schema;

import java.util.List;

import lavaflow.cel.CelProgram;
import lavaflow.cel.DeclaredType;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Where rules of a schema are compiled, and how often they may run on one object.
 *
 * @param object whether the schema is that of an object with type and metadata
 * @param often how often values of the schema may occur, or -1 where nothing above bounds it
 */
record RuleScope(boolean object, long often, RuleCosts costs) {
    private static final String RULES = "x-kubernetes-validations";

    static RuleScope root(ObjectNode schema, RuleCosts costs) {
        return new RuleScope(true, 1, costs);
    }

    /** The scope of a schema below another. */
    RuleScope below(ObjectNode parent, JsonNode child) {
        long most = elements(parent);
        long below = often < 0 || most < 0 ? -1 : RuleCosts.times(often, most);
        return new RuleScope(Json.flagAt(child, "x-kubernetes-embedded-resource"), below, costs);
    }

    /** By how much a schema multiplies what is below it; -1 where it sets no bound. */
    private static long elements(ObjectNode schema) {
        return switch (Json.textAt(schema, "type")) {
            case "object" ->
                Json.at(schema, "additionalProperties") == null ? 1 : Json.longAt(schema, -1, "maxProperties");
            case "array" -> Json.longAt(schema, -1, "maxItems");
            default -> 1;
        };
    }

    /** Compiles the rules of a node and reports what is wrong with them. */
    void compile(ObjectNode props, @Nullable FieldPath uncorrelated, FieldPath path, FieldErrors errors) {
        // Most nodes have none; to read all that is below each of them would be to read a schema once for every level
        // of it.
        if (Json.listAt(props, RULES).isEmpty()) {
            return;
        }
        StructuralSchema schema = StructuralSchema.parse(props);
        DeclaredType type = DeclaredType.ofSchema(props, object);
        if (type == null) {
            errors.add(
                    lavaflow.kube.FieldError.Reason.INTERNAL,
                    path.child(RULES),
                    "Internal error: internal error: failed to construct type information for x-kubernetes-validations"
                            + " rules: unable to convert structural schema to CEL declarations");
            return;
        }
        long runs = often >= 0 ? often : type.maxCardinality();
        List<CompiledRule> rules = CompiledRule.compile(schema, type);
        for (int i = 0; i < rules.size(); i++) {
            report(rules.get(i), runs, uncorrelated, path.child(RULES).index(i), errors);
        }
    }

    private void report(
            CompiledRule rule, long runs, @Nullable FieldPath uncorrelated, FieldPath path, FieldErrors errors) {
        CelProgram program = rule.program();
        long cost =
                program == null ? 0 : RuleCosts.times(program.estimatedCost().max(), runs);
        costs.add("rule", cost, path.child("rule"), errors);
        if (rule.error() != null) {
            errors.invalid(path.child("rule"), rule.rule().shown(), rule.error());
        }
        if (rule.messageError() != null) {
            errors.invalid(path.child("messageExpression"), rule.rule().shown(), rule.messageError());
        } else if (rule.message() != null) {
            costs.add(
                    "messageExpression", rule.message().estimatedCost().max(), path.child("messageExpression"), errors);
        }
        if (rule.usesOldSelf()) {
            if (uncorrelated != null) {
                errors.invalid(
                        path.child("rule"),
                        rule.rule().rule(),
                        "oldSelf cannot be used on the uncorrelatable portion of the schema within " + uncorrelated);
            }
        } else if (rule.rule().optionalOldSelf() != null) {
            errors.invalid(
                    path.child("optionalOldSelf"),
                    Json.FACTORY.booleanNode(rule.rule().optionalOldSelf()),
                    "may not be set if oldSelf is not used in rule");
        }
    }
}
