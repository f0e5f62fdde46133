package lavaflow.kinds;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.kube.FieldError;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** apps/v1 StatefulSet. */
final class StatefulSetRules implements KindRules {
    private static final FieldPath SPEC = FieldPath.of("spec");
    private static final FieldPath STATUS = FieldPath.of("status");
    /** What may change after creation. */
    private static final List<String> MUTABLE = List.of(
            "replicas",
            "ordinals",
            "template",
            "updateStrategy",
            "revisionHistoryLimit",
            "persistentVolumeClaimRetentionPolicy",
            "minReadySeconds");

    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.GENERATION);
    }

    /** Pods are named after the set and have it in their host names. */
    @Override
    public List<String> nameErrors(String name, boolean prefix) {
        return Names.LABEL.check(name, prefix);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        PodTemplateRules.applyDefaults(Json.ensureObject(spec, "template"));
        for (ObjectNode claim : Nodes.objects(spec, "volumeClaimTemplates")) {
            defaultClaim(claim);
        }
        Nodes.defaultText(spec, "podManagementPolicy", "OrderedReady");
        defaultUpdateStrategy(Json.ensureObject(spec, "updateStrategy"));
        ObjectNode retention = Json.ensureObject(spec, "persistentVolumeClaimRetentionPolicy");
        Nodes.defaultText(retention, "whenDeleted", "Retain");
        Nodes.defaultText(retention, "whenScaled", "Retain");
        Nodes.defaultValue(spec, "replicas", Json.number(1));
        Nodes.defaultValue(spec, "revisionHistoryLimit", Json.number(10));
    }

    private static void defaultUpdateStrategy(ObjectNode strategy) {
        if (Json.textAt(strategy, "type").isEmpty()) {
            strategy.put("type", "RollingUpdate");
            Json.ensureObject(strategy, "rollingUpdate");
        }
        ObjectNode rolling = Json.objectAt(strategy, "rollingUpdate");
        if (rolling != null) {
            Nodes.defaultValue(rolling, "partition", Json.number(0));
        }
    }

    /** The server decides what a claim template is, whatever it was sent as. */
    private static void defaultClaim(ObjectNode claim) {
        claim.put("apiVersion", "v1").put("kind", "PersistentVolumeClaim");
        Nodes.defaultText(Json.ensureObject(claim, "spec"), "volumeMode", "Filesystem");
        Nodes.defaultText(Json.ensureObject(claim, "status"), "phase", "Pending");
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
        object.remove("status");
        ScaledSpecs.prepareTemplate(object, null);
        dropMaxUnavailable(object);
    }

    @Override
    public void prepareForUpdate(ObjectNode object, ObjectNode old) {
        KindRules.keep(object, old, "status");
        ScaledSpecs.prepareTemplate(object, old);
        dropMaxUnavailable(object);
    }

    /** The gate MaxUnavailableStatefulSet is off in 1.36. */
    private static void dropMaxUnavailable(ObjectNode object) {
        ObjectNode rolling = Json.objectAt(object, "spec", "updateStrategy", "rollingUpdate");
        if (rolling != null) {
            rolling.remove("maxUnavailable");
        }
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        String policy = Json.textAt(spec, "podManagementPolicy");
        if (policy.isEmpty()) {
            errors.required(SPEC.child("podManagementPolicy"));
        } else if (!policy.equals("OrderedReady") && !policy.equals("Parallel")) {
            errors.invalid(SPEC.child("podManagementPolicy"), policy, "must be 'OrderedReady' or 'Parallel'");
        }
        validateStrategy(Json.at(spec, "updateStrategy"), SPEC.child("updateStrategy"), errors);
        validateRetention(Json.at(spec, "persistentVolumeClaimRetentionPolicy"), errors);
        validateClaims(spec, errors);
        WorkloadChecks.notNegative(spec, SPEC, errors, "replicas", "minReadySeconds");
        WorkloadChecks.notNegative(Json.at(spec, "ordinals"), SPEC.child("ordinals"), errors, "start");
        String service = Json.textAt(spec, "serviceName");
        if (!service.isEmpty()) {
            FieldChecks.invalid(SPEC.child("serviceName"), service, Names.dns1123Label(service), errors);
        }
        ScaledSpecs.validateSelector(spec, SPEC, "statefulset", errors);
        validateTemplate(spec, errors);
        ScaledSpecs.validateEndless(spec, SPEC, "StatefulSet", errors);
    }

    private static void validateStrategy(@Nullable JsonNode strategy, FieldPath path, FieldErrors errors) {
        String type = Json.textAt(strategy, "type");
        JsonNode rolling = Json.at(strategy, "rollingUpdate");
        switch (type) {
            case "" -> errors.required(path);
            case "OnDelete" -> {
                if (rolling != null) {
                    errors.invalid(
                            path.child("rollingUpdate"),
                            shownRolling(rolling),
                            "only allowed for updateStrategy 'RollingUpdate'");
                }
            }
            case "RollingUpdate" ->
                WorkloadChecks.notNegative(rolling, path.child("rollingUpdate"), errors, "partition");
            default -> {
                ObjectNode shown = Json.object().put("Type", type);
                shown.set("RollingUpdate", rolling == null ? Json.FACTORY.nullNode() : shownRolling(rolling));
                errors.invalid(path, shown, "must be 'RollingUpdate' or 'OnDelete'");
            }
        }
    }

    /** The struct as upstream keeps it internally, which is what its messages show. */
    private static ObjectNode shownRolling(JsonNode rolling) {
        ObjectNode shown = Json.object().put("Partition", Json.longAt(rolling, 0, "partition"));
        shown.set("MaxUnavailable", Json.FACTORY.nullNode());
        return shown;
    }

    private static void validateRetention(@Nullable JsonNode retention, FieldErrors errors) {
        FieldPath path = SPEC.child("persistentVolumeClaimRetentionPolicy");
        for (String moment : List.of("whenDeleted", "whenScaled")) {
            WorkloadChecks.oneOf(retention, path, errors, moment, List.of("Retain", "Delete"));
        }
    }

    /** The claims become volumes of every pod, so the template is checked as if it had them already. */
    private static void validateTemplate(ObjectNode spec, FieldErrors errors) {
        LabelSelector selector = WorkloadChecks.readable(Json.at(spec, "selector"));
        if (selector == null) {
            JsonNode shown = WorkloadChecks.shownSelector(Json.at(spec, "selector"));
            errors.add(
                    FieldError.Reason.INVALID,
                    SPEC.child("selector"),
                    "Invalid value: " + (shown == null ? "null" : Json.string(shown)));
            return;
        }
        ScaledSpecs.validateMatch(selector, spec, SPEC, errors);
        ObjectNode template = Json.ensureObject(spec, "template").deepCopy();
        addClaimVolumes(spec, template);
        PodTemplateRules.validate(template, SPEC.child("template"), errors);
        PodTemplateRules.validateMetadata(template, SPEC.child("template"), errors); // Upstream does so twice.
    }

    private static void addClaimVolumes(ObjectNode spec, ObjectNode template) {
        Map<String, ObjectNode> claims = new LinkedHashMap<>();
        for (ObjectNode claim : Nodes.objects(spec, "volumeClaimTemplates")) {
            String name = Json.textAt(claim, "metadata", "name");
            ObjectNode volume = Json.object().put("name", name);
            volume.putObject("persistentVolumeClaim").put("claimName", name);
            claims.put(name, volume);
        }
        if (claims.isEmpty()) {
            return;
        }
        ArrayNode volumes = Json.array();
        volumes.addAll(claims.values());
        for (ObjectNode volume : Nodes.objects(template, "spec", "volumes")) {
            if (!claims.containsKey(Json.textAt(volume, "name"))) {
                volumes.add(volume);
            }
        }
        Json.ensureObject(template, "spec").set("volumes", volumes);
    }

    private static void validateClaims(ObjectNode spec, FieldErrors errors) {
        int index = 0;
        for (ObjectNode claim : Nodes.objects(spec, "volumeClaimTemplates")) {
            FieldPath path = SPEC.child("volumeClaimTemplates").index(index++);
            ClaimTemplates.validate(claim, path, errors);
        }
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        validateCreate(object, errors);
        ObjectNode before = Json.ensureObject(old.deepCopy(), "spec");
        ObjectNode after = Json.ensureObject(object.deepCopy(), "spec");
        before.remove(MUTABLE);
        after.remove(MUTABLE);
        if (!before.equals(after)) {
            errors.forbidden(
                    SPEC,
                    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template',"
                            + " 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and"
                            + " 'minReadySeconds' are forbidden");
        }
    }

    @Override
    public void validateStatusUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        ObjectNode status = Json.ensureObject(object, "status");
        WorkloadChecks.notNegative(
                status,
                STATUS,
                errors,
                "replicas",
                "readyReplicas",
                "currentReplicas",
                "updatedReplicas",
                "availableReplicas",
                "observedGeneration",
                "collisionCount");
        for (String count : List.of("readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas")) {
            ScaledSpecs.validateOrder(status, STATUS, count, "replicas", "status.replicas", errors);
        }
        ScaledSpecs.validateOrder(status, STATUS, "availableReplicas", "readyReplicas", "status.readyReplicas", errors);
        ScaledSpecs.validateCollisions(status, Json.at(old, "status"), STATUS, errors);
    }

    @Override
    public List<String> warnings(ObjectNode object, @Nullable ObjectNode old) {
        List<String> warnings = new ArrayList<>(ScaledSpecs.templateWarnings(object, old));
        int index = 0;
        for (ObjectNode claim : Nodes.objects(object, "spec", "volumeClaimTemplates")) {
            FieldPath path = SPEC.child("volumeClaimTemplates").index(index++);
            warnings.addAll(ClaimTemplates.warnings(claim, path));
        }
        if (Json.longAt(object, 0, "spec", "revisionHistoryLimit") < 0) {
            warnings.add("spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0"
                    + " is recommended");
        }
        return warnings;
    }
}
