package lavaflow.kinds;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** HorizontalPodAutoscaler as autoscaling/v1: only its defaults, all else is done to the stored version. */
final class OldAutoscalerRules implements KindRules {
    private final VersionBridge bridge = new AutoscalerBridge();

    /**
     * The default metric and the form of the annotations come with the conversion: only there it is known what they
     * hold. Upstream has been through it before it asks who owns which field, so the object goes there and back.
     */
    @Override
    public void applyDefaults(ObjectNode object) {
        Nodes.defaultValue(Json.ensureObject(object, "spec"), "minReplicas", Json.number(1));
        ObjectNode converted = bridge.fromStored(bridge.toStored(object));
        object.removeAll();
        object.setAll(converted);
    }
}
