package lavaflow.apiserver;

import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Gives pods the zone and region of the node they are created on or bound to, so that programs in them can know. */
final class NodeTopology implements Admission.Plugin {
    private static final List<String> LABELS = List.of("topology.kubernetes.io/zone", "topology.kubernetes.io/region");

    private final Stored stored;

    NodeTopology(Stored stored) {
        this.stored = stored;
    }

    @Override
    public void mutate(Call call, Admission.Operation operation, ObjectNode object, @Nullable ObjectNode old) {
        if (operation != Admission.Operation.CREATE) {
            return;
        }
        String path = call.resource().name() + "/" + call.subresource();
        String node = switch (path) {
            case "pods/" -> Json.textAt(object, "spec", "nodeName");
            case "pods/binding", "bindings/" -> Json.textAt(object, "target", "name");
            default -> "";
        };
        if (node.isEmpty() || !call.resource().group().isEmpty()) {
            return;
        }
        ObjectNode found = stored.find("nodes", node);
        for (String label : LABELS) {
            String value = Json.textAt(found, "metadata", "labels", label);
            if (!value.isEmpty()) {
                Json.ensureObject(object, "metadata", "labels").put(label, value);
            }
        }
    }
}
