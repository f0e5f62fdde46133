package lavaflow.kinds;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Identifiers;
import lavaflow.kube.Json;
import lavaflow.kube.Names;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Environment variables of containers, and the references to a pod's own fields that they share with volumes. */
final class EnvironmentRules {
    private static final List<String> ENV_FIELDS = List.of(
            "metadata.name",
            "metadata.namespace",
            "metadata.uid",
            "spec.nodeName",
            "spec.serviceAccountName",
            "status.hostIP",
            "status.hostIPs",
            "status.podIP",
            "status.podIPs");
    static final List<String> VOLUME_FIELDS =
            List.of("metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid");
    /** Fields that can be converted between versions, which is asked before whether they can be used. */
    private static final Set<String> KNOWN_FIELDS = Set.of(
            "metadata.annotations",
            "metadata.labels",
            "metadata.name",
            "metadata.namespace",
            "metadata.uid",
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.serviceAccountName",
            "spec.schedulerName",
            "status.phase",
            "status.hostIP",
            "status.hostIPs",
            "status.podIP",
            "status.podIPs");

    private static final List<String> RESOURCES = List.of(
            "limits.cpu",
            "limits.ephemeral-storage",
            "limits.memory",
            "requests.cpu",
            "requests.ephemeral-storage",
            "requests.memory");
    private static final Set<String> BYTE_DIVISORS =
            Set.of("1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei");
    private static final Pattern SUBSCRIPT = Pattern.compile("(.*?)\\['(.*)'\\]", Pattern.DOTALL);

    private EnvironmentRules() {}

    static void env(ObjectNode container, FieldPath path, FieldErrors errors) {
        List<ObjectNode> variables = Nodes.objects(container, "env");
        for (int i = 0; i < variables.size(); i++) {
            ObjectNode variable = variables.get(i);
            FieldPath place = path.index(i);
            if (FieldChecks.requireText(variable, "name", place, errors)) {
                String name = Json.textAt(variable, "name");
                FieldChecks.invalid(place.child("name"), name, Identifiers.relaxedEnvVarName(name), errors);
            }
            if (variable.get("valueFrom") instanceof ObjectNode from) {
                valueFrom(from, Json.textAt(variable, "value"), place.child("valueFrom"), errors);
            }
        }
    }

    private static void valueFrom(ObjectNode from, String value, FieldPath path, FieldErrors errors) {
        int sources = 0;
        if (from.get("fieldRef") instanceof ObjectNode reference) {
            sources++;
            fieldRef(reference, ENV_FIELDS, path.child("fieldRef"), errors);
        }
        if (from.get("resourceFieldRef") instanceof ObjectNode reference) {
            sources++;
            resourceFieldRef(reference, false, path.child("resourceFieldRef"), errors);
        }
        for (String kind : List.of("configMapKeyRef", "secretKeyRef")) {
            if (from.get(kind) instanceof ObjectNode reference) {
                sources++;
                keyRef(reference, path.child(kind), errors);
            }
        }
        if (from.get("fileKeyRef") instanceof ObjectNode reference) {
            sources++;
            fileKeyRef(reference, path.child("fileKeyRef"), errors);
        }
        if (sources == 0) {
            errors.invalid(
                    path,
                    "",
                    "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or"
                            + " `fileKeyRef`");
        } else if (!value.isEmpty()) {
            errors.invalid(path, "", "may not be specified when `value` is not empty");
        } else if (sources > 1) {
            errors.invalid(path, "", "may not have more than one field specified at a time");
        }
    }

    /** A reference to a field of the pod, possibly to one entry of a map: {@code metadata.labels['app']}. */
    static void fieldRef(ObjectNode reference, List<String> allowed, FieldPath path, FieldErrors errors) {
        if (!FieldChecks.requireText(reference, "apiVersion", path, errors)
                || !FieldChecks.requireText(reference, "fieldPath", path, errors)) {
            return;
        }
        String version = Json.textAt(reference, "apiVersion");
        String field = Json.textAt(reference, "fieldPath");
        FieldPath place = path.child("fieldPath");
        Matcher subscripted = SUBSCRIPT.matcher(field);
        boolean subscript = subscripted.matches() && !subscripted.group(1).isEmpty();
        String base = subscript ? subscripted.group(1) : field;
        if (!version.equals("v1")) {
            errors.invalid(place, field, "error converting fieldPath: unsupported pod version: " + version);
        } else if (subscript && base.equals("metadata.annotations")) {
            String key = subscripted.group(2).toLowerCase(Locale.ROOT);
            FieldChecks.invalid(path, key, Names.qualifiedName(key), errors);
        } else if (subscript && base.equals("metadata.labels")) {
            String key = subscripted.group(2);
            FieldChecks.invalid(path, key, Names.qualifiedName(key), errors);
        } else if (subscript) {
            errors.invalid(
                    place, field, "error converting fieldPath: field label does not support subscript: " + field);
        } else if (!KNOWN_FIELDS.contains(field) && !field.equals("spec.host")) {
            errors.invalid(place, field, "error converting fieldPath: field label not supported: " + field);
        } else {
            String current = field.equals("spec.host") ? "spec.nodeName" : field;
            if (!allowed.contains(current)) {
                errors.notSupported(place, current, allowed);
            }
        }
    }

    static void resourceFieldRef(ObjectNode reference, boolean inVolume, FieldPath path, FieldErrors errors) {
        String resource = Json.textAt(reference, "resource");
        boolean hugePages = resource.startsWith("requests.hugepages-") || resource.startsWith("limits.hugepages-");
        if (inVolume && Json.textAt(reference, "containerName").isEmpty()) {
            errors.required(path.child("containerName"));
        } else if (resource.isEmpty()) {
            errors.required(path.child("resource"));
        } else if (!RESOURCES.contains(resource) && !hugePages) {
            errors.notSupported(path.child("resource"), resource, RESOURCES);
        }
        Quantity divisor = Quantity.at(reference, "divisor");
        if (divisor.isZero()) {
            return;
        }
        String kind = resource.substring(resource.indexOf('.') + 1);
        if (kind.equals("cpu") && !Set.of("1m", "1").contains(divisor.toString())) {
            errors.invalid(
                    path.child("divisor"),
                    resource,
                    "only divisor's values 1m and 1 are supported with the cpu resource");
        }
        String bytes = kind.equals("memory")
                ? "memory"
                : kind.equals("ephemeral-storage") ? "local ephemeral storage" : hugePages ? "hugepages" : "";
        if (!bytes.isEmpty() && !BYTE_DIVISORS.contains(divisor.toString())) {
            errors.invalid(
                    path.child("divisor"),
                    resource,
                    "only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with"
                            + " the " + bytes + " resource");
        }
    }

    private static void keyRef(ObjectNode reference, FieldPath path, FieldErrors errors) {
        String name = Json.textAt(reference, "name");
        FieldChecks.invalid(path.child("name"), name, Names.dns1123Subdomain(name), errors);
        if (FieldChecks.requireText(reference, "key", path, errors)) {
            String key = Json.textAt(reference, "key");
            FieldChecks.invalid(path.child("key"), key, Identifiers.configMapKey(key), errors);
        }
    }

    private static void fileKeyRef(ObjectNode reference, FieldPath path, FieldErrors errors) {
        if (FieldChecks.requireText(reference, "key", path, errors)) {
            String key = Json.textAt(reference, "key");
            FieldChecks.invalid(path.child("key"), key, Identifiers.relaxedEnvVarName(key), errors);
        }
        FieldChecks.requireLabel(reference, "volumeName", path, errors);
        if (FieldChecks.requireText(reference, "path", path, errors)) {
            FieldChecks.noBacksteps(Json.textAt(reference, "path"), path.child("path"), errors);
        }
    }

    static void envFrom(ObjectNode container, FieldPath path, FieldErrors errors) {
        List<ObjectNode> sources = Nodes.objects(container, "envFrom");
        for (int i = 0; i < sources.size(); i++) {
            FieldPath place = path.index(i);
            String prefix = Json.textAt(sources.get(i), "prefix");
            if (!prefix.isEmpty()) {
                FieldChecks.invalid(place.child("prefix"), prefix, Identifiers.relaxedEnvVarName(prefix), errors);
            }
            int found = 0;
            for (String kind : List.of("configMapRef", "secretRef")) {
                JsonNode reference = Json.at(sources.get(i), kind);
                if (reference != null) {
                    found++;
                    if (FieldChecks.requireText(reference, "name", place.child(kind), errors)) {
                        String name = Json.textAt(reference, "name");
                        // Upstream checks these as prefixes, so a dash at the end passes.
                        List<String> wrong = Names.SUBDOMAIN.check(name, true);
                        FieldChecks.invalid(place.child(kind, "name"), name, wrong, errors);
                    }
                }
            }
            if (found == 0) {
                errors.invalid(path, "", "must specify one of: `configMapRef` or `secretRef`");
            } else if (found > 1) {
                errors.invalid(path, "", "may not have more than one field specified at a time");
            }
        }
    }
}
