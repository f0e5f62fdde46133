package lavaflow.kinds;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** apps/v1 ReplicaSet. */
final class ReplicaSetRules implements KindRules {
    private static final FieldPath SPEC = FieldPath.of("spec");
    private static final FieldPath STATUS = FieldPath.of("status");

    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.GENERATION);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        PodTemplateRules.applyDefaults(Json.ensureObject(spec, "template"));
        Nodes.defaultValue(spec, "replicas", Json.number(1));
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
        object.remove("status");
        ScaledSpecs.prepareTemplate(object, null);
    }

    @Override
    public void prepareForUpdate(ObjectNode object, ObjectNode old) {
        KindRules.keep(object, old, "status");
        ScaledSpecs.prepareTemplate(object, old);
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        WorkloadChecks.notNegative(spec, SPEC, errors, "replicas", "minReadySeconds");
        // Upstream's message about an empty selector speaks of deployments here too.
        ScaledSpecs.validateSelector(spec, SPEC, "deployment", errors);
        ScaledSpecs.validateReplicated(spec, SPEC, errors);
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        validateCreate(object, errors);
        WorkloadChecks.immutableSelector(Json.at(object, "spec"), Json.at(old, "spec"), SPEC, errors);
    }

    @Override
    public void validateStatusUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        ObjectNode status = Json.ensureObject(object, "status");
        WorkloadChecks.notNegative(
                status,
                STATUS,
                errors,
                "replicas",
                "fullyLabeledReplicas",
                "readyReplicas",
                "availableReplicas",
                "observedGeneration",
                "terminatingReplicas");
        ScaledSpecs.validateOrder(status, STATUS, "fullyLabeledReplicas", "replicas", "status.replicas", errors);
        ScaledSpecs.validateOrder(status, STATUS, "readyReplicas", "replicas", "status.replicas", errors);
        ScaledSpecs.validateOrder(status, STATUS, "availableReplicas", "replicas", "status.replicas", errors);
        ScaledSpecs.validateOrder(status, STATUS, "availableReplicas", "readyReplicas", "readyReplicas", errors);
    }

    @Override
    public List<String> warnings(ObjectNode object, @Nullable ObjectNode old) {
        List<String> warnings = new ArrayList<>(ScaledSpecs.nameWarnings(object, old));
        warnings.addAll(ScaledSpecs.templateWarnings(object, old));
        return warnings;
    }
}
