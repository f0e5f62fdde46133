package lavaflow.apiserver;

import java.util.List;

import lavaflow.kube.ApiException;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;
import lavaflow.schema.ScalePaths;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** The scale of custom objects: an autoscaling/v1 Scale whose numbers stand where the definition says. */
final class CustomScale {
    private static final List<String> METADATA =
            List.of("name", "namespace", "uid", "resourceVersion", "creationTimestamp");

    private CustomScale() {}

    /** The Scale of an object. */
    static ObjectNode of(ScalePaths paths, ObjectNode object) {
        JsonNode replicas = ScalePaths.find(object, paths.specReplicas());
        if (replicas == null) {
            throw ApiException.internal(
                    "the spec replicas field " + FieldErrors.quoted(paths.specReplicas()) + " does not exist");
        }
        ObjectNode scale = Json.object().put("kind", "Scale").put("apiVersion", "autoscaling/v1");
        ObjectNode metadata = scale.putObject("metadata");
        for (String field : METADATA) {
            JsonNode value = Json.at(object, "metadata", field);
            if (value != null) {
                metadata.set(field, value);
            }
        }
        ObjectNode spec = scale.putObject("spec");
        if (replicas.asLong() != 0) {
            spec.put("replicas", replicas.asLong());
        }
        ObjectNode status = scale.putObject("status");
        JsonNode current = ScalePaths.find(object, paths.statusReplicas());
        status.put("replicas", current == null ? 0 : current.asLong());
        String selectorPath = paths.labelSelector();
        JsonNode selector = selectorPath == null ? null : ScalePaths.find(object, selectorPath);
        if (selector != null && !selector.asText().isEmpty()) {
            status.put("selector", selector.asText());
        }
        return scale;
    }

    /** Gives an object the number of replicas of a Scale. */
    static void apply(ScalePaths paths, ObjectNode scale, ObjectNode object) {
        List<String> steps = ScalePaths.steps(paths.specReplicas());
        ObjectNode parent = object;
        for (String step : steps.subList(0, steps.size() - 1)) {
            parent = Json.ensureObject(parent, step);
        }
        parent.put(steps.getLast(), Json.longAt(scale, 0, "spec", "replicas"));
    }
}
