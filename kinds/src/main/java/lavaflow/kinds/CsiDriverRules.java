package lavaflow.kinds;

import java.util.List;
import java.util.Objects;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Drivers of volumes that follow the Container Storage Interface. */
final class CsiDriverRules implements KindRules {
    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.NO_UNCONDITIONAL_UPDATE, Trait.RETURNS_DELETED);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        Nodes.defaultValue(spec, "attachRequired", BooleanNode.TRUE);
        for (String flag : new String[] {"podInfoOnMount", "storageCapacity", "requiresRepublish", "seLinuxMount"}) {
            Nodes.defaultValue(spec, flag, BooleanNode.FALSE);
        }
        Nodes.defaultValue(spec, "fsGroupPolicy", Json.text("ReadWriteOnceWithFSType"));
        if (Nodes.emptyAt(spec, "volumeLifecycleModes")) {
            spec.putArray("volumeLifecycleModes").add("Persistent");
        }
    }

    /** Generation starts at nothing here and counts changes only, so that it is no matter of a trait. */
    @Override
    public void prepareForUpdate(ObjectNode object, ObjectNode old) {
        if (specChanged(object, old)) {
            Json.ensureObject(object, "metadata").put("generation", Json.longAt(old, 0, "metadata", "generation") + 1);
        }
    }

    @Override
    public List<String> warnings(ObjectNode object, @Nullable ObjectNode old) {
        boolean asked = !Nodes.emptyAt(object, "spec", "tokenRequests")
                && (old == null
                        || !Objects.equals(
                                Json.at(object, "spec", "tokenRequests"), Json.at(old, "spec", "tokenRequests")));
        return asked && !Nodes.has(object, "spec", "serviceAccountTokenInSecrets")
                ? List.of(
                        "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent"
                                + " possible logging of tokens in volume attributes")
                : List.of();
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        CsiValidation.driver(object, errors);
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        CsiValidation.driverUpdate(object, old, errors);
    }
}
