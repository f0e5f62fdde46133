package lavaflow.kinds;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** apps/v1 Deployment. */
final class DeploymentRules implements KindRules {
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
        ObjectNode strategy = Json.ensureObject(spec, "strategy");
        Nodes.defaultText(strategy, "type", "RollingUpdate");
        if (Json.textAt(strategy, "type").equals("RollingUpdate")) {
            ObjectNode rolling = Json.ensureObject(strategy, "rollingUpdate");
            Nodes.defaultValue(rolling, "maxUnavailable", Json.text("25%"));
            Nodes.defaultValue(rolling, "maxSurge", Json.text("25%"));
        }
        Nodes.defaultValue(spec, "revisionHistoryLimit", Json.number(10));
        Nodes.defaultValue(spec, "progressDeadlineSeconds", Json.number(600));
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

    /** Unlike with other kinds, a status update may not touch labels. */
    @Override
    public void prepareForStatusUpdate(ObjectNode object, ObjectNode old) {
        KindRules.keep(object, old, "spec");
        JsonNode labels = Json.at(old, "metadata", "labels");
        ObjectNode metadata = Json.ensureObject(object, "metadata");
        if (labels == null) {
            metadata.remove("labels");
        } else {
            metadata.set("labels", labels.deepCopy());
        }
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        WorkloadChecks.notNegative(spec, SPEC, errors, "replicas");
        ScaledSpecs.validateSelector(spec, SPEC, "deployment", errors);
        ScaledSpecs.validateReplicated(spec, SPEC, errors);
        validateStrategy(Json.at(spec, "strategy"), SPEC.child("strategy"), errors);
        WorkloadChecks.notNegative(spec, SPEC, errors, "minReadySeconds", "revisionHistoryLimit");
        if (Nodes.has(spec, "progressDeadlineSeconds")) {
            WorkloadChecks.notNegative(spec, SPEC, errors, "progressDeadlineSeconds");
            long deadline = Json.longAt(spec, 0, "progressDeadlineSeconds");
            if (deadline <= Json.longAt(spec, 0, "minReadySeconds")) {
                errors.invalid(SPEC.child("progressDeadlineSeconds"), deadline, "must be greater than minReadySeconds");
            }
        }
    }

    private static void validateStrategy(@Nullable JsonNode strategy, FieldPath path, FieldErrors errors) {
        String type = Json.textAt(strategy, "type");
        if (type.equals("RollingUpdate")) {
            validateRolling(Json.at(strategy, "rollingUpdate"), path.child("rollingUpdate"), errors);
        } else if (!type.equals("Recreate")) {
            ObjectNode shown = Json.object().put("Type", type);
            shown.set("RollingUpdate", Json.FACTORY.nullNode());
            WorkloadChecks.unsupported(path, shown, "\"Recreate\", \"RollingUpdate\"", errors);
        } else if (Nodes.has(strategy, "rollingUpdate")) {
            errors.forbidden(path.child("rollingUpdate"), "may not be specified when strategy `type` is 'Recreate'");
        }
    }

    private static void validateRolling(@Nullable JsonNode rolling, FieldPath path, FieldErrors errors) {
        JsonNode unavailable = Json.at(rolling, "maxUnavailable");
        JsonNode surge = Json.at(rolling, "maxSurge");
        WorkloadChecks.countOrPercent(unavailable, path.child("maxUnavailable"), errors);
        WorkloadChecks.countOrPercent(surge, path.child("maxSurge"), errors);
        if (WorkloadChecks.amount(unavailable) == 0 && WorkloadChecks.amount(surge) == 0) {
            errors.invalid(path.child("maxUnavailable"), unavailable, "may not be 0 when `maxSurge` is 0");
        }
        WorkloadChecks.atMost100Percent(unavailable, path.child("maxUnavailable"), errors);
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
                "observedGeneration",
                "replicas",
                "updatedReplicas",
                "readyReplicas",
                "availableReplicas",
                "unavailableReplicas",
                "terminatingReplicas",
                "collisionCount");
        ScaledSpecs.validateOrder(status, STATUS, "updatedReplicas", "replicas", "status.replicas", errors);
        ScaledSpecs.validateOrder(status, STATUS, "readyReplicas", "replicas", "status.replicas", errors);
        ScaledSpecs.validateOrder(status, STATUS, "availableReplicas", "replicas", "status.replicas", errors);
        ScaledSpecs.validateOrder(status, STATUS, "availableReplicas", "readyReplicas", "readyReplicas", errors);
        ScaledSpecs.validateCollisions(status, Json.at(old, "status"), STATUS, errors);
    }

    @Override
    public List<String> warnings(ObjectNode object, @Nullable ObjectNode old) {
        List<String> warnings = new ArrayList<>(ScaledSpecs.nameWarnings(object, old));
        warnings.addAll(ScaledSpecs.templateWarnings(object, old));
        return warnings;
    }

    /** Annotations count as well: the rollout commands of old kubectl versions live in them. */
    @Override
    public boolean specChanged(ObjectNode object, ObjectNode old) {
        return !Objects.equals(object.get("spec"), old.get("spec"))
                || !Nodes.entries(object, "metadata", "annotations")
                        .equals(Nodes.entries(old, "metadata", "annotations"));
    }
}
