package lavaflow.schema;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import lavaflow.kube.DecodingException;
import lavaflow.kube.FieldError;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Untyped;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Whether the defaults of a schema fit it. */
final class DefaultsCheck {
    private final FieldErrors errors;

    private DefaultsCheck(FieldErrors errors) {
        this.errors = errors;
    }

    static void check(StructuralSchema schema, FieldPath path, FieldErrors errors) {
        StructuralSchema root = schema.embedded();
        new DefaultsCheck(errors).node(root, root, List.of(), false, path);
    }

    /**
     * @param outer the object that surrounds the node: the whole, or the closest embedded one
     * @param outerSteps from there to the node; empty text stands for an element of a list
     * @param outerMetadata whether the node is part of the metadata of that object
     */
    private void node(
            StructuralSchema schema,
            StructuralSchema outer,
            List<String> outerSteps,
            boolean outerMetadata,
            FieldPath path) {
        StructuralSchema root = schema.isEmbedded() ? schema : outer;
        List<String> steps = schema.isEmbedded() ? List.of() : outerSteps;
        boolean inMetadata = !schema.isEmbedded() && outerMetadata;
        JsonNode value = schema.defaultValue();
        if (value != null) {
            if (inMetadata) {
                inMetadata(value, schema, root, steps, path.child("default"));
            } else {
                value(value, schema, path.child("default"));
            }
        }
        if (schema.items() != null) {
            node(schema.items(), root, with(steps, ""), inMetadata, path.child("items"));
        }
        for (int i = 0; i < schema.size(); i++) {
            String name = schema.name(i);
            boolean metadata = inMetadata || (schema.isEmbedded() && Pruning.isOfEveryObject(name));
            node(
                    schema.property(i),
                    root,
                    with(steps, name),
                    metadata,
                    path.child("properties").key(name));
        }
    }

    private static List<String> with(List<String> steps, String step) {
        List<String> more = new ArrayList<>(steps);
        more.add(step);
        return more;
    }

    private void value(JsonNode value, StructuralSchema schema, FieldPath path) {
        JsonNode pruned = value.deepCopy();
        Pruning.pruneValue(pruned, schema);
        if (!pruned.equals(value)) {
            errors.invalid(path, Untyped.canonical(value), "must not have unknown fields");
        }
        int before = errors.list().size();
        JsonNode coerced = value.deepCopy();
        FieldError refusal = ObjectMetadata.coerceDefault(coerced, schema, path);
        if (refusal != null) {
            errors.add(refusal.reason(), FieldPath.of(refusal.field()), refusal.detail());
            return;
        }
        ObjectMetadata.check(coerced, schema, path, errors);
        if (errors.list().size() == before) {
            judge(coerced, schema, path);
        }
    }

    private void judge(JsonNode value, StructuralSchema schema, FieldPath path) {
        Findings findings = new Findings();
        ValueJudge.judge(value, schema, Place.ROOT, null, findings);
        findings.report(path.toString(), errors);
        if (findings.isValid() && schema.hasRules()) {
            RuleNode rules = RuleNode.of(schema, schema.isEmbedded());
            int before = errors.list().size();
            if (rules != null) {
                new RuleCheck(errors).check(rules, value, value, null, path);
                if (errors.list().size() == before) {
                    new RuleCheck(errors).check(rules, value, null, null, path);
                }
            }
        }
    }

    private void inMetadata(
            JsonNode value, StructuralSchema schema, StructuralSchema root, List<String> steps, FieldPath path) {
        JsonNode nested = value.deepCopy();
        for (String step : steps.reversed()) {
            if (step.isEmpty()) {
                nested = Json.array().add(nested);
            } else {
                ObjectNode around = Json.object();
                around.set(step, nested);
                nested = around;
            }
        }
        if (!(nested instanceof ObjectNode object)) {
            return;
        }
        object.put("kind", Json.at(object, "kind") == null ? "Validation" : Json.textAt(object, "kind"));
        object.put(
                "apiVersion",
                Json.at(object, "apiVersion") == null ? "validation/v1" : Json.textAt(object, "apiVersion"));
        String problem = problem(object, root);
        if (problem == null) {
            judge(value, schema, path);
        } else {
            errors.invalid(path, Untyped.canonical(value), "must result in valid metadata: " + problem);
        }
    }

    private static @Nullable String problem(ObjectNode object, StructuralSchema root) {
        try {
            ObjectMetadata.coerce(object, root.embedded(), false);
        } catch (DecodingException e) {
            return String.valueOf(e.getMessage());
        }
        FieldErrors found = new FieldErrors();
        ObjectMetadata.validate(object, root.embedded(), found);
        return switch (found.list().size()) {
            case 0 -> null;
            case 1 -> found.list().getFirst().message();
            default -> found.list().stream().map(FieldError::message).collect(Collectors.joining(", ", "[", "]"));
        };
    }
}
