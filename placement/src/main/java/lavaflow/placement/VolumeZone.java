package lavaflow.placement;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Where a volume is, told by its labels: how provisioners said so before volumes had a node affinity.
 *
 * @param allowed the values a node may have, by label
 */
public record VolumeZone(Map<String, List<String>> allowed) {
    static final VolumeZone ANYWHERE = new VolumeZone(Map.of());

    /** A volume that is in several zones has all their names in one value. */
    private static final String BETWEEN = "__";

    /** Labels, and what they were called before. */
    private static final Map<String, String> EARLIER = Map.of(
            "topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone",
            "topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region");

    private static final List<String> LABELS = List.of(
            "failure-domain.beta.kubernetes.io/region",
            "failure-domain.beta.kubernetes.io/zone",
            "topology.kubernetes.io/region",
            "topology.kubernetes.io/zone");

    static VolumeZone of(@Nullable JsonNode labels) {
        Map<String, List<String>> allowed = new LinkedHashMap<>();
        for (String label : LABELS) {
            JsonNode value = labels == null ? null : labels.get(label);
            if (value != null) {
                allowed.put(label, List.of(value.asText().split(BETWEEN, -1)));
            }
        }
        return allowed.isEmpty() ? ANYWHERE : new VolumeZone(allowed);
    }

    /** Nodes that say nothing of where they are reach everything. */
    boolean reachableFrom(ObjectNode nodeLabels) {
        return allowed.isEmpty()
                || LABELS.stream().noneMatch(nodeLabels::has)
                || allowed.entrySet().stream()
                        .allMatch(each -> each.getValue().contains(value(nodeLabels, each.getKey())));
    }

    private static String value(ObjectNode nodeLabels, String label) {
        JsonNode value = nodeLabels.get(label);
        for (Map.Entry<String, String> names : EARLIER.entrySet()) {
            if (value == null && names.getValue().equals(label)) {
                value = nodeLabels.get(names.getKey());
            } else if (value == null && names.getKey().equals(label)) {
                value = nodeLabels.get(names.getValue());
            }
        }
        return value == null ? "" : value.asText();
    }
}
