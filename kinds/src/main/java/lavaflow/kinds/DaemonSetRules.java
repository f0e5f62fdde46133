package lavaflow.kinds;

import java.math.BigInteger;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import lavaflow.kube.ApiException;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelectorRules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** apps/v1 DaemonSet. */
final class DaemonSetRules implements KindRules {
    /** Where apps/v1 keeps what older versions had as {@code spec.templateGeneration}: counts changes of the template. */
    static final String TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";

    private static final FieldPath SPEC = FieldPath.of("spec");
    private static final FieldPath STATUS = FieldPath.of("status");

    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.GENERATION);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        requireReadableGeneration(object);
        // Upstream's conversion always writes the annotation, so that whoever creates the set comes to own it.
        setTemplateGeneration(object, templateGeneration(object));
        ObjectNode spec = Json.ensureObject(object, "spec");
        PodTemplateRules.applyDefaults(Json.ensureObject(spec, "template"));
        ObjectNode strategy = Json.ensureObject(spec, "updateStrategy");
        Nodes.defaultText(strategy, "type", "RollingUpdate");
        if (Json.textAt(strategy, "type").equals("RollingUpdate")) {
            ObjectNode rolling = Json.ensureObject(strategy, "rollingUpdate");
            Nodes.defaultValue(rolling, "maxUnavailable", Json.number(1));
            Nodes.defaultValue(rolling, "maxSurge", Json.number(0));
        } else if (strategy.get("rollingUpdate") instanceof ObjectNode unused) {
            Nodes.defaultValue(unused, "maxUnavailable", Json.number(0));
            Nodes.defaultValue(unused, "maxSurge", Json.number(0));
        }
        Nodes.defaultValue(spec, "revisionHistoryLimit", Json.number(10));
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
        object.remove("status");
        ScaledSpecs.prepareTemplate(object, null);
        setTemplateGeneration(object, Math.max(1, templateGeneration(object)));
    }

    @Override
    public void prepareForUpdate(ObjectNode object, ObjectNode old) {
        KindRules.keep(object, old, "status");
        ScaledSpecs.prepareTemplate(object, old);
        boolean changed = !Objects.equals(Json.at(object, "spec", "template"), Json.at(old, "spec", "template"));
        setTemplateGeneration(object, templateGeneration(old) + (changed ? 1 : 0));
    }

    private static long templateGeneration(ObjectNode object) {
        String text = Json.textAt(object, "metadata", "annotations", TEMPLATE_GENERATION);
        return text.isEmpty() ? 0 : Long.parseLong(text);
    }

    private static void setTemplateGeneration(ObjectNode object, long generation) {
        Json.ensureObject(object, "metadata", "annotations").put(TEMPLATE_GENERATION, Long.toString(generation));
    }

    /** Upstream reads the annotation while decoding, so that a bad one is a bad request and no invalid object. */
    private static void requireReadableGeneration(ObjectNode object) {
        if (!Nodes.has(object, "metadata", "annotations", TEMPLATE_GENERATION)) {
            return;
        }
        String text = Json.textAt(object, "metadata", "annotations", TEMPLATE_GENERATION);
        String problem = "";
        if (!text.matches("[+-]?[0-9]+")) {
            problem = "invalid syntax";
        } else if (new BigInteger(text).bitLength() >= Long.SIZE) {
            problem = "value out of range";
        }
        if (!problem.isEmpty()) {
            throw ApiException.badRequest("DaemonSet in version \"v1\" cannot be handled as a DaemonSet: "
                    + "strconv.ParseInt: parsing " + FieldErrors.quoted(text) + ": " + problem);
        }
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        JsonNode selector = Json.at(spec, "selector");
        if (selector != null) {
            LabelSelectorRules.check(selector, SPEC.child("selector"), errors);
        }
        ScaledSpecs.validateMatch(WorkloadChecks.readable(selector), spec, SPEC, errors);
        if (selector != null) {
            ScaledSpecs.rejectEmptySelector(selector, SPEC.child("selector"), "daemonset", errors);
        }
        ScaledSpecs.validateTemplate(spec, SPEC, errors);
        ScaledSpecs.validateEndless(spec, SPEC, "DaemonSet", errors);
        WorkloadChecks.notNegative(spec, SPEC, errors, "minReadySeconds");
        validateStrategy(Json.at(spec, "updateStrategy"), SPEC.child("updateStrategy"), errors);
        WorkloadChecks.notNegative(spec, SPEC, errors, "revisionHistoryLimit");
    }

    private static void validateStrategy(@Nullable JsonNode strategy, FieldPath path, FieldErrors errors) {
        String type = Json.textAt(strategy, "type");
        if (type.equals("RollingUpdate")) {
            validateRolling(Json.at(strategy, "rollingUpdate"), path.child("rollingUpdate"), errors);
        } else if (!type.equals("OnDelete")) {
            ObjectNode shown = Json.object().put("Type", type);
            shown.set("RollingUpdate", Json.FACTORY.nullNode());
            WorkloadChecks.unsupported(path, shown, "\"RollingUpdate\", \"OnDelete\"", errors);
        }
    }

    private static void validateRolling(@Nullable JsonNode rolling, FieldPath path, FieldErrors errors) {
        JsonNode unavailable = Json.at(rolling, "maxUnavailable");
        JsonNode surge = Json.at(rolling, "maxSurge");
        WorkloadChecks.countOrPercent(unavailable, path.child("maxUnavailable"), errors);
        WorkloadChecks.countOrPercent(surge, path.child("maxSurge"), errors);
        WorkloadChecks.atMost100Percent(unavailable, path.child("maxUnavailable"), errors);
        WorkloadChecks.atMost100Percent(surge, path.child("maxSurge"), errors);
        boolean hasUnavailable = WorkloadChecks.amount(unavailable) != 0;
        boolean hasSurge = WorkloadChecks.amount(surge) != 0;
        if (hasUnavailable && hasSurge) {
            errors.invalid(path.child("maxSurge"), surge, "may not be set when maxUnavailable is non-zero");
        } else if (!hasUnavailable && !hasSurge) {
            errors.required(path.child("maxUnavailable"), "cannot be 0 when maxSurge is 0");
        }
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        WorkloadChecks.immutableSelector(Json.at(object, "spec"), Json.at(old, "spec"), SPEC, errors);
        validateCreate(object, errors);
    }

    @Override
    public void validateStatusUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        ObjectNode status = Json.ensureObject(object, "status");
        WorkloadChecks.notNegative(
                status,
                STATUS,
                errors,
                "currentNumberScheduled",
                "numberMisscheduled",
                "desiredNumberScheduled",
                "numberReady",
                "observedGeneration",
                "updatedNumberScheduled",
                "numberAvailable",
                "numberUnavailable",
                "collisionCount");
        ScaledSpecs.validateCollisions(status, Json.at(old, "status"), STATUS, errors);
    }

    @Override
    public List<String> warnings(ObjectNode object, @Nullable ObjectNode old) {
        return ScaledSpecs.templateWarnings(object, old);
    }
}
