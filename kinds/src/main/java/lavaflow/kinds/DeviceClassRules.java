package lavaflow.kinds;

import java.util.Set;

import lavaflow.kube.FieldErrors;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Classes of devices. */
final class DeviceClassRules implements KindRules {
    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.GENERATION, Trait.RETURNS_DELETED);
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        DeviceClaimValidation.deviceClass(object, errors);
    }
}
