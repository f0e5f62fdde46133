package lavaflow.kinds;

import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Where an admission policy applies, with which parameters and what follows. */
final class AdmissionPolicyBindingRules implements KindRules {
    private final boolean mutating;

    AdmissionPolicyBindingRules(boolean mutating) {
        this.mutating = mutating;
    }

    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.GENERATION, Trait.NO_UNCONDITIONAL_UPDATE);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        ObjectNode match = Json.objectAt(object, "spec", "matchResources");
        if (match != null) {
            AdmissionDefaults.applyMatch(match);
        }
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        AdmissionPolicyValidation.binding(object, mutating, errors);
    }
}
