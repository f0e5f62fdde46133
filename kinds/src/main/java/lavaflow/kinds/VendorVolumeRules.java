package lavaflow.kinds;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Volume sources of network file systems, block protocols and clouds; most are long deprecated. */
final class VendorVolumeRules {
    private static final int HIGHEST_NUMBER = 255;
    private static final int LONGEST_INITIATOR = 64;
    private static final Pattern IQN = Pattern.compile("iqn\\.\\d{4}-\\d{2}\\.([\\p{Alnum}-.]+)(:[^,;*&$|\\s]+)$");
    private static final Pattern EUI = Pattern.compile("^eui.\\p{Alnum}{16}$");
    private static final Pattern NAA = Pattern.compile("^naa.\\p{Alnum}{32}$");
    private static final String HOST_PORTS = "must be a host:port pair or multiple pairs separated by commas";

    private VendorVolumeRules() {}

    static void check(String source, ObjectNode node, FieldPath path, FieldErrors errors) {
        FieldPath place = path.child(source);
        switch (source) {
            case "gitRepo" -> {
                FieldChecks.requireText(node, "repository", place, errors);
                FieldChecks.descendingPath(Json.textAt(node, "directory"), place.child("directory"), errors);
            }
            // Upstream's path has another name than the field.
            case "gcePersistentDisk" -> disk(node, "pdName", path.child("persistentDisk"), errors);
            case "awsElasticBlockStore" -> disk(node, "volumeID", place, errors);
            case "nfs" -> nfs(node, place, errors);
            case "iscsi" -> iscsi(node, place, errors);
            case "glusterfs" -> require(node, place, errors, "endpoints", "path");
            case "flocker" -> flocker(node, place, errors);
            case "rbd" -> {
                requireList(node, "monitors", place, errors);
                require(node, place, errors, "image");
            }
            case "cinder" -> {
                require(node, place, errors, "volumeID");
                secretRef(node, place, errors);
            }
            case "cephfs" -> requireList(node, "monitors", place, errors);
            case "quobyte" -> quobyte(node, place, errors);
            case "fc" -> fibreChannel(node, place, errors);
            case "flexVolume" -> flexVolume(node, place, errors);
            case "azureFile" -> require(node, place, errors, "secretName", "shareName");
            case "vsphereVolume" -> require(node, place, errors, "volumePath");
            case "photonPersistentDisk" -> require(node, place, errors, "pdID");
            case "portworxVolume" -> require(node, place, errors, "volumeID");
            case "azureDisk" -> azureDisk(node, place, errors);
            case "storageos" -> {
                FieldChecks.requireLabel(node, "volumeName", place, errors);
                FieldChecks.optionalLabel(node, "volumeNamespace", place, errors);
                secretRef(node, place, errors);
            }
            case "scaleIO" -> require(node, place, errors, "gateway", "system", "volumeName");
            default -> throw new IllegalArgumentException("no such volume source: " + source);
        }
    }

    private static void require(ObjectNode node, FieldPath path, FieldErrors errors, String... fields) {
        for (String field : fields) {
            FieldChecks.requireText(node, field, path, errors);
        }
    }

    private static void requireList(ObjectNode node, String field, FieldPath path, FieldErrors errors) {
        if (Nodes.emptyAt(node, field)) {
            errors.required(path.child(field));
        }
    }

    private static void secretRef(ObjectNode node, FieldPath path, FieldErrors errors) {
        if (Nodes.has(node, "secretRef")) {
            FieldChecks.requireText(node.get("secretRef"), "name", path.child("secretRef"), errors);
        }
    }

    private static void disk(ObjectNode node, String name, FieldPath path, FieldErrors errors) {
        FieldChecks.requireText(node, name, path, errors);
        long partition = Json.longAt(node, 0, "partition");
        if (partition < 0 || partition > HIGHEST_NUMBER) {
            errors.invalid(path.child("partition"), partition, Names.between(1, HIGHEST_NUMBER));
        }
    }

    private static void nfs(ObjectNode node, FieldPath path, FieldErrors errors) {
        require(node, path, errors, "server", "path");
        String target = Json.textAt(node, "path");
        if (!target.startsWith("/")) {
            errors.invalid(path.child("path"), target, "must be an absolute path");
        }
    }

    private static void iscsi(ObjectNode node, FieldPath path, FieldErrors errors) {
        require(node, path, errors, "targetPortal");
        if (FieldChecks.requireText(node, "iqn", path, errors)) {
            iscsiAddress(Json.textAt(node, "iqn"), path.child("iqn"), errors);
        }
        FieldChecks.inRange(node, "lun", 0, HIGHEST_NUMBER, path, errors);
        boolean authenticates = Json.flagAt(node, "chapAuthDiscovery") || Json.flagAt(node, "chapAuthSession");
        if (authenticates && !Nodes.has(node, "secretRef")) {
            errors.required(path.child("secretRef"));
        }
        if (Nodes.has(node, "initiatorName")) {
            iscsiAddress(Json.textAt(node, "initiatorName"), path.child("initiatorname"), errors);
        }
    }

    private static void iscsiAddress(String address, FieldPath path, FieldErrors errors) {
        Pattern pattern = address.startsWith("iqn")
                ? IQN
                : address.startsWith("eui") ? EUI : address.startsWith("naa") ? NAA : null;
        if (pattern == null) {
            errors.invalid(path, address, "must be valid format starting with iqn, eui, or naa");
        } else if (!pattern.matcher(address).find()) {
            errors.invalid(path, address, "must be valid format");
        }
    }

    /** The kernel's name of a session is made of the volume's and the portal's. */
    static void iscsiName(ObjectNode volume, FieldPath path, FieldErrors errors) {
        String name = Json.textAt(volume, "name");
        String session = name + ":" + Json.textAt(volume, "iscsi", "targetPortal");
        if (Nodes.has(volume, "iscsi", "initiatorName") && Names.utf8Length(session) > LONGEST_INITIATOR) {
            errors.invalid(
                    path.child("name"),
                    name,
                    "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if"
                            + " iscsi.initiatorName is specified.");
        }
    }

    private static void flocker(ObjectNode node, FieldPath path, FieldErrors errors) {
        String name = Json.textAt(node, "datasetName");
        boolean hasId = !Json.textAt(node, "datasetUUID").isEmpty();
        if (name.isEmpty() && !hasId) {
            errors.required(path, "one of datasetName and datasetUUID is required");
        }
        if (!name.isEmpty() && hasId) {
            errors.invalid(path, "resource", "datasetName and datasetUUID can not be specified simultaneously");
        }
        if (name.contains("/")) {
            errors.invalid(path.child("datasetName"), name, "must not contain '/'");
        }
    }

    private static void quobyte(ObjectNode node, FieldPath path, FieldErrors errors) {
        String registry = Json.textAt(node, "registry");
        if (registry.isEmpty()) {
            errors.required(path.child("registry"), HOST_PORTS);
        } else if (Names.utf8Length(Json.textAt(node, "tenant")) > LONGEST_INITIATOR) {
            errors.required(path.child("tenant"), "must be a UUID and may not exceed a length of 64 characters");
        } else {
            for (String pair : registry.split(",", -1)) {
                if (!isHostAndPort(pair)) {
                    errors.invalid(path.child("registry"), registry, HOST_PORTS);
                }
            }
        }
        FieldChecks.requireText(node, "volume", path, errors);
    }

    private static boolean isHostAndPort(String pair) {
        int colon = pair.lastIndexOf(':');
        if (colon < 0) {
            return false;
        }
        if (pair.startsWith("[")) {
            int end = pair.indexOf(']');
            return end >= 0 && end + 1 == colon && pair.indexOf('[', 1) < 0;
        }
        return pair.indexOf(':') == colon && pair.indexOf('[') < 0 && pair.indexOf(']') < 0;
    }

    private static void fibreChannel(ObjectNode node, FieldPath path, FieldErrors errors) {
        ArrayNode targets = Json.listAt(node, "targetWWNs");
        boolean hasIds = !Nodes.emptyAt(node, "wwids");
        if (targets.isEmpty() && !hasIds) {
            errors.required(path.child("targetWWNs"), "must specify either targetWWNs or wwids, but not both");
        }
        if (!targets.isEmpty() && hasIds) {
            errors.invalid(
                    path.child("targetWWNs"), targets, "targetWWNs and wwids can not be specified simultaneously");
        }
        if (!targets.isEmpty()) {
            if (!Nodes.has(node, "lun")) {
                errors.required(path.child("lun"), "lun is required if targetWWNs is specified");
            }
            FieldChecks.inRange(node, "lun", 0, HIGHEST_NUMBER, path, errors);
        }
    }

    private static void flexVolume(ObjectNode node, FieldPath path, FieldErrors errors) {
        FieldChecks.requireText(node, "driver", path, errors);
        for (String key : Nodes.entries(node, "options").keySet()) {
            int slash = key.indexOf('/');
            String domain = "." + (slash < 0 ? key : key.substring(0, slash)).toLowerCase(Locale.ROOT);
            if (domain.endsWith(".kubernetes.io") || domain.endsWith(".k8s.io")) {
                errors.invalid(path.child("options").key(key), key, "kubernetes.io and k8s.io namespaces are reserved");
            }
        }
    }

    private static void azureDisk(ObjectNode node, FieldPath path, FieldErrors errors) {
        require(node, path, errors, "diskName", "diskURI");
        FieldChecks.optionalOneOf(node, "cachingMode", List.of("None", "ReadOnly", "ReadWrite"), path, errors);
        FieldChecks.optionalOneOf(node, "kind", List.of("Dedicated", "Managed", "Shared"), path, errors);
        String uri = Json.textAt(node, "diskURI");
        boolean managed = Json.textAt(node, "kind").equals("Managed");
        if (managed && !uri.startsWith("/subscriptions/")) {
            errors.notSupported(
                    path.child("diskURI"),
                    uri,
                    List.of("/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/"
                            + "{disk-id}"));
        }
        if (!managed && Nodes.has(node, "kind") && !uri.startsWith("https://")) {
            errors.notSupported(
                    path.child("diskURI"),
                    uri,
                    List.of("https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"));
        }
    }
}
