package lavaflow.placement;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * A ResourceClaim that a pod uses.
 *
 * @param name empty as long as the one of a template was not made
 * @param user the uid of the pod that it must have been made for; empty if that does not matter
 * @param problem why there is none; empty if there is
 */
record PodClaim(String name, String user, String problem) {
    /** What tells pods apart by their claims, in the form that {@link #listOf} reads; empty if they have none. */
    static ArrayNode key(ObjectNode pod) {
        ArrayNode key = Json.array();
        for (JsonNode each : Json.listAt(pod, "spec", "resourceClaims")) {
            String name = Json.textAt(each, "resourceClaimName");
            if (!name.isEmpty()) {
                key.addObject().put("name", name);
            } else {
                ofTemplate(pod, each, key);
            }
        }
        return key;
    }

    private static void ofTemplate(ObjectNode pod, JsonNode entry, ArrayNode key) {
        String place = Json.textAt(pod, "metadata", "namespace") + "/" + Json.textAt(pod, "metadata", "name");
        String own = Json.textAt(entry, "name");
        if (Json.textAt(entry, "resourceClaimTemplateName").isEmpty()) {
            key.addObject()
                    .put(
                            "problem",
                            "pod \"" + place + "\", spec.resourceClaim \"" + own
                                    + "\": none of the supported fields are set");
            return;
        }
        for (JsonNode status : Json.listAt(pod, "status", "resourceClaimStatuses")) {
            if (Json.textAt(status, "name").equals(own)) {
                String made = Json.textAt(status, "resourceClaimName");
                if (!made.isEmpty()) {
                    key.addObject().put("name", made).put("user", Json.textAt(pod, "metadata", "uid"));
                }
                // Otherwise it was decided that it needs none.
                return;
            }
        }
        key.addObject().put("problem", "pod \"" + place + "\": ResourceClaim not created yet");
    }

    static List<PodClaim> listOf(JsonNode key) {
        List<PodClaim> claims = new ArrayList<>();
        for (JsonNode each : key) {
            claims.add(
                    new PodClaim(Json.textAt(each, "name"), Json.textAt(each, "user"), Json.textAt(each, "problem")));
        }
        return List.copyOf(claims);
    }
}
