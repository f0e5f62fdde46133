package lavaflow.kinds;

import java.util.List;
import java.util.Objects;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** The kind PodTemplate: a template kept for its own sake. */
final class StoredPodTemplateRules implements KindRules {
    private static final FieldPath TEMPLATE = FieldPath.of("template");

    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.GENERATION, Trait.RETURNS_DELETED);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        PodTemplateRules.applyDefaults(Json.ensureObject(object, "template"));
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
        PodTemplateRules.prepare(Json.ensureObject(object, "template"), null);
    }

    @Override
    public void prepareForUpdate(ObjectNode object, ObjectNode old) {
        PodTemplateRules.prepare(Json.ensureObject(object, "template"), Json.at(old, "template"));
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        PodTemplateRules.validate(Json.ensureObject(object, "template"), TEMPLATE, errors);
    }

    @Override
    public List<String> warnings(ObjectNode object, @Nullable ObjectNode old) {
        return old == null || specChanged(object, old)
                ? PodTemplateRules.warnings(Json.ensureObject(object, "template"), TEMPLATE)
                : List.of();
    }

    @Override
    public boolean specChanged(ObjectNode object, ObjectNode old) {
        return !Objects.equals(object.get("template"), old.get("template"));
    }
}
