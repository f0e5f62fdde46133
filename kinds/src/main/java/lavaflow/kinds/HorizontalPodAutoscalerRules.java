package lavaflow.kinds;

import java.util.Set;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** HorizontalPodAutoscaler as autoscaling/v2, the stored version. */
final class HorizontalPodAutoscalerRules implements KindRules {
    @Override
    public Set<Trait> traits() {
        return Set.of();
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        Nodes.defaultValue(spec, "minReplicas", Json.number(1));
        if (Nodes.emptyAt(spec, "metrics")) {
            ObjectNode metric = spec.putArray("metrics").addObject();
            metric.put("type", "Resource");
            ObjectNode resource = metric.putObject("resource").put("name", "cpu");
            resource.putObject("target").put("type", "Utilization").put("averageUtilization", 80);
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

    private static void addPolicy(ArrayNode policies, String type, int value) {
        policies.addObject().put("type", type).put("value", value).put("periodSeconds", 15);
    }
}
