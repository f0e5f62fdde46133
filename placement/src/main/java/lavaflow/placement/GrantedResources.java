package lavaflow.placement;

import java.util.Map;

import lavaflow.kube.Json;
import lavaflow.kube.PodRequests;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What a container counts for while it is being resized in place: the most of what it asks for, what its node has set aside and
 * what it has. What the node says it can never give does not count.
 */
public final class GrantedResources {
    private GrantedResources() {}

    /**
     * The resources of a container, as its spec has them wherever its node does not say more.
     *
     * @param statuses the field of the pod's status that tells of such containers
     */
    static @Nullable JsonNode of(ObjectNode pod, JsonNode container, String statuses) {
        JsonNode asked = Json.at(container, "resources");
        JsonNode status = Json.textAt(pod, "spec", "nodeName").isEmpty()
                ? null
                : status(pod, Json.textAt(container, "name"), statuses);
        JsonNode has = Json.at(status, "resources", "requests");
        JsonNode granted = Json.at(status, "allocatedResources");
        if (has == null && granted == null) {
            return asked;
        }
        ObjectNode requests = Json.object();
        if (!isInfeasible(pod)) {
            raise(requests, Json.at(asked, "requests"));
        }
        raise(requests, has);
        raise(requests, granted);
        if (PodRequests.amounts(requests).equals(PodRequests.amounts(Json.at(asked, "requests")))) {
            // The same words, so that it is the same class.
            return asked;
        }
        ObjectNode counted = asked instanceof ObjectNode present ? present.deepCopy() : Json.object();
        counted.set("requests", requests);
        return counted;
    }

    private static @Nullable JsonNode status(ObjectNode pod, String name, String statuses) {
        for (JsonNode status : Json.listAt(pod, "status", statuses)) {
            if (Json.textAt(status, "name").equals(name)) {
                return status;
            }
        }
        return null;
    }

    private static boolean isInfeasible(ObjectNode pod) {
        for (JsonNode condition : Json.listAt(pod, "status", "conditions")) {
            if (Json.textAt(condition, "type").equals("PodResizePending")) {
                return Json.textAt(condition, "reason").equals("Infeasible");
            }
        }
        return false;
    }

    private static void raise(ObjectNode requests, @Nullable JsonNode more) {
        Map<String, Long> known = PodRequests.amounts(requests);
        PodRequests.amounts(more).forEach((name, amount) -> {
            JsonNode quantity = Json.at(more, name);
            if (quantity != null && amount > known.getOrDefault(name, -1L)) {
                requests.set(name, quantity);
            }
        });
    }
}
