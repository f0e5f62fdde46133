package lavaflow.cluster;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Takes objects under control and lets them go, if they are still the ones that were looked at. By patches: most
 * controllers may not update pods.
 */
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
                    setOwners(kind, found, owners);
                });
    }

    /** Ends the owner's control. */
    void release(KubeApi.Kind kind, String namespace, String name, String uid, String ownerUid) {
        api.find(kind, namespace, name)
                .filter(found -> Objects.uid(found).equals(uid))
                .ifPresent(found -> {
                    ArrayNode owners = Json.listAt(found, "metadata", "ownerReferences");
                    ArrayNode kept = Json.array();
                    for (JsonNode reference : owners) {
                        if (!Json.textAt(reference, "uid").equals(ownerUid)) {
                            kept.add(reference);
                        }
                    }
                    if (kept.size() < owners.size()) {
                        setOwners(kind, found, kept);
                    }
                });
    }

    /** The whole list, so it must be the one that was read. */
    private void setOwners(KubeApi.Kind kind, ObjectNode found, ArrayNode owners) {
        ObjectNode patch = Json.object();
        ObjectNode metadata = patch.putObject("metadata");
        metadata.put("uid", Objects.uid(found));
        metadata.put("resourceVersion", Objects.resourceVersion(found));
        metadata.set("ownerReferences", owners.isEmpty() ? Json.FACTORY.nullNode() : owners);
        api.patch(kind, Objects.namespace(found), Objects.name(found), "", KubeApi.Merge.PLAIN, patch);
    }
}
