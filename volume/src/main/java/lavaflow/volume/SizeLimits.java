package lavaflow.volume;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import lavaflow.kube.Json;
import lavaflow.kube.Quantity;
import lavaflow.linux.FileTree;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** How large a pod's volumes may become. */
final class SizeLimits {
    private SizeLimits() {}

    /** The volumes that hold more than they may, in kubelet's words. */
    static List<String> breaches(ObjectNode pod, Map<String, FileTree.Space> usage) {
        List<String> breaches = new ArrayList<>();
        for (JsonNode volume : Json.listAt(pod, "spec", "volumes")) {
            Quantity limit = Quantity.at(volume.path("emptyDir"), "sizeLimit");
            String name = Json.textAt(volume, "name");
            if (limit.signum() > 0
                    && usage.getOrDefault(name, FileTree.Space.NONE).bytes() > limit.value()) {
                breaches.add("Usage of EmptyDir volume \"" + name + "\" exceeds the limit \"" + limit + "\". ");
            }
        }
        return breaches;
    }
}
