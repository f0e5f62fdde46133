package lavaflow.cluster;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What the binder looks at in a volume.
 *
 * @param claim whom it is for, null for nobody yet
 * @param provisioner who made it, empty for a person
 * @param attributes the name of its attributes class, empty for none
 */
record VolumeState(
        String name,
        Quantity capacity,
        List<String> modes,
        String className,
        String volumeMode,
        String attributes,
        ObjectNode labels,
        @Nullable ClaimRef claim,
        boolean boundByController,
        String provisioner,
        String reclaim,
        String phase,
        boolean deleting) {
    static final String BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller";
    static final String PROVISIONED_BY = "pv.kubernetes.io/provisioned-by";
    static final String CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class";

    /** A claim as a volume names it; the uid is empty while the claim has not been seen. */
    record ClaimRef(String namespace, String name, String uid) {
        static @Nullable ClaimRef of(@Nullable JsonNode reference) {
            return reference == null
                    ? null
                    : new ClaimRef(
                            Json.textAt(reference, "namespace"),
                            Json.textAt(reference, "name"),
                            Json.textAt(reference, "uid"));
        }

        boolean means(String otherNamespace, String otherName, String otherUid) {
            return namespace.equals(otherNamespace)
                    && name.equals(otherName)
                    && (uid.isEmpty() || uid.equals(otherUid));
        }
    }

    static VolumeState of(ObjectNode volume) {
        return new VolumeState(
                Objects.name(volume),
                Quantity.at(Json.at(volume, "spec", "capacity"), "storage"),
                strings(Json.listAt(volume, "spec", "accessModes")),
                className(volume),
                Json.textAt(volume, "spec", "volumeMode"),
                Json.textAt(volume, "spec", "volumeAttributesClassName"),
                Objects.map(volume, "metadata", "labels"),
                ClaimRef.of(Json.at(volume, "spec", "claimRef")),
                Json.at(volume, "metadata", "annotations", BOUND_BY_CONTROLLER) != null,
                Json.textAt(volume, "metadata", "annotations", PROVISIONED_BY),
                Json.textAt(volume, "spec", "persistentVolumeReclaimPolicy"),
                Json.textAt(volume, "status", "phase"),
                Objects.isDeleting(volume));
    }

    /** The class of a volume or a claim, as the annotation of old or the field has it. */
    static String className(ObjectNode object) {
        JsonNode old = Json.at(object, "metadata", "annotations", CLASS_ANNOTATION);
        return old != null ? old.asText() : Json.textAt(object, "spec", "storageClassName");
    }

    static List<String> strings(JsonNode list) {
        List<String> strings = new ArrayList<>(1);
        list.forEach(each -> strings.add(each.asText()));
        return List.copyOf(strings);
    }

    /** Words under which a mirror finds volumes: by the claim they are for. */
    List<String> words() {
        return claim == null ? List.of() : List.of(of(claim.namespace(), claim.name()));
    }

    static String of(String namespace, String claim) {
        return namespace + "/" + claim;
    }

    boolean isFor(ClaimNeeds needs) {
        return claim != null && claim.means(needs.namespace(), needs.name(), needs.uid());
    }
}
