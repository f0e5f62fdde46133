package lavaflow.scheduler;

import java.util.UUID;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.placement.DeviceClaim;
import lavaflow.placement.Devices;
import lavaflow.placement.ExtendedClaim;
import lavaflow.placement.ScheduledPod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

import static java.nio.charset.StandardCharsets.UTF_8;

/** Makes the claims of pods whose containers ask for resources that classes of devices stand for, and deletes those that are of no use. */
final class ExtendedClaims {
    private static final String LETTERS = "bcdfghjklmnpqrstvwxz2456789";
    private static final int LONGEST_BASE = 58;
    private static final int CHOSEN = 5;
    private static final int COLLISIONS = 8;
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;

    private final KubeApi api;
    private final ClaimWriter.Told told;

    ExtendedClaims(KubeApi api, ClaimWriter.Told told) {
        this.api = api;
        this.told = told;
    }

    /** Makes the claim of a pod unless it is there already; what is to be written in it. */
    Devices.Reservation make(ScheduledPod pod, ExtendedClaim made, Devices.Reservation needs) {
        ObjectNode claim = claim(pod, made);
        for (int attempt = 0; attempt < COLLISIONS; attempt++) {
            String name = name(pod, attempt);
            Json.ensureObject(claim, "metadata").put("name", name);
            ObjectNode present = createOrFind(pod, claim, name);
            if (present != null) {
                return new Devices.Reservation(needs.namespace(), name, Inbox.uid(present), needs.allocation(), made);
            }
        }
        throw ApiException.internal("create claim for extended resources: no name is free for " + base(pod));
    }

    private static String base(ScheduledPod pod) {
        return pod.name() + "-extended-resources-";
    }

    /** It is named by what it is for: who is interrupted makes no second one. */
    private static String name(ScheduledPod pod, int attempt) {
        String base = base(pod);
        return base.substring(0, Math.min(base.length(), LONGEST_BASE)) + chosen(pod.uid(), attempt);
    }

    /** Null if the name belongs to another. */
    private @Nullable ObjectNode createOrFind(ScheduledPod pod, ObjectNode claim, String name) {
        try {
            return api.create(DeviceKinds.CLAIMS, pod.namespace(), claim);
        } catch (ApiException e) {
            if (e.code() != CONFLICT) {
                throw e;
            }
            return api.find(DeviceKinds.CLAIMS, pod.namespace(), name)
                    .filter(found -> DeviceClaim.of(found).extended()
                            && DeviceClaim.of(found).owner().equals(pod.uid()))
                    .orElse(null);
        }
    }

    private static String chosen(String pod, int attempt) {
        long number =
                UUID.nameUUIDFromBytes((pod + "/" + attempt).getBytes(UTF_8)).getMostSignificantBits();
        StringBuilder letters = new StringBuilder();
        for (int i = 0; i < CHOSEN; i++) {
            letters.append(LETTERS.charAt((int) Long.remainderUnsigned(number, LETTERS.length())));
            number = Long.divideUnsigned(number, LETTERS.length());
        }
        return letters.toString();
    }

    private static ObjectNode claim(ScheduledPod pod, ExtendedClaim made) {
        ObjectNode claim = Json.object().put("apiVersion", "resource.k8s.io/v1").put("kind", "ResourceClaim");
        ObjectNode metadata = claim.putObject("metadata");
        metadata.put("generateName", base(pod)).put("namespace", pod.namespace());
        metadata.putObject("annotations").put(ExtendedClaim.ANNOTATION, "true");
        metadata.putArray("ownerReferences")
                .addObject()
                .put("apiVersion", "v1")
                .put("kind", "Pod")
                .put("name", pod.name())
                .put("uid", pod.uid())
                .put("controller", true);
        Json.ensureObject(claim, "spec", "devices").set("requests", made.requests());
        return claim;
    }

    /** Says in the pod which of its containers has what. */
    void tell(ScheduledPod pod, ExtendedClaim made, String claim) {
        ObjectNode patch = Json.object();
        Json.ensureObject(patch, "metadata").put("uid", pod.uid());
        Json.ensureObject(patch, "status", "extendedResourceClaimStatus")
                .put("resourceClaimName", claim)
                .set("requestMappings", made.mappings());
        api.patch(Scheduler.PODS, pod.namespace(), pod.name(), "status", KubeApi.Merge.PLAIN, patch);
    }

    /** The claim of a pod that does not get its node goes. */
    void delete(ScheduledPod pod) {
        for (int attempt = 0; attempt < COLLISIONS; attempt++) {
            ObjectNode found = api.find(DeviceKinds.CLAIMS, pod.namespace(), name(pod, attempt))
                    .orElse(null);
            if (found == null) {
                return;
            }
            if (DeviceClaim.of(found).owner().equals(pod.uid())) {
                delete(found);
                return;
            }
        }
    }

    /** Unless its pod has a node. */
    void delete(DeviceClaim claim) {
        ObjectNode found = api.find(DeviceKinds.CLAIMS, claim.namespace(), claim.name())
                .filter(each -> Inbox.uid(each).equals(claim.uid()))
                .orElse(null);
        if (found != null && !hasPlacedOwner(found)) {
            delete(found);
        }
    }

    private boolean hasPlacedOwner(ObjectNode claim) {
        for (JsonNode owner : Json.listAt(claim, "metadata", "ownerReferences")) {
            String namespace = Json.textAt(claim, "metadata", "namespace");
            boolean placed = api.find(Scheduler.PODS, namespace, Json.textAt(owner, "name"))
                    .filter(pod -> Inbox.uid(pod).equals(Json.textAt(owner, "uid"))
                            && !Json.textAt(pod, "spec", "nodeName").isEmpty())
                    .isPresent();
            if (placed) {
                return true;
            }
        }
        return false;
    }

    /** What keeps it as long as it has devices goes first. */
    private void delete(ObjectNode claim) {
        try {
            ObjectNode freed = claim.deepCopy();
            ArrayNode kept = Json.array();
            Json.listAt(claim, "metadata", "finalizers").forEach(each -> {
                if (!each.asText().equals(ClaimWriter.FINALIZER)) {
                    kept.add(each);
                }
            });
            Json.ensureObject(freed, "metadata").set("finalizers", kept);
            api.update(DeviceKinds.CLAIMS, "", freed);
            DeviceClaim gone = DeviceClaim.of(claim);
            api.delete(DeviceKinds.CLAIMS, gone.namespace(), gone.name(), KubeApi.Deletion.ofUid(gone.uid()));
            told.deleted(gone);
        } catch (ApiException e) {
            if (e.code() != NOT_FOUND) {
                throw e;
            }
        }
    }
}
