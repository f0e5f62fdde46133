package lavaflow.apiserver;

import java.util.List;

import lavaflow.kube.ApiException;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.GoText;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** The scale of custom objects: an autoscaling/v1 Scale whose numbers stand where the definition says. */
final class CustomScale {
    private static final List<String> METADATA =
            List.of("name", "namespace", "uid", "resourceVersion", "creationTimestamp");

    private CustomScale() {}

    private static String[] fields(String path) {
        return path.substring(1).split("\\.");
    }

    /** The value at a path, or null; what is in the way of a path is told to {@code errors}. */
    private static @Nullable JsonNode value(ObjectNode object, String path, FieldErrors errors) {
        JsonNode at = object;
        for (String field : fields(path)) {
            if (!at.isObject()) {
                errors.invalid(
                        FieldPath.of(path),
                        0,
                        path + " accessor error: " + GoText.value(at) + " is of the type " + GoText.type(at)
                                + ", expected map[string]interface{}");
                return null;
            }
            JsonNode next = at.get(field);
            if (next == null) {
                return null;
            }
            at = next;
        }
        return at;
    }

    private static @Nullable JsonNode at(ObjectNode object, String path) {
        return value(object, path, new FieldErrors());
    }

    /** The Scale of an object. */
    static ObjectNode of(Definition.ScalePaths paths, ObjectNode object) {
        JsonNode replicas = at(object, paths.specReplicas());
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
        JsonNode current = at(object, paths.statusReplicas());
        status.put("replicas", current == null ? 0 : current.asLong());
        JsonNode selector = paths.labelSelector().isEmpty() ? null : at(object, paths.labelSelector());
        if (selector != null && !selector.asText().isEmpty()) {
            status.put("selector", selector.asText());
        }
        return scale;
    }

    /** Gives an object the number of replicas of a Scale. */
    static void apply(Definition.ScalePaths paths, ObjectNode scale, ObjectNode object) {
        String[] fields = fields(paths.specReplicas());
        String[] parents = java.util.Arrays.copyOf(fields, fields.length - 1);
        ObjectNode parent = parents.length == 0 ? object : Json.ensureObject(object, parents);
        parent.put(fields[fields.length - 1], Json.longAt(scale, 0, "spec", "replicas"));
    }

    /** What is wrong with the numbers of an object that can be scaled. */
    static void validate(Definition.@Nullable ScalePaths paths, ObjectNode object, FieldErrors errors) {
        if (paths == null) {
            return;
        }
        count(object, paths.specReplicas(), errors);
        count(object, paths.statusReplicas(), errors);
        if (!paths.labelSelector().isEmpty()) {
            value(object, paths.labelSelector(), errors);
        }
    }

    private static void count(ObjectNode object, String path, FieldErrors errors) {
        JsonNode replicas = value(object, path, errors);
        if (replicas != null && replicas.isIntegralNumber() && replicas.longValue() < 0) {
            errors.invalid(FieldPath.of(path), replicas.longValue(), "should be a non-negative integer");
        } else if (replicas != null && replicas.isIntegralNumber() && replicas.longValue() > Integer.MAX_VALUE) {
            errors.invalid(
                    FieldPath.of(path), replicas.longValue(), "should be less than or equal to " + Integer.MAX_VALUE);
        }
    }
}
