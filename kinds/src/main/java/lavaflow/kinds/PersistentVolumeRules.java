package lavaflow.kinds;

import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Persistent volumes. */
final class PersistentVolumeRules implements KindRules {
    private static final String PHASE_TIME = "lastPhaseTransitionTime";

    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.RETURNS_DELETED);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        Nodes.defaultText(Json.ensureObject(object, "status"), "phase", "Pending");
        ObjectNode spec = Json.ensureObject(object, "spec");
        Nodes.defaultText(spec, "persistentVolumeReclaimPolicy", "Retain");
        Nodes.defaultValue(spec, "volumeMode", Json.text("Filesystem"));
        ResourceLists.roundUp(spec.get("capacity"));
        PersistentVolumeSources.applyDefaults(spec);
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
        object.putObject("status").put("phase", "Pending");
    }

    @Override
    public void stamp(ObjectNode object, @Nullable ObjectNode old, String now) {
        ObjectNode status = Json.ensureObject(object, "status");
        if (old == null) {
            status.put(PHASE_TIME, now);
            return;
        }
        String before = Json.textAt(old, "status", PHASE_TIME);
        String given = Json.textAt(status, PHASE_TIME);
        boolean samePhase = Json.textAt(old, "status", "phase").equals(Json.textAt(status, "phase"));
        if (samePhase && given.isEmpty() && !before.isEmpty()) {
            status.put(PHASE_TIME, before);
        } else if (!samePhase && (given.isEmpty() || given.equals(before))) {
            status.put(PHASE_TIME, now);
        }
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        PersistentVolumeValidation.create(object, errors);
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        PersistentVolumeValidation.update(object, old, errors);
    }

    @Override
    public List<String> warnings(ObjectNode object, @Nullable ObjectNode old) {
        return PersistentVolumeValidation.warnings(object);
    }
}
