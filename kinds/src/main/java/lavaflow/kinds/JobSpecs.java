package lavaflow.kinds;

import java.util.List;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Identifiers;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;
import lavaflow.kube.LabelSelectorRules;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Validation of a job's spec, in Jobs and in the templates of CronJobs. */
final class JobSpecs {
    private static final int MOST_PARALLEL_INDEXED = 100_000;
    private static final int MANY_COMPLETIONS = 100_000;
    private static final int MOST_FAILED_INDEXES = 100_000;
    /** Above {@link #MANY_COMPLETIONS} the lists of indexes in the status would outgrow an object. */
    private static final int MOST_WITH_MANY_COMPLETIONS = 10_000;

    private static final int MANAGER_NAME_LENGTH = 63;

    private JobSpecs() {}

    /** The spec of a Job, selector included. */
    static void validate(ObjectNode spec, FieldPath path, FieldErrors errors) {
        validateBody(spec, path, errors);
        JsonNode selector = Json.at(spec, "selector");
        if (selector == null) {
            errors.required(path.child("selector"));
        } else {
            LabelSelectorRules.check(selector, path.child("selector"), errors);
        }
        LabelSelector chosen = WorkloadChecks.readable(selector);
        JsonNode labels = Json.at(spec, "template", "metadata", "labels");
        if (chosen != null && !chosen.matches(labels)) {
            errors.invalid(
                    path.child("template", "metadata", "labels"),
                    WorkloadChecks.shownMap(labels),
                    "`selector` does not match template `labels`");
        }
    }

    /** The spec in a template: the selector comes later. */
    static void validateTemplate(ObjectNode spec, FieldPath path, FieldErrors errors) {
        validateBody(spec, path, errors);
        JsonNode selector = Json.at(spec, "selector");
        if (selector != null) {
            errors.invalid(
                    path.child("selector"),
                    WorkloadChecks.shownSelector(selector),
                    "`selector` will be auto-generated");
        }
        if (Json.flagAt(spec, "manualSelector")) {
            WorkloadChecks.unsupported(
                    path.child("manualSelector"), Json.FACTORY.booleanNode(true), "\"nil\", \"false\"", errors);
        }
    }

    private static void validateBody(ObjectNode spec, FieldPath path, FieldErrors errors) {
        WorkloadChecks.notNegative(
                spec,
                path,
                errors,
                "parallelism",
                "completions",
                "activeDeadlineSeconds",
                "backoffLimit",
                "ttlSecondsAfterFinished",
                "backoffLimitPerIndex",
                "maxFailedIndexes");
        validateManager(spec, path, errors);
        if (Nodes.has(spec, "maxFailedIndexes") && !Nodes.has(spec, "backoffLimitPerIndex")) {
            errors.required(path.child("backoffLimitPerIndex"), "when maxFailedIndexes is specified");
        }
        if (Nodes.has(spec, "completionMode")) {
            validateCompletionMode(spec, path, errors);
        }
        if (Nodes.has(spec, "podFailurePolicy")) {
            JobPolicies.validateFailure(spec, path.child("podFailurePolicy"), errors);
        }
        if (Nodes.has(spec, "successPolicy")) {
            validateSuccessPolicy(spec, path.child("successPolicy"), errors);
        }
        validateReplacement(spec, path, errors);
        ScaledSpecs.validateTemplate(spec, path, errors);
        validateRestartPolicy(spec, path.child("template", "spec", "restartPolicy"), errors);
    }

    private static void validateManager(ObjectNode spec, FieldPath path, FieldErrors errors) {
        if (!Nodes.has(spec, "managedBy")) {
            return;
        }
        String manager = Json.textAt(spec, "managedBy");
        Identifiers.domainPrefixedPath(path.child("managedBy"), manager, errors);
        if (Names.utf8Length(manager) > MANAGER_NAME_LENGTH) {
            errors.tooLong(path.child("managedBy"), MANAGER_NAME_LENGTH);
        }
    }

    private static void validateCompletionMode(ObjectNode spec, FieldPath path, FieldErrors errors) {
        String mode = Json.textAt(spec, "completionMode");
        if (!mode.equals("NonIndexed") && !mode.equals("Indexed")) {
            errors.notSupported(path.child("completionMode"), mode, List.of("NonIndexed", "Indexed"));
        }
        if (mode.equals("Indexed")) {
            validateIndexed(spec, path, errors);
        } else if (mode.equals("NonIndexed")) {
            for (String field : List.of("backoffLimitPerIndex", "maxFailedIndexes")) {
                if (Nodes.has(spec, field)) {
                    errors.invalid(path.child(field), Json.at(spec, field), "requires indexed completion mode");
                }
            }
        }
    }

    private static void validateIndexed(ObjectNode spec, FieldPath path, FieldErrors errors) {
        if (!Nodes.has(spec, "completions")) {
            errors.required(path.child("completions"), "when completion mode is Indexed");
        }
        long parallelism = Json.longAt(spec, 0, "parallelism");
        if (parallelism > MOST_PARALLEL_INDEXED) {
            errors.invalid(
                    path.child("parallelism"),
                    parallelism,
                    "must be less than or equal to " + MOST_PARALLEL_INDEXED + " when completion mode is Indexed");
        }
        long completions = Json.longAt(spec, 0, "completions");
        boolean limited = Nodes.has(spec, "maxFailedIndexes");
        long failed = Json.longAt(spec, 0, "maxFailedIndexes");
        if (limited && Nodes.has(spec, "completions") && failed > completions) {
            errors.invalid(path.child("maxFailedIndexes"), failed, "must be less than or equal to completions");
        }
        if (limited && failed > MOST_FAILED_INDEXES) {
            errors.invalid(
                    path.child("maxFailedIndexes"), failed, "must be less than or equal to " + MOST_FAILED_INDEXES);
        }
        if (completions > MANY_COMPLETIONS && Nodes.has(spec, "backoffLimitPerIndex")) {
            validateManyCompletions(spec, path, errors);
        }
    }

    private static void validateManyCompletions(ObjectNode spec, FieldPath path, FieldErrors errors) {
        if (!Nodes.has(spec, "maxFailedIndexes")) {
            errors.required(
                    path.child("maxFailedIndexes"), "must be specified when completions is above " + MANY_COMPLETIONS);
        }
        for (String field : List.of("parallelism", "maxFailedIndexes")) {
            long value = Json.longAt(spec, 0, field);
            if (value > MOST_WITH_MANY_COMPLETIONS) {
                errors.invalid(
                        path.child(field),
                        value,
                        "must be less than or equal to " + MOST_WITH_MANY_COMPLETIONS + " when completions are above "
                                + MANY_COMPLETIONS + " and used with backoff limit per index");
            }
        }
    }

    private static void validateSuccessPolicy(ObjectNode spec, FieldPath path, FieldErrors errors) {
        if (!Json.textAt(spec, "completionMode").equals("Indexed")) {
            errors.invalid(path, JobPolicies.shownSuccess(spec), "requires indexed completion mode");
        } else {
            JobPolicies.validateSuccess(spec, path, errors);
        }
    }

    private static void validateReplacement(ObjectNode spec, FieldPath path, FieldErrors errors) {
        if (!Nodes.has(spec, "podReplacementPolicy")) {
            return;
        }
        List<String> supported =
                Nodes.has(spec, "podFailurePolicy") ? List.of("Failed") : List.of("Failed", "TerminatingOrFailed");
        WorkloadChecks.oneOf(spec, path, errors, "podReplacementPolicy", supported);
    }

    private static void validateRestartPolicy(ObjectNode spec, FieldPath path, FieldErrors errors) {
        String policy = Json.textAt(spec, "template", "spec", "restartPolicy");
        if (policy.isEmpty() || policy.equals("Always")) {
            errors.required(path, "valid values: \"OnFailure\", \"Never\"");
        } else if (!policy.equals("OnFailure") && !policy.equals("Never")) {
            errors.notSupported(path, policy, List.of("OnFailure", "Never"));
        } else if (policy.equals("OnFailure") && Nodes.has(spec, "podFailurePolicy")) {
            errors.invalid(path, policy, "only \"Never\" is supported when podFailurePolicy is specified");
        }
    }
}
