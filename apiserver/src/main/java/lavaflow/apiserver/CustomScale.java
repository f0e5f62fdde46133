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

    /** Stands for replicas that an object does not have, where a request may give it some. */
    private static final long UNSET = Integer.MIN_VALUE;

    private CustomScale() {}

    /** The Scale of an object. */
    static ObjectNode of(ScalePaths paths, ObjectNode object) {
        JsonNode replicas = ScalePaths.find(object, paths.specReplicas());
        if (replicas == null) {
            throw ApiException.internal(
                    "the spec replicas field " + FieldErrors.quoted(paths.specReplicas()) + " does not exist");
        }
        return scale(paths, object, replicas.asLong());
    }

    /** The Scale of an object that may get its replicas only now. */
    static ObjectNode toChange(ScalePaths paths, ObjectNode object) {
        JsonNode replicas = ScalePaths.find(object, paths.specReplicas());
        return scale(paths, object, replicas == null ? UNSET : replicas.asLong());
    }

    /** Takes out what only stands for absent replicas: those who change a request see it, those who validate it do not. */
    static void hideUnset(ObjectNode scale) {
        if (scale.get("spec") instanceof ObjectNode spec && Json.longAt(spec, 0, "replicas") == UNSET) {
            spec.remove("replicas");
        }
    }

    private static ObjectNode scale(ScalePaths paths, ObjectNode object, long replicas) {
        ObjectNode scale = Json.object().put("kind", "Scale").put("apiVersion", "autoscaling/v1");
        ObjectNode metadata = scale.putObject("metadata");
        for (String field : METADATA) {
            JsonNode value = Json.at(object, "metadata", field);
            if (value != null) {
                metadata.set(field, value);
            }
        }
        ObjectNode spec = scale.putObject("spec");
        if (replicas != 0) {
            spec.put("replicas", replicas);
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
        long replicas = Json.longAt(scale, 0, "spec", "replicas");
        if (replicas == UNSET) {
            throw ApiException.badRequest(
                    "the spec replicas field " + FieldErrors.quoted(paths.specReplicas()) + " cannot be empty");
        }
        List<String> steps = ScalePaths.steps(paths.specReplicas());
        ObjectNode parent = object;
        for (String step : steps.subList(0, steps.size() - 1)) {
            parent = Json.ensureObject(parent, step);
        }
        parent.put(steps.getLast(), replicas);
    }
}
