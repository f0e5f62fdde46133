package lavaflow.kinds;

import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Storage classes: how volumes are made; all but metadata and two switches is fixed. */
final class StorageClassRules implements KindRules {
    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.RETURNS_DELETED);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        Nodes.defaultValue(object, "reclaimPolicy", Json.text("Delete"));
        Nodes.defaultValue(object, "volumeBindingMode", Json.text("Immediate"));
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        StorageValidation.storageClass(object, errors);
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        StorageValidation.storageClassUpdate(object, old, errors);
    }

    @Override
    public List<String> warnings(ObjectNode object, @Nullable ObjectNode old) {
        return StorageValidation.topologyWarnings(object);
    }
}
