package lavaflow.kinds;

import java.util.Set;

import lavaflow.kube.FieldErrors;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** That a volume is to be attached to a node, and whether it is. */
final class VolumeAttachmentRules implements KindRules {
    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.NO_UNCONDITIONAL_UPDATE, Trait.RETURNS_DELETED);
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
        object.putObject("status").put("attached", false);
    }

    @Override
    public void prepareForStatusUpdate(ObjectNode object, ObjectNode old) {
        KindRules.keep(object, old, "spec");
        KindRules.keepMetadata(object, old);
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        AttachmentValidation.validate(object, errors);
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        AttachmentValidation.update(object, old, errors);
    }

    @Override
    public void validateStatusUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        AttachmentValidation.update(object, old, errors);
    }
}
