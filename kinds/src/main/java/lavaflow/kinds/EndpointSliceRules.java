package lavaflow.kinds;

import java.util.List;
import java.util.Objects;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

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

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        EndpointSliceValidation.head(object, errors);
        EndpointSliceValidation.endpoints(object, errors);
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        EndpointSliceValidation.head(object, errors);
        // What an older server let in may stay.
        if (!Objects.equals(Json.at(object, "endpoints"), Json.at(old, "endpoints"))) {
            EndpointSliceValidation.endpoints(object, errors);
        }
        FieldChecks.immutable(
                Json.at(object, "addressType"), Json.at(old, "addressType"), FieldPath.of("addressType"), errors);
    }

    @Override
    public List<String> warnings(ObjectNode object, @Nullable ObjectNode old) {
        return EndpointSliceValidation.warnings(object, old == null);
    }
}
