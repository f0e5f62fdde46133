package lavaflow.kinds;

import java.util.LinkedHashMap;
import java.util.Map;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Values as upstream's internal structs print: every field, under its Go name, empty ones as null.
 *
 * <p>Messages about immutable fields show values in this form.
 */
final class GoShapes {
    /** Sources of persistent volumes by Go name, in the order of the struct, with their JSON names. */
    private static final Map<String, String> SOURCES = new LinkedHashMap<>();

    static {
        for (String source : new String[] {
            "GCEPersistentDisk", "AWSElasticBlockStore", "HostPath", "Glusterfs", "NFS", "RBD", "Quobyte", "ISCSI",
            "FlexVolume", "Cinder", "CephFS", "FC", "Flocker", "AzureFile", "VsphereVolume", "AzureDisk",
            "PhotonPersistentDisk", "PortworxVolume", "ScaleIO", "Local", "StorageOS", "CSI"
        }) {
            SOURCES.put(source, jsonName(source));
        }
    }

    private GoShapes() {}

    private static String jsonName(String source) {
        return switch (source) {
            case "GCEPersistentDisk" -> "gcePersistentDisk";
            case "AWSElasticBlockStore" -> "awsElasticBlockStore";
            case "NFS", "RBD", "ISCSI", "FC", "CSI", "StorageOS", "CephFS" -> source.toLowerCase(java.util.Locale.ROOT);
            default -> Character.toLowerCase(source.charAt(0)) + source.substring(1);
        };
    }

    static JsonNode claimSpec(ObjectNode spec) {
        ObjectNode shown = Json.object();
        put(shown, "AccessModes", Json.at(spec, "accessModes"));
        put(shown, "Selector", Json.at(spec, "selector"));
        ObjectNode resources = shown.putObject("Resources");
        put(resources, "Limits", Json.at(spec, "resources", "limits"));
        put(resources, "Requests", Json.at(spec, "resources", "requests"));
        shown.put("VolumeName", Json.textAt(spec, "volumeName"));
        shown.set("StorageClassName", Json.at(spec, "storageClassName"));
        shown.set("VolumeMode", Json.at(spec, "volumeMode"));
        JsonNode source = Json.at(spec, "dataSource");
        shown.set("DataSource", source == null ? null : reference(source));
        JsonNode reference = Json.at(spec, "dataSourceRef");
        shown.set("DataSourceRef", reference == null ? null : reference(reference));
        if (shown.get("DataSourceRef") instanceof ObjectNode full) {
            full.set("Namespace", Json.at(reference, "namespace"));
        }
        shown.set("VolumeAttributesClassName", Json.at(spec, "volumeAttributesClassName"));
        return shown;
    }

    private static ObjectNode reference(JsonNode reference) {
        ObjectNode shown = Json.object();
        shown.set("APIGroup", Json.at(reference, "apiGroup"));
        return shown.put("Kind", Json.textAt(reference, "kind")).put("Name", Json.textAt(reference, "name"));
    }

    /** Lists and maps that are empty are null. */
    private static void put(ObjectNode shown, String field, @Nullable JsonNode value) {
        shown.set(field, value == null || value.isEmpty() ? null : value);
    }

    static JsonNode volumeSource(ObjectNode spec) {
        ObjectNode shown = Json.object();
        SOURCES.forEach((name, field) -> {
            JsonNode source = Json.at(spec, field);
            shown.set(name, source == null ? null : source(name, source));
        });
        return shown;
    }

    private static JsonNode source(String name, JsonNode source) {
        return switch (name) {
            case "HostPath" -> FieldChecks.goStruct(source, "Path=", "Type");
            case "NFS" ->
                FieldChecks.goStruct(source, "Server=", "Path=").put("ReadOnly", Json.flagAt(source, "readOnly"));
            case "Local" -> {
                ObjectNode shown = FieldChecks.goStruct(source, "Path=");
                shown.set("FSType", Json.at(source, "fsType"));
                yield shown;
            }
            case "CSI" -> csi(source);
            default -> capitalised(source);
        };
    }

    private static ObjectNode csi(JsonNode source) {
        ObjectNode shown = FieldChecks.goStruct(source, "Driver=", "VolumeHandle=");
        shown.put("ReadOnly", Json.flagAt(source, "readOnly")).put("FSType", Json.textAt(source, "fsType"));
        put(shown, "VolumeAttributes", Json.at(source, "volumeAttributes"));
        for (String secret : new String[] {
            "ControllerPublishSecretRef",
            "NodeStageSecretRef",
            "NodePublishSecretRef",
            "ControllerExpandSecretRef",
            "NodeExpandSecretRef"
        }) {
            JsonNode found = Json.at(source, Character.toLowerCase(secret.charAt(0)) + secret.substring(1));
            shown.set(secret, found == null ? null : FieldChecks.goStruct(found, "Name=", "Namespace="));
        }
        return shown;
    }

    /** Close enough for sources that have been without function for years: what is set, with capitals. */
    private static JsonNode capitalised(JsonNode source) {
        ObjectNode shown = Json.object();
        Nodes.entries(source)
                .forEach((name, value) -> shown.set(Character.toUpperCase(name.charAt(0)) + name.substring(1), value));
        return shown;
    }

    /** The required nodes of a volume. */
    static JsonNode volumeNodeAffinity(@Nullable JsonNode affinity) {
        ObjectNode shown = Json.object();
        JsonNode required = Json.at(affinity, "required");
        if (required == null) {
            return shown.putNull("Required");
        }
        var terms = shown.putObject("Required").putArray("NodeSelectorTerms");
        for (ObjectNode term : Nodes.objects(required, "nodeSelectorTerms")) {
            ObjectNode shownTerm = terms.addObject();
            for (String field : new String[] {"MatchExpressions", "MatchFields"}) {
                String name = Character.toLowerCase(field.charAt(0)) + field.substring(1);
                if (Nodes.emptyAt(term, name)) {
                    shownTerm.putNull(field);
                    continue;
                }
                var list = shownTerm.putArray(field);
                for (ObjectNode requirement : Nodes.objects(term, name)) {
                    list.add(FieldChecks.goStruct(requirement, "Key=", "Operator=", "Values"));
                }
            }
        }
        return shown;
    }
}
