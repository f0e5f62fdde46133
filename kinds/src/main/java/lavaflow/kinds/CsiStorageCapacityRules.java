package lavaflow.kinds;

import java.util.Set;

import lavaflow.kube.FieldErrors;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** How much room a driver has left for volumes of a class somewhere. */
final class CsiStorageCapacityRules implements KindRules {
    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.NO_UNCONDITIONAL_UPDATE, Trait.RETURNS_DELETED);
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        CsiValidation.capacity(object, false, errors);
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        CsiValidation.capacityUpdate(object, old, errors);
    }
}
