package lavaflow.kinds;

import java.util.Set;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

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
}
