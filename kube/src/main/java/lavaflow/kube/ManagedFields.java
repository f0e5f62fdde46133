package lavaflow.kube;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Who owns which fields of the objects at one endpoint: keeps {@code metadata.managedFields} for every write, and
 * merges applied configurations.
 *
 * <p>Objects are trees in the endpoint's version. Immutable.
 */
public final class ManagedFields {
    static final String MANAGED_FIELDS = "managedFields";

    /** An object in some version, and the struct that describes it there. */
    public record Versioned(String struct, ObjectNode object) {}

    /** Converts between versions of a kind, for owners that used another version than the endpoint's. */
    @FunctionalInterface
    public interface Versions {
        /** The object in another version; null for a version that does not exist, whose owners are forgotten. */
        @Nullable
        Versioned convert(ObjectNode object, String apiVersion);
    }

    /**
     * An endpoint.
     *
     * @param types resolves structs
     * @param struct the struct of objects
     * @param apiVersion {@code apps/v1}
     * @param kind {@code Deployment}
     * @param subresource {@code status}; empty for the object itself
     * @param filter which fields writes through this endpoint can change
     * @param versions converts to other versions; null where owners in other versions are left as they are
     */
    public record Endpoint(
            Types types,
            String struct,
            String apiVersion,
            String kind,
            String subresource,
            FieldFilter filter,
            @Nullable Versions versions) {
        /** An endpoint that changes every field, in a kind that has one version. */
        public static Endpoint of(Types types, String struct, String apiVersion, String kind) {
            return new Endpoint(types, struct, apiVersion, kind, "", FieldFilter.ALL, null);
        }
    }

    private final Endpoint endpoint;
    private final FieldTracker tracker;

    public ManagedFields(Endpoint endpoint) {
        this.endpoint = endpoint;
        this.tracker = new FieldTracker(endpoint);
    }

    /**
     * Notes who changed what in a create, update or patch.
     *
     * @param live the object before; null if it is being created
     * @param object the object after, decoded and defaulted; gets {@code managedFields}
     * @param manager who writes
     * @param now the time, RFC 3339 in seconds
     * @return {@code object}
     */
    public ObjectNode update(@Nullable ObjectNode live, ObjectNode object, String manager, String now) {
        FieldOwners owners = ownersForUpdate(live, object);
        Json.ensureObject(object, "metadata").remove(MANAGED_FIELDS);
        boolean created = live == null || Json.textAt(live, "metadata", "uid").isEmpty();
        if (owners.isEmpty() && !created) {
            // Owners were never known or have been reset: tracking starts with the next apply.
            return object;
        }
        try {
            tracker.noteUpdate(owners, live == null ? Json.object() : live, object, manager, now);
            owners.writeTo(object);
        } catch (ApiException _) {
            // An object that does not fit its schema has no owners; that is no reason to refuse a write.
        }
        return object;
    }

    /** Those the request gives, if it gives any that make sense, else those of the live object. */
    private FieldOwners ownersForUpdate(@Nullable ObjectNode live, ObjectNode object) {
        JsonNode known = live == null ? null : Json.at(live, "metadata", MANAGED_FIELDS);
        JsonNode given = endpoint.subresource().isEmpty() ? Json.at(object, "metadata", MANAGED_FIELDS) : null;
        if (given != null && !given.equals(known)) {
            if (resets(given)) {
                return new FieldOwners();
            }
            FieldOwners owners = ownersOrNone(given, false);
            if (!owners.isEmpty()) {
                return owners;
            }
        }
        return known == null ? new FieldOwners() : ownersOrNone(known, true);
    }

    private static FieldOwners ownersOrNone(JsonNode managedFields, boolean ours) {
        try {
            return FieldOwners.parse(managedFields, ours);
        } catch (ApiException _) {
            return new FieldOwners();
        }
    }

    /** An empty list, or one with an empty entry, asks to forget all owners. */
    private static boolean resets(JsonNode managedFields) {
        if (!managedFields.isArray() || managedFields.size() > 1) {
            return false;
        }
        for (JsonNode entry : managedFields) {
            if (!entry.isObject()) {
                return false;
            }
            for (JsonNode value : entry) {
                if (!value.isNull() && !(value.isTextual() && value.textValue().isEmpty())) {
                    return false;
                }
            }
        }
        return true;
    }

    /**
     * Merges an applied configuration into the live object and notes who owns what.
     *
     * @param live the object before; null if it is being created
     * @param config the applied configuration, as the client sent it
     * @param manager who applies
     * @param force take fields from others instead of reporting conflicts
     * @param now the time, RFC 3339 in seconds
     * @return the merged object with {@code managedFields}, still to be decoded and defaulted; shares nothing with the
     *     arguments. Where nothing changes it equals the live object.
     */
    public ObjectNode apply(@Nullable ObjectNode live, ObjectNode config, String manager, boolean force, String now) {
        return new ServerSideApply(tracker, manager, now).apply(live, config, force);
    }

    /**
     * Gives entries their old times back where times are all that differs between two objects, so that a write that
     * changes nothing stores nothing. For the end of the way of a write, after admission.
     */
    public static void keepTimes(ObjectNode live, ObjectNode object) {
        ArrayNode before = Json.listAt(live, "metadata", MANAGED_FIELDS);
        ArrayNode after = Json.listAt(object, "metadata", MANAGED_FIELDS);
        if (before.size() != after.size() || before.isEmpty() || before.equals(after)) {
            return;
        }
        for (int i = 0; i < before.size(); i++) {
            if (!equalButTime(before.get(i), after.get(i))) {
                return;
            }
        }
        if (withoutManagedFields(live).equals(withoutManagedFields(object))) {
            Json.ensureObject(object, "metadata").set(MANAGED_FIELDS, before);
        }
    }

    private static boolean equalButTime(JsonNode left, JsonNode right) {
        if (!(left instanceof ObjectNode before) || !(right instanceof ObjectNode after)) {
            return false;
        }
        ObjectNode a = Json.object();
        a.setAll(before);
        a.remove("time");
        ObjectNode b = Json.object();
        b.setAll(after);
        b.remove("time");
        return a.equals(b);
    }

    static ObjectNode withoutManagedFields(ObjectNode object) {
        if (!(object.get("metadata") instanceof ObjectNode metadata) || !metadata.has(MANAGED_FIELDS)) {
            return object;
        }
        ObjectNode copy = Json.object();
        copy.setAll(object);
        ObjectNode rest = Json.object();
        rest.setAll(metadata);
        rest.remove(MANAGED_FIELDS);
        copy.set("metadata", rest);
        return copy;
    }
}
