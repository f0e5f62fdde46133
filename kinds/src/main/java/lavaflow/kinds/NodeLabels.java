package lavaflow.kinds;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Labels of nodes that have been replaced; selecting by them earns a warning. */
final class NodeLabels {
    private static final Map<String, String> DEPRECATED = Map.of(
            "beta.kubernetes.io/arch", "deprecated since v1.14; use \"kubernetes.io/arch\" instead",
            "beta.kubernetes.io/os", "deprecated since v1.14; use \"kubernetes.io/os\" instead",
            "failure-domain.beta.kubernetes.io/region",
                    "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead",
            "failure-domain.beta.kubernetes.io/zone",
                    "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead",
            "beta.kubernetes.io/instance-type",
                    "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead",
            "app.kubernetes.io/created-by", "deprecated since v1.9",
            "scheduler.alpha.kubernetes.io/preferAvoidPods",
                    "deprecated since v1.22; use Taints and Tolerations instead",
            "node-role.kubernetes.io/master", "use \"node-role.kubernetes.io/control-plane\" instead");

    private NodeLabels() {}

    /** What to use instead of a label, or null where it is in good standing. */
    static @Nullable String deprecation(String label) {
        return DEPRECATED.get(label);
    }

    /** Warnings about a NodeSelectorTerm; values are checked only where validation does not refuse them. */
    static List<String> termWarnings(@Nullable ObjectNode term, boolean checkValues, FieldPath path) {
        List<String> warnings = new ArrayList<>();
        List<ObjectNode> expressions = Nodes.objects(term, "matchExpressions");
        for (int i = 0; i < expressions.size(); i++) {
            FieldPath place = path.child("matchExpressions").index(i);
            String key = Json.textAt(expressions.get(i), "key");
            String deprecation = deprecation(key);
            if (deprecation != null) {
                warnings.add(place.child("key") + ": " + key + " is " + deprecation);
            }
            List<String> values = checkValues ? Nodes.strings(expressions.get(i), "values") : List.of();
            for (int j = 0; j < values.size(); j++) {
                for (String wrong : Names.labelValue(values.get(j))) {
                    warnings.add(place.child("values").index(j) + ": " + values.get(j) + " is invalid, " + wrong);
                }
            }
        }
        return warnings;
    }
}
