package lavaflow.cluster;

import java.util.ArrayList;
import java.util.List;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of a ResourceClaim.
 *
 * @param owner the pod it was made for; null where people made it
 * @param purpose which entry of that pod's spec it was made for; empty where no template was used
 * @param users the uids of those it is reserved for
 */
record DeviceClaim(
        String namespace,
        String name,
        PodState.@Nullable OwnerRef owner,
        String purpose,
        List<String> users,
        boolean allocated,
        boolean deleting) {
    static final KubeApi.Kind KIND = new KubeApi.Kind("resource.k8s.io", "v1", "resourceclaims", true);
    static final KubeApi.Kind TEMPLATES = new KubeApi.Kind("resource.k8s.io", "v1", "resourceclaimtemplates", true);
    /** Says for which entry of its pod a claim was made. */
    static final String PURPOSE = "resource.kubernetes.io/pod-claim-name";
    /** Keeps a claim as long as it has devices. */
    static final String FINALIZER = "resource.kubernetes.io/delete-protection";

    /** So many pods can share one. */
    private static final int MOST_USERS = 256;

    static DeviceClaim of(ObjectNode claim) {
        return new DeviceClaim(
                Objects.namespace(claim),
                Objects.name(claim),
                owner(claim),
                Json.textAt(claim, "metadata", "annotations", PURPOSE),
                users(claim),
                isAllocated(claim),
                Objects.isDeleting(claim));
    }

    /** The pod a claim was made for. */
    static PodState.@Nullable OwnerRef owner(ObjectNode claim) {
        for (JsonNode reference : Json.listAt(claim, "metadata", "ownerReferences")) {
            boolean pod = Json.textAt(reference, "apiVersion").equals("v1")
                    && Json.textAt(reference, "kind").equals("Pod");
            if (pod && Json.flagAt(reference, "controller")) {
                return PodState.OwnerRef.of(claim);
            }
        }
        return null;
    }

    List<String> words() {
        return owner == null ? List.of() : List.of(owner.uid());
    }

    static List<String> users(ObjectNode claim) {
        List<String> users = new ArrayList<>();
        Json.listAt(claim, "status", "reservedFor").forEach(user -> users.add(Json.textAt(user, "uid")));
        return List.copyOf(users);
    }

    static boolean isAllocated(ObjectNode claim) {
        return Json.at(claim, "status", "allocation") != null;
    }

    /** Whether an allocated claim may be used by one more pod, which does not use it yet. */
    static boolean canTake(ObjectNode claim, ObjectNode pod) {
        List<String> users = users(claim);
        return isAllocated(claim) && users.size() < MOST_USERS && !users.contains(Objects.uid(pod));
    }
}
