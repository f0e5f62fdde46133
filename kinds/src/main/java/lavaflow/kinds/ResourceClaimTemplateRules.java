package lavaflow.kinds;

import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Templates of claims on devices: immutable. */
final class ResourceClaimTemplateRules implements KindRules {
    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.RETURNS_DELETED);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        Json.ensureObject(object, "spec", "metadata");
        ResourceClaimRules.applyDefaults(Json.ensureObject(object, "spec", "spec"), "devices");
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        DeviceClaimValidation.template(object, errors);
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        DeviceClaimValidation.template(object, errors);
        DeviceClaimValidation.frozen(object, old, true, errors);
    }
}
