package lavaflow.kinds;

import java.util.Set;

import lavaflow.kube.FieldErrors;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Which drivers of volumes a node has. */
final class CsiNodeRules implements KindRules {
    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.NO_UNCONDITIONAL_UPDATE, Trait.RETURNS_DELETED);
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        CsiValidation.node(object, errors);
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        CsiValidation.nodeUpdate(object, old, errors);
    }
}
