package lavaflow.kinds;

import java.util.Set;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** networking.k8s.io/v1 IngressClass. */
final class IngressClassRules implements KindRules {
    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.GENERATION);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        ObjectNode parameters = Json.objectAt(object, "spec", "parameters");
        if (parameters != null) {
            Nodes.defaultValue(parameters, "scope", Json.text("Cluster"));
        }
    }
}
