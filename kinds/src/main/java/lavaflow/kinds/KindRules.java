package lavaflow.kinds;

import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What sets one kind apart from the generic pipeline.
 *
 * <p>Objects come decoded: known fields only, right types, canonical values. The pipeline calls, in this order: {@link
 * #applyDefaults}, {@code prepareFor…}, validation. Metadata is validated by the pipeline itself, for every kind alike,
 * with {@link #nameErrors}. Methods change the given object in place and never the old one.
 */
public interface KindRules {
    /** Switches of the generic pipeline. */
    enum Trait {
        /** {@code metadata.generation} counts changes of {@code spec}. */
        GENERATION,
        /** PUT without resourceVersion is refused. */
        NO_UNCONDITIONAL_UPDATE,
        /** PUT creates what does not exist. */
        CREATE_ON_UPDATE,
        /** DELETE answers with the object instead of a Status. */
        RETURNS_DELETED,
        /** Deleting with no policy given orphans dependents. */
        ORPHANS_BY_DEFAULT,
        /** Rules of a version that is stored as another one, but look at the stored form themselves. */
        SEES_STORED_FORM,
        /** Finalizers need no domain: custom kinds, and those that describe kinds. */
        FREE_FINALIZERS,
        /** Losing the last second of writes in a crash is acceptable. */
        RELAXED_DURABILITY
    }

    /** Traits of the kind. */
    default Set<Trait> traits() {
        return Set.of();
    }

    /** What is wrong with a name; {@code prefix} is true for generateName. Most kinds are named like DNS subdomains. */
    default List<String> nameErrors(String name, boolean prefix) {
        return Names.SUBDOMAIN.check(name, prefix);
    }

    /** Fills in what the user left out. Idempotent. Also runs on the results of patches and on what is read. */
    default void applyDefaults(ObjectNode object) {}

    /** Clears what clients may not set and sets what the server decides, after defaulting, before validation. */
    default void prepareForCreate(ObjectNode object) {
        object.remove("status");
    }

    /** As {@link #prepareForCreate} for a write to the main resource: status stays as it was. */
    default void prepareForUpdate(ObjectNode object, ObjectNode old) {
        keep(object, old, "status");
    }

    /** As {@link #prepareForUpdate} for a write to the status subresource: everything but status and metadata stays. */
    default void prepareForStatusUpdate(ObjectNode object, ObjectNode old) {
        keep(object, old, "spec");
    }

    /** As {@link #prepareForUpdate} for any other subresource that writes the object: {@code resize}, {@code approval}. */
    default void prepareForSubresourceUpdate(String subresource, ObjectNode object, ObjectNode old) {
        prepareForUpdate(object, old);
    }

    /**
     * Sets the times that the server decides, after preparation of every kind of write.
     *
     * @param old what it was, null on create
     * @param now RFC 3339 with seconds
     */
    default void stamp(ObjectNode object, @Nullable ObjectNode old, String now) {}

    /** Checks a new object; metadata is checked elsewhere. */
    default void validateCreate(ObjectNode object, FieldErrors errors) {}

    /** Checks a changed object against what it was; the default checks it as if it were new. */
    default void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        validateCreate(object, errors);
    }

    /** Checks a changed status. */
    default void validateStatusUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {}

    /** Checks a change through any other subresource. */
    default void validateSubresourceUpdate(String subresource, ObjectNode object, ObjectNode old, FieldErrors errors) {
        validateUpdate(object, old, errors);
    }

    /** Seconds between marking for deletion and deletion; {@code asked} is what the client wants, null for the default. */
    default long gracePeriod(ObjectNode object, @Nullable Long asked) {
        return 0;
    }

    /** Whether objects of the kind may be given time to end: pods. */
    default boolean isGraceful() {
        return false;
    }

    /** Why an object may not be deleted; null for nearly all. */
    default @Nullable String refusalToDelete(ObjectNode object) {
        return null;
    }

    /** What to tell who deletes without a word on dependents, where that orphans them and surprises. */
    default @Nullable String orphaningWarning() {
        return null;
    }

    /** What is said of a selector on a field that {@link #selectableFields} does not have, where there are some. */
    default String unknownField(String field) {
        return "field label not supported: " + field;
    }

    /** Deprecations and likely mistakes the user should hear of; {@code old} is null on create. */
    default List<String> warnings(ObjectNode object, @Nullable ObjectNode old) {
        return List.of();
    }

    /** The warning that every request to this kind earns; null for kinds in good standing. */
    default @Nullable String deprecation() {
        return null;
    }

    /** The value of a field that selectors may use beside name and namespace; null where the kind has no such field. */
    default @Nullable String selectableField(ObjectNode object, String field) {
        return null;
    }

    /** Names of the fields {@link #selectableField} knows. */
    default Set<String> selectableFields() {
        return Set.of();
    }

    /** Whether two states differ in what {@link Trait#GENERATION} counts. */
    default boolean specChanged(ObjectNode object, ObjectNode old) {
        return !java.util.Objects.equals(object.get("spec"), old.get("spec"));
    }

    /** Puts back all metadata that a write to a status subresource may not change; some kinds do, most do not. */
    static void keepMetadata(ObjectNode object, ObjectNode old) {
        ObjectNode metadata = Json.ensureObject(object, "metadata");
        ObjectNode before = Json.ensureObject(old.deepCopy(), "metadata");
        for (String field : new String[] {"labels", "annotations", "finalizers", "ownerReferences"}) {
            keep(metadata, before, field);
        }
    }

    /** Puts the old value of a field back, or removes it where there was none. */
    static void keep(ObjectNode object, ObjectNode old, String field) {
        JsonNode value = Json.at(old, field);
        if (value == null) {
            object.remove(field);
        } else {
            object.set(field, value.deepCopy());
        }
    }
}
