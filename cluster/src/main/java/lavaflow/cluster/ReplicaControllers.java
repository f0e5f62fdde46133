package lavaflow.cluster;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.EventRecorder;
import lavaflow.controller.Fanout;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.controller.OwnWrites;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Keeps as many pods as ReplicaSets, or ReplicationControllers, ask for: one class, the kinds differ in their names. */
final class ReplicaControllers {
    static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");
    static final KubeApi.Kind REPLICA_SETS = new KubeApi.Kind("apps", "v1", "replicasets", true);
    static final KubeApi.Kind REPLICATION_CONTROLLERS = KubeApi.Kind.core("replicationcontrollers");
    /** How many pods one look may make or end. */
    private static final int BURST = 500;

    /** One owner. */
    record Key(String namespace, String name) {}

    /** What a mirror keeps of an owner: enough to know whose an orphan might be, and who is kin. */
    record Selecting(Key key, String uid, LabelSelector selector, String parent) {}

    private final KubeApi api;
    private final KubeApi.Kind kind;
    private final Mirror<PodState> pods;
    private final Mirror<Selecting> owners;
    private final EventRecorder events;
    private final Fanout fanout;
    private final InstantSource clock;
    private final OwnWrites<Key> writes;
    private final Ownership ownership;
    private final Alterations<Key> alterations = new Alterations<>();
    private final ControllerRunner<Key> runner;

    private ReplicaControllers(
            String name,
            KubeApi.Kind kind,
            KubeApi api,
            Followers followers,
            Mirror<PodState> pods,
            Fanout fanout,
            InstantSource clock,
            LongSupplier nanoTime) {
        this.api = api;
        this.kind = kind;
        this.pods = pods;
        this.events = new EventRecorder(api, name, clock);
        this.fanout = fanout;
        this.clock = clock;
        this.writes = new OwnWrites<>(followers);
        this.ownership = new Ownership(api);
        this.owners = new Mirror<>(
                followers,
                kind,
                this::selecting,
                owner -> List.of("in " + owner.key().namespace(), "of " + owner.parent()));
        this.runner = new ControllerRunner<>(name, followers, 5, this::reconcile, nanoTime)
                .follow(kind, object -> List.of(key(object)))
                .follow(PODS, this::concerned);
    }

    static ControllerRunner<Key> replicaSets(
            KubeApi api,
            Followers followers,
            Mirror<PodState> pods,
            Fanout fanout,
            InstantSource clock,
            LongSupplier nanoTime) {
        return new ReplicaControllers(
                        "replicaset-controller", REPLICA_SETS, api, followers, pods, fanout, clock, nanoTime)
                .runner;
    }

    static ControllerRunner<Key> replicationControllers(
            KubeApi api,
            Followers followers,
            Mirror<PodState> pods,
            Fanout fanout,
            InstantSource clock,
            LongSupplier nanoTime) {
        return new ReplicaControllers(
                        "replication-controller",
                        REPLICATION_CONTROLLERS,
                        api,
                        followers,
                        pods,
                        fanout,
                        clock,
                        nanoTime)
                .runner;
    }

    private static Key key(ObjectNode object) {
        return new Key(Objects.namespace(object), Objects.name(object));
    }

    private String kindName() {
        return kind.equals(REPLICA_SETS) ? "ReplicaSet" : "ReplicationController";
    }

    private Selecting selecting(ObjectNode owner) {
        PodState.OwnerRef parent = PodState.OwnerRef.of(owner);
        return new Selecting(key(owner), Objects.uid(owner), selector(owner), parent == null ? "" : parent.uid());
    }

    private LabelSelector selector(ObjectNode owner) {
        JsonNode selector = Json.at(owner, "spec", "selector");
        return kind.equals(REPLICA_SETS) ? LabelSelector.fromJson(selector) : LabelSelector.ofLabels(selector);
    }

    /** A pod concerns the one that controls it; an orphan whoever might take it in. */
    private List<Key> concerned(ObjectNode pod) {
        PodState.OwnerRef owner = PodState.OwnerRef.of(pod);
        if (owner != null) {
            return owner.kind().equals(kindName()) ? List.of(new Key(Objects.namespace(pod), owner.name())) : List.of();
        }
        JsonNode labels = Json.at(pod, "metadata", "labels");
        return labels == null || labels.isEmpty()
                ? List.of()
                : owners.having("in " + Objects.namespace(pod)).stream()
                        .filter(candidate -> candidate.selector().matches(labels))
                        .map(Selecting::key)
                        .toList();
    }

    private Optional<Duration> reconcile(Key key) {
        ObjectNode owner = api.find(kind, key.namespace(), key.name()).orElse(null);
        if (owner == null) {
            writes.forget(key);
            alterations.forget(key);
            return Optional.empty();
        }
        if (!writes.areSeen(key)) {
            return Optional.of(Duration.ofMillis(100));
        }
        LabelSelector selector = selector(owner);
        if (selector.isEverything()) {
            events.warning(
                    owner,
                    "SelectingAll",
                    "This " + kindName() + " is selecting all pods. A non-empty selector is required.");
            return Optional.empty();
        }
        Instant now = clock.instant();
        ReplicaDecisions.Claim claim =
                ReplicaDecisions.claim(Objects.uid(owner), Objects.isDeleting(owner), selector, candidates(key, owner));
        claim.adopt().forEach(pod -> ownership.adopt(PODS, pod.namespace(), pod.name(), pod.uid(), owner));
        claim.release()
                .forEach(pod -> ownership.release(PODS, pod.namespace(), pod.name(), pod.uid(), Objects.uid(owner)));
        ReplicaDecisions.Failure failure = Objects.isDeleting(owner) ? null : manage(key, owner, claim.owned(), now);
        report(key, owner, claim.owned(), failure, now);
        if (failure != null) {
            throw ApiException.of(500, "InternalError", failure.message());
        }
        return untilAvailable(owner, claim.owned(), now);
    }

    private List<PodState> candidates(Key key, ObjectNode owner) {
        List<PodState> candidates = new ArrayList<>(pods.having(Objects.uid(owner)));
        candidates.addAll(pods.having(PodState.orphansOf(key.namespace())));
        Set<String> living = candidates.stream()
                .filter(pod -> !pod.deleting())
                .map(PodState::uid)
                .collect(Collectors.toSet());
        writes.keepDeleted(key, living);
        candidates.removeIf(pod -> writes.isDeleted(key, pod.uid()));
        return candidates;
    }

    private ReplicaDecisions.@Nullable Failure manage(Key key, ObjectNode owner, List<PodState> owned, Instant now) {
        List<PodState> active = owned.stream().filter(PodState::isActive).toList();
        int missing = (int) Json.longAt(owner, 1, "spec", "replicas") - active.size();
        if (missing > 0) {
            return create(key, owner, Math.min(missing, BURST));
        }
        if (missing < 0) {
            List<PodState> victims =
                    ReplicaDecisions.victims(active, Math.min(-missing, BURST), related(owner, active), now);
            return delete(key, owner, victims);
        }
        return null;
    }

    /** Pods of all replica sets of the same deployment. */
    private List<PodState> related(ObjectNode owner, List<PodState> own) {
        PodState.OwnerRef parent = PodState.OwnerRef.of(owner);
        if (parent == null) {
            return own;
        }
        List<PodState> related = new ArrayList<>();
        owners.having("of " + parent.uid()).forEach(kin -> related.addAll(pods.having(kin.uid())));
        return related;
    }

    /** In batches that double, so that a server which refuses all of them is asked once and not five hundred times. */
    private ReplicaDecisions.@Nullable Failure create(Key key, ObjectNode owner, int count) {
        ApiException held = alterations.holding(key, owner, clock.instant());
        if (held != null) {
            return new ReplicaDecisions.Failure("FailedCreate", String.valueOf(held.getMessage()));
        }
        ObjectNode template = ReplicaDecisions.pod(owner);
        AtomicReference<@Nullable ApiException> refusal = new AtomicReference<>();
        int left = count;
        for (int batch = 1; left > 0; batch = Math.min(2 * batch, left)) {
            List<Runnable> tasks = new ArrayList<>();
            for (int i = 0; i < batch; i++) {
                tasks.add(() -> createOne(key, owner, template.deepCopy(), refusal));
            }
            fanout.run(tasks);
            left -= batch;
            if (refusal.get() != null) {
                break;
            }
        }
        ApiException why = refusal.get();
        if (why == null || Refusals.isNamespaceTerminating(why)) {
            return null;
        }
        events.warning(owner, "FailedCreate", "Error creating: " + why.getMessage());
        return new ReplicaDecisions.Failure("FailedCreate", String.valueOf(why.getMessage()));
    }

    private void createOne(Key key, ObjectNode owner, ObjectNode pod, AtomicReference<@Nullable ApiException> refusal) {
        try {
            ObjectNode created = api.create(PODS, key.namespace(), pod);
            writes.wrote(key, PODS, created);
            events.normal(owner, "SuccessfulCreate", "Created pod: " + Objects.name(created));
            refusal.compareAndSet(null, alterations.check(key, owner, selector(owner), created, clock.instant()));
        } catch (ApiException e) {
            refusal.compareAndSet(null, e);
        }
    }

    private ReplicaDecisions.@Nullable Failure delete(Key key, ObjectNode owner, List<PodState> victims) {
        AtomicReference<@Nullable ApiException> refusal = new AtomicReference<>();
        List<Runnable> tasks = new ArrayList<>();
        for (PodState pod : victims) {
            tasks.add(() -> {
                try {
                    api.delete(PODS, pod.namespace(), pod.name(), KubeApi.Deletion.ofUid(pod.uid()));
                    writes.deleted(key, pod.uid());
                    events.normal(owner, "SuccessfulDelete", "Deleted pod: " + pod.name());
                } catch (ApiException e) {
                    if (e.code() != 404 && e.code() != 409) {
                        refusal.compareAndSet(null, e);
                    }
                }
            });
        }
        fanout.run(tasks);
        ApiException why = refusal.get();
        return why == null ? null : new ReplicaDecisions.Failure("FailedDelete", String.valueOf(why.getMessage()));
    }

    private void report(
            Key key, ObjectNode owner, List<PodState> owned, ReplicaDecisions.@Nullable Failure failure, Instant now) {
        ObjectNode status = ReplicaDecisions.status(owner, owned, failure, now);
        if (status.equals(Json.at(owner, "status"))) {
            return;
        }
        owner.set("status", status);
        writes.wrote(key, kind, api.update(kind, "status", owner));
    }

    /** When the next of the ready pods will have been ready for long enough. */
    private static Optional<Duration> untilAvailable(ObjectNode owner, List<PodState> owned, Instant now) {
        Duration minReady = Duration.ofSeconds(Json.longAt(owner, 0, "spec", "minReadySeconds"));
        return owned.stream()
                .filter(pod -> pod.isActive() && !pod.isAvailable(minReady, now))
                .map(PodState::readySince)
                .filter(since -> since != null)
                .map(since -> Duration.between(now, since.plus(minReady)))
                .min(Duration::compareTo);
    }
}
