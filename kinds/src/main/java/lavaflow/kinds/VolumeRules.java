package lavaflow.kinds;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** The volumes of a pod, and the sources that do not belong to one vendor. */
final class VolumeRules {
    private static final String ONE_TYPE = "may not specify more than 1 volume type";
    private static final List<String> HOST_PATH_TYPES = List.of(
            "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket");

    private VolumeRules() {}

    /**
     * Checks every volume and returns the good ones by name, which is what containers can mount.
     *
     * @param pod the pod that has them; null for a template
     */
    static Map<String, ObjectNode> all(ObjectNode spec, @Nullable ObjectNode pod, FieldPath path, FieldErrors errors) {
        String podName = Json.textAt(pod, "metadata", "name");
        List<ObjectNode> volumes = Nodes.objects(spec, "volumes");
        Set<String> ownClaims = new HashSet<>();
        for (ObjectNode volume : volumes) {
            if (!podName.isEmpty() && Nodes.has(volume, "ephemeral")) {
                ownClaims.add(podName + "-" + Json.textAt(volume, "name"));
            }
        }
        Map<String, ObjectNode> good = new LinkedHashMap<>();
        for (int i = 0; i < volumes.size(); i++) {
            ObjectNode volume = volumes.get(i);
            FieldPath place = path.index(i);
            String name = Json.textAt(volume, "name");
            FieldErrors found = new FieldErrors();
            source(volume, podName, pod != null, place, found);
            FieldChecks.requireLabel(volume, "name", place, found);
            if (good.containsKey(name)) {
                found.duplicate(place.child("name"), name);
            }
            if (found.isEmpty()) {
                good.put(name, volume);
            }
            errors.addAll(found);
            String claim = Json.textAt(volume, "persistentVolumeClaim", "claimName");
            if (!claim.isEmpty() && ownClaims.contains(claim)) {
                errors.invalid(
                        place.child("persistentVolumeClaim", "claimName"),
                        claim,
                        "must not reference a PVC that gets created for an ephemeral volume");
            }
        }
        return good;
    }

    private static void source(ObjectNode volume, String podName, boolean inPod, FieldPath path, FieldErrors errors) {
        List<String> sources = VolumeSources.of(volume);
        for (String source : sources) {
            ObjectNode node = Json.ensureObject(volume, source);
            if (!source.equals(sources.getFirst())) {
                errors.forbidden(path.child(oddName(source)), ONE_TYPE);
            } else if (!common(source, node, volume, podName, inPod, path, errors)) {
                VendorVolumeRules.check(source, node, path, errors);
            }
            if (source.equals("iscsi")) {
                VendorVolumeRules.iscsiName(volume, path, errors);
            }
        }
        if (sources.isEmpty()) {
            errors.required(path, "must specify a volume type");
        }
    }

    /** Two misspellings of upstream. */
    private static String oddName(String source) {
        return switch (source) {
            case "cephfs" -> "cephFS";
            case "downwardAPI" -> "downwarAPI";
            default -> source;
        };
    }

    /** Checks a source of our own; false where it is a vendor's. */
    private static boolean common(
            String source,
            ObjectNode node,
            ObjectNode volume,
            String podName,
            boolean inPod,
            FieldPath path,
            FieldErrors errors) {
        FieldPath place = path.child(source);
        switch (source) {
            case "emptyDir" -> {
                if (Quantity.at(node, "sizeLimit").signum() < 0) {
                    errors.forbidden(place.child("sizeLimit"), "SizeLimit field must be a valid resource quantity");
                }
            }
            case "hostPath" -> hostPath(node, place, errors);
            case "secret" -> ProjectedVolumeRules.files(node, "secretName", place, errors);
            case "configMap" -> ProjectedVolumeRules.files(node, "name", place, errors);
            case "persistentVolumeClaim" -> FieldChecks.requireText(node, "claimName", place, errors);
            case "downwardAPI" -> ProjectedVolumeRules.downward(node, place, errors);
            case "projected" -> ProjectedVolumeRules.projected(node, place, errors);
            case "csi" -> csi(node, place, errors);
            case "ephemeral" -> ephemeral(node, volume, podName, path, errors);
            case "image" -> {
                if (inPod) {
                    FieldChecks.requireText(node, "reference", place, errors);
                }
                FieldChecks.requireOneOf(
                        Json.textAt(node, "pullPolicy"),
                        ContainerRules.PULL_POLICIES,
                        place.child("pullPolicy"),
                        errors);
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private static void hostPath(ObjectNode source, FieldPath path, FieldErrors errors) {
        if (!FieldChecks.requireText(source, "path", path, errors)) {
            return;
        }
        FieldChecks.noBacksteps(Json.textAt(source, "path"), path.child("path"), errors);
        FieldChecks.optionalOneOf(source, "type", HOST_PATH_TYPES, path, errors);
    }

    private static void csi(ObjectNode source, FieldPath path, FieldErrors errors) {
        csiDriverName(Json.textAt(source, "driver"), path.child("driver"), errors);
        JsonNode secret = Json.at(source, "nodePublishSecretRef");
        if (secret != null && FieldChecks.requireText(secret, "name", path.child("nodePublishSecretRef"), errors)) {
            String name = Json.textAt(secret, "name");
            FieldChecks.invalid(path.child("name"), name, Names.dns1123Subdomain(name), errors);
        }
    }

    /** The name of a CSI driver; capitals are allowed. */
    static void csiDriverName(String name, FieldPath path, FieldErrors errors) {
        if (name.isEmpty()) {
            errors.required(path);
            return;
        }
        if (Names.utf8Length(name) > Names.LABEL_LENGTH) {
            errors.tooLong(path, Names.LABEL_LENGTH);
        }
        List<String> wrong = Names.dns1123Subdomain(name.toLowerCase(java.util.Locale.ROOT));
        FieldChecks.invalid(path, name, wrong, errors);
    }

    private static void ephemeral(
            ObjectNode source, ObjectNode volume, String podName, FieldPath path, FieldErrors errors) {
        FieldPath place = path.child("ephemeral", "volumeClaimTemplate");
        ObjectNode template = Json.objectAt(source, "volumeClaimTemplate");
        if (template == null) {
            errors.required(place);
        } else {
            ClaimSpecRules.template(template, place, errors);
        }
        String name = Json.textAt(volume, "name");
        if (!podName.isEmpty() && !name.isEmpty()) {
            String claim = podName + "-" + name;
            for (String wrong : Names.dns1123Subdomain(claim)) {
                errors.invalid(path.child("name"), name, "PVC name " + FieldErrors.quoted(claim) + ": " + wrong);
            }
        }
    }
}
