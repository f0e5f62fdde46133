package lavaflow.kinds;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Replication controllers, the ancestors of ReplicaSets; their selector is a plain map of labels. */
final class ReplicationControllerRules implements KindRules {
    private static final FieldPath SPEC = FieldPath.of("spec");
    private static final FieldPath STATUS = FieldPath.of("status");
    private static final FieldPath TEMPLATE = SPEC.child("template");

    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.GENERATION, Trait.ORPHANS_BY_DEFAULT);
    }

    /** What the template's pods are labelled with selects them and labels the controller, unless it says otherwise. */
    @Override
    public void applyDefaults(ObjectNode object) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        JsonNode labels = Json.at(spec, "template", "metadata", "labels");
        if (labels != null) {
            if (Nodes.emptyAt(spec, "selector")) {
                spec.set("selector", labels.deepCopy());
            }
            if (Nodes.emptyAt(object, "metadata", "labels")) {
                Json.ensureObject(object, "metadata").set("labels", labels.deepCopy());
            }
        }
        Nodes.defaultValue(spec, "replicas", Json.number(1));
        if (spec.get("template") instanceof ObjectNode template) {
            PodTemplateRules.applyDefaults(template);
        }
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
        object.putObject("status").put("replicas", 0);
        prepareTemplate(object, null);
    }

    @Override
    public void prepareForUpdate(ObjectNode object, ObjectNode old) {
        KindRules.keep(object, old, "status");
        prepareTemplate(object, old);
    }

    private static void prepareTemplate(ObjectNode object, @Nullable ObjectNode old) {
        ObjectNode template = Json.objectAt(object, "spec", "template");
        if (template != null) {
            PodTemplateRules.prepare(template, Json.at(old, "spec", "template"));
        }
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        FieldChecks.notNegative(spec, "minReadySeconds", SPEC, errors);
        JsonNode selector = Json.at(spec, "selector");
        if (Nodes.emptyAt(spec, "selector")) {
            errors.required(SPEC.child("selector"));
        }
        FieldChecks.notNegative(spec, "replicas", SPEC, errors);
        ObjectNode template = Json.objectAt(spec, "template");
        if (template == null) {
            errors.required(TEMPLATE);
            return;
        }
        JsonNode labels = Json.at(template, "metadata", "labels");
        if (!LabelSelector.ofLabels(selector).matches(labels)) {
            errors.invalid(TEMPLATE.child("metadata", "labels"), labels, "`selector` does not match template `labels`");
        }
        PodTemplateRules.validate(template, TEMPLATE, errors);
        String restart = Json.textAt(template, "spec", "restartPolicy");
        if (!restart.equals("Always")) {
            errors.notSupported(TEMPLATE.child("spec", "restartPolicy"), restart, List.of("Always"));
        }
        if (Nodes.has(template, "spec", "activeDeadlineSeconds")) {
            errors.forbidden(
                    TEMPLATE.child("spec", "activeDeadlineSeconds"),
                    "activeDeadlineSeconds in ReplicationController is not Supported");
        }
    }

    @Override
    public void validateStatusUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        JsonNode status = Json.at(object, "status");
        List<String> counts = List.of("fullyLabeledReplicas", "readyReplicas", "availableReplicas");
        FieldChecks.notNegative(status, "replicas", STATUS, errors);
        counts.forEach(field -> FieldChecks.notNegative(status, field, STATUS, errors));
        FieldChecks.notNegative(status, "observedGeneration", STATUS, errors);
        for (String field : counts) {
            notMore(status, field, "replicas", "cannot be greater than status.replicas", errors);
        }
        notMore(status, "availableReplicas", "readyReplicas", "cannot be greater than readyReplicas", errors);
    }

    private static void notMore(
            @Nullable JsonNode status, String field, String bound, String wrong, FieldErrors errors) {
        long count = Json.longAt(status, 0, field);
        if (count > Json.longAt(status, 0, bound)) {
            errors.invalid(STATUS.child(field), count, wrong);
        }
    }

    @Override
    public List<String> warnings(ObjectNode object, @Nullable ObjectNode old) {
        List<String> warnings = new ArrayList<>();
        if (old == null) {
            List<String> wrong = Names.dns1123Label(Json.textAt(object, "metadata", "name"));
            if (!wrong.isEmpty()) {
                warnings.add("metadata.name: this is used in Pod names and hostnames, which can result in surprising"
                        + " behavior; a DNS label is recommended: " + Nodes.goList(wrong));
            }
        } else if (!specChanged(object, old)) {
            return warnings;
        }
        // On updates upstream looks at the old template, having the two arguments the wrong way around.
        ObjectNode template = Json.objectAt(old == null ? object : old, "spec", "template");
        if (template != null) {
            warnings.addAll(PodTemplateRules.warnings(template, TEMPLATE));
        }
        return warnings;
    }

    @Override
    public @Nullable String selectableField(ObjectNode object, String field) {
        return field.equals("status.replicas") ? Long.toString(Json.longAt(object, 0, "status", "replicas")) : null;
    }

    @Override
    public Set<String> selectableFields() {
        return Set.of("status.replicas");
    }
}
