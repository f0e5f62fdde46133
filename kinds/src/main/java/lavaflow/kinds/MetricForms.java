package lavaflow.kinds;

import java.util.List;
import java.util.Map;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Metrics of autoscaling/v2 and the flatter form they have in the annotations of autoscaling/v1. */
final class MetricForms {
    /**
     * A value of a metric.
     *
     * @param old its name in the flat form
     * @param name its name in version 2
     * @param always Go has no pointer there, so that the flat form always shows it
     */
    private record Value(String old, String name, boolean always) {}

    /** Sources in the order Go prints them. */
    private static final List<String> SOURCES = List.of("object", "pods", "resource", "containerResource", "external");

    private static final Map<String, List<Value>> TARGETS = Map.of(
            "object",
                    List.of(new Value("targetValue", "value", true), new Value("averageValue", "averageValue", false)),
            "pods", List.of(new Value("targetAverageValue", "averageValue", true)),
            "resource",
                    List.of(
                            new Value("targetAverageUtilization", "averageUtilization", false),
                            new Value("targetAverageValue", "averageValue", false)),
            "containerResource",
                    List.of(
                            new Value("targetAverageUtilization", "averageUtilization", false),
                            new Value("targetAverageValue", "averageValue", false)),
            "external",
                    List.of(
                            new Value("targetValue", "value", false),
                            new Value("targetAverageValue", "averageValue", false)));

    private static final Map<String, List<Value>> CURRENTS = Map.of(
            "object",
                    List.of(new Value("currentValue", "value", true), new Value("averageValue", "averageValue", false)),
            "pods", List.of(new Value("currentAverageValue", "averageValue", true)),
            "resource",
                    List.of(
                            new Value("currentAverageUtilization", "averageUtilization", false),
                            new Value("currentAverageValue", "averageValue", true)),
            "containerResource",
                    List.of(
                            new Value("currentAverageUtilization", "averageUtilization", false),
                            new Value("currentAverageValue", "averageValue", true)),
            "external",
                    List.of(
                            new Value("currentValue", "value", true),
                            new Value("currentAverageValue", "averageValue", false)));

    private MetricForms() {}

    /** A target of version 2 in the flat form. */
    static ObjectNode oldTarget(JsonNode metric) {
        return flat(metric, "target", TARGETS);
    }

    /** A current value of version 2 in the flat form. */
    static ObjectNode oldCurrent(JsonNode metric) {
        return flat(metric, "current", CURRENTS);
    }

    private static ObjectNode flat(JsonNode metric, String form, Map<String, List<Value>> values) {
        ObjectNode flat = Json.object().put("type", Json.textAt(metric, "type"));
        for (String source : SOURCES) {
            ObjectNode found = Json.objectAt(metric, source);
            if (found != null) {
                flat.set(source, flatSource(source, found, form, values.getOrDefault(source, List.of())));
            }
        }
        return flat;
    }

    private static ObjectNode flatSource(String source, ObjectNode found, String form, List<Value> values) {
        ObjectNode flat = Json.object();
        boolean resource = source.endsWith("esource");
        if (source.equals("object")) {
            flat.set("target", reference(Json.at(found, "describedObject")));
        }
        flat.put(
                resource ? "name" : "metricName",
                resource ? Json.textAt(found, "name") : Json.textAt(found, "metric", "name"));
        JsonNode selector = Json.at(found, "metric", "selector");
        if (source.equals("external") && selector != null) {
            flat.set("metricSelector", selector);
        }
        for (Value value : values) {
            boolean average = value.old.equals("averageValue");
            if (average && selector != null) {
                flat.set("selector", selector);
            }
            JsonNode amount = Json.at(found, form, value.name);
            if (amount != null || value.always) {
                flat.set(value.old, amount == null ? Json.text("0") : amount);
            }
        }
        if (source.equals("pods") && selector != null) {
            flat.set("selector", selector);
        }
        if (source.equals("containerResource")) {
            flat.put("container", Json.textAt(found, "container"));
        }
        return flat;
    }

    private static ObjectNode reference(@Nullable JsonNode reference) {
        ObjectNode copy =
                Json.object().put("kind", Json.textAt(reference, "kind")).put("name", Json.textAt(reference, "name"));
        if (!Json.textAt(reference, "apiVersion").isEmpty()) {
            copy.put("apiVersion", Json.textAt(reference, "apiVersion"));
        }
        return copy;
    }

    /** A target of the flat form in that of version 2. */
    static ObjectNode target(JsonNode flat) {
        return full(flat, "target", TARGETS);
    }

    /** A current value of the flat form in that of version 2. */
    static ObjectNode current(JsonNode flat) {
        return full(flat, "current", CURRENTS);
    }

    private static ObjectNode full(JsonNode flat, String form, Map<String, List<Value>> values) {
        ObjectNode metric = Json.object().put("type", Json.textAt(flat, "type"));
        for (String source : SOURCES) {
            ObjectNode found = Json.objectAt(flat, source);
            if (found != null) {
                metric.set(source, fullSource(source, found, form, values.getOrDefault(source, List.of())));
            }
        }
        return metric;
    }

    private static ObjectNode fullSource(String source, ObjectNode flat, String form, List<Value> values) {
        ObjectNode full = Json.object();
        if (source.equals("object")) {
            full.set("describedObject", reference(Json.at(flat, "target")));
        }
        ObjectNode target = Json.object();
        for (Value value : values) {
            JsonNode amount = Json.at(flat, value.old);
            boolean absent = amount == null || (value.always && amount.asText().equals("0"));
            if (!absent) {
                target.set(value.name, amount);
            }
        }
        if (form.equals("target")) {
            ObjectNode typed = Json.object().put("type", type(target));
            typed.setAll(target);
            target = typed;
        }
        if (source.endsWith("esource")) {
            full.put("name", Json.textAt(flat, "name"));
            full.set(form, target);
            if (source.equals("containerResource")) {
                full.put("container", Json.textAt(flat, "container"));
            }
            return full;
        }
        ObjectNode metric = Json.object().put("name", Json.textAt(flat, "metricName"));
        JsonNode selector = Json.at(flat, source.equals("external") ? "metricSelector" : "selector");
        if (selector != null) {
            metric.set("selector", selector);
        }
        full.set(form, target);
        full.set("metric", metric);
        return full;
    }

    /** The flat form does not say; what is set tells. */
    private static String type(ObjectNode target) {
        if (target.has("averageUtilization")) {
            return "Utilization";
        }
        return target.has("averageValue") ? "AverageValue" : "Value";
    }
}
