package lavaflow.cluster;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Takes objects under control and lets them go, if they are still the ones that were looked at. */
final class Ownership {
    private final KubeApi api;

    Ownership(KubeApi api) {
        this.api = api;
    }

    /** Makes an orphan the owner's; does nothing if it is gone, another one by now, or somebody else was faster. */
    void adopt(KubeApi.Kind kind, String namespace, String name, String uid, ObjectNode owner) {
        api.find(kind, namespace, name)
                .filter(found -> Objects.uid(found).equals(uid)
                        && !Objects.isDeleting(found)
                        && PodState.OwnerRef.of(found) == null)
                .ifPresent(found -> {
                    ArrayNode owners =
                            Json.listAt(found, "metadata", "ownerReferences").deepCopy();
                    owners.add(ReplicaDecisions.ownerReference(owner));
                    Objects.setList(found, "ownerReferences", owners);
                    api.update(kind, "", found);
                });
    }

    /** Ends the owner's control. */
    void release(KubeApi.Kind kind, String namespace, String name, String uid, String ownerUid) {
        api.find(kind, namespace, name)
                .filter(found -> Objects.uid(found).equals(uid))
                .ifPresent(found -> {
                    ArrayNode kept = Json.array();
                    for (JsonNode reference : Json.listAt(found, "metadata", "ownerReferences")) {
                        if (!Json.textAt(reference, "uid").equals(ownerUid)) {
                            kept.add(reference);
                        }
                    }
                    if (Objects.setList(found, "ownerReferences", kept)) {
                        api.update(kind, "", found);
                    }
                });
    }
}
