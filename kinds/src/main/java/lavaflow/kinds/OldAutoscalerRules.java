package lavaflow.kinds;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** HorizontalPodAutoscaler as autoscaling/v1: only its defaults, all else is done to the stored version. */
final class OldAutoscalerRules implements KindRules {
    /** The default metric comes with the conversion: only there it is known whether annotations hold others. */
    @Override
    public void applyDefaults(ObjectNode object) {
        Nodes.defaultValue(Json.ensureObject(object, "spec"), "minReplicas", Json.number(1));
    }
}
