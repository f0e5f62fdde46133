package lavaflow.kinds;

import java.util.List;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Identifiers;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Probes and lifecycle hooks of containers. */
final class ProbeRules {
    private static final List<String> PROBE_HANDLERS = List.of("exec", "httpGet", "tcpSocket", "grpc");
    private static final List<String> HOOK_HANDLERS = List.of("exec", "httpGet", "tcpSocket", "sleep");
    private static final List<String> SCHEMES = List.of("HTTP", "HTTPS");

    private ProbeRules() {}

    /** The lifecycle and the three probes of a container that may have them. */
    static void all(ObjectNode container, PodScope scope, FieldPath path, FieldErrors errors) {
        Long grace = scope.gracePeriod();
        for (String hook : List.of("postStart", "preStop")) {
            ObjectNode handler = Json.objectAt(container, "lifecycle", hook);
            if (handler != null) {
                handler(handler, HOOK_HANDLERS, grace, path.child("lifecycle", hook), errors);
            }
        }
        for (String probe : PodSpecs.PROBES) {
            ObjectNode found = Json.objectAt(container, probe);
            if (found != null) {
                probe(found, probe, grace, path.child(probe), errors);
            }
        }
    }

    private static void probe(ObjectNode probe, String kind, @Nullable Long grace, FieldPath path, FieldErrors errors) {
        handler(probe, PROBE_HANDLERS, grace, path, errors);
        for (String field : List.of(
                "initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")) {
            FieldChecks.notNegative(probe, field, path, errors);
        }
        JsonNode termination = Json.at(probe, "terminationGracePeriodSeconds");
        if (termination != null && termination.longValue() <= 0) {
            errors.invalid(path.child("terminationGracePeriodSeconds"), termination, "must be greater than 0");
        }
        if (kind.equals("readinessProbe")) {
            if (termination != null) {
                errors.invalid(
                        path.child("terminationGracePeriodSeconds"),
                        termination,
                        "must not be set for readinessProbes");
            }
        } else if (Json.longAt(probe, 0, "successThreshold") != 1) {
            errors.invalid(path.child("successThreshold"), Json.longAt(probe, 0, "successThreshold"), "must be 1");
        }
    }

    private static void handler(
            ObjectNode holder, List<String> kinds, @Nullable Long grace, FieldPath path, FieldErrors errors) {
        boolean found = false;
        for (String kind : kinds) {
            ObjectNode action = Json.objectAt(holder, kind);
            if (action == null) {
                continue;
            }
            if (found) {
                errors.forbidden(path.child(kind), "may not specify more than 1 handler type");
            } else {
                found = true;
                action(kind, action, grace, path.child(kind), errors);
            }
        }
        if (!found) {
            errors.required(path, "must specify a handler type");
        }
    }

    private static void action(
            String kind, ObjectNode action, @Nullable Long grace, FieldPath path, FieldErrors errors) {
        switch (kind) {
            case "exec" -> {
                if (Nodes.emptyAt(action, "command")) {
                    errors.required(path.child("command"));
                }
            }
            case "httpGet" -> httpGet(action, path, errors);
            case "sleep" -> {
                long seconds = Json.longAt(action, 0, "seconds");
                if (grace != null && (seconds < 0 || seconds > grace)) {
                    errors.invalid(
                            path,
                            seconds,
                            "must be non-negative and less than terminationGracePeriodSeconds (" + grace + ")");
                }
            }
            default -> port(Json.at(action, "port"), path.child("port"), errors);
        }
    }

    private static void httpGet(ObjectNode action, FieldPath path, FieldErrors errors) {
        FieldChecks.requireText(action, "path", path, errors);
        port(Json.at(action, "port"), path.child("port"), errors);
        String scheme = Json.textAt(action, "scheme");
        if (!SCHEMES.contains(scheme)) {
            errors.notSupported(path.child("scheme"), scheme, SCHEMES);
        }
        for (ObjectNode header : Nodes.objects(action, "httpHeaders")) {
            String name = Json.textAt(header, "name");
            FieldChecks.invalid(path.child("httpHeaders"), name, Identifiers.httpHeaderName(name), errors);
        }
    }

    /** A number, or the name of one of the container's ports. */
    static void port(@Nullable JsonNode port, FieldPath path, FieldErrors errors) {
        if (port != null && port.isTextual()) {
            FieldChecks.invalid(path, port.textValue(), Identifiers.portName(port.textValue()), errors);
            return;
        }
        long number = port == null ? 0 : port.longValue();
        for (String wrong : Identifiers.portNumber(number)) {
            errors.invalid(path, number, wrong);
        }
    }
}
