package lavaflow.kinds;

import java.util.Set;

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
}
