package lavaflow.kinds;

import java.util.List;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;
import lavaflow.kube.LabelSelectorRules;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What kinds that keep copies of a pod template running have in common: a selector, and a template it must choose. */
final class ScaledSpecs {
    private ScaledSpecs() {}

    /** The selector itself; {@code kind} is the word in the message about an empty one. */
    static void validateSelector(JsonNode spec, FieldPath path, String kind, FieldErrors errors) {
        JsonNode selector = Json.at(spec, "selector");
        FieldPath selectorPath = path.child("selector");
        if (selector == null) {
            errors.required(selectorPath);
            return;
        }
        LabelSelectorRules.check(selector, selectorPath, errors);
        rejectEmptySelector(selector, selectorPath, kind, errors);
    }

    static void rejectEmptySelector(JsonNode selector, FieldPath path, String kind, FieldErrors errors) {
        if (Nodes.emptyAt(selector, "matchLabels") && Nodes.emptyAt(selector, "matchExpressions")) {
            errors.invalid(path, Json.object(), "empty selector is invalid for " + kind);
        }
    }

    static void validateMatch(@Nullable LabelSelector selector, JsonNode spec, FieldPath path, FieldErrors errors) {
        JsonNode labels = Json.at(spec, "template", "metadata", "labels");
        if (selector != null && !selector.isEverything() && !selector.matches(labels)) {
            errors.invalid(
                    path.child("template", "metadata", "labels"),
                    WorkloadChecks.shownMap(labels),
                    "`selector` does not match template `labels`");
        }
    }

    static void validateTemplate(JsonNode spec, FieldPath path, FieldErrors errors) {
        ObjectNode template = Json.objectAt(spec, "template");
        PodTemplateRules.validate(template == null ? Json.object() : template, path.child("template"), errors);
    }

    /** Pods that are replaced when they end must not be allowed to end. */
    static void validateEndless(JsonNode spec, FieldPath path, String kind, FieldErrors errors) {
        JsonNode podSpec = Json.at(spec, "template", "spec");
        FieldPath podPath = path.child("template", "spec");
        WorkloadChecks.oneOf(podSpec, podPath, errors, "restartPolicy", List.of("Always"));
        if (Nodes.has(podSpec, "activeDeadlineSeconds")) {
            errors.forbidden(
                    podPath.child("activeDeadlineSeconds"), "activeDeadlineSeconds in " + kind + " is not Supported");
        }
    }

    /** The template of a Deployment or ReplicaSet: only looked at where the selector can be read. */
    static void validateReplicated(JsonNode spec, FieldPath path, FieldErrors errors) {
        LabelSelector selector = WorkloadChecks.readable(Json.at(spec, "selector"));
        if (selector == null) {
            errors.invalid(
                    path.child("selector"),
                    WorkloadChecks.shownSelector(Json.at(spec, "selector")),
                    "invalid label selector");
            return;
        }
        validateMatch(selector, spec, path, errors);
        validateTemplate(spec, path, errors);
        validateEndless(spec, path, "ReplicaSet", errors);
    }

    /** Counters of a status, none of which may exceed another: {@code {smaller, larger, how the message names it}}. */
    static void validateOrder(
            JsonNode status, FieldPath path, String smaller, String larger, String name, FieldErrors errors) {
        long value = Json.longAt(status, 0, smaller);
        if (value > Json.longAt(status, 0, larger)) {
            errors.invalid(path.child(smaller), value, "cannot be greater than " + name);
        }
    }

    /** A counter that may only grow. */
    static void validateCollisions(JsonNode status, @Nullable JsonNode old, FieldPath path, FieldErrors errors) {
        long before = Json.longAt(old, 0, "collisionCount");
        boolean had = Nodes.has(old, "collisionCount");
        long now = Json.longAt(status, 0, "collisionCount");
        if (had && (!Nodes.has(status, "collisionCount") || now < before)) {
            errors.invalid(path.child("collisionCount"), now, "cannot be decremented");
        }
    }

    /** Drops what this release does not serve from the template at {@code spec.template}. */
    static void prepareTemplate(ObjectNode object, @Nullable ObjectNode old) {
        PodTemplateRules.prepare(Json.ensureObject(object, "spec", "template"), Json.at(old, "spec", "template"));
    }

    /** What is odd about the template; heard again only when something was changed. */
    static List<String> templateWarnings(ObjectNode object, @Nullable ObjectNode old) {
        ObjectNode template = Json.objectAt(object, "spec", "template");
        return generationChanged(object, old) && template != null
                ? PodTemplateRules.warnings(template, FieldPath.of("spec", "template"))
                : List.of();
    }

    /** Whether anything but metadata and status was written. */
    static boolean generationChanged(ObjectNode object, @Nullable ObjectNode old) {
        return old == null
                || Json.longAt(object, 0, "metadata", "generation") != Json.longAt(old, 0, "metadata", "generation");
    }

    /** Names become parts of pod names, which become host names; these have no dots. */
    static List<String> nameWarnings(ObjectNode object, @Nullable ObjectNode old) {
        List<String> wrong = old == null ? Names.dns1123Label(Json.textAt(object, "metadata", "name")) : List.of();
        return wrong.isEmpty()
                ? List.of()
                : List.of("metadata.name: this is used in Pod names and hostnames, which can result in surprising"
                        + " behavior; a DNS label is recommended: " + Nodes.goList(wrong));
    }
}
