package lavaflow.kinds;

import java.util.List;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** HorizontalPodAutoscaler as autoscaling/v2, the stored version. */
final class HorizontalPodAutoscalerRules implements KindRules {
    private static final FieldPath SPEC = FieldPath.of("spec");
    private static final FieldPath STATUS = FieldPath.of("status");
    private static final int LONGEST_WINDOW_SECONDS = 3_600;
    private static final int LONGEST_PERIOD_SECONDS = 1_800;

    @Override
    public void applyDefaults(ObjectNode object) {
        ObjectNode annotations = Json.objectAt(object, "metadata", "annotations");
        if (annotations != null) {
            annotations.remove(AutoscalerBridge.ANNOTATIONS);
        }
        ObjectNode spec = Json.ensureObject(object, "spec");
        Nodes.defaultValue(spec, "minReplicas", Json.number(1));
        if (Nodes.emptyAt(spec, "metrics")) {
            spec.putArray("metrics").add(AutoscalerBridge.cpuUtilization(80));
        }
        ObjectNode behavior = Json.objectAt(spec, "behavior");
        if (behavior != null) {
            defaultScaleUp(Json.ensureObject(behavior, "scaleUp"));
            defaultScaleDown(Json.ensureObject(behavior, "scaleDown"));
        }
    }

    private static void defaultScaleUp(ObjectNode rules) {
        Nodes.defaultValue(rules, "stabilizationWindowSeconds", Json.number(0));
        Nodes.defaultValue(rules, "selectPolicy", Json.text("Max"));
        if (!Nodes.has(rules, "policies")) {
            ArrayNode policies = rules.putArray("policies");
            addPolicy(policies, "Pods", 4);
            addPolicy(policies, "Percent", 100);
        }
    }

    private static void defaultScaleDown(ObjectNode rules) {
        Nodes.defaultValue(rules, "selectPolicy", Json.text("Max"));
        if (!Nodes.has(rules, "policies")) {
            addPolicy(rules.putArray("policies"), "Percent", 100);
        }
    }

    /** Behavior that came with version 1: what is there must say its policies itself, what is not gets the defaults. */
    static ObjectNode completed(ObjectNode behavior) {
        for (String direction : List.of("scaleUp", "scaleDown")) {
            ObjectNode rules = Json.objectAt(behavior, direction);
            boolean without = rules != null && !rules.has("policies");
            ObjectNode filled = Json.ensureObject(behavior, direction);
            if (direction.equals("scaleUp")) {
                defaultScaleUp(filled);
            } else {
                defaultScaleDown(filled);
            }
            if (without) {
                filled.remove("policies");
            }
        }
        return behavior;
    }

    private static void addPolicy(ArrayNode policies, String type, int value) {
        policies.addObject().put("type", type).put("value", value).put("periodSeconds", 15);
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        validateReplicas(spec, errors);
        MetricSources.validateReference(Json.at(spec, "scaleTargetRef"), SPEC.child("scaleTargetRef"), true, errors);
        List<ObjectNode> metrics = Nodes.objects(spec, "metrics");
        boolean external = false;
        for (int i = 0; i < metrics.size(); i++) {
            MetricSources.validate(metrics.get(i), SPEC.child("metrics").index(i), errors);
            external |= List.of("Object", "External").contains(Json.textAt(metrics.get(i), "type"));
        }
        if (Json.longAt(spec, 1, "minReplicas") == 0 && !external) {
            errors.forbidden(
                    SPEC.child("metrics"),
                    "must specify at least one Object or External metric to support scaling to zero replicas");
        }
        for (String direction : List.of("scaleUp", "scaleDown")) {
            ObjectNode rules = Json.objectAt(spec, "behavior", direction);
            if (rules != null) {
                validateBehavior(rules, SPEC.child("behavior", direction), errors);
            }
        }
    }

    private static void validateReplicas(ObjectNode spec, FieldErrors errors) {
        long least = Json.longAt(spec, 1, "minReplicas");
        if (least < 1) {
            errors.invalid(SPEC.child("minReplicas"), least, "must be greater than or equal to 1");
        }
        long most = Json.longAt(spec, 0, "maxReplicas");
        if (most == 0) {
            errors.required(SPEC.child("maxReplicas"), "must be set and greater than 0");
        } else if (most < 1) {
            errors.invalid(SPEC.child("maxReplicas"), most, "must be greater than or equal to 1");
        }
        if (most < least) {
            errors.invalid(SPEC.child("maxReplicas"), most, "must be greater than or equal to `minReplicas`");
        }
    }

    private static void validateBehavior(ObjectNode rules, FieldPath path, FieldErrors errors) {
        long window = Json.longAt(rules, 0, "stabilizationWindowSeconds");
        FieldPath windowPath = path.child("stabilizationWindowSeconds");
        if (window < 0) {
            errors.invalid(windowPath, window, "must be greater than or equal to zero");
        }
        if (window > LONGEST_WINDOW_SECONDS) {
            errors.invalid(windowPath, window, "must be less than or equal to " + LONGEST_WINDOW_SECONDS);
        }
        FieldChecks.optionalOneOf(rules, "selectPolicy", List.of("Disabled", "Max", "Min"), path, errors);
        List<ObjectNode> policies = Nodes.objects(rules, "policies");
        if (policies.isEmpty()) {
            errors.required(path.child("policies"), "must specify at least one Policy");
        }
        for (int i = 0; i < policies.size(); i++) {
            validatePolicy(policies.get(i), path.child("policies").index(i), errors);
        }
        if (Nodes.has(rules, "tolerance") && Quantity.at(rules, "tolerance").signum() < 0) {
            errors.invalid(
                    path.child("tolerance"), Quantity.at(rules, "tolerance").toString(), FieldChecks.NOT_NEGATIVE);
        }
    }

    private static void validatePolicy(JsonNode policy, FieldPath path, FieldErrors errors) {
        WorkloadChecks.oneOf(policy, path, errors, "type", List.of("Percent", "Pods"));
        for (String field : List.of("value", "periodSeconds")) {
            long value = Json.longAt(policy, 0, field);
            if (value <= 0) {
                errors.invalid(path.child(field), value, "must be greater than zero");
            }
        }
        long period = Json.longAt(policy, 0, "periodSeconds");
        if (period > LONGEST_PERIOD_SECONDS) {
            errors.invalid(
                    path.child("periodSeconds"), period, "must be less than or equal to " + LONGEST_PERIOD_SECONDS);
        }
    }

    @Override
    public void validateStatusUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        WorkloadChecks.notNegative(Json.at(object, "status"), STATUS, errors, "currentReplicas", "desiredReplicas");
    }
}
