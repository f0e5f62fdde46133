package lavaflow.kinds;

import java.util.List;
import java.util.Set;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** networking.k8s.io/v1 NetworkPolicy. */
final class NetworkPolicyRules implements KindRules {
    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.GENERATION);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        for (String direction : List.of("ingress", "egress")) {
            for (ObjectNode rule : Nodes.objects(spec, direction)) {
                for (ObjectNode port : Nodes.objects(rule, "ports")) {
                    Nodes.defaultValue(port, "protocol", Json.text("TCP"));
                }
            }
        }
        if (Nodes.emptyAt(spec, "policyTypes")) {
            ArrayNode types = spec.putArray("policyTypes").add("Ingress");
            if (!Nodes.emptyAt(spec, "egress")) {
                types.add("Egress");
            }
        }
    }
}
