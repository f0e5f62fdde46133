package lavaflow.kinds;

import java.util.Objects;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Checks of events; those that carry {@code eventTime} are of the new kind and must be complete. */
final class EventValidation {
    private static final int SHORT = 128;
    private static final int LONG = 1024;
    private static final String[] REFERENCE = {
        "Kind=", "Namespace=", "Name=", "UID=", "APIVersion=", "ResourceVersion=", "FieldPath="
    };

    private EventValidation() {}

    static void any(ObjectNode event, boolean regarding, FieldErrors errors) {
        String namespace = Json.textAt(event, "metadata", "namespace");
        String about = Json.textAt(event, "involvedObject", "namespace");
        boolean clusterWide = about.isEmpty() && (namespace.isEmpty() || namespace.equals("default"));
        if (!Nodes.has(event, "eventTime")) {
            if (!clusterWide && !about.equals(namespace)) {
                otherNamespace(about, errors);
            }
        } else {
            if (about.isEmpty() && !namespace.equals("default") && !namespace.equals("kube-system")) {
                otherNamespace(about, errors);
            }
            complete(event, regarding, errors);
        }
        FieldChecks.invalid(FieldPath.of("namespace"), namespace, Names.dns1123Subdomain(namespace), errors);
    }

    private static void otherNamespace(String about, FieldErrors errors) {
        errors.invalid(FieldPath.of("involvedObject", "namespace"), about, "does not match event.namespace");
    }

    private static void complete(ObjectNode event, boolean regarding, FieldErrors errors) {
        FieldPath reporter = FieldPath.of(regarding ? "reportingController" : "reportingComponent");
        String controller = Json.textAt(event, "reportingComponent");
        if (controller.isEmpty()) {
            errors.required(reporter);
        }
        FieldChecks.invalid(reporter, controller, Names.qualifiedName(controller), errors);
        for (String field : new String[] {"reportingInstance", "action", "reason"}) {
            if (Json.textAt(event, field).isEmpty()) {
                errors.required(FieldPath.of(field));
            }
            atMost(event, field, SHORT, errors);
        }
        atMost(event, "message", LONG, errors);
    }

    private static void atMost(ObjectNode event, String field, int most, FieldErrors errors) {
        if (Names.utf8Length(Json.textAt(event, field)) > most) {
            errors.invalid(FieldPath.of(field), "", "can have at most " + most + " characters");
        }
    }

    /** What only clients of events.k8s.io/v1 are held to. */
    static void strict(ObjectNode event, FieldErrors errors) {
        series(event, errors);
        if (!Nodes.has(event, "eventTime")) {
            errors.required(FieldPath.of("eventTime"));
        }
        String type = Json.textAt(event, "type");
        if (!type.equals("Normal") && !type.equals("Warning")) {
            errors.invalid(FieldPath.of("type"), "", "has invalid value: " + type);
        }
        for (String field : new String[] {"firstTimestamp", "lastTimestamp", "count", "source"}) {
            JsonNode value = Json.at(event, field);
            boolean unset = value == null
                    || (value.isNumber() && value.longValue() == 0)
                    || (value.isObject() && value.isEmpty());
            if (!unset) {
                errors.invalid(FieldPath.of(field), "", "needs to be unset");
            }
        }
    }

    private static void series(ObjectNode event, FieldErrors errors) {
        if (!Nodes.has(event, "series")) {
            return;
        }
        if (Json.longAt(event, 0, "series", "count") < 2) {
            errors.invalid(FieldPath.of("series.count"), "", "should be at least 2");
        }
        if (!Nodes.has(event, "series", "lastObservedTime")) {
            errors.required(FieldPath.of("series.lastObservedTime"));
        }
    }

    /** For clients of events.k8s.io/v1 only the series of an event may grow. */
    static void strictUpdate(ObjectNode event, ObjectNode old, FieldErrors errors) {
        if (!Objects.equals(Json.at(event, "series"), Json.at(old, "series"))) {
            series(event, errors);
        }
        keep(event, old, "involvedObject", "involvedObject", errors);
        // Upstream asks for the reason twice.
        for (String field : new String[] {
            "reason",
            "message",
            "source",
            "firstTimestamp",
            "lastTimestamp",
            "count",
            "reason",
            "type",
            "eventTime",
            "action",
            "related"
        }) {
            keep(event, old, field, field, errors);
        }
        keep(event, old, "reportingComponent", "reportingController", errors);
        keep(event, old, "reportingInstance", "reportingInstance", errors);
    }

    private static void keep(ObjectNode event, ObjectNode old, String field, String shown, FieldErrors errors) {
        JsonNode now = Json.at(event, field);
        if (Objects.equals(now, Json.at(old, field))) {
            return;
        }
        JsonNode value = switch (field) {
            case "involvedObject", "related" -> now == null ? null : goReference(now);
            case "source" -> FieldChecks.goStruct(now, "Component=", "Host=");
            case "count" -> Json.number(Json.longAt(event, 0, "count"));
            case "eventTime", "firstTimestamp", "lastTimestamp" -> now;
            default -> Json.text(Json.textAt(event, field));
        };
        errors.invalid(FieldPath.of(shown), value, FieldChecks.IMMUTABLE);
    }

    private static ObjectNode goReference(JsonNode reference) {
        ObjectNode shown = FieldChecks.goStruct(reference, REFERENCE);
        shown.put("UID", Json.textAt(reference, "uid")).put("APIVersion", Json.textAt(reference, "apiVersion"));
        return shown;
    }
}
