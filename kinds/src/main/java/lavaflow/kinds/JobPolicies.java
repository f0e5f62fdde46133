package lavaflow.kinds;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Validation of what a job makes of failed and succeeded pods. */
final class JobPolicies {
    private static final int MOST_RULES = 20;
    private static final int MOST_PATTERNS = 20;
    private static final int MOST_EXIT_CODES = 255;
    private static final int INDEXES_LENGTH = 64 * 1024;
    private static final List<String> ACTIONS = List.of("Count", "FailIndex", "FailJob", "Ignore");

    private JobPolicies() {}

    static void validateFailure(ObjectNode spec, FieldPath path, FieldErrors errors) {
        List<ObjectNode> rules = Nodes.objects(spec, "podFailurePolicy", "rules");
        if (rules.size() > MOST_RULES) {
            errors.tooMany(path.child("rules"), rules.size(), MOST_RULES);
        }
        Set<String> containers = new HashSet<>();
        for (String list : List.of("containers", "initContainers")) {
            for (ObjectNode container : Nodes.objects(spec, "template", "spec", list)) {
                containers.add(Json.textAt(container, "name"));
            }
        }
        for (int i = 0; i < rules.size(); i++) {
            validateFailureRule(spec, rules.get(i), path.child("rules").index(i), containers, errors);
        }
    }

    private static void validateFailureRule(
            ObjectNode spec, ObjectNode rule, FieldPath path, Set<String> containers, FieldErrors errors) {
        validateAction(spec, Json.textAt(rule, "action"), path.child("action"), errors);
        JsonNode exitCodes = Json.at(rule, "onExitCodes");
        if (exitCodes != null) {
            validateExitCodes(exitCodes, path.child("onExitCodes"), containers, errors);
        }
        List<ObjectNode> conditions = Nodes.objects(rule, "onPodConditions");
        if (!conditions.isEmpty()) {
            validateConditions(conditions, path.child("onPodConditions"), errors);
        }
        if (exitCodes != null && !conditions.isEmpty()) {
            WorkloadChecks.invalidWithoutValue(
                    path, "specifying both OnExitCodes and OnPodConditions is not supported", errors);
        }
        if (exitCodes == null && conditions.isEmpty()) {
            WorkloadChecks.invalidWithoutValue(
                    path, "specifying one of OnExitCodes and OnPodConditions is required", errors);
        }
    }

    private static void validateAction(ObjectNode spec, String action, FieldPath path, FieldErrors errors) {
        if (action.isEmpty()) {
            errors.required(path, "valid values: [\"Count\" \"FailIndex\" \"FailJob\" \"Ignore\"]");
        } else if (action.equals("FailIndex") && !Nodes.has(spec, "backoffLimitPerIndex")) {
            errors.invalid(path, action, "requires the backoffLimitPerIndex to be set");
        } else if (!ACTIONS.contains(action)) {
            errors.notSupported(path, action, ACTIONS);
        }
    }

    private static void validateExitCodes(
            JsonNode requirement, FieldPath path, Set<String> containers, FieldErrors errors) {
        String operator = Json.textAt(requirement, "operator");
        if (operator.isEmpty()) {
            errors.required(path.child("operator"), "valid values: [\"In\" \"NotIn\"]");
        } else if (!operator.equals("In") && !operator.equals("NotIn")) {
            errors.notSupported(path.child("operator"), operator, List.of("In", "NotIn"));
        }
        if (Nodes.has(requirement, "containerName")) {
            String name = Json.textAt(requirement, "containerName");
            if (!containers.contains(name)) {
                errors.invalid(
                        path.child("containerName"),
                        name,
                        "must be one of the container or initContainer names in the pod template");
            }
        }
        validateExitCodeValues(Json.at(requirement, "values"), path.child("values"), operator, errors);
    }

    private static void validateExitCodeValues(
            @Nullable JsonNode values, FieldPath path, String operator, FieldErrors errors) {
        if (values == null || values.isEmpty()) {
            errors.invalid(path, values, "at least one value is required");
            return;
        }
        if (values.size() > MOST_EXIT_CODES) {
            errors.tooMany(path, values.size(), MOST_EXIT_CODES);
        }
        boolean ordered = true;
        Set<Long> seen = new HashSet<>();
        for (int i = 0; i < values.size(); i++) {
            long value = values.get(i).longValue();
            ordered &= i == 0 || values.get(i - 1).longValue() <= value;
            if (operator.equals("In") && value == 0) {
                errors.invalid(path.index(i), value, "must not be 0 for the In operator");
            }
            if (!seen.add(value)) {
                errors.duplicate(path.index(i), values.get(i));
            }
        }
        if (!ordered) {
            errors.invalid(path, values, "must be ordered");
        }
    }

    private static void validateConditions(List<ObjectNode> conditions, FieldPath path, FieldErrors errors) {
        if (conditions.size() > MOST_PATTERNS) {
            errors.tooMany(path, conditions.size(), MOST_PATTERNS);
        }
        for (int i = 0; i < conditions.size(); i++) {
            ObjectNode pattern = conditions.get(i);
            String type = Json.textAt(pattern, "type");
            FieldChecks.invalid(path.index(i).child("type"), type, Names.qualifiedName(type), errors);
            String status = Json.textAt(pattern, "status");
            FieldPath statusPath = path.index(i).child("status");
            if (status.isEmpty()) {
                errors.required(statusPath, "valid values: [\"False\" \"True\" \"Unknown\"]");
            } else if (!List.of("False", "True", "Unknown").contains(status)) {
                errors.notSupported(statusPath, status, List.of("False", "True", "Unknown"));
            }
        }
    }

    static void validateSuccess(ObjectNode spec, FieldPath path, FieldErrors errors) {
        List<ObjectNode> rules = Nodes.objects(spec, "successPolicy", "rules");
        if (rules.isEmpty()) {
            errors.required(
                    path.child("rules"), "at least one rules must be specified when the successPolicy is specified");
        }
        if (rules.size() > MOST_RULES) {
            errors.tooMany(path.child("rules"), rules.size(), MOST_RULES);
        }
        long completions = Json.longAt(spec, 0, "completions");
        for (int i = 0; i < rules.size(); i++) {
            validateSuccessRule(rules.get(i), path.child("rules").index(i), completions, errors);
        }
    }

    private static void validateSuccessRule(ObjectNode rule, FieldPath path, long completions, FieldErrors errors) {
        boolean hasIndexes = Nodes.has(rule, "succeededIndexes");
        boolean hasCount = Nodes.has(rule, "succeededCount");
        if (!hasIndexes && !hasCount) {
            errors.required(path, "at least one of succeededCount or succeededIndexes must be specified");
        }
        int indexes = -1;
        if (hasIndexes) {
            String text = Json.textAt(rule, "succeededIndexes");
            FieldPath indexesPath = path.child("succeededIndexes");
            if (Names.utf8Length(text) > INDEXES_LENGTH) {
                errors.tooLong(indexesPath, INDEXES_LENGTH);
            }
            try {
                indexes = IndexRanges.parse(text, completions).size();
            } catch (MalformedException e) {
                indexes = 0;
                errors.invalid(indexesPath, text, "error parsing succeededIndexes: " + e.getMessage());
            }
        }
        if (hasCount) {
            validateSuccessCount(rule, path, completions, indexes, errors);
        }
    }

    private static void validateSuccessCount(
            ObjectNode rule, FieldPath path, long completions, int indexes, FieldErrors errors) {
        WorkloadChecks.notNegative(rule, path, errors, "succeededCount");
        long count = Json.longAt(rule, 0, "succeededCount");
        if (count > completions) {
            errors.invalid(
                    path.child("succeededCount"),
                    count,
                    "must be less than or equal to " + completions + " (the number of specified completions)");
        }
        if (indexes >= 0 && count > indexes) {
            errors.invalid(
                    path.child("succeededCount"),
                    count,
                    "must be less than or equal to " + indexes
                            + " (the number of indexes in the specified succeededIndexes field)");
        }
    }

    /** The policy as upstream keeps it internally, which is what its messages show. */
    static JsonNode shownSuccess(ObjectNode spec) {
        ObjectNode shown = Json.object();
        if (!Nodes.has(spec, "successPolicy", "rules")) {
            shown.set("Rules", Json.FACTORY.nullNode());
            return shown;
        }
        ArrayNode rules = shown.putArray("Rules");
        for (ObjectNode rule : Nodes.objects(spec, "successPolicy", "rules")) {
            ObjectNode shownRule = rules.addObject();
            shownRule.set("SucceededIndexes", orNull(Json.at(rule, "succeededIndexes")));
            shownRule.set("SucceededCount", orNull(Json.at(rule, "succeededCount")));
        }
        return shown;
    }

    /** As {@link #shownSuccess}. */
    static JsonNode shownFailure(ObjectNode spec) {
        ObjectNode shown = Json.object();
        if (!Nodes.has(spec, "podFailurePolicy", "rules")) {
            shown.set("Rules", Json.FACTORY.nullNode());
            return shown;
        }
        ArrayNode rules = shown.putArray("Rules");
        for (ObjectNode rule : Nodes.objects(spec, "podFailurePolicy", "rules")) {
            rules.add(shownFailureRule(rule));
        }
        return shown;
    }

    private static ObjectNode shownFailureRule(ObjectNode rule) {
        ObjectNode shown = Json.object().put("Action", Json.textAt(rule, "action"));
        JsonNode exitCodes = Json.at(rule, "onExitCodes");
        if (exitCodes == null) {
            shown.set("OnExitCodes", Json.FACTORY.nullNode());
        } else {
            ObjectNode codes = shown.putObject("OnExitCodes");
            codes.set("ContainerName", orNull(Json.at(exitCodes, "containerName")));
            codes.put("Operator", Json.textAt(exitCodes, "operator"));
            codes.set("Values", orNull(Json.at(exitCodes, "values")));
        }
        List<ObjectNode> conditions = new ArrayList<>();
        for (ObjectNode pattern : Nodes.objects(rule, "onPodConditions")) {
            conditions.add(Json.object()
                    .put("Type", Json.textAt(pattern, "type"))
                    .put("Status", Json.textAt(pattern, "status")));
        }
        if (Nodes.has(rule, "onPodConditions")) {
            shown.putArray("OnPodConditions").addAll(conditions);
        } else {
            shown.set("OnPodConditions", Json.FACTORY.nullNode());
        }
        return shown;
    }

    private static JsonNode orNull(@Nullable JsonNode node) {
        return node == null ? Json.FACTORY.nullNode() : node;
    }
}
