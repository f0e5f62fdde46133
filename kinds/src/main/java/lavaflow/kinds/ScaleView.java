package lavaflow.kinds;

import java.util.List;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;
import lavaflow.kube.MalformedException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * The {@code scale} subresource of what runs replicas: an autoscaling/v1 Scale that shows the number of replicas of
 * Deployments, ReplicaSets, StatefulSets and ReplicationControllers alike, and lets clients change nothing else.
 */
public final class ScaleView {
    /** What a Scale has of its object's metadata: no labels, no annotations, no owners. */
    private static final List<String> METADATA =
            List.of("name", "namespace", "uid", "resourceVersion", "creationTimestamp");

    private ScaleView() {}

    /** The Scale of an object. */
    public static ObjectNode of(ObjectNode object) {
        ObjectNode scale = Json.object().put("kind", "Scale").put("apiVersion", "autoscaling/v1");
        ObjectNode metadata = scale.putObject("metadata");
        for (String field : METADATA) {
            JsonNode value = Json.at(object, "metadata", field);
            if (value != null) {
                metadata.set(field, value);
            }
        }
        ObjectNode spec = scale.putObject("spec");
        long replicas = Json.longAt(object, 0, "spec", "replicas");
        if (replicas != 0) {
            spec.put("replicas", replicas);
        }
        ObjectNode status = scale.putObject("status");
        status.put("replicas", Json.longAt(object, 0, "status", "replicas"));
        String selector = selector(Json.at(object, "spec", "selector"));
        if (!selector.isEmpty()) {
            status.put("selector", selector);
        }
        return scale;
    }

    /** Selectors of ReplicationControllers are plain maps of labels. */
    private static String selector(@Nullable JsonNode selector) {
        boolean structured =
                selector == null || Nodes.has(selector, "matchLabels") || Nodes.has(selector, "matchExpressions");
        try {
            return (structured ? LabelSelector.fromJson(selector) : LabelSelector.ofLabels(selector)).toString();
        } catch (MalformedException e) {
            return "";
        }
    }

    /** What is wrong with a Scale that a client sent; complaints are about the kind Scale of the group autoscaling. */
    public static void validate(ObjectNode scale, FieldErrors errors) {
        FieldChecks.notNegative(Json.at(scale, "spec"), "replicas", FieldPath.of("spec"), errors);
    }

    /** Gives an object the number of replicas of a Scale; none in the Scale means none at all. */
    public static void apply(ObjectNode scale, ObjectNode object) {
        Json.ensureObject(object, "spec").put("replicas", Json.longAt(scale, 0, "spec", "replicas"));
    }
}
