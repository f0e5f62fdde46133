package lavaflow.kinds;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import lavaflow.kube.Json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Autoscalers are stored as autoscaling/v2. Version 1 has one metric only, the utilization of processors; it carries the
 * rest in annotations, so that clients of version 1 that read and write back lose nothing.
 */
final class AutoscalerBridge implements VersionBridge {
    private static final String METRICS = "autoscaling.alpha.kubernetes.io/metrics";
    private static final String CURRENT_METRICS = "autoscaling.alpha.kubernetes.io/current-metrics";
    private static final String CONDITIONS = "autoscaling.alpha.kubernetes.io/conditions";
    private static final String BEHAVIOR = "autoscaling.alpha.kubernetes.io/behavior";

    /** Annotations that belong to the conversion and not to users. */
    static final List<String> ANNOTATIONS = List.of(METRICS, CURRENT_METRICS, CONDITIONS, BEHAVIOR);

    /** The metric that version 1 knows. */
    static ObjectNode cpuUtilization(long percent) {
        ObjectNode metric = Json.object().put("type", "Resource");
        ObjectNode resource = metric.putObject("resource").put("name", "cpu");
        resource.putObject("target").put("type", "Utilization").put("averageUtilization", percent);
        return metric;
    }

    @Override
    public ObjectNode toStored(ObjectNode object) {
        ObjectNode stored = Json.object().put("kind", "HorizontalPodAutoscaler").put("apiVersion", "autoscaling/v2");
        ObjectNode metadata = Json.ensureObject(object, "metadata").deepCopy();
        stored.set("metadata", metadata);
        JsonNode annotations = Json.at(object, "metadata", "annotations");
        if (metadata.get("annotations") instanceof ObjectNode kept) {
            kept.remove(ANNOTATIONS);
            if (kept.isEmpty()) {
                metadata.remove("annotations");
            }
        }
        stored.set("spec", storedSpec(Json.at(object, "spec"), annotations));
        stored.set("status", storedStatus(Json.at(object, "status"), annotations));
        return stored;
    }

    private static ObjectNode storedSpec(@Nullable JsonNode old, @Nullable JsonNode annotations) {
        ObjectNode spec = Json.object();
        JsonNode target = Json.at(old, "scaleTargetRef");
        spec.set("scaleTargetRef", target == null ? Json.object() : target.deepCopy());
        copy(old, spec, "minReplicas");
        spec.put("maxReplicas", Json.longAt(old, 0, "maxReplicas"));
        ArrayNode metrics = Json.array();
        if (annotation(annotations, METRICS) instanceof ArrayNode others) {
            others.forEach(metric -> metrics.add(MetricForms.target(metric)));
        }
        if (Nodes.has(old, "targetCPUUtilizationPercentage")) {
            metrics.add(cpuUtilization(Json.longAt(old, 0, "targetCPUUtilizationPercentage")));
        }
        if (metrics.isEmpty()) {
            metrics.add(cpuUtilization(80));
        }
        spec.set("metrics", metrics);
        if (annotation(annotations, BEHAVIOR) instanceof ObjectNode behavior) {
            spec.set("behavior", HorizontalPodAutoscalerRules.completed(behavior(behavior, false)));
        }
        return spec;
    }

    private static ObjectNode storedStatus(@Nullable JsonNode old, @Nullable JsonNode annotations) {
        ObjectNode status = Json.object();
        copy(old, status, "observedGeneration", "lastScaleTime");
        if (Json.longAt(old, 0, "currentReplicas") != 0) {
            copy(old, status, "currentReplicas");
        }
        status.put("desiredReplicas", Json.longAt(old, 0, "desiredReplicas"));
        ArrayNode metrics = Json.array();
        if (annotation(annotations, CURRENT_METRICS) instanceof ArrayNode current) {
            current.forEach(metric -> metrics.add(MetricForms.current(metric)));
        } else if (Nodes.has(old, "currentCPUUtilizationPercentage")) {
            ObjectNode metric = metrics.addObject().put("type", "Resource");
            metric.putObject("resource")
                    .put("name", "cpu")
                    .putObject("current")
                    .set("averageUtilization", Json.at(old, "currentCPUUtilizationPercentage"));
        }
        status.set("currentMetrics", metrics.isEmpty() ? Json.FACTORY.nullNode() : metrics);
        if (annotation(annotations, CONDITIONS) instanceof ArrayNode conditions && !conditions.isEmpty()) {
            status.set("conditions", conditions(conditions));
        }
        return status;
    }

    @Override
    public ObjectNode fromStored(ObjectNode stored) {
        ObjectNode object = Json.object().put("kind", "HorizontalPodAutoscaler").put("apiVersion", "autoscaling/v1");
        ObjectNode metadata = Json.ensureObject(stored.deepCopy(), "metadata");
        object.set("metadata", metadata);
        JsonNode spec = Json.at(stored, "spec");
        JsonNode status = Json.at(stored, "status");
        putAnnotations(metadata, extras(spec, status));
        ObjectNode oldSpec = object.putObject("spec");
        copy(spec, oldSpec, "scaleTargetRef", "minReplicas", "maxReplicas");
        putUtilization(spec, "metrics", "target", oldSpec, "targetCPUUtilizationPercentage");
        ObjectNode oldStatus = object.putObject("status");
        copy(status, oldStatus, "observedGeneration", "lastScaleTime");
        oldStatus.put("currentReplicas", Json.longAt(status, 0, "currentReplicas"));
        oldStatus.put("desiredReplicas", Json.longAt(status, 0, "desiredReplicas"));
        putUtilization(status, "currentMetrics", "current", oldStatus, "currentCPUUtilizationPercentage");
        return object;
    }

    /** What version 1 has no fields for, as texts of annotations. */
    private static Map<String, String> extras(@Nullable JsonNode spec, @Nullable JsonNode status) {
        Map<String, String> extras = new TreeMap<>();
        ArrayNode metrics = Json.array();
        for (ObjectNode metric : Nodes.objects(spec, "metrics")) {
            if (utilization(metric, "target") == null) {
                metrics.add(MetricForms.oldTarget(metric));
            }
        }
        if (!metrics.isEmpty()) {
            extras.put(METRICS, Json.string(metrics));
        }
        ArrayNode current = Json.array();
        Nodes.objects(status, "currentMetrics").forEach(metric -> current.add(MetricForms.oldCurrent(metric)));
        if (!current.isEmpty()) {
            extras.put(CURRENT_METRICS, Json.string(current));
        }
        if (!Nodes.emptyAt(status, "conditions")) {
            extras.put(CONDITIONS, Json.string(conditions(Json.listAt(status, "conditions"))));
        }
        ObjectNode behavior = Json.objectAt(spec, "behavior");
        if (behavior != null) {
            extras.put(BEHAVIOR, Json.string(behavior(behavior, true)));
        }
        return extras;
    }

    private static void putAnnotations(ObjectNode metadata, Map<String, String> extras) {
        Map<String, JsonNode> all = Nodes.entries(metadata, "annotations");
        ANNOTATIONS.forEach(all::remove);
        extras.forEach((key, text) -> all.put(key, Json.text(text)));
        if (all.isEmpty()) {
            metadata.remove("annotations");
        } else {
            metadata.putObject("annotations").setAll(all);
        }
    }

    private static void putUtilization(
            @Nullable JsonNode parent, String list, String form, ObjectNode object, String field) {
        for (ObjectNode metric : Nodes.objects(parent, list)) {
            JsonNode percent = utilization(metric, form);
            if (percent != null) {
                object.set(field, percent);
                return;
            }
        }
    }

    /** The percentage of processors in a metric; null where it is about something else. */
    private static @Nullable JsonNode utilization(ObjectNode metric, String form) {
        boolean cpu = Json.textAt(metric, "type").equals("Resource")
                && Json.textAt(metric, "resource", "name").equals("cpu");
        return cpu ? Json.at(metric, "resource", form, "averageUtilization") : null;
    }

    private static ArrayNode conditions(ArrayNode conditions) {
        ArrayNode copies = Json.array();
        for (JsonNode condition : conditions) {
            ObjectNode copy = copies.addObject();
            copy.put("type", Json.textAt(condition, "type")).put("status", Json.textAt(condition, "status"));
            copy.set("lastTransitionTime", Json.at(condition, "lastTransitionTime"));
            copy(condition, copy, "reason", "message");
        }
        return copies;
    }

    /** Behavior in the annotation is upstream's internal struct: capitalised names, every field there. */
    private static ObjectNode behavior(ObjectNode behavior, boolean internal) {
        ObjectNode shown = Json.object();
        for (String direction : List.of("scaleUp", "scaleDown")) {
            ObjectNode rules = Json.objectAt(behavior, name(direction, !internal));
            if (rules != null) {
                shown.set(name(direction, internal), rules(rules, internal));
            } else if (internal) {
                shown.putNull(name(direction, true));
            }
        }
        return shown;
    }

    private static ObjectNode rules(ObjectNode rules, boolean internal) {
        ObjectNode shown = Json.object();
        for (String field : List.of("stabilizationWindowSeconds", "selectPolicy", "policies", "tolerance")) {
            JsonNode value = Json.at(rules, name(field, !internal));
            if (value instanceof ArrayNode list) {
                value = policies(list, internal);
            }
            if (value != null || internal) {
                shown.set(name(field, internal), value);
            }
        }
        return shown;
    }

    private static ArrayNode policies(ArrayNode policies, boolean internal) {
        ArrayNode shown = Json.array();
        for (JsonNode policy : policies) {
            ObjectNode copy = shown.addObject();
            copy.put(name("type", internal), Json.textAt(policy, name("type", !internal)));
            for (String field : List.of("value", "periodSeconds")) {
                copy.put(name(field, internal), Json.longAt(policy, 0, name(field, !internal)));
            }
        }
        return shown;
    }

    private static String name(String field, boolean capital) {
        return capital ? Character.toUpperCase(field.charAt(0)) + field.substring(1) : field;
    }

    /** The JSON in an annotation; null where there is none that can be read. */
    private static @Nullable JsonNode annotation(@Nullable JsonNode annotations, String key) {
        if (!Nodes.has(annotations, key)) {
            return null;
        }
        try {
            return Json.parseUntrusted(Json.textAt(annotations, key).getBytes(java.nio.charset.StandardCharsets.UTF_8));
        } catch (JsonProcessingException e) {
            return null;
        }
    }

    private static void copy(@Nullable JsonNode from, ObjectNode to, String... fields) {
        for (String field : fields) {
            JsonNode value = Json.at(from, field);
            if (value != null) {
                to.set(field, value.deepCopy());
            }
        }
    }
}
