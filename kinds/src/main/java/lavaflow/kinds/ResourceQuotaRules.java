package lavaflow.kinds;

import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Resource quotas. */
final class ResourceQuotaRules implements KindRules {
    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.RETURNS_DELETED);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        ResourceLists.roundUp(Json.at(object, "spec", "hard"));
        ResourceLists.roundUp(Json.at(object, "status", "hard"));
        ResourceLists.roundUp(Json.at(object, "status", "used"));
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
        object.putObject("status");
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        ResourceQuotaValidation.spec(object, errors);
        ResourceQuotaValidation.status(object, errors);
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        ResourceQuotaValidation.update(object, old, errors);
    }

    @Override
    public void validateStatusUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        ResourceQuotaValidation.status(object, errors);
    }

    @Override
    public List<String> warnings(ObjectNode object, @Nullable ObjectNode old) {
        return old == null ? ResourceQuotaValidation.warnings(object) : List.of();
    }
}
