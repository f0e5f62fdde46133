package lavaflow.kinds;

import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Which server answers for a group and version. */
final class ApiServiceRules implements KindRules {
    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.NO_UNCONDITIONAL_UPDATE, Trait.FREE_FINALIZERS);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        AdmissionDefaults.applyService(Json.objectAt(object, "spec", "service"));
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
        object.putObject("status");
    }

    /** What this server answers itself is available from the start. */
    @Override
    public void stamp(ObjectNode object, @Nullable ObjectNode old, String now) {
        if (old == null && !Nodes.has(object, "spec", "service")) {
            ObjectNode condition =
                    Json.ensureObject(object, "status").putArray("conditions").addObject();
            condition
                    .put("type", "Available")
                    .put("status", "True")
                    .put("lastTransitionTime", now)
                    .put("reason", "Local")
                    .put("message", "Local APIServices are always available");
        }
    }

    @Override
    public void prepareForStatusUpdate(ObjectNode object, ObjectNode old) {
        KindRules.keep(object, old, "spec");
        KindRules.keepMetadata(object, old);
    }

    @Override
    public List<String> nameErrors(String name, boolean prefix) {
        // The name follows from group and version, which are checked with the spec.
        return List.of();
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        ApiServiceValidation.validate(object, errors);
    }

    @Override
    public void validateStatusUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        ApiServiceValidation.status(object, errors);
    }
}
