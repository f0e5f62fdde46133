package lavaflow.kube;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** All owners of the fields of one object, while a request changes them. Not thread-safe. */
final class FieldOwners {
    /** More entries of updates than this are merged, the oldest first. */
    static final int MAX_UPDATE_MANAGERS = 10;

    private static final String OLD_UPDATES = "ancient-changes";

    private static final Comparator<FieldOwner> ORDER = Comparator.comparing(
                    (FieldOwner owner) -> owner.identity().operation())
            .thenComparing(FieldOwner::compareTimes)
            .thenComparing(owner -> owner.identity().manager())
            .thenComparing(FieldOwner::apiVersion)
            .thenComparing(owner -> owner.identity().subresource());

    private final Map<FieldOwner.Identity, FieldOwner> owners = new LinkedHashMap<>();

    /**
     * Reads {@code managedFields}; a malformed entry is a bad request.
     *
     * @param ours whether the entries are known to be as we write them
     */
    static FieldOwners parse(JsonNode managedFields, boolean ours) {
        FieldOwners all = new FieldOwners();
        for (JsonNode entry : managedFields) {
            all.put(FieldOwner.parse(entry, ours));
        }
        return all;
    }

    boolean isEmpty() {
        return owners.isEmpty();
    }

    Collection<FieldOwner> all() {
        return owners.values();
    }

    @Nullable
    FieldOwner find(FieldOwner.Identity identity) {
        return owners.get(identity);
    }

    void put(FieldOwner owner) {
        owners.put(owner.identity(), owner);
    }

    void remove(FieldOwner.Identity identity) {
        owners.remove(identity);
    }

    void removeIf(Predicate<FieldOwner> condition) {
        owners.values().removeIf(condition);
    }

    void replaceAll(UnaryOperator<FieldOwner> change) {
        owners.replaceAll((_, owner) -> change.apply(owner));
    }

    FieldOwners copy() {
        FieldOwners copy = new FieldOwners();
        copy.owners.putAll(owners);
        return copy;
    }

    void dropThoseWithoutFields() {
        owners.values().removeIf(FieldOwner::ownsNothing);
    }

    /** Adds fields to what an owner has, and sets the time. */
    void gain(FieldOwner.Identity identity, String apiVersion, FieldSet fields, String now) {
        FieldOwner before = owners.get(identity);
        FieldSet all = before == null ? fields : fields.union(before.fields());
        put(FieldOwner.of(identity, apiVersion, now, all));
    }

    /** Merges the oldest updates of each version into one entry until few enough are left. */
    void capUpdates() {
        List<FieldOwner> updates = new ArrayList<>();
        for (FieldOwner owner : owners.values()) {
            if (!owner.applies()) {
                updates.add(owner);
            }
        }
        int count = updates.size();
        if (count <= MAX_UPDATE_MANAGERS) {
            return;
        }
        Comparator<FieldOwner> oldestFirst = FieldOwner::compareTimes;
        updates.sort(oldestFirst.thenComparing(FieldOwner::identity));
        Map<String, FieldOwner> firstOfVersion = new HashMap<>();
        for (FieldOwner owner : updates) {
            FieldOwner first = firstOfVersion.putIfAbsent(owner.apiVersion(), owner);
            if (first != null) {
                mergeIntoOldUpdates(first, owner);
                count--;
            }
            if (count <= MAX_UPDATE_MANAGERS) {
                return;
            }
        }
    }

    private void mergeIntoOldUpdates(FieldOwner first, FieldOwner owner) {
        FieldOwner.Identity bucket = FieldOwner.Identity.of(OLD_UPDATES, FieldOwner.UPDATE, owner.apiVersion(), "");
        FieldOwner before = owners.get(bucket);
        if (before == null) {
            owners.remove(first.identity());
            before = first;
        }
        owners.remove(owner.identity());
        FieldSet all = owner.fields().union(before.fields());
        put(FieldOwner.of(bucket, owner.apiVersion(), owner.time(), all));
    }

    /** The entries as upstream sorts them: Apply before Update, then by time and name. */
    ArrayNode toJson() {
        List<FieldOwner> sorted = new ArrayList<>(owners.values());
        if (sorted.size() > 1) {
            sorted.sort(ORDER);
        }
        ArrayNode json = Json.array();
        sorted.forEach(owner -> json.add(owner.toJson()));
        return json;
    }

    /** Writes the entries into an object. */
    void writeTo(ObjectNode object) {
        ObjectNode metadata = Json.ensureObject(object, "metadata");
        metadata.remove(ManagedFields.MANAGED_FIELDS);
        if (!owners.isEmpty()) {
            metadata.set(ManagedFields.MANAGED_FIELDS, toJson());
        }
    }
}
