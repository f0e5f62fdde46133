package lavaflow.cluster;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.EventRecorder;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.controller.OwnWrites;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Carries out the steps of {@link Rollout}: makes, resizes and forgets ReplicaSets, reports how far it is. */
final class Deployments {
    private static final KubeApi.Kind DEPLOYMENTS = new KubeApi.Kind("apps", "v1", "deployments", true);
    private static final KubeApi.Kind REPLICA_SETS = ReplicaControllers.REPLICA_SETS;

    /** One deployment. */
    record Key(String namespace, String name) {}

    private final KubeApi api;
    private final Mirror<PodState> pods;
    private final Mirror<ObjectNode> replicaSets;
    private final Mirror<Key> known;
    private final EventRecorder events;
    private final InstantSource clock;
    private final OwnWrites<Key> writes;
    private final Ownership ownership;
    private final Alterations<Key> alterations = new Alterations<>();
    private final ControllerRunner<Key> runner;

    Deployments(KubeApi api, Followers followers, Mirror<PodState> pods, InstantSource clock, LongSupplier nanoTime) {
        this.api = api;
        this.pods = pods;
        this.clock = clock;
        this.events = new EventRecorder(api, "deployment-controller", clock);
        this.writes = new OwnWrites<>(followers);
        this.ownership = new Ownership(api);
        this.replicaSets = new Mirror<>(followers, REPLICA_SETS, object -> object, Deployments::words);
        this.known = new Mirror<>(followers, DEPLOYMENTS, Deployments::key, key -> List.of(key.namespace()));
        this.runner = new ControllerRunner<>("deployment-controller", followers, 3, this::reconcile, nanoTime)
                .follow(DEPLOYMENTS, object -> List.of(key(object)))
                .follow(REPLICA_SETS, this::concerned)
                .follow(ReplicaControllers.PODS, this::concernedByPod);
    }

    ControllerRunner<Key> controller() {
        return runner;
    }

    private static Key key(ObjectNode object) {
        return new Key(Objects.namespace(object), Objects.name(object));
    }

    private static List<String> words(ObjectNode replicaSet) {
        PodState.OwnerRef owner = PodState.OwnerRef.of(replicaSet);
        return List.of(owner == null ? PodState.orphansOf(Objects.namespace(replicaSet)) : owner.uid());
    }

    private List<Key> concerned(ObjectNode replicaSet) {
        PodState.OwnerRef owner = PodState.OwnerRef.of(replicaSet);
        String namespace = Objects.namespace(replicaSet);
        if (owner == null) {
            // Whoever might take it in looks for itself.
            return known.having(namespace);
        }
        return owner.kind().equals("Deployment") ? List.of(new Key(namespace, owner.name())) : List.of();
    }

    /** Only Recreate waits for the last pod to go; everything else shows in the ReplicaSets. */
    private List<Key> concernedByPod(ObjectNode pod) {
        PodState.OwnerRef owner = PodState.OwnerRef.of(pod);
        if (owner == null || !owner.kind().equals("ReplicaSet")) {
            return List.of();
        }
        ObjectNode replicaSet = replicaSets.get(Objects.namespace(pod), owner.name());
        PodState.OwnerRef above = replicaSet == null ? null : PodState.OwnerRef.of(replicaSet);
        return above != null && above.kind().equals("Deployment")
                ? List.of(new Key(Objects.namespace(pod), above.name()))
                : List.of();
    }

    private Optional<Duration> reconcile(Key key) {
        ObjectNode deployment =
                api.find(DEPLOYMENTS, key.namespace(), key.name()).orElse(null);
        if (deployment == null) {
            writes.forget(key);
            alterations.forget(key);
            return Optional.empty();
        }
        if (!writes.areSeen(key)) {
            return Optional.of(Duration.ofMillis(100));
        }
        LabelSelector selector = LabelSelector.fromJson(Json.at(deployment, "spec", "selector"));
        if (selector.isEverything()) {
            events.warning(
                    deployment,
                    "SelectingAll",
                    "This deployment is selecting all pods. A non-empty selector is required.");
            return Optional.empty();
        }
        List<ObjectNode> owned = claim(deployment, selector);
        List<PodState> running = new ArrayList<>();
        owned.forEach(replicaSet -> running.addAll(pods.having(Objects.uid(replicaSet))));
        Instant now = clock.instant();
        Rollout.Step step = Rollout.next(deployment, owned, running, now);
        for (Rollout.Action action : step.actions()) {
            if (!execute(key, deployment, action)) {
                return Optional.empty();
            }
        }
        if (!step.deployment().equals(deployment)) {
            writes.wrote(key, DEPLOYMENTS, api.update(DEPLOYMENTS, "status", step.deployment()));
        }
        return DeploymentStatus.recheck(step.deployment(), now);
    }

    private List<ObjectNode> claim(ObjectNode deployment, LabelSelector selector) {
        String uid = Objects.uid(deployment);
        String namespace = Objects.namespace(deployment);
        List<ObjectNode> owned = new ArrayList<>();
        for (ObjectNode replicaSet : replicaSets.having(uid)) {
            boolean fits = selector.matches(Json.at(replicaSet, "metadata", "labels"));
            if (fits) {
                owned.add(replicaSet);
            } else if (!Objects.isDeleting(deployment) && !Objects.isDeleting(replicaSet)) {
                ownership.release(REPLICA_SETS, namespace, Objects.name(replicaSet), Objects.uid(replicaSet), uid);
            }
        }
        if (!Objects.isDeleting(deployment)) {
            for (ObjectNode orphan : replicaSets.having(PodState.orphansOf(namespace))) {
                if (!Objects.isDeleting(orphan) && selector.matches(Json.at(orphan, "metadata", "labels"))) {
                    ownership.adopt(REPLICA_SETS, namespace, Objects.name(orphan), Objects.uid(orphan), deployment);
                    owned.add(orphan);
                }
            }
        }
        return owned;
    }

    /** False where the step cannot go on and the next one starts from what it left. */
    private boolean execute(Key key, ObjectNode deployment, Rollout.Action action) {
        switch (action) {
            case Rollout.Action.Create(ObjectNode replicaSet) -> {
                return create(key, deployment, replicaSet);
            }
            case Rollout.Action.Update(ObjectNode replicaSet, long from, long to) -> {
                writes.wrote(key, REPLICA_SETS, api.update(REPLICA_SETS, "", replicaSet));
                if (from != to) {
                    scaled(deployment, replicaSet, from, to);
                }
            }
            case Rollout.Action.Delete(ObjectNode replicaSet) ->
                api.delete(
                        REPLICA_SETS,
                        key.namespace(),
                        Objects.name(replicaSet),
                        KubeApi.Deletion.ofUid(Objects.uid(replicaSet)));
        }
        return true;
    }

    /** A ReplicaSet with another template is not this deployment's newest one, and the next look would make another. */
    private void check(Key key, ObjectNode deployment, ObjectNode created) {
        if (new Revision(created).isOf(deployment)) {
            alterations.forget(key);
            return;
        }
        throw alterations.happened(
                key, deployment, "its pod template was changed when it was created", clock.instant());
    }

    private void scaled(ObjectNode deployment, ObjectNode replicaSet, long from, long to) {
        events.normal(
                deployment,
                "ScalingReplicaSet",
                "Scaled " + (to > from ? "up" : "down") + " replica set " + Objects.name(replicaSet) + " from " + from
                        + " to " + to);
    }

    private boolean create(Key key, ObjectNode deployment, ObjectNode replicaSet) {
        ApiException held = alterations.holding(key, deployment, clock.instant());
        if (held != null) {
            throw held;
        }
        try {
            ObjectNode created = api.create(REPLICA_SETS, key.namespace(), replicaSet);
            writes.wrote(key, REPLICA_SETS, created);
            long replicas = Json.longAt(replicaSet, 0, "spec", "replicas");
            if (replicas > 0) {
                scaled(deployment, replicaSet, 0, replicas);
            }
            check(key, deployment, created);
            return true;
        } catch (ApiException e) {
            if (Refusals.isNamespaceTerminating(e)) {
                return false;
            }
            if (!e.reason().equals("AlreadyExists")) {
                events.warning(
                        deployment,
                        "ReplicaSetCreateError",
                        "Failed to create new replica set \"" + Objects.name(replicaSet) + "\": " + e.getMessage());
                throw e;
            }
        }
        // Another template has that name, or ours is there and not seen yet: only the former is a collision.
        ObjectNode present = api.find(REPLICA_SETS, key.namespace(), Objects.name(replicaSet))
                .orElse(null);
        PodState.OwnerRef owner = present == null ? null : PodState.OwnerRef.of(present);
        boolean ours = present != null
                && owner != null
                && owner.uid().equals(Objects.uid(deployment))
                && new Revision(present).isOf(deployment);
        if (!ours) {
            ObjectNode status = Json.ensureObject(deployment, "status");
            JsonNode collisions = Json.at(status, "collisionCount");
            status.put("collisionCount", (collisions == null ? 0 : collisions.asLong()) + 1);
            writes.wrote(key, DEPLOYMENTS, api.update(DEPLOYMENTS, "status", deployment));
        }
        runner.queue().add(key);
        return false;
    }
}
