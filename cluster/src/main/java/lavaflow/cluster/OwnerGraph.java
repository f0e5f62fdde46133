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
 * Who depends on whom, by uid. Holds an entry only for objects that have owners: most objects have none, and memory
 * follows the number of edges. Thread-safe.
 */
final class OwnerGraph {
    /** One object. */
    record Item(KubeApi.Kind kind, String namespace, String name, String uid) {
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

    private final Map<String, Set<Item>> dependents = new HashMap<>();
    private final Map<Item, Set<String>> ownersOf = new LinkedHashMap<>();
    /** Owners seen alive and not seen deleted since; spares a look at the API for every new dependent. */
    private final Set<String> alive = new HashSet<>();

    /** Notes an object's owners; returns true if it has any. */
    synchronized boolean put(Item item, List<Owner> owners) {
        Set<String> uids = new LinkedHashSet<>();
        owners.forEach(owner -> uids.add(owner.uid()));
        Set<String> before = uids.isEmpty() ? ownersOf.remove(item) : ownersOf.put(item, uids);
        if (before != null) {
            before.stream().filter(uid -> !uids.contains(uid)).forEach(uid -> unlink(uid, item));
        }
        uids.forEach(uid ->
                dependents.computeIfAbsent(uid, _ -> new LinkedHashSet<>()).add(item));
        return !uids.isEmpty();
    }

    /** Forgets an object; returns what depended on it. */
    synchronized List<Item> remove(Item item) {
        alive.remove(item.uid());
        Set<String> owners = ownersOf.remove(item);
        if (owners != null) {
            owners.forEach(uid -> unlink(uid, item));
        }
        return dependents(item.uid());
    }

    private void unlink(String ownerUid, Item item) {
        Set<Item> items = dependents.get(ownerUid);
        if (items != null && items.remove(item) && items.isEmpty()) {
            dependents.remove(ownerUid);
        }
    }

    synchronized List<Item> dependents(String uid) {
        Set<Item> items = dependents.get(uid);
        return items == null ? List.of() : List.copyOf(items);
    }

    synchronized List<Item> all() {
        return List.copyOf(ownersOf.keySet());
    }

    synchronized boolean isKnownAlive(List<Owner> owners) {
        return owners.stream().allMatch(owner -> alive.contains(owner.uid()));
    }

    synchronized void seenAlive(String uid) {
        alive.add(uid);
    }

    synchronized void doubt() {
        alive.clear();
    }
}
