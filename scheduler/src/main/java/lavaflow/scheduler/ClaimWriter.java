package lavaflow.scheduler;

import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;
import lavaflow.placement.ClusterState;
import lavaflow.placement.DeviceClaim;
import lavaflow.placement.Devices;
import lavaflow.placement.ExtendedClaim;
import lavaflow.placement.PlacedPod;
import lavaflow.placement.ScheduledPod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Writes what claims were given, and for which pod, before the pod is bound. Whatever is done twice, because nobody heard that it was done,
 * is done once: a claim is read before it is written, and written as it was read.
 */
final class ClaimWriter {
    /** Keeps a claim as long as it has devices. */
    static final String FINALIZER = "resource.kubernetes.io/delete-protection";

    private static final int TRIES = 5;
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;
    private static final int SERVER_ERROR = 500;

    private final KubeApi api;
    private final InstantSource clock;
    private final ClusterState state;
    private final Told told;
    private final ExtendedClaims extended;
    /** What is being written, by the uid of the pod. */
    private final Map<String, List<Devices.Reservation>> open = new ConcurrentHashMap<>();

    /** Hears, on any thread, of claims. */
    interface Told {
        /** A claim is like this now. */
        void wrote(DeviceClaim claim);

        /** A claim is gone. */
        void deleted(DeviceClaim claim);

        Told NOBODY = new Told() {
            @Override
            public void wrote(DeviceClaim claim) {}

            @Override
            public void deleted(DeviceClaim claim) {}
        };
    }

    ClaimWriter(KubeApi api, InstantSource clock, ClusterState state, Told told) {
        this.api = api;
        this.clock = clock;
        this.state = state;
        this.told = told;
        this.extended = new ExtendedClaims(api, told);
    }

    /** Notes what a pod that is to be bound needs; on the thread that decided it. */
    void prepare(ScheduledPod pod) {
        // Nobody asks any more for those that went while they waited for their devices.
        open.keySet().removeIf(uid -> state.findPlaced(uid) == null);
        PlacedPod placed = state.findPlaced(pod.uid());
        if (placed == null) {
            return;
        }
        List<Devices.Reservation> needs = state.devices().reservations(pod, placed.type());
        if (!needs.isEmpty()) {
            open.put(pod.uid(), needs);
        }
    }

    /** Writes what was noted for a pod. */
    void reserve(ScheduledPod pod) {
        for (Devices.Reservation each : open.getOrDefault(pod.uid(), List.of())) {
            ExtendedClaim made = each.made();
            Devices.Reservation needs = made == null ? each : extended.make(pod, made, each);
            reserve(pod, needs);
            if (made != null) {
                extended.tell(pod, made, needs.name());
            }
        }
    }

    /** The pod has its node. */
    void done(ScheduledPod pod) {
        open.remove(pod.uid());
    }

    /**
     * Nothing came of it, or nobody knows: has it known what its claims have by now, since nobody may have heard.
     *
     * @param waits whether the pod has no node, so that what was made for it on that node is of no use
     */
    void refresh(ScheduledPod pod, boolean waits) {
        for (Devices.Reservation each : open.getOrDefault(pod.uid(), List.of())) {
            if (each.made() != null) {
                if (waits) {
                    extended.delete(pod);
                }
                continue;
            }
            api.find(DeviceKinds.CLAIMS, each.namespace(), each.name())
                    .ifPresent(claim -> told.wrote(DeviceClaim.of(claim)));
        }
        open.remove(pod.uid());
    }

    private void reserve(ScheduledPod pod, Devices.Reservation needs) {
        for (int i = 1; ; i++) {
            try {
                told.wrote(DeviceClaim.of(reserveOnce(pod, needs)));
                return;
            } catch (ApiException e) {
                if (e.code() == NOT_FOUND) {
                    // Not the pod, which others would take it for.
                    throw failure("claim " + needs.namespace() + "/" + needs.name() + " got deleted in the meantime");
                }
                boolean again = e.code() == CONFLICT || e.code() >= SERVER_ERROR;
                if (!again || i == TRIES) {
                    throw e;
                }
            }
        }
    }

    private ObjectNode reserveOnce(ScheduledPod pod, Devices.Reservation needs) {
        String place = needs.namespace() + "/" + needs.name();
        ObjectNode claim = api.find(DeviceKinds.CLAIMS, needs.namespace(), needs.name())
                .filter(found ->
                        Inbox.uid(found).equals(needs.uid()) && Json.at(found, "metadata", "deletionTimestamp") == null)
                .orElseThrow(() -> failure("claim " + place + " got deleted in the meantime"));
        ObjectNode has = Json.objectAt(claim, "status", "allocation");
        ObjectNode gets = needs.allocation();
        if (has == null && gets == null) {
            throw failure("claim " + place + " got deallocated elsewhere in the meantime");
        }
        if (has != null && gets != null && !sameDevices(has, gets)) {
            throw failure("claim " + place + " got allocated elsewhere in the meantime");
        }
        boolean reserved = Json.listAt(claim, "status", "reservedFor")
                .valueStream()
                .anyMatch(user -> Json.textAt(user, "uid").equals(pod.uid()));
        if (has != null && reserved) {
            return claim;
        }
        ObjectNode changed = has == null && gets != null ? withAllocation(claim, gets) : claim.deepCopy();
        if (!reserved) {
            Json.ensureObject(changed, "status")
                    .withArray("reservedFor")
                    .addObject()
                    .put("resource", "pods")
                    .put("name", pod.name())
                    .put("uid", pod.uid());
        }
        return api.update(DeviceKinds.CLAIMS, "status", changed);
    }

    private static ApiException failure(String message) {
        return ApiException.badRequest(message);
    }

    /** It must not vanish while it has devices: that is written first. */
    private ObjectNode withAllocation(ObjectNode claim, ObjectNode gets) {
        ObjectNode changed = claim.deepCopy();
        ArrayNode finalizers = Json.ensureObject(changed, "metadata").withArray("finalizers");
        if (finalizers.valueStream().noneMatch(each -> each.asText().equals(FINALIZER))) {
            finalizers.add(FINALIZER);
            changed = api.update(DeviceKinds.CLAIMS, "", changed).deepCopy();
        }
        ObjectNode allocation = gets.deepCopy();
        allocation.put("allocationTimestamp", GoTime.seconds(clock.instant()));
        Json.ensureObject(changed, "status").set("allocation", allocation);
        return changed;
    }

    /** Servers may write the rest in other words. */
    private static boolean sameDevices(ObjectNode one, ObjectNode other) {
        ArrayNode left = Json.listAt(one, "devices", "results");
        ArrayNode right = Json.listAt(other, "devices", "results");
        boolean same = left.size() == right.size();
        for (int i = 0; same && i < left.size(); i++) {
            JsonNode mine = left.get(i);
            JsonNode yours = right.get(i);
            same = List.of("request", "driver", "pool", "device", "shareID").stream()
                    .allMatch(field -> Json.textAt(mine, field).equals(Json.textAt(yours, field)));
        }
        return same;
    }

    /** Deletes a claim that was made for what containers ask for, unless its pod has a node. */
    void delete(DeviceClaim claim) {
        extended.delete(claim);
    }

    /** Takes its devices from a claim that nobody but a pod without a node uses. */
    void deallocate(DeviceClaim claim) {
        ObjectNode found =
                api.find(DeviceKinds.CLAIMS, claim.namespace(), claim.name()).orElse(null);
        String revision = found == null ? "" : Json.textAt(found, "metadata", "resourceVersion");
        if (found == null || !revision.equals(String.valueOf(claim.revision()))) {
            // It has changed since: whoever asked will ask again.
            return;
        }
        ObjectNode changed = found.deepCopy();
        Json.ensureObject(changed, "status").remove(List.of("allocation", "reservedFor", "devices"));
        told.wrote(DeviceClaim.of(api.update(DeviceKinds.CLAIMS, "status", changed)));
    }
}
