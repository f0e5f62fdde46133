package lavaflow.kinds;

import java.util.List;
import java.util.TreeSet;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Validation of what an autoscaler looks at. */
final class MetricSources {
    private static final List<String> TYPES = List.of("ContainerResource", "External", "Object", "Pods", "Resource");
    private static final List<String> TARGET_TYPES = List.of("Utilization", "Value", "AverageValue");

    private MetricSources() {}

    static void validate(ObjectNode metric, FieldPath path, FieldErrors errors) {
        String type = Json.textAt(metric, "type");
        if (type.isEmpty()) {
            errors.required(path.child("type"), "must specify a metric source type");
        }
        if (!TYPES.contains(type)) {
            errors.notSupported(path.child("type"), type, TYPES);
        }
        TreeSet<String> present = new TreeSet<>();
        for (String source : List.of("object", "external", "pods", "resource", "containerResource")) {
            JsonNode found = Json.at(metric, source);
            if (found != null && present.add(source) && present.size() == 1) {
                validateSource(source, found, path.child(source), errors);
            }
        }
        boolean known = TYPES.contains(type);
        String expected = known ? Character.toLowerCase(type.charAt(0)) + type.substring(1) : "";
        if (!known) {
            errors.notSupported(path.child("type"), type, TYPES);
        } else if (!present.contains(expected)) {
            errors.required(path.child(expected), "must populate information for the given metric source");
        }
        if (present.size() != 1) {
            present.remove(expected);
            for (String other : present) {
                errors.forbidden(path.child(other), "must populate the given metric source only");
            }
        }
    }

    private static void validateSource(String source, JsonNode found, FieldPath path, FieldErrors errors) {
        JsonNode target = Json.at(found, "target");
        FieldPath targetPath = path.child("target");
        boolean value = Nodes.has(target, "value");
        boolean average = Nodes.has(target, "averageValue");
        switch (source) {
            case "object" -> {
                validateReference(Json.at(found, "describedObject"), path.child("describedObject"), false, errors);
                validateMetric(Json.at(found, "metric"), path.child("metric"), errors);
                validateTarget(target, targetPath, errors);
                if (!value && !average) {
                    errors.required(targetPath.child("averageValue"), "must set either a target value or averageValue");
                }
            }
            case "external" -> {
                validateMetric(Json.at(found, "metric"), path.child("metric"), errors);
                validateTarget(target, targetPath, errors);
                if (!value && !average) {
                    errors.required(
                            targetPath.child("averageValue"),
                            "must set either a target value for metric or a per-pod target");
                }
                if (value && average) {
                    errors.forbidden(
                            targetPath.child("value"),
                            "may not set both a target value for metric and a per-pod target");
                }
            }
            case "pods" -> {
                validateMetric(Json.at(found, "metric"), path.child("metric"), errors);
                validateTarget(target, targetPath, errors);
                if (!average) {
                    errors.required(targetPath.child("averageValue"), "must specify a positive target averageValue");
                }
            }
            default -> validateResource(source, found, path, errors);
        }
    }

    private static void validateResource(String source, JsonNode found, FieldPath path, FieldErrors errors) {
        if (Json.textAt(found, "name").isEmpty()) {
            errors.required(path.child("name"), "must specify a resource name");
        }
        if (source.equals("containerResource")) {
            String container = Json.textAt(found, "container");
            if (container.isEmpty()) {
                errors.required(path.child("container"), "must specify a container");
            } else {
                FieldChecks.invalid(path.child("container"), container, Names.dns1123Label(container), errors);
            }
        }
        JsonNode target = Json.at(found, "target");
        FieldPath targetPath = path.child("target");
        validateTarget(target, targetPath, errors);
        boolean average = Nodes.has(target, "averageValue");
        boolean utilization = Nodes.has(target, "averageUtilization");
        if (!average && !utilization) {
            errors.required(
                    targetPath.child("averageUtilization"),
                    "must set either a target raw value or a target utilization");
        }
        if (average && utilization) {
            errors.forbidden(
                    targetPath.child("averageValue"), "may not set both a target raw value and a target utilization");
        }
    }

    private static void validateMetric(@Nullable JsonNode metric, FieldPath path, FieldErrors errors) {
        String name = Json.textAt(metric, "name");
        if (name.isEmpty()) {
            errors.required(path.child("name"), "must specify a metric name");
        } else {
            FieldChecks.invalid(path.child("name"), name, Names.pathSegmentName(name), errors);
        }
    }

    private static void validateTarget(@Nullable JsonNode target, FieldPath path, FieldErrors errors) {
        String type = Json.textAt(target, "type");
        if (type.isEmpty()) {
            errors.required(path.child("type"), "must specify a metric target type");
        }
        if (!TARGET_TYPES.contains(type)) {
            errors.invalid(path.child("type"), type, "must be either Utilization, Value, or AverageValue");
        }
        for (String field : List.of("value", "averageValue")) {
            if (Nodes.has(target, field) && Quantity.at(target, field).signum() <= 0) {
                errors.invalid(path.child(field), Quantity.at(target, field).toString(), "must be positive");
            }
        }
        long utilization = Json.longAt(target, 1, "averageUtilization");
        if (utilization < 1) {
            errors.invalid(path.child("averageUtilization"), utilization, "must be greater than 0");
        }
    }

    /** An object in any group, or one that must say which. */
    static void validateReference(@Nullable JsonNode reference, FieldPath path, boolean grouped, FieldErrors errors) {
        for (String field : List.of("kind", "name")) {
            if (FieldChecks.requireText(reference, field, path, errors)) {
                String value = Json.textAt(reference, field);
                FieldChecks.invalid(path.child(field), value, Names.pathSegmentName(value), errors);
            }
        }
        String version = Json.textAt(reference, "apiVersion");
        if (version.chars().filter(c -> c == '/').count() > 1) {
            errors.invalid(path.child("apiVersion"), version, "unexpected GroupVersion string: " + version);
        } else if (grouped && !version.contains("/") && !isController(reference)) {
            errors.invalid(path.child("apiVersion"), version, "apiVersion must specify API group");
        }
    }

    /** The one kind of the core group that can be scaled. */
    private static boolean isController(@Nullable JsonNode reference) {
        return Json.textAt(reference, "kind").equals("ReplicationController");
    }
}
