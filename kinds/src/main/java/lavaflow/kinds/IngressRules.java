package lavaflow.kinds;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Identifiers;
import lavaflow.kube.IpAddress;
import lavaflow.kube.Json;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** networking.k8s.io/v1 Ingress. */
final class IngressRules implements KindRules {
    /** What {@code spec.ingressClassName} replaced. */
    private static final String CLASS_ANNOTATION = "kubernetes.io/ingress.class";

    private static final FieldPath SPEC = FieldPath.of("spec");
    private static final List<String> PATH_TYPES = List.of("Exact", "ImplementationSpecific", "Prefix");
    private static final List<String> NOT_IN_PATHS = List.of("//", "/./", "/../", "%2f", "%2F");
    private static final List<String> NOT_AT_END = List.of("/..", "/.");

    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.GENERATION);
    }

    /** Where both are set they must agree, but only new objects are held to that. */
    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        validateSpec(Json.ensureObject(object, "spec"), errors);
        String annotation = Json.textAt(object, "metadata", "annotations", CLASS_ANNOTATION);
        String name = Json.textAt(object, "spec", "ingressClassName");
        if (Nodes.has(object, "metadata", "annotations", CLASS_ANNOTATION)
                && Nodes.has(object, "spec", "ingressClassName")
                && !annotation.equals(name)) {
            errors.invalid(
                    FieldPath.of("annotations").child(CLASS_ANNOTATION),
                    annotation,
                    "must match `ingressClassName` when both are specified");
        }
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        validateSpec(Json.ensureObject(object, "spec"), errors);
    }

    private static void validateSpec(ObjectNode spec, FieldErrors errors) {
        ObjectNode backend = Json.objectAt(spec, "defaultBackend");
        if (Nodes.emptyAt(spec, "rules") && backend == null) {
            errors.invalid(SPEC, (JsonNode) null, "either `defaultBackend` or `rules` must be specified");
        }
        if (backend != null) {
            validateBackend(backend, SPEC.child("defaultBackend"), errors);
        }
        List<ObjectNode> rules = Nodes.objects(spec, "rules");
        for (int i = 0; i < rules.size(); i++) {
            validateRule(rules.get(i), SPEC.child("rules").index(i), errors);
        }
        List<ObjectNode> tls = Nodes.objects(spec, "tls");
        for (int i = 0; i < tls.size(); i++) {
            validateTls(tls.get(i), SPEC.child("tls").index(i), errors);
        }
        if (Nodes.has(spec, "ingressClassName")) {
            String name = Json.textAt(spec, "ingressClassName");
            FieldChecks.invalid(SPEC.child("ingressClassName"), name, Names.dns1123Subdomain(name), errors);
        }
    }

    private static void validateTls(ObjectNode tls, FieldPath path, FieldErrors errors) {
        List<String> hosts = Nodes.strings(tls, "hosts");
        for (int i = 0; i < hosts.size(); i++) {
            FieldChecks.invalid(path.child("hosts").index(i), hosts.get(i), hostErrors(hosts.get(i)), errors);
        }
        FieldChecks.optionalSubdomain(tls, "secretName", path, errors);
    }

    private static List<String> hostErrors(String host) {
        return host.contains("*") ? Names.wildcardSubdomain(host) : Names.dns1123Subdomain(host);
    }

    private static void validateRule(ObjectNode rule, FieldPath path, FieldErrors errors) {
        String host = Json.textAt(rule, "host");
        if (!host.isEmpty()) {
            if (IpAddress.parse(host) != null) {
                errors.invalid(path.child("host"), host, "must be a DNS name, not an IP address");
            }
            FieldChecks.invalid(path.child("host"), host, hostErrors(host), errors);
        }
        if (!Nodes.has(rule, "http")) {
            return;
        }
        List<ObjectNode> paths = Nodes.objects(rule, "http", "paths");
        FieldPath pathsPath = path.child("http", "paths");
        if (paths.isEmpty()) {
            errors.required(pathsPath);
        }
        for (int i = 0; i < paths.size(); i++) {
            validatePath(paths.get(i), pathsPath.index(i), errors);
        }
    }

    private static void validatePath(ObjectNode entry, FieldPath place, FieldErrors errors) {
        if (!Nodes.has(entry, "pathType")) {
            errors.required(place.child("pathType"), "pathType must be specified");
            return;
        }
        String type = Json.textAt(entry, "pathType");
        String path = Json.textAt(entry, "path");
        FieldPath pathPlace = place.child("path");
        switch (type) {
            case "Exact", "Prefix" -> validateExactPath(path, pathPlace, errors);
            case "ImplementationSpecific" -> {
                if (!path.isEmpty() && !path.startsWith("/")) {
                    errors.invalid(pathPlace, path, "must be an absolute path");
                }
            }
            default -> errors.notSupported(place.child("pathType"), type, PATH_TYPES);
        }
        validateBackend(Json.at(entry, "backend"), place.child("backend"), errors);
    }

    /** What servers are known to read differently must not be there at all. */
    private static void validateExactPath(String path, FieldPath place, FieldErrors errors) {
        if (!path.startsWith("/")) {
            errors.invalid(place, path, "must be an absolute path");
        }
        if (path.isEmpty()) {
            return;
        }
        for (String part : NOT_IN_PATHS) {
            if (path.contains(part)) {
                errors.invalid(place, path, "must not contain '" + part + "'");
            }
        }
        for (String end : NOT_AT_END) {
            if (path.endsWith(end)) {
                errors.invalid(place, path, "cannot end with '" + end + "'");
            }
        }
    }

    private static void validateBackend(@Nullable JsonNode backend, FieldPath path, FieldErrors errors) {
        boolean resource = Nodes.has(backend, "resource");
        boolean service = Nodes.has(backend, "service");
        if (resource && service) {
            errors.invalid(path, "", "cannot set both resource and service backends");
        } else if (resource) {
            validateReference(Json.at(backend, "resource"), path.child("resource"), errors);
        } else if (service) {
            validateService(Json.at(backend, "service"), path, errors);
        } else {
            errors.invalid(path, "", "resource or service backend is required");
        }
    }

    private static void validateService(@Nullable JsonNode service, FieldPath path, FieldErrors errors) {
        FieldPath place = path.child("service");
        FieldChecks.requireLabel(service, "name", place, errors);
        String name = Json.textAt(service, "port", "name");
        long number = Json.longAt(service, 0, "port", "number");
        if (!name.isEmpty() && number != 0) {
            errors.invalid(path, "", "cannot set both port name & port number");
        } else if (!name.isEmpty()) {
            FieldChecks.invalid(place.child("port", "name"), name, Identifiers.portName(name), errors);
        } else if (number == 0) {
            errors.required(path, "port name or number is required");
        } else {
            Identifiers.portNumber(number)
                    .forEach(wrong -> errors.invalid(place.child("port", "number"), number, wrong));
        }
    }

    /** A reference to an object of any kind in the same namespace. */
    static void validateReference(@Nullable JsonNode reference, FieldPath path, FieldErrors errors) {
        if (Nodes.has(reference, "apiGroup")) {
            String group = Json.textAt(reference, "apiGroup");
            FieldChecks.invalid(path.child("apiGroup"), group, Names.dns1123Subdomain(group), errors);
        }
        for (String field : List.of("kind", "name")) {
            if (FieldChecks.requireText(reference, field, path, errors)) {
                String value = Json.textAt(reference, field);
                FieldChecks.invalid(path.child(field), value, Names.pathSegmentName(value), errors);
            }
        }
    }

    @Override
    public void validateStatusUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        List<String> known = new ArrayList<>();
        for (ObjectNode address : Nodes.objects(old, "status", "loadBalancer", "ingress")) {
            known.add(Json.textAt(address, "ip"));
        }
        List<ObjectNode> addresses = Nodes.objects(object, "status", "loadBalancer", "ingress");
        for (int i = 0; i < addresses.size(); i++) {
            FieldPath path = FieldPath.of("status", "loadBalancer", "ingress").index(i);
            String ip = Json.textAt(addresses.get(i), "ip");
            if (!ip.isEmpty()) {
                AddressRules.legacyIp(path.child("ip"), ip, known, errors);
            }
            String host = Json.textAt(addresses.get(i), "hostname");
            if (!host.isEmpty()) {
                FieldPath hostPath = path.child("hostname");
                FieldChecks.invalid(hostPath, host, Names.dns1123Subdomain(host), errors);
                if (IpAddress.parse(host) != null) {
                    errors.invalid(hostPath, host, "must be a DNS name, not an IP address");
                }
            }
        }
    }

    @Override
    public List<String> warnings(ObjectNode object, @Nullable ObjectNode old) {
        boolean deprecated = old == null
                && Nodes.has(object, "metadata", "annotations", CLASS_ANNOTATION)
                && !Nodes.has(object, "spec", "ingressClassName");
        return deprecated
                ? List.of("annotation \"" + CLASS_ANNOTATION
                        + "\" is deprecated, please use 'spec.ingressClassName' instead")
                : List.of();
    }
}
