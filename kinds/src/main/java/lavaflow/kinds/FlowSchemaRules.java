package lavaflow.kinds;

import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Which requests go to which priority level. */
final class FlowSchemaRules implements KindRules {
    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.GENERATION);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        Nodes.defaultNonZero(Json.ensureObject(object, "spec"), "matchingPrecedence", 1000);
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
        object.putObject("status");
    }

    @Override
    public void prepareForStatusUpdate(ObjectNode object, ObjectNode old) {
        KindRules.keep(object, old, "spec");
        KindRules.keepMetadata(object, old);
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        FlowSchemaValidation.validate(object, errors);
    }

    @Override
    public void validateStatusUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        FlowSchemaValidation.conditions(object, errors);
    }
}
