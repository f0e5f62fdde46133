package lavaflow.kinds;

import java.util.Set;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Endpoints, the older form of endpoint slices. */
final class EndpointsRules implements KindRules {
    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.CREATE_ON_UPDATE);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        for (ObjectNode subset : Nodes.objects(object, "subsets")) {
            for (ObjectNode port : Nodes.objects(subset, "ports")) {
                Nodes.defaultText(port, "protocol", "TCP");
            }
        }
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
        // Nothing is the server's to decide.
    }

    @Override
    public void prepareForUpdate(ObjectNode object, ObjectNode old) {
        // Nothing is the server's to decide.
    }
}
