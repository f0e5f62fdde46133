package lavaflow.kinds;

import java.util.List;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.ObjectMetaRules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Pod templates ({@code PodTemplateSpec}): metadata and a spec, inside other kinds. */
public final class PodTemplateRules {
    private PodTemplateRules() {}

    /** Fills in what the user left out. */
    public static void applyDefaults(ObjectNode template) {
        PodDefaults.dropInitContainerAnnotations(Json.ensureObject(template, "metadata"));
        PodSpecDefaults.apply(Json.ensureObject(template, "spec"));
    }

    /** Drops what this release does not serve; {@code old} is null on create. */
    public static void prepare(ObjectNode template, @Nullable JsonNode old) {
        DisabledFields.dropFromSpec(Json.ensureObject(template, "spec"), Json.at(old, "spec"));
    }

    /** Deprecations and likely mistakes in a template that sits at a path of its owner. */
    public static List<String> warnings(ObjectNode template, FieldPath path) {
        return PodWarnings.of(template, path);
    }

    /** Checks labels, annotations and spec of a template that sits at a path of its owner. */
    public static void validate(ObjectNode template, FieldPath path, FieldErrors errors) {
        ObjectNode spec = Json.ensureObject(template, "spec");
        validateMetadata(template, path, errors);
        PodSpecRules.validateTemplateSpec(spec, path.child("spec"), errors);
        PodAnnotationRules.matchFields(template, path.child("spec"), errors);
        if (!Nodes.emptyAt(spec, "ephemeralContainers")) {
            errors.forbidden(
                    path.child("spec", "ephemeralContainers"), "ephemeral containers not allowed in pod template");
        }
    }

    /** Checks labels and annotations only; upstream leaves "metadata" out of their paths. */
    static void validateMetadata(ObjectNode template, FieldPath path, FieldErrors errors) {
        ObjectMetaRules.labels(Json.at(template, "metadata", "labels"), path.child("labels"), errors);
        JsonNode annotations = Json.at(template, "metadata", "annotations");
        ObjectMetaRules.annotations(annotations, path.child("annotations"), errors);
        PodAnnotationRules.check(template, Json.ensureObject(template, "spec"), path.child("annotations"), errors);
    }
}
