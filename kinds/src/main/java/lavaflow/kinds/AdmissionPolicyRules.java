package lavaflow.kinds;

import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Policies written as expressions that judge or change what is written. */
final class AdmissionPolicyRules implements KindRules {
    private final boolean mutating;

    AdmissionPolicyRules(boolean mutating) {
        this.mutating = mutating;
    }

    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.GENERATION, Trait.NO_UNCONDITIONAL_UPDATE);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        Nodes.defaultValue(spec, "failurePolicy", Json.text("Fail"));
        ObjectNode match = Json.objectAt(spec, "matchConstraints");
        if (match != null) {
            AdmissionDefaults.applyMatch(match);
        }
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
        if (!mutating) {
            object.putObject("status");
        }
    }

    @Override
    public void prepareForStatusUpdate(ObjectNode object, ObjectNode old) {
        KindRules.keep(object, old, "spec");
        KindRules.keepMetadata(object, old);
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        AdmissionPolicyValidation.policy(object, mutating, errors);
    }

    @Override
    public void validateStatusUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        AdmissionPolicyValidation.status(object, errors);
    }
}
