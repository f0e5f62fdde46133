package lavaflow.cluster;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Who depends on whom, by uid, and who therefore needs a look when something changes. Holds an entry only for objects
 * that have owners or wait for dependents: most objects do neither, and memory follows the number of edges. Thread-safe.
 */
final class OwnerGraph {
    static final String FOREGROUND = "foregroundDeletion";
    static final String ORPHAN = "orphan";

    /** One object. */
    record Item(KubeApi.Kind kind, String namespace, String name, String uid) {
        static Item of(KubeApi.Kind kind, ObjectNode object) {
            return new Item(kind, Objects.namespace(object), Objects.name(object), Objects.uid(object));
        }

        @Override
        public String toString() {
            return kind + " " + (namespace.isEmpty() ? name : namespace + "/" + name);
        }
    }

    /** A reference from a dependent to its owner. */
    record Owner(String apiVersion, String kind, String name, String uid, boolean blocks) {
        static List<Owner> of(ObjectNode object) {
            List<Owner> owners = new ArrayList<>();
            for (JsonNode reference : Json.listAt(object, "metadata", "ownerReferences")) {
                owners.add(new Owner(
                        Json.textAt(reference, "apiVersion"),
                        Json.textAt(reference, "kind"),
                        Json.textAt(reference, "name"),
                        Json.textAt(reference, "uid"),
                        Json.flagAt(reference, "blockOwnerDeletion")));
            }
            return owners;
        }
    }

    /** What a dependent said of itself last: its owners' uids, each with whether it blocks that owner, and its state. */
    private record Dependent(Map<String, Boolean> owners, boolean deleting, boolean waits) {}

    /** The dependents of one owner. */
    private static final class Dependents {
        private final Set<Item> items = new LinkedHashSet<>();
        private int blocking;
    }

    private final Map<Item, Dependent> known = new LinkedHashMap<>();
    private final Map<String, Dependents> dependents = new HashMap<>();
    /** Owners that are being deleted and wait for their dependents. */
    private final Map<String, Item> waiting = new HashMap<>();
    /** Owners seen alive and not seen to end since; spares a look at the API for every new dependent. */
    private final Set<String> alive = new HashSet<>();
    /** How often an object ended; tells whether what was seen alive a moment ago may have ended since. */
    private long endings;

    /** Notes what an object says of itself; returns who needs a look because of it. */
    synchronized Set<Item> put(Item item, ObjectNode object) {
        boolean deleting = Objects.isDeleting(object);
        List<String> finalizers = deleting ? Objects.finalizers(object) : List.of();
        boolean waits = finalizers.contains(FOREGROUND);
        Map<String, Boolean> owners = new LinkedHashMap<>();
        Owner.of(object).forEach(owner -> owners.merge(owner.uid(), owner.blocks(), Boolean::logicalOr));

        Set<Item> concerned = new LinkedHashSet<>();
        Dependent before =
                owners.isEmpty() ? known.remove(item) : known.put(item, new Dependent(owners, deleting, waits));
        if (before == null) {
            owners.forEach((uid, blocks) -> link(uid, item, blocks));
        } else if (!before.owners().equals(owners)) {
            before.owners().forEach((uid, blocks) -> unlink(uid, item, blocks));
            owners.forEach((uid, blocks) -> link(uid, item, blocks));
            unblocked(before.owners().keySet(), concerned);
        }
        noteWaiting(item, waits);
        if (waits || finalizers.contains(ORPHAN) || (!deleting && !alive.containsAll(owners.keySet()))) {
            concerned.add(item);
        }
        return concerned;
    }

    private void noteWaiting(Item item, boolean waits) {
        if (!waits) {
            waiting.remove(item.uid());
        } else if (waiting.put(item.uid(), item) == null) {
            end(item.uid());
        }
    }

    private void end(String uid) {
        alive.remove(uid);
        endings++;
    }

    private void link(String ownerUid, Item item, boolean blocks) {
        Dependents present = dependents.computeIfAbsent(ownerUid, _ -> new Dependents());
        present.items.add(item);
        present.blocking += blocks ? 1 : 0;
    }

    private void unlink(String ownerUid, Item item, boolean blocks) {
        Dependents present = dependents.get(ownerUid);
        if (present != null && present.items.remove(item)) {
            present.blocking -= blocks ? 1 : 0;
            if (present.items.isEmpty()) {
                dependents.remove(ownerUid);
            }
        }
    }

    /** Owners that waited for a dependent and have none left to wait for. */
    private void unblocked(Set<String> ownerUids, Set<Item> into) {
        for (String uid : ownerUids) {
            Item owner = waiting.get(uid);
            if (owner != null && !isBlocked(uid)) {
                into.add(owner);
            }
        }
    }

    /** Forgets an object that is gone; returns who needs a look because of it. */
    synchronized Set<Item> remove(Item item) {
        end(item.uid());
        waiting.remove(item.uid());
        Set<Item> concerned = new LinkedHashSet<>(dependents(item.uid()));
        Dependent before = known.remove(item);
        if (before != null) {
            before.owners().forEach((uid, blocks) -> unlink(uid, item, blocks));
            unblocked(before.owners().keySet(), concerned);
        }
        return concerned;
    }

    /** After changes of a kind were missed: forgets what is not there any more; returns who needs a look, which is everyone. */
    synchronized Set<Item> relisted(KubeApi.Kind kind, Set<String> uids) {
        List<Item> gone = new ArrayList<>();
        for (Set<Item> items : List.of(known.keySet(), new HashSet<>(waiting.values()))) {
            items.stream()
                    .filter(item -> item.kind().equals(kind) && !uids.contains(item.uid()))
                    .forEach(gone::add);
        }
        gone.forEach(this::remove);
        // Owners that have no entry of their own may be gone, too.
        alive.clear();
        endings++;
        Set<Item> everyone = new LinkedHashSet<>(known.keySet());
        everyone.addAll(waiting.values());
        return everyone;
    }

    synchronized List<Item> dependents(String uid) {
        Dependents present = dependents.get(uid);
        return present == null ? List.of() : List.copyOf(present.items);
    }

    /** Whether dependents are left that an owner must wait for. */
    synchronized boolean isBlocked(String uid) {
        Dependents present = dependents.get(uid);
        return present != null && present.blocking > 0;
    }

    synchronized boolean isDeleting(Item item) {
        Dependent found = known.get(item);
        return found != null && found.deleting();
    }

    /** Whether one of the dependents is itself waiting for its dependents: then waiting for it may never end. */
    synchronized boolean hasWaitingDependent(String uid) {
        return dependents(uid).stream().anyMatch(item -> {
            Dependent found = known.get(item);
            return found != null && found.waits();
        });
    }

    /** Whether nothing is to be done about a dependent: it lives, and so do all its owners. */
    synchronized boolean isSettled(Item item) {
        Dependent found = known.get(item);
        return found != null
                && !found.deleting()
                && alive.containsAll(found.owners().keySet());
    }

    synchronized long endings() {
        return endings;
    }

    /** Notes that an owner lives, unless something ended since the given count, which could have been the owner. */
    synchronized void seenAlive(String uid, long endingsBefore) {
        if (endings == endingsBefore) {
            alive.add(uid);
        }
    }

    /** Dependents and waiting owners that are known. */
    synchronized int size() {
        return known.size() + waiting.size();
    }
}
