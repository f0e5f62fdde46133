package lavaflow.e2e;

import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** A review as one server sent it, without what differs between two servers, to be compared as text. */
final class Echo {
    private static final List<String> IDENTITIES =
            List.of("uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "time");

    private Echo() {}

    static JsonNode comparable(ObjectNode review) {
        ObjectNode copy = review.deepCopy();
        if (copy.get("request") instanceof ObjectNode request) {
            // Two admins are the same, but their certificates are not.
            request.withObject("/userInfo").remove("extra");
        }
        return sorted(copy);
    }

    private static JsonNode sorted(JsonNode node) {
        if (node instanceof ObjectNode object) {
            ObjectNode sorted = Json.object();
            object.propertyStream().map(java.util.Map.Entry::getKey).sorted().forEach(field -> {
                JsonNode value = object.get(field);
                boolean identity = IDENTITIES.contains(field) && value.isTextual();
                sorted.set(field, identity ? Json.text("<" + field + ">") : sorted(value));
            });
            return sorted;
        }
        if (node.isArray()) {
            var array = Json.array();
            node.forEach(item -> array.add(sorted(item)));
            return array;
        }
        return node;
    }
}
