package lavaflow.kinds;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** batch/v1 Job. */
final class JobRules implements KindRules {
    static final String CONTROLLER_UID = "batch.kubernetes.io/controller-uid";
    static final String JOB_NAME = "batch.kubernetes.io/job-name";
    static final String OLD_CONTROLLER_UID = "controller-uid";
    static final String OLD_JOB_NAME = "job-name";

    private static final FieldPath SPEC = FieldPath.of("spec");

    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.GENERATION, Trait.ORPHANS_BY_DEFAULT);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        ObjectNode template = Json.ensureObject(spec, "template");
        PodTemplateRules.applyDefaults(template);
        defaultFailurePolicy(spec);
        if (!Nodes.has(spec, "completions") && !Nodes.has(spec, "parallelism")) {
            spec.put("completions", 1);
        }
        Nodes.defaultValue(spec, "parallelism", Json.number(1));
        long backoffLimit = Nodes.has(spec, "backoffLimitPerIndex") ? Integer.MAX_VALUE : 6;
        Nodes.defaultValue(spec, "backoffLimit", Json.number(backoffLimit));
        ObjectNode metadata = Json.ensureObject(object, "metadata");
        ObjectNode labels = Json.objectAt(template, "metadata", "labels");
        if (labels != null && !labels.isEmpty() && Nodes.emptyAt(metadata, "labels")) {
            metadata.set("labels", new BorrowedLabels(labels));
        }
        Nodes.defaultValue(spec, "completionMode", Json.text("NonIndexed"));
        Nodes.defaultValue(spec, "suspend", Json.FACTORY.booleanNode(false));
        String replacement = Nodes.has(spec, "podFailurePolicy") ? "Failed" : "TerminatingOrFailed";
        Nodes.defaultValue(spec, "podReplacementPolicy", Json.text(replacement));
        Nodes.defaultValue(spec, "manualSelector", Json.FACTORY.booleanNode(false));
    }

    /**
     * Labels that a job without any took from its template: upstream shares one map, so that what {@link
     * #prepareForCreate} adds to the template shows on the job as well. Copies of an object keep the mark.
     */
    @SuppressWarnings("unchecked") // Jackson's deepCopy answers with whatever type is asked for.
    private static final class BorrowedLabels extends ObjectNode {
        private static final long serialVersionUID = 1;

        BorrowedLabels(ObjectNode labels) {
            super(Json.FACTORY);
            setAll(labels);
        }

        @Override
        public ObjectNode deepCopy() {
            return new BorrowedLabels(this);
        }
    }

    /** Also for the job templates of CronJobs, which get no other defaults of a Job. */
    static void defaultFailurePolicy(ObjectNode jobSpec) {
        for (ObjectNode rule : Nodes.objects(jobSpec, "podFailurePolicy", "rules")) {
            for (ObjectNode pattern : Nodes.objects(rule, "onPodConditions")) {
                Nodes.defaultText(pattern, "status", "True");
            }
        }
    }

    /** Expects {@code metadata.uid} and {@code metadata.name}: they go into the generated selector and labels. */
    @Override
    public void prepareForCreate(ObjectNode object) {
        object.remove("status");
        ScaledSpecs.prepareTemplate(object, null);
        generateSelector(object);
    }

    @Override
    public void prepareForUpdate(ObjectNode object, ObjectNode old) {
        KindRules.keep(object, old, "status");
        ScaledSpecs.prepareTemplate(object, old);
    }

    private static void generateSelector(ObjectNode object) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        if (Json.flagAt(spec, "manualSelector")) {
            return;
        }
        ObjectNode metadata = Json.ensureObject(object, "metadata");
        ObjectNode templateMetadata = Json.ensureObject(spec, "template", "metadata");
        boolean follows = Nodes.emptyAt(metadata, "labels") || metadata.get("labels") instanceof BorrowedLabels;
        ObjectNode labels = Json.ensureObject(templateMetadata, "labels");
        String uid = Json.textAt(metadata, "uid");
        String name = Json.textAt(metadata, "name");
        addLabel(labels, OLD_CONTROLLER_UID, uid);
        addLabel(labels, CONTROLLER_UID, uid);
        addLabel(labels, OLD_JOB_NAME, name);
        addLabel(labels, JOB_NAME, name);
        ObjectNode matchLabels = Json.ensureObject(spec, "selector", "matchLabels");
        addLabel(matchLabels, CONTROLLER_UID, uid);
        if (follows) {
            metadata.set("labels", labels.deepCopy());
        }
    }

    /** A label the user has set stays, for validation to complain about. */
    private static void addLabel(ObjectNode labels, String key, String value) {
        if (!labels.has(key)) {
            labels.put(key, value);
        }
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        validateGenerated(object, errors);
        JobSpecs.validate(spec, SPEC, errors);
        validatePodNames(object, errors);
    }

    /** Selector and labels must be those that {@link #prepareForCreate} makes. */
    private static void validateGenerated(ObjectNode object, FieldErrors errors) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        JsonNode selector = Json.at(spec, "selector");
        if (Json.flagAt(spec, "manualSelector") || selector == null) {
            return;
        }
        String uid = Json.textAt(object, "metadata", "uid");
        String name = Json.textAt(object, "metadata", "name");
        validateLabel(spec, OLD_CONTROLLER_UID, uid, errors);
        validateLabel(spec, OLD_JOB_NAME, name, errors);
        validateLabel(spec, CONTROLLER_UID, uid, errors);
        validateLabel(spec, JOB_NAME, name, errors);
        LabelSelector chosen = WorkloadChecks.readable(selector);
        ObjectNode expected = Json.object().put(CONTROLLER_UID, uid).put(OLD_CONTROLLER_UID, uid);
        if (chosen != null && !chosen.matches(expected)) {
            errors.invalid(
                    SPEC.child("selector"), WorkloadChecks.shownSelector(selector), "`selector` not auto-generated");
        }
    }

    private static void validateLabel(ObjectNode spec, String key, String value, FieldErrors errors) {
        JsonNode labels = Json.at(spec, "template", "metadata", "labels");
        FieldPath path = SPEC.child("template", "metadata", "labels").key(key);
        if (!Nodes.has(labels, key)) {
            errors.required(path, "must be '" + value + "'");
        } else if (!Json.textAt(labels, key).equals(value)) {
            errors.invalid(path, WorkloadChecks.shownMap(labels), "must be '" + value + "'");
        }
    }

    /** Pods of indexed jobs have the index in their names, which are host names. */
    private static void validatePodNames(ObjectNode object, FieldErrors errors) {
        long completions = Json.longAt(object, 0, "spec", "completions");
        if (!Json.textAt(object, "spec", "completionMode").equals("Indexed") || completions <= 0) {
            return;
        }
        String name = Json.textAt(object, "metadata", "name");
        String last = name + "-" + (completions - 1);
        if (!Names.dns1123Label(last).isEmpty()) {
            errors.invalid(
                    FieldPath.of("metadata", "name"),
                    name,
                    "will not able to create pod with invalid DNS label: " + last);
        }
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        JsonNode before = Json.at(old, "spec");
        validateGenerated(object, errors);
        JobSpecs.validate(spec, SPEC, errors);
        JobSpecs.validate(spec, SPEC, errors); // Upstream does, too, and so lists its findings twice.
        validateCompletions(spec, before, errors);
        WorkloadChecks.immutableSelector(spec, before, SPEC, errors);
        validateTemplateUpdate(object, old, errors);
        WorkloadChecks.immutable(spec, before, SPEC, errors, "completionMode");
        if (!Objects.equals(Json.at(spec, "podFailurePolicy"), Json.at(before, "podFailurePolicy"))) {
            JsonNode shown = Nodes.has(spec, "podFailurePolicy") ? JobPolicies.shownFailure(spec) : null;
            errors.invalid(SPEC.child("podFailurePolicy"), shown, FieldChecks.IMMUTABLE);
        }
        WorkloadChecks.immutable(spec, before, SPEC, errors, "backoffLimitPerIndex");
        WorkloadChecks.immutable(spec, before, SPEC, errors, "managedBy");
        if (!Objects.equals(Json.at(spec, "successPolicy"), Json.at(before, "successPolicy"))) {
            JsonNode shown = Nodes.has(spec, "successPolicy") ? JobPolicies.shownSuccess(spec) : null;
            errors.invalid(SPEC.child("successPolicy"), shown, FieldChecks.IMMUTABLE);
        }
    }

    /** Indexed jobs may grow and shrink, but only parallelism and completions together. */
    private static void validateCompletions(ObjectNode spec, @Nullable JsonNode before, FieldErrors errors) {
        boolean indexed = Json.textAt(spec, "completionMode").equals("Indexed");
        if (!indexed) {
            WorkloadChecks.immutable(spec, before, SPEC, errors, "completions");
            return;
        }
        JsonNode completions = Json.at(spec, "completions");
        if (completions != null
                && !Objects.equals(completions, Json.at(before, "completions"))
                && !Objects.equals(completions, Json.at(spec, "parallelism"))) {
            errors.invalid(
                    SPEC.child("completions"), completions, "can only be modified in tandem with spec.parallelism");
        }
    }

    /** Fields that queueing systems set before they let a suspended job start. */
    private static final List<String> SCHEDULING =
            List.of("affinity", "nodeSelector", "tolerations", "schedulingGates");

    private static void validateTemplateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        JsonNode template = Json.at(object, "spec", "template");
        JsonNode before = Json.at(old, "spec", "template");
        if (!restsSuspended(old)) {
            if (!Objects.equals(template, before)) {
                errors.invalid(SPEC.child("template"), InternalForm.template(template), FieldChecks.IMMUTABLE);
            }
        } else if (!withoutPlacement(template).equals(withoutPlacement(before))) {
            errors.invalid(
                    SPEC.child("template", "spec"),
                    InternalForm.spec(Json.at(template, "spec")),
                    FieldChecks.IMMUTABLE);
        }
    }

    /** Suspended, and none of its pods is left. */
    private static boolean restsSuspended(ObjectNode old) {
        JsonNode status = Json.at(old, "status");
        return Json.flagAt(old, "spec", "suspend")
                && Json.longAt(status, 0, "active") == 0
                && (!Nodes.has(status, "startTime") || JobConditions.isTrue(status, "Suspended"));
    }

    private static ObjectNode withoutPlacement(@Nullable JsonNode template) {
        ObjectNode spec = Json.objectAt(template, "spec");
        ObjectNode copy = spec == null ? Json.object() : spec.deepCopy();
        copy.remove(SCHEDULING);
        for (String list : List.of("containers", "initContainers")) {
            for (ObjectNode container : Nodes.objects(copy, list)) {
                container.remove("resources");
            }
        }
        return copy;
    }

    @Override
    public void validateStatusUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        new JobStatuses(object, old, errors).validate();
    }

    @Override
    public List<String> warnings(ObjectNode object, @Nullable ObjectNode old) {
        List<String> warnings = new ArrayList<>(ScaledSpecs.nameWarnings(object, old));
        boolean indexed = Json.textAt(object, "spec", "completionMode").equals("Indexed");
        long completions = Json.longAt(object, 0, "spec", "completions");
        if (indexed && completions > 100_000 && Json.longAt(object, 0, "spec", "parallelism") > 10_000) {
            warnings.add("spec: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher"
                    + " than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes"
                    + " fail");
        }
        warnings.addAll(ScaledSpecs.templateWarnings(object, old));
        return warnings;
    }

    @Override
    public Set<String> selectableFields() {
        return Set.of("status.successful");
    }

    @Override
    public @Nullable String selectableField(ObjectNode object, String field) {
        return field.equals("status.successful") ? Long.toString(Json.longAt(object, 0, "status", "succeeded")) : null;
    }

    @Override
    public String unknownField(String field) {
        return "field label " + FieldErrors.quoted(field) + " not supported for Job";
    }

    @Override
    public String orphaningWarning() {
        return "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove"
                + " them or set propagationPolicy=Orphan to suppress this warning";
    }
}
