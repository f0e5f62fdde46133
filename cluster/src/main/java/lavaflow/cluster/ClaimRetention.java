package lavaflow.cluster;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Who owns the claims of a StatefulSet, which is how they are deleted with it: the set where claims go with the set, the
 * pod where they go with a pod that is one too many, nobody where they stay. Pure.
 */
final class ClaimRetention {
    private final ObjectNode set;
    private final boolean withSet;
    private final boolean withPod;

    ClaimRetention(ObjectNode set) {
        this.set = set;
        this.withSet = isDelete("whenDeleted");
        this.withPod = isDelete("whenScaled");
    }

    private boolean isDelete(String when) {
        return Json.textAt(set, "spec", "persistentVolumeClaimRetentionPolicy", when)
                .equals("Delete");
    }

    /**
     * The pod a claim is for.
     *
     * @param uid empty while it does not exist
     * @param superfluous whether the set is too small for it
     */
    record User(String name, String uid, boolean superfluous) {}

    /** The owners a claim without any would get. */
    ArrayNode owners(User pod) {
        ArrayNode owners = Json.array();
        if (withPod && pod.superfluous()) {
            owners.addObject()
                    .put("apiVersion", "v1")
                    .put("kind", "Pod")
                    .put("name", pod.name())
                    .put("uid", pod.uid())
                    .put("controller", true)
                    .put("blockOwnerDeletion", true);
        } else if (withSet) {
            owners.add(ReplicaDecisions.ownerReference(set));
        }
        return owners;
    }

    /** The owners a claim should have; others' references stay, and who is controlled by others is left to them. */
    ArrayNode owners(ClaimState claim, User pod) {
        ArrayNode owners = Json.array();
        for (JsonNode owner : claim.owners()) {
            if (!isSet(owner) && !isPod(owner, pod)) {
                owners.add(owner.deepCopy());
            }
        }
        return isControlledElsewhere(claim, pod) ? owners : owners.addAll(owners(pod));
    }

    boolean isUpToDate(ClaimState claim, User pod) {
        boolean ofSet = false;
        boolean ofPod = false;
        for (JsonNode owner : claim.owners()) {
            if (isSet(owner)) {
                if (!isUid(owner, Objects.uid(set)) || !Json.flagAt(owner, "controller")) {
                    return false;
                }
                ofSet = true;
            } else if (isPod(owner, pod)) {
                if (!isUid(owner, pod.uid()) || !Json.flagAt(owner, "controller")) {
                    return false;
                }
                ofPod = true;
            }
        }
        if (isControlledElsewhere(claim, pod)) {
            return !ofSet && !ofPod;
        }
        boolean wantsPod = withPod && pod.superfluous();
        return ofPod == wantsPod && ofSet == (withSet && !wantsPod);
    }

    /** Somebody else controls it, so the policy cannot be kept. Where claims stay that is no problem. */
    boolean isControlledElsewhere(ClaimState claim, User pod) {
        if (!withSet && !withPod) {
            return false;
        }
        for (JsonNode owner : claim.owners()) {
            boolean strange;
            if (isSet(owner)) {
                strange = !isUid(owner, Objects.uid(set));
            } else if (isPod(owner, pod)) {
                strange = !isUid(owner, pod.uid());
            } else {
                strange = Json.flagAt(owner, "controller");
            }
            if (strange) {
                return true;
            }
        }
        return false;
    }

    /** It belongs to an earlier pod of that name and goes with it: a new pod must wait for a new claim. */
    boolean isStale(ClaimState claim, User pod) {
        if (!withPod) {
            return false;
        }
        for (JsonNode owner : claim.owners()) {
            if (isPod(owner, pod) && !isUid(owner, pod.uid())) {
                return true;
            }
        }
        return false;
    }

    private boolean isSet(JsonNode owner) {
        return Json.textAt(owner, "kind").equals("StatefulSet")
                && Json.textAt(owner, "apiVersion").equals("apps/v1")
                && Json.textAt(owner, "name").equals(Objects.name(set));
    }

    private static boolean isPod(JsonNode owner, User pod) {
        return Json.textAt(owner, "kind").equals("Pod")
                && Json.textAt(owner, "apiVersion").equals("v1")
                && Json.textAt(owner, "name").equals(pod.name());
    }

    private static boolean isUid(JsonNode owner, String uid) {
        return Json.textAt(owner, "uid").equals(uid);
    }
}
