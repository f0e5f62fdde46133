package lavaflow.kinds;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** How much room a driver has left for volumes of a class somewhere. */
final class CsiStorageCapacityRules implements KindRules {
    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.NO_UNCONDITIONAL_UPDATE);
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        CsiValidation.capacity(object, false, errors);
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        CsiValidation.capacityUpdate(object, old, errors);
    }

    @Override
    public List<String> warnings(ObjectNode object, @Nullable ObjectNode old) {
        List<String> warnings = new ArrayList<>(
                NodeLabels.termWarnings(Json.objectAt(object, "nodeTopology"), false, FieldPath.of("nodeTopology")));
        Nodes.entries(object, "nodeTopology", "matchLabels").keySet().forEach(label -> {
            String deprecation = NodeLabels.deprecation(label);
            if (deprecation != null) {
                warnings.add("nodeTopology.matchLabels." + label + ": " + deprecation);
            }
        });
        return warnings;
    }
}
