package lavaflow.cluster;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What the StatefulSet controller looks at in a claim to a volume.
 *
 * @param owners {@code metadata.ownerReferences}, maybe empty
 */
record ClaimState(String namespace, String name, String uid, boolean deleting, ArrayNode owners) {
    static final KubeApi.Kind KIND = KubeApi.Kind.core("persistentvolumeclaims");

    static ClaimState of(ObjectNode claim) {
        return new ClaimState(
                Objects.namespace(claim),
                Objects.name(claim),
                Objects.uid(claim),
                Objects.isDeleting(claim),
                Json.listAt(claim, "metadata", "ownerReferences"));
    }
}
