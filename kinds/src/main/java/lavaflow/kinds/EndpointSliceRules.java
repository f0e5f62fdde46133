package lavaflow.kinds;

import java.util.Objects;
import java.util.Set;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Endpoint slices: the whole object but metadata counts as spec, and labels too, since services find slices by them. */
final class EndpointSliceRules implements KindRules {
    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.GENERATION);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        for (ObjectNode port : Nodes.objects(object, "ports")) {
            Nodes.defaultValue(port, "name", Json.text(""));
            Nodes.defaultValue(port, "protocol", Json.text("TCP"));
        }
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
        dropTopology(object);
    }

    @Override
    public void prepareForUpdate(ObjectNode object, ObjectNode old) {
        dropTopology(object);
    }

    /** Only the beta version could set it. */
    private static void dropTopology(ObjectNode object) {
        Nodes.objects(object, "endpoints").forEach(endpoint -> endpoint.remove("deprecatedTopology"));
    }

    @Override
    public boolean specChanged(ObjectNode object, ObjectNode old) {
        return !Objects.equals(Json.at(object, "metadata", "labels"), Json.at(old, "metadata", "labels"))
                || !Objects.equals(bare(object), bare(old));
    }

    private static ObjectNode bare(ObjectNode object) {
        ObjectNode copy = object.deepCopy();
        copy.remove("metadata");
        return copy;
    }
}
