package lavaflow.cluster;

import java.util.Locale;

import lavaflow.controller.EventRecorder;
import lavaflow.controller.KubeApi;
import lavaflow.controller.OwnWrites;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Does to one pod of a StatefulSet what was decided, and tells users. */
final class StatefulWriter {
    private static final KubeApi.Kind PODS = ReplicaControllers.PODS;

    private final KubeApi api;
    private final EventRecorder events;
    private final OwnWrites<StatefulSets.Key> writes;

    StatefulWriter(KubeApi api, EventRecorder events, OwnWrites<StatefulSets.Key> writes) {
        this.api = api;
        this.events = events;
        this.writes = writes;
    }

    void perform(StatefulSets.Key key, ObjectNode set, StatefulDecisions.Action action) {
        for (StatefulDecisions.Write write : action.writes()) {
            try {
                perform(key, set, action, write);
            } catch (ApiException e) {
                boolean taken =
                        e.reason().equals("AlreadyExists") && write instanceof StatefulDecisions.Write.CreatePod;
                // A name that is still taken, by a pod that was let go or is unseen yet, is no news to anybody.
                if (!taken && !Refusals.isNamespaceTerminating(e)) {
                    tell(
                            set,
                            write instanceof StatefulDecisions.Write.OwnClaim ? "update" : action.verb(),
                            action.pod(),
                            e);
                }
                throw e;
            }
        }
        if (!action.verb().isEmpty()) {
            events.normal(
                    set,
                    "Successful" + title(action.verb()),
                    title(action.verb()) + " Pod " + action.pod() + " in StatefulSet " + Objects.name(set)
                            + " successful");
        }
    }

    private void tell(ObjectNode set, String verb, String pod, ApiException why) {
        if (!verb.isEmpty()) {
            events.warning(
                    set,
                    "Failed" + title(verb),
                    title(verb) + " Pod " + pod + " in StatefulSet " + Objects.name(set) + " failed error: "
                            + why.getMessage());
        }
    }

    private static String title(String verb) {
        return verb.substring(0, 1).toUpperCase(Locale.ROOT) + verb.substring(1);
    }

    private void perform(
            StatefulSets.Key key, ObjectNode set, StatefulDecisions.Action action, StatefulDecisions.Write write) {
        switch (write) {
            case StatefulDecisions.Write.CreateClaim(ObjectNode claim) -> createClaim(key, set, action.pod(), claim);
            case StatefulDecisions.Write.OwnClaim own -> ownClaim(key, own);
            case StatefulDecisions.Write.Conflict(String claim) ->
                events.warning(
                        set,
                        "ConflictingController",
                        "PersistentVolumeClaim " + claim
                                + " has a conflicting OwnerReference that acts as a manging controller,"
                                + " the retention policy is ignored for this claim");
            case StatefulDecisions.Write.Obstacle(String why) -> throw ApiException.of(409, "Conflict", why);
            case StatefulDecisions.Write.CreatePod(ObjectNode pod) ->
                writes.wrote(key, PODS, api.create(PODS, key.namespace(), pod));
            case StatefulDecisions.Write.RepairPod(StatefulPod pod, boolean volumes) -> repair(key, set, pod, volumes);
            case StatefulDecisions.Write.DeletePod(StatefulPod pod) -> {
                api.delete(PODS, key.namespace(), pod.name(), KubeApi.Deletion.ofUid(pod.uid()));
                writes.deleted(key, pod.uid());
            }
        }
    }

    private void createClaim(StatefulSets.Key key, ObjectNode set, String pod, ObjectNode claim) {
        String name = Objects.name(claim);
        String whose = " Pod " + pod + " in StatefulSet " + Objects.name(set);
        try {
            writes.wrote(key, ClaimState.KIND, api.create(ClaimState.KIND, key.namespace(), claim));
            events.normal(set, "SuccessfulCreate", "Create Claim " + name + whose + " success");
        } catch (ApiException e) {
            if (!e.reason().equals("AlreadyExists") && !Refusals.isNamespaceTerminating(e)) {
                events.warning(
                        set,
                        "FailedCreate",
                        "Create Claim " + name + " for" + whose + " failed error: " + e.getMessage());
            }
            throw e.reworded("failed to create PVC " + name + ": " + e.getMessage());
        }
    }

    private void ownClaim(StatefulSets.Key key, StatefulDecisions.Write.OwnClaim own) {
        ClaimState seen = own.claim();
        ObjectNode claim = api.find(ClaimState.KIND, key.namespace(), seen.name())
                .filter(found -> Objects.uid(found).equals(seen.uid()))
                .orElse(null);
        if (claim == null) {
            return;
        }
        if (!Json.listAt(claim, "metadata", "ownerReferences").equals(seen.owners())) {
            throw ApiException.conflict("", "persistentvolumeclaims", seen.name(), "its owners have changed");
        }
        Objects.setList(claim, "ownerReferences", own.owners());
        writes.wrote(key, ClaimState.KIND, api.update(ClaimState.KIND, "", claim));
    }

    private void repair(StatefulSets.Key key, ObjectNode set, StatefulPod pod, boolean volumes) {
        ObjectNode found = api.find(PODS, key.namespace(), pod.name())
                .filter(present -> Objects.uid(present).equals(pod.uid()))
                .orElse(null);
        if (found == null) {
            return;
        }
        StatefulTemplate template = new StatefulTemplate(set);
        Json.ensureObject(found, "metadata", "labels").setAll(template.identity(pod.ordinal()));
        if (volumes) {
            ObjectNode spec = Json.ensureObject(found, "spec");
            spec.set("volumes", template.volumes(pod.ordinal(), Json.listAt(spec, "volumes")));
        }
        writes.wrote(key, PODS, api.update(PODS, "", found));
    }
}
