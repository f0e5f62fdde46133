package lavaflow.kinds;

import java.util.Set;

import lavaflow.kube.FieldErrors;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Classes of volume attributes: immutable but for metadata. */
final class VolumeAttributesClassRules implements KindRules {
    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.RETURNS_DELETED);
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        StorageValidation.attributesClass(object, errors);
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        StorageValidation.attributesClassUpdate(object, old, errors);
    }
}
