package lavaflow.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import lavaflow.controller.ChangeListener;
import lavaflow.controller.ControllerRunner;
import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Deletes what lost its last owner; carries out the orphan and foreground policies of deletions. */
final class GarbageCollector implements ChangeListener {
    private static final String FOREGROUND = "foregroundDeletion";
    private static final String ORPHAN = "orphan";
    private static final Duration AGAIN = Duration.ofMillis(500);

    private final KubeApi api;
    private final OwnerGraph graph = new OwnerGraph();
    private final ControllerRunner<OwnerGraph.Item> runner;

    GarbageCollector(KubeApi api) {
        this.api = api;
        this.runner = new ControllerRunner<>("garbage-collector", api, 4, this::reconcile);
        api.kinds().forEach(kind -> runner.follow(kind, this));
    }

    ControllerRunner<OwnerGraph.Item> controller() {
        return runner;
    }

    @Override
    public void onChange(KubeApi.Kind kind, ObjectNode object, boolean deleted) {
        OwnerGraph.Item item =
                new OwnerGraph.Item(kind, Objects.namespace(object), Objects.name(object), Objects.uid(object));
        if (deleted) {
            graph.remove(item).forEach(runner.queue()::add);
            graphOwnersChanged(object);
            return;
        }
        List<OwnerGraph.Owner> owners = OwnerGraph.Owner.of(object);
        boolean owned = graph.put(item, owners);
        List<String> finalizers = Objects.isDeleting(object) ? Objects.finalizers(object) : List.of();
        boolean waits = finalizers.contains(FOREGROUND) || finalizers.contains(ORPHAN);
        if (waits || (owned && !graph.isKnownAlive(owners))) {
            runner.queue().add(item);
        }
    }

    /** An owner that waits for its dependents may go on when one of them is gone. */
    private void graphOwnersChanged(ObjectNode gone) {
        for (OwnerGraph.Owner owner : OwnerGraph.Owner.of(gone)) {
            api.findKind(owner.apiVersion(), owner.kind())
                    .ifPresent(kind -> runner.queue()
                            .add(new OwnerGraph.Item(
                                    kind,
                                    kind.namespaced() ? Objects.namespace(gone) : "",
                                    owner.name(),
                                    owner.uid())));
        }
    }

    @Override
    public boolean remembers(ObjectNode object) {
        return false;
    }

    @Override
    public void onRelist(KubeApi.Kind kind) {
        graph.doubt();
        graph.all().forEach(runner.queue()::add);
    }

    private Optional<Duration> reconcile(OwnerGraph.Item item) {
        Optional<ObjectNode> found = api.find(item.kind(), item.namespace(), item.name());
        if (found.isEmpty() || !Objects.uid(found.get()).equals(item.uid())) {
            graph.remove(item).forEach(runner.queue()::add);
            return Optional.empty();
        }
        ObjectNode object = found.get();
        if (Objects.isDeleting(object)) {
            List<String> finalizers = Objects.finalizers(object);
            if (finalizers.contains(ORPHAN)) {
                return orphan(item, object);
            }
            return finalizers.contains(FOREGROUND) ? awaitDependents(item, object) : Optional.empty();
        }
        collect(item, object);
        return Optional.empty();
    }

    /** Owners by what they mean for a dependent. */
    private record Owners(
            List<OwnerGraph.Owner> solid, List<OwnerGraph.Owner> dangling, List<OwnerGraph.Owner> waiting) {}

    private Owners classify(OwnerGraph.Item item, ObjectNode object) {
        Owners owners = new Owners(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        for (OwnerGraph.Owner owner : OwnerGraph.Owner.of(object)) {
            Optional<ObjectNode> found = findOwner(item, owner);
            if (found.isEmpty() || !Objects.uid(found.get()).equals(owner.uid())) {
                owners.dangling().add(owner);
            } else if (Objects.isDeleting(found.get())
                    && Objects.finalizers(found.get()).contains(FOREGROUND)) {
                owners.waiting().add(owner);
            } else {
                graph.seenAlive(owner.uid());
                owners.solid().add(owner);
            }
        }
        return owners;
    }

    /** An owner lives in the dependent's namespace or in none; a cluster-wide object has no owner in a namespace. */
    private Optional<ObjectNode> findOwner(OwnerGraph.Item item, OwnerGraph.Owner owner) {
        Optional<KubeApi.Kind> kind = api.findKind(owner.apiVersion(), owner.kind());
        if (kind.isEmpty()) {
            // A kind nobody serves may be served again; its objects are not known to be gone.
            return Optional.of(unknownButAlive(owner));
        }
        if (kind.get().namespaced() && item.namespace().isEmpty()) {
            return Optional.of(unknownButAlive(owner));
        }
        return api.find(kind.get(), kind.get().namespaced() ? item.namespace() : "", owner.name());
    }

    private static ObjectNode unknownButAlive(OwnerGraph.Owner owner) {
        ObjectNode object = Objects.named(owner.name());
        Json.ensureObject(object, "metadata").put("uid", owner.uid());
        return object;
    }

    private void collect(OwnerGraph.Item item, ObjectNode object) {
        if (OwnerGraph.Owner.of(object).isEmpty()) {
            return;
        }
        Owners owners = classify(item, object);
        if (!owners.solid().isEmpty()) {
            if (!owners.dangling().isEmpty() || !owners.waiting().isEmpty()) {
                Set<String> gone = new HashSet<>();
                owners.dangling().forEach(owner -> gone.add(owner.uid()));
                owners.waiting().forEach(owner -> gone.add(owner.uid()));
                dropOwners(item, object, gone);
            }
            return;
        }
        boolean waitingWithDependents =
                !owners.waiting().isEmpty() && !graph.dependents(item.uid()).isEmpty();
        String policy = "Background";
        List<String> finalizers = Objects.finalizers(object);
        if (waitingWithDependents || finalizers.contains(FOREGROUND)) {
            policy = "Foreground";
        } else if (finalizers.contains(ORPHAN)) {
            policy = "Orphan";
        }
        api.delete(
                item.kind(),
                item.namespace(),
                item.name(),
                new KubeApi.Deletion(item.uid(), Objects.resourceVersion(object), policy));
    }

    private void dropOwners(OwnerGraph.Item item, ObjectNode object, Set<String> uids) {
        ObjectNode next = object.deepCopy();
        ArrayNode kept = Json.array();
        for (JsonNode reference : Json.listAt(object, "metadata", "ownerReferences")) {
            if (!uids.contains(Json.textAt(reference, "uid"))) {
                kept.add(reference);
            }
        }
        ObjectNode metadata = Json.ensureObject(next, "metadata");
        if (kept.isEmpty()) {
            metadata.remove("ownerReferences");
        } else {
            metadata.set("ownerReferences", kept);
        }
        api.update(item.kind(), "", next);
    }

    /** Frees the dependents of an owner that is deleted without them, then lets the owner go. */
    private Optional<Duration> orphan(OwnerGraph.Item item, ObjectNode object) {
        for (OwnerGraph.Item dependent : graph.dependents(item.uid())) {
            api.find(dependent.kind(), dependent.namespace(), dependent.name())
                    .filter(found -> Objects.uid(found).equals(dependent.uid()))
                    .ifPresent(found -> dropOwners(dependent, found, Set.of(item.uid())));
        }
        dropFinalizer(item, object, ORPHAN);
        return Optional.empty();
    }

    /** Deletes the dependents of an owner; the owner goes when none that blocks it is left. */
    private Optional<Duration> awaitDependents(OwnerGraph.Item item, ObjectNode object) {
        boolean blocked = false;
        for (OwnerGraph.Item dependent : graph.dependents(item.uid())) {
            Optional<ObjectNode> found = api.find(dependent.kind(), dependent.namespace(), dependent.name())
                    .filter(candidate -> Objects.uid(candidate).equals(dependent.uid()));
            if (found.isEmpty()) {
                graph.remove(dependent);
                continue;
            }
            blocked |= OwnerGraph.Owner.of(found.get()).stream()
                    .anyMatch(owner -> owner.uid().equals(item.uid()) && owner.blocks());
            if (!Objects.isDeleting(found.get())) {
                runner.queue().add(dependent);
            }
        }
        if (blocked) {
            return Optional.of(AGAIN);
        }
        dropFinalizer(item, object, FOREGROUND);
        return Optional.empty();
    }

    private void dropFinalizer(OwnerGraph.Item item, ObjectNode object, String finalizer) {
        ObjectNode next = object.deepCopy();
        ArrayNode kept = Json.array();
        Objects.finalizers(object).stream()
                .filter(name -> !name.equals(finalizer))
                .forEach(kept::add);
        ObjectNode metadata = Json.ensureObject(next, "metadata");
        if (kept.isEmpty()) {
            metadata.remove("finalizers");
        } else {
            metadata.set("finalizers", kept);
        }
        api.update(item.kind(), "", next);
    }
}
