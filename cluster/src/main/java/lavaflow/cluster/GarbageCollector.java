package lavaflow.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import lavaflow.controller.ChangeListener;
import lavaflow.controller.ControllerRunner;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Deletes what lost its last owner; carries out the orphan and foreground policies of deletions. */
final class GarbageCollector implements ChangeListener {
    /** Nobody's dependents and many: upstream leaves them to their expiry as well. */
    private static final Set<String> IGNORED = Set.of("events");

    /** An owner of a kind nobody serves may be gone or not; whether somebody serves it is asked again now and then. */
    private static final Duration UNKNOWN_KIND = Duration.ofMinutes(5);

    private static final Duration CATCH_UP = Duration.ofSeconds(5);
    private static final int ATTEMPTS = 5;

    private final KubeApi api;
    private final Followers followers;
    /** Dependents of owners whose kind nobody serves. */
    private final Set<OwnerGraph.Item> ofUnknownKind = ConcurrentHashMap.newKeySet();

    private final OwnerGraph graph = new OwnerGraph();
    private final ControllerRunner<OwnerGraph.Item> runner;

    GarbageCollector(KubeApi api, Followers followers, LongSupplier nanoTime) {
        this.api = api;
        this.followers = followers;
        this.runner = new ControllerRunner<>("garbage-collector", followers, 4, this::reconcile, nanoTime);
        runner.followAll(GarbageCollector::isFollowed, this);
    }

    private static boolean isFollowed(KubeApi.Kind kind) {
        return !IGNORED.contains(kind.resource());
    }

    ControllerRunner<OwnerGraph.Item> controller() {
        return runner;
    }

    @Override
    public void onChange(KubeApi.Kind kind, ObjectNode object, boolean deleted) {
        OwnerGraph.Item item = OwnerGraph.Item.of(kind, object);
        look(deleted ? graph.remove(item) : graph.put(item, object));
    }

    @Override
    public void onRelist(KubeApi.Kind kind, Set<String> uids) {
        look(graph.relisted(kind, uids));
    }

    /** What could not be told of dependents may be told now. */
    @Override
    public void onNewKind(KubeApi.Kind kind) {
        Set<OwnerGraph.Item> waiting = new LinkedHashSet<>(ofUnknownKind);
        ofUnknownKind.removeAll(waiting);
        look(waiting);
    }

    private void look(Set<OwnerGraph.Item> items) {
        items.forEach(runner.queue()::add);
    }

    private Optional<Duration> reconcile(OwnerGraph.Item item) {
        if (graph.isSettled(item)) {
            return Optional.empty();
        }
        Optional<ObjectNode> found = find(item);
        ofUnknownKind.remove(item);
        if (found.isEmpty()) {
            look(graph.remove(item));
            return Optional.empty();
        }
        ObjectNode object = found.get();
        if (!Objects.isDeleting(object)) {
            return collect(item, object);
        }
        List<String> finalizers = Objects.finalizers(object);
        if (finalizers.contains(OwnerGraph.ORPHAN)) {
            orphan(item, object);
        } else if (finalizers.contains(OwnerGraph.FOREGROUND)) {
            awaitDependents(item, object);
        }
        return Optional.empty();
    }

    private Optional<ObjectNode> find(OwnerGraph.Item item) {
        try {
            return api.find(item.kind(), item.namespace(), item.name())
                    .filter(found -> Objects.uid(found).equals(item.uid()));
        } catch (ApiException e) {
            if (e.code() == 404) {
                // The kind itself is gone, and all its objects with it.
                return Optional.empty();
            }
            throw e;
        }
    }

    /** Owners by what they mean for a dependent. */
    private static final class Owners {
        private final List<OwnerGraph.Owner> solid = new ArrayList<>();
        private final Set<String> dangling = new HashSet<>();
        private final Set<String> waiting = new HashSet<>();
        private boolean unknownKind;
        /** A cluster-wide object cannot be owned by one in a namespace: there is nowhere to look for that. */
        private boolean misplaced;
    }

    private Owners classify(OwnerGraph.Item item, ObjectNode object) {
        Owners owners = new Owners();
        for (OwnerGraph.Owner owner : OwnerGraph.Owner.of(object)) {
            Optional<KubeApi.Kind> kind = api.findKind(owner.apiVersion(), owner.kind());
            if (kind.isEmpty()) {
                owners.unknownKind = true;
            } else if (kind.get().namespaced() && item.namespace().isEmpty()) {
                owners.misplaced = true;
            } else {
                classify(item, owner, kind.get(), owners);
            }
        }
        return owners;
    }

    private void classify(OwnerGraph.Item item, OwnerGraph.Owner owner, KubeApi.Kind kind, Owners owners) {
        long endings = graph.endings();
        String namespace = kind.namespaced() ? item.namespace() : "";
        Optional<ObjectNode> found = find(new OwnerGraph.Item(kind, namespace, owner.name(), owner.uid()));
        if (found.isEmpty()) {
            owners.dangling.add(owner.uid());
        } else if (Objects.isDeleting(found.get())
                && Objects.finalizers(found.get()).contains(OwnerGraph.FOREGROUND)) {
            owners.waiting.add(owner.uid());
        } else {
            owners.solid.add(owner);
            if (isFollowed(kind)) {
                graph.seenAlive(owner.uid(), endings);
            }
        }
    }

    /** Deletes an object without owners left; frees one with some left of those that are gone or going. */
    private Optional<Duration> collect(OwnerGraph.Item item, ObjectNode object) {
        if (OwnerGraph.Owner.of(object).isEmpty()) {
            return Optional.empty();
        }
        Owners owners = classify(item, object);
        if (owners.misplaced) {
            return Optional.empty();
        }
        if (owners.unknownKind) {
            ofUnknownKind.add(item);
            return Optional.of(UNKNOWN_KIND);
        }
        if (!owners.solid.isEmpty()) {
            Set<String> lost = new HashSet<>(owners.dangling);
            lost.addAll(owners.waiting);
            if (!lost.isEmpty()) {
                dropOwners(item, lost);
            }
            return Optional.empty();
        }
        boolean inForeground =
                !owners.waiting.isEmpty() && !graph.dependents(item.uid()).isEmpty();
        ObjectNode doomed = object;
        if (inForeground && graph.hasWaitingDependent(item.uid())) {
            // Owners in a circle would wait for each other forever.
            Optional<ObjectNode> freed = unblock(item);
            if (freed.isEmpty()) {
                return Optional.empty();
            }
            doomed = freed.get();
        }
        String policy = inForeground ? "Foreground" : policyOf(Objects.finalizers(doomed));
        api.delete(
                item.kind(),
                item.namespace(),
                item.name(),
                new KubeApi.Deletion(item.uid(), Objects.resourceVersion(doomed), policy));
        return Optional.empty();
    }

    private static String policyOf(List<String> finalizers) {
        if (finalizers.contains(OwnerGraph.ORPHAN)) {
            return "Orphan";
        }
        return finalizers.contains(OwnerGraph.FOREGROUND) ? "Foreground" : "Background";
    }

    /** Frees the dependents of an owner that is deleted without them, then lets the owner go. */
    private void orphan(OwnerGraph.Item item, ObjectNode object) {
        catchUp(object);
        for (OwnerGraph.Item dependent : graph.dependents(item.uid())) {
            dropOwners(dependent, Set.of(item.uid()));
        }
        dropFinalizer(item, OwnerGraph.ORPHAN);
    }

    /** Asks for the end of an owner's dependents; the owner goes when none that blocks it is left. */
    private void awaitDependents(OwnerGraph.Item item, ObjectNode object) {
        catchUp(object);
        for (OwnerGraph.Item dependent : graph.dependents(item.uid())) {
            if (!graph.isDeleting(dependent)) {
                runner.queue().add(dependent);
            }
        }
        if (!graph.isBlocked(item.uid())) {
            dropFinalizer(item, OwnerGraph.FOREGROUND);
        }
    }

    /**
     * Waits until dependents that were made before the owner was deleted are known; each kind has a watch of its own, and
     * a dependent missed here would be deleted as if its owner had not asked to spare it.
     */
    private void catchUp(ObjectNode owner) {
        followers.catchUp(Long.parseLong(Objects.resourceVersion(owner)), CATCH_UP);
    }

    private void dropOwners(OwnerGraph.Item item, Set<String> uids) {
        change(item, object -> {
            ArrayNode kept = Json.array();
            for (JsonNode reference : Json.listAt(object, "metadata", "ownerReferences")) {
                if (!uids.contains(Json.textAt(reference, "uid"))) {
                    kept.add(reference);
                }
            }
            return Objects.setList(object, "ownerReferences", kept);
        });
    }

    private void dropFinalizer(OwnerGraph.Item item, String finalizer) {
        change(item, object -> {
            ArrayNode kept = Json.array();
            Objects.finalizers(object).stream()
                    .filter(name -> !name.equals(finalizer))
                    .forEach(kept::add);
            return Objects.setList(object, "finalizers", kept);
        });
    }

    private Optional<ObjectNode> unblock(OwnerGraph.Item item) {
        return change(item, object -> {
            boolean changed = false;
            for (JsonNode reference : Json.listAt(object, "metadata", "ownerReferences")) {
                if (reference instanceof ObjectNode owner && Json.flagAt(owner, "blockOwnerDeletion")) {
                    owner.put("blockOwnerDeletion", false);
                    changed = true;
                }
            }
            return changed;
        });
    }

    /**
     * Changes an object on top of whatever others did to it meanwhile.
     *
     * @param edit tells whether it changed anything
     * @return the object as it is now; empty if it is gone
     */
    private Optional<ObjectNode> change(OwnerGraph.Item item, Predicate<ObjectNode> edit) {
        for (int attempt = 1; ; attempt++) {
            Optional<ObjectNode> found = find(item);
            if (found.isEmpty() || !edit.test(found.get())) {
                return found;
            }
            try {
                return Optional.of(api.update(item.kind(), "", found.get()));
            } catch (ApiException e) {
                if (e.code() == 404) {
                    return Optional.empty();
                }
                if (e.code() != 409 || attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }
}
