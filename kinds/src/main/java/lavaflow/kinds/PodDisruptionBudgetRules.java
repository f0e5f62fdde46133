package lavaflow.kinds;

import java.util.List;
import java.util.Set;

import lavaflow.kube.ConditionRules;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelectorRules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** policy/v1 PodDisruptionBudget. */
final class PodDisruptionBudgetRules implements KindRules {
    private static final FieldPath SPEC = FieldPath.of("spec");
    private static final FieldPath STATUS = FieldPath.of("status");

    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.GENERATION, Trait.NO_UNCONDITIONAL_UPDATE);
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        JsonNode least = Json.at(spec, "minAvailable");
        JsonNode most = Json.at(spec, "maxUnavailable");
        if (least != null && most != null) {
            errors.invalid(SPEC, shown(spec), "minAvailable and maxUnavailable cannot be both set");
        }
        validateAmount(least, SPEC.child("minAvailable"), errors);
        validateAmount(most, SPEC.child("maxUnavailable"), errors);
        LabelSelectorRules.check(Json.at(spec, "selector"), SPEC.child("selector"), errors);
        FieldChecks.optionalOneOf(
                spec, "unhealthyPodEvictionPolicy", List.of("AlwaysAllow", "IfHealthyBudget"), SPEC, errors);
    }

    private static void validateAmount(@Nullable JsonNode amount, FieldPath path, FieldErrors errors) {
        WorkloadChecks.countOrPercent(amount, path, errors);
        WorkloadChecks.atMost100Percent(amount, path, errors);
    }

    /** The spec as upstream keeps it internally, which is what its messages show. */
    private static ObjectNode shown(ObjectNode spec) {
        ObjectNode shown = Json.object();
        shown.set("MinAvailable", Json.at(spec, "minAvailable"));
        shown.set("Selector", WorkloadChecks.shownSelector(Json.at(spec, "selector")));
        shown.set("MaxUnavailable", Json.at(spec, "maxUnavailable"));
        shown.set("UnhealthyPodEvictionPolicy", Json.at(spec, "unhealthyPodEvictionPolicy"));
        return shown;
    }

    @Override
    public void validateStatusUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        ObjectNode status = Json.ensureObject(object, "status");
        ConditionRules.check(Json.listAt(status, "conditions"), STATUS.child("conditions"), errors);
        WorkloadChecks.notNegative(
                status, STATUS, errors, "disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods");
    }
}
