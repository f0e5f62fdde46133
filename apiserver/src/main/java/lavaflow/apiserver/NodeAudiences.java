package lavaflow.apiserver;

import java.util.List;

import lavaflow.access.Attributes;
import lavaflow.access.Authorizer;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * For whom a node may ask tokens: for those that the pod's volumes are meant for, and for those it was allowed by name. Without this,
 * whoever has a node could pose as its pods before anybody.
 */
record NodeAudiences(Stored stored, Authorizer authorizer) {
    private static final String VERB = "request-serviceaccounts-token-audience";

    /** Why the node may not ask; empty where it may. */
    String problem(Call call, ObjectNode request, ObjectNode pod) {
        List<String> audiences = new java.util.ArrayList<>();
        Json.listAt(request, "spec", "audiences").forEach(audience -> audiences.add(audience.asText()));
        if (audiences.size() > 1) {
            return "node may only request 0 or 1 audiences";
        }
        String audience = audiences.isEmpty() ? "" : audiences.getFirst();
        if (mentions(pod, audience) || isAllowed(call, audience)) {
            return "";
        }
        return "audience " + FieldErrors.quoted(audience) + " not found in pod spec volume, "
                + call.user().name() + " is not authorized to request tokens for this audience";
    }

    private boolean isAllowed(Call call, String audience) {
        return authorizer
                .decide(call.user(), Attributes.ofResource(VERB, "", "v1", audience, "", call.namespace(), call.name()))
                .allowed();
    }

    private boolean mentions(ObjectNode pod, String audience) {
        for (JsonNode volume : Json.listAt(pod, "spec", "volumes")) {
            for (JsonNode source : Json.listAt(volume, "projected", "sources")) {
                JsonNode token = Json.at(source, "serviceAccountToken");
                if (token != null && Json.textAt(token, "audience").equals(audience)) {
                    return true;
                }
            }
            if (wantedByDriver(driver(pod, volume), audience)) {
                return true;
            }
        }
        return false;
    }

    /** The storage driver of a volume; empty where there is none. */
    private String driver(ObjectNode pod, JsonNode volume) {
        String inline = Json.textAt(volume, "csi", "driver");
        String claim = Json.textAt(volume, "persistentVolumeClaim", "claimName");
        if (Json.at(volume, "ephemeral") != null) {
            claim = Metadata.name(pod) + "-" + Json.textAt(volume, "name");
        }
        if (!inline.isEmpty() || claim.isEmpty()) {
            return inline;
        }
        ObjectNode bound = stored.find("persistentvolumeclaims", Metadata.namespace(pod) + "/" + claim);
        String name = bound == null ? "" : Json.textAt(bound, "spec", "volumeName");
        ObjectNode persistent = name.isEmpty() ? null : stored.find("persistentvolumes", name);
        return persistent == null ? "" : Json.textAt(persistent, "spec", "csi", "driver");
    }

    private boolean wantedByDriver(String driver, String audience) {
        @Nullable ObjectNode found = driver.isEmpty() ? null : stored.find("storage.k8s.io/csidrivers", driver);
        if (found == null) {
            return false;
        }
        for (JsonNode request : Json.listAt(found, "spec", "tokenRequests")) {
            if (Json.textAt(request, "audience").equals(audience)) {
                return true;
            }
        }
        return false;
    }
}
