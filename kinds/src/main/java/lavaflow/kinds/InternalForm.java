package lavaflow.kinds;

import java.util.List;
import java.util.Locale;
import java.util.Map;

import lavaflow.kube.BuiltinTypes;
import lavaflow.kube.Json;
import lavaflow.kube.Struct;
import lavaflow.kube.Type;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Pod templates as upstream's messages show them: printed from internal Go structs, which have capitalised names, no
 * field left out, and here and there another shape than the served version.
 */
final class InternalForm {
    private static final String CORE = "io.k8s.api.core.v1.";

    /** Fields of a pod's spec that upstream keeps in its security context. */
    private static final List<String> HOST =
            List.of("hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers");

    private static final List<String> SECURITY = List.of(
            "seLinuxOptions",
            "windowsOptions",
            "runAsUser",
            "runAsGroup",
            "runAsNonRoot",
            "supplementalGroups",
            "supplementalGroupsPolicy",
            "fsGroup",
            "fsGroupChangePolicy",
            "sysctls",
            "seccompProfile",
            "appArmorProfile",
            "seLinuxChangePolicy");

    private static final List<String> SPEC = List.of(
            "volumes",
            "initContainers",
            "containers",
            "ephemeralContainers",
            "restartPolicy",
            "terminationGracePeriodSeconds",
            "activeDeadlineSeconds",
            "dnsPolicy",
            "nodeSelector",
            "serviceAccountName",
            "automountServiceAccountToken",
            "nodeName",
            "securityContext",
            "imagePullSecrets",
            "hostname",
            "subdomain",
            "setHostnameAsFQDN",
            "affinity",
            "schedulerName",
            "tolerations",
            "hostAliases",
            "priorityClassName",
            "priority",
            "preemptionPolicy",
            "dnsConfig",
            "readinessGates",
            "runtimeClassName",
            "overhead",
            "enableServiceLinks",
            "topologySpreadConstraints",
            "os",
            "schedulingGates",
            "resourceClaims",
            "resources",
            "hostnameOverride",
            "schedulingGroup");

    /** Go names that are no capitalised JSON names. */
    private static final Map<String, String> NAMES = Map.ofEntries(
            Map.entry("cephfs", "CephFS"),
            Map.entry("storageos", "StorageOS"),
            Map.entry("wwids", "WWIDs"),
            Map.entry("seLinuxOptions", "SELinuxOptions"),
            Map.entry("seLinuxChangePolicy", "SELinuxChangePolicy"));

    /** Abbreviations that Go writes in capitals at the start of a name. */
    private static final List<String> ABBREVIATIONS = List.of(
            "iscsi", "http", "grpc", "dns", "tty", "tcp", "nfs", "rbd", "csi", "gce", "aws", "api", "iqn", "os", "fs",
            "fc", "ip", "pd");

    private InternalForm() {}

    static ObjectNode template(@Nullable JsonNode template) {
        ObjectNode shown = Json.object();
        putMetadata(shown, Json.objectAt(template, "metadata"));
        shown.set("Spec", spec(Json.at(template, "spec")));
        return shown;
    }

    /** Embedded, and with the names it has in JSON. */
    private static void putMetadata(ObjectNode shown, @Nullable ObjectNode metadata) {
        if (metadata == null) {
            return;
        }
        for (Map.Entry<String, JsonNode> field : metadata.properties()) {
            boolean map = field.getKey().equals("labels") || field.getKey().equals("annotations");
            JsonNode value = map ? WorkloadChecks.shownMap(field.getValue()) : field.getValue();
            if (value != null) {
                shown.set(field.getKey(), value);
            }
        }
    }

    static ObjectNode spec(@Nullable JsonNode spec) {
        Struct struct = BuiltinTypes.instance().struct(CORE + "PodSpec");
        ObjectNode shown = Json.object();
        for (String name : SPEC) {
            if (name.equals("securityContext")) {
                shown.set("SecurityContext", security(spec, struct));
            } else {
                put(shown, struct, name, spec);
            }
        }
        return shown;
    }

    private static JsonNode security(@Nullable JsonNode spec, Struct podSpec) {
        JsonNode context = Json.at(spec, "securityContext");
        if (context == null && HOST.stream().noneMatch(field -> Nodes.has(spec, field))) {
            return Json.FACTORY.nullNode();
        }
        ObjectNode shown = Json.object();
        for (String name : HOST) {
            put(shown, podSpec, name, spec);
        }
        Struct struct = BuiltinTypes.instance().struct(CORE + "PodSecurityContext");
        for (String name : SECURITY) {
            put(shown, struct, name, context);
        }
        return shown;
    }

    private static void put(ObjectNode shown, Struct struct, String name, @Nullable JsonNode parent) {
        Struct.Field field = struct.field(name);
        if (field != null) {
            shown.set(goName(name), value(Json.at(parent, name), field.type(), field.pointer()));
        }
    }

    private static JsonNode value(@Nullable JsonNode value, Type type, boolean pointer) {
        if (value == null && pointer) {
            return Json.FACTORY.nullNode();
        }
        return switch (type) {
            case Type.Ref ref -> struct(value, ref.struct());
            case Type.ListOf list -> value == null ? Json.FACTORY.nullNode() : list(value, list.element());
            case Type.MapOf map -> value == null ? Json.FACTORY.nullNode() : map(value, map.value());
            case Type.Scalar scalar -> value == null ? zero(scalar) : value;
            case Type.OneOf _ -> value == null ? Json.FACTORY.nullNode() : value;
        };
    }

    private static JsonNode struct(@Nullable JsonNode value, String name) {
        if (!name.startsWith(CORE)) {
            // Types of the API machinery have one form only.
            return value == null ? Json.object() : value;
        }
        ObjectNode shown = Json.object();
        Struct struct = BuiltinTypes.instance().struct(name);
        for (String field : struct.fields().keySet()) {
            if (field.equals("metadata")) {
                putMetadata(shown, Json.objectAt(value, "metadata"));
            } else if (!field.equals("quobyte")) {
                put(shown, struct, field, value);
            }
            if (field.equals("rbd")) {
                put(shown, struct, "quobyte", value); // Declared elsewhere among the internal volume sources.
            }
        }
        return shown;
    }

    private static ArrayNode list(JsonNode values, Type element) {
        ArrayNode shown = Json.array();
        for (JsonNode value : values) {
            shown.add(value(value, element, false));
        }
        return shown;
    }

    private static ObjectNode map(JsonNode values, Type element) {
        ObjectNode shown = Json.object();
        for (Map.Entry<String, JsonNode> entry : Nodes.entries(values).entrySet()) {
            shown.set(entry.getKey(), value(entry.getValue(), element, false));
        }
        return shown;
    }

    private static JsonNode zero(Type.Scalar scalar) {
        return switch (scalar) {
            case STRING -> Json.text("");
            case BOOL -> Json.FACTORY.booleanNode(false);
            case INT32, INT64, FLOAT64, INT_OR_STRING -> Json.number(0);
            case QUANTITY -> Json.text("0");
            case DURATION -> Json.text("0s");
            case BYTES, TIME, MICRO_TIME, RAW, FIELDS_V1 -> Json.FACTORY.nullNode();
        };
    }

    private static String goName(String name) {
        String special = NAMES.get(name);
        if (special != null) {
            return special;
        }
        for (String abbreviation : ABBREVIATIONS) {
            int length = abbreviation.length();
            boolean whole =
                    name.length() == length || (name.length() > length && !Character.isLowerCase(name.charAt(length)));
            if (whole && name.startsWith(abbreviation)) {
                return abbreviation.toUpperCase(Locale.ROOT) + name.substring(length);
            }
        }
        return Character.toUpperCase(name.charAt(0)) + name.substring(1);
    }
}
