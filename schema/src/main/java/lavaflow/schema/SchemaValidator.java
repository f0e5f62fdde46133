package lavaflow.schema;

import java.util.Objects;

import lavaflow.kube.FieldError;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Judges custom objects of one version by its schema, in upstream's order and words. Type and metadata of the object itself
 * are judged before, elsewhere.
 */
public final class SchemaValidator {
    private final StructuralSchema schema;
    private final @Nullable ScalePaths scale;
    private volatile @Nullable RuleNode rules;

    public SchemaValidator(StructuralSchema schema, @Nullable ScalePaths scale) {
        this.schema = schema;
        this.scale = scale;
    }

    /** Checks a new object. */
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        FieldErrors own = new FieldErrors();
        values(object, schema, null, "", own);
        scale(object, own);
        ObjectMetadata.validate(object, schema, own);
        ListTypes.check(object, schema, FieldPath.root(), own);
        rules(object, null, null, own);
        errors.addAll(own);
    }

    /** Checks a changed object; what is wrong but has not changed is tolerated. */
    public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        FieldErrors own = new FieldErrors();
        Correlation correlation = Correlation.of(object, old, schema);
        values(object, schema, correlation, "", own);
        scale(object, own);
        ObjectMetadata.validate(object, schema, own);
        lists(object, old, own);
        rules(object, old, correlation, own);
        errors.addAll(own);
    }

    /** Checks a change through the status subresource: only what is below {@code status}, but all rules. */
    public void validateStatusUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        FieldErrors own = new FieldErrors();
        JsonNode status = object.get("status");
        StructuralSchema below = schema.property("status");
        if (status != null && below != null) {
            JsonNode before = old.get("status");
            values(status, below, before == null ? null : Correlation.of(status, before, below), "status", own);
        }
        if (scale != null) {
            scale.checkStatus(object, own);
        }
        lists(object, old, own);
        rules(object, old, Correlation.of(object, old, schema), own);
        errors.addAll(own);
    }

    private static void values(
            JsonNode value,
            StructuralSchema schema,
            @Nullable Correlation correlation,
            String base,
            FieldErrors errors) {
        Findings findings = new Findings();
        ValueJudge.judge(value, schema, Place.ROOT, correlation, findings);
        findings.report(base, errors);
    }

    private void scale(ObjectNode object, FieldErrors errors) {
        if (scale != null) {
            scale.checkSpec(object, errors);
            scale.checkStatus(object, errors);
        }
    }

    /** Lists that were wrong before may stay so. */
    private void lists(ObjectNode object, ObjectNode old, FieldErrors errors) {
        FieldErrors before = new FieldErrors();
        ListTypes.check(old, schema, FieldPath.root(), before);
        if (before.isEmpty()) {
            ListTypes.check(object, schema, FieldPath.root(), errors);
        }
    }

    private void rules(
            ObjectNode object, @Nullable ObjectNode old, @Nullable Correlation correlation, FieldErrors errors) {
        if (!schema.hasRules()) {
            return;
        }
        if (blocksRules(errors)) {
            errors.invalid(
                    FieldPath.root(),
                    (JsonNode) null,
                    "some validation rules were not checked because the object was invalid; correct the existing errors"
                            + " to complete validation");
            return;
        }
        RuleCheck check = new RuleCheck(errors);
        check.check(ruleNode(), object, old, correlation, FieldPath.root());
        errors.tolerate(check.warnings());
    }

    private RuleNode ruleNode() {
        RuleNode known = rules;
        if (known == null) {
            known = Objects.requireNonNull(RuleNode.of(schema, true));
            rules = known;
        }
        return known;
    }

    /** Whether an object is so wrong that rules over its values would make no sense. */
    static boolean blocksRules(FieldErrors errors) {
        return errors.list().stream().map(FieldError::reason).anyMatch(reason -> switch (reason) {
            case NOT_SUPPORTED, REQUIRED, TOO_LONG, TOO_MANY, TYPE_INVALID -> true;
            case INVALID, DUPLICATE, FORBIDDEN, NOT_FOUND, INTERNAL -> false;
        });
    }
}
