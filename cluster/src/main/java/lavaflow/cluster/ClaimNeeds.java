package lavaflow.cluster;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What a claim asks for, and which volume fits.
 *
 * @param volume the name of the volume it has or wants, empty for any
 * @param classKnown whether it says which class it wants, be it none
 * @param bound whether it was bound once
 * @param selectedNode where a volume is to be made for it, empty for not decided
 */
record ClaimNeeds(
        String namespace,
        String name,
        String uid,
        String volume,
        boolean classKnown,
        String className,
        List<String> modes,
        String volumeMode,
        String attributes,
        Quantity size,
        LabelSelector selector,
        boolean bound,
        String selectedNode,
        String phase) {
    static final String BIND_COMPLETED = "pv.kubernetes.io/bind-completed";
    static final String SELECTED_NODE = "volume.kubernetes.io/selected-node";

    static ClaimNeeds of(ObjectNode claim) {
        ObjectNode selector = Json.objectAt(claim, "spec", "selector");
        return new ClaimNeeds(
                Objects.namespace(claim),
                Objects.name(claim),
                Objects.uid(claim),
                Json.textAt(claim, "spec", "volumeName"),
                Json.at(claim, "metadata", "annotations", VolumeState.CLASS_ANNOTATION) != null
                        || Json.at(claim, "spec", "storageClassName") != null,
                VolumeState.className(claim),
                VolumeState.strings(Json.listAt(claim, "spec", "accessModes")),
                Json.textAt(claim, "spec", "volumeMode"),
                Json.textAt(claim, "spec", "volumeAttributesClassName"),
                Quantity.at(Json.at(claim, "spec", "resources", "requests"), "storage"),
                selector == null ? LabelSelector.EVERYTHING : LabelSelector.fromJson(selector),
                Json.at(claim, "metadata", "annotations", BIND_COMPLETED) != null,
                Json.textAt(claim, "metadata", "annotations", SELECTED_NODE),
                Json.textAt(claim, "status", "phase"));
    }

    /** Words under which a mirror finds claims: by the volume they name, or as waiting for one of a class. */
    List<String> words() {
        List<String> words = new ArrayList<>();
        if (!volume.isEmpty()) {
            words.add(wanting(volume));
        } else if (!bound) {
            words.add(waiting(className));
            words.add(WAITING);
        }
        return words;
    }

    static final String WAITING = "waiting";

    static String wanting(String volume) {
        return "wants " + volume;
    }

    static String waiting(String className) {
        return "waits for class " + className;
    }

    /** Why a volume that the claim asks for by name cannot be its; null if it can. */
    @Nullable
    String mismatch(VolumeState volume) {
        if (volume.capacity().compareTo(size) < 0) {
            return "requested PV is too small";
        }
        if (!volume.className().equals(className)) {
            return "storageClassName does not match";
        }
        if (!volume.attributes().equals(attributes)) {
            return "volumeAttributesClassName does not match";
        }
        if (!hasMode(volume)) {
            return "incompatible volumeMode";
        }
        return volume.modes().containsAll(modes) ? null : "incompatible accessMode";
    }

    private static String orFilesystem(String mode) {
        return mode.isEmpty() ? "Filesystem" : mode;
    }

    boolean hasMode(VolumeState volume) {
        return orFilesystem(volume.volumeMode()).equals(orFilesystem(volumeMode));
    }

    /**
     * The volume that fits best: one that is meant for the claim, else the one that can do the least, and of those the
     * smallest.
     *
     * @param later whether the scheduler chooses, so that only a volume meant for the claim counts
     */
    @Nullable
    VolumeState best(List<VolumeState> volumes, boolean later) {
        List<VolumeState> possible = volumes.stream()
                .filter(volume -> volume.claim() == null || volume.isFor(this))
                .filter(volume -> volume.capacity().compareTo(size) >= 0)
                .filter(volume -> hasMode(volume) && volume.attributes().equals(attributes))
                .filter(volume -> volume.modes().containsAll(modes) && !volume.deleting())
                .toList();
        for (VolumeState volume : possible) {
            if (volume.isFor(this)) {
                return volume;
            }
        }
        return possible.stream()
                .filter(volume -> !later && volume.phase().equals("Available"))
                .filter(volume -> volume.className().equals(className) && selector.matches(volume.labels()))
                .min(Comparator.comparingInt(
                                (VolumeState volume) -> volume.modes().size())
                        .thenComparing(VolumeState::capacity)
                        .thenComparing(VolumeState::name))
                .orElse(null);
    }
}
