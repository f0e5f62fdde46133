package lavaflow.kinds;

import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** How many requests of a level run at once and what happens to the rest. */
final class PriorityLevelConfigurationRules implements KindRules {
    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.GENERATION);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        ObjectNode exempt = Json.objectAt(object, "spec", "exempt");
        if (exempt != null) {
            Nodes.defaultValue(exempt, "nominalConcurrencyShares", Json.number(0));
            Nodes.defaultValue(exempt, "lendablePercent", Json.number(0));
        }
        ObjectNode limited = Json.objectAt(object, "spec", "limited");
        if (limited != null) {
            Nodes.defaultValue(limited, "nominalConcurrencyShares", Json.number(30));
            Nodes.defaultValue(limited, "lendablePercent", Json.number(0));
            ObjectNode queuing = Json.objectAt(limited, "limitResponse", "queuing");
            if (queuing != null) {
                Nodes.defaultNonZero(queuing, "queues", 64);
                Nodes.defaultNonZero(queuing, "handSize", 8);
                Nodes.defaultNonZero(queuing, "queueLengthLimit", 50);
            }
        }
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
        object.putObject("status");
    }

    @Override
    public void prepareForStatusUpdate(ObjectNode object, ObjectNode old) {
        KindRules.keep(object, old, "spec");
        KindRules.keepMetadata(object, old);
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        PriorityLevelValidation.validate(object, errors);
    }

    @Override
    public void validateStatusUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        FlowSchemaValidation.conditions(object, errors);
    }
}
