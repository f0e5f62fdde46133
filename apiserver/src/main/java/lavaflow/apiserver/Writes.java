package lavaflow.apiserver;

import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.random.RandomGenerator;

import lavaflow.kinds.KindRules;
import lavaflow.kube.ApiException;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.GeneratedName;
import lavaflow.kube.Json;
import lavaflow.kube.ManagedFields;
import lavaflow.kube.ObjectMetaRules;
import lavaflow.store.Mutation;
import lavaflow.store.Outcome;
import lavaflow.store.Store;
import lavaflow.store.StoredObject;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Creates and changes objects: ownership, admission, preparation, validation, commit, in upstream's order.
 *
 * <p>Objects come decoded and defaulted, in the version the client speaks; answers go out in that version.
 */
final class Writes {
    /** Upstream gives up generating names after this many collisions. */
    private static final int NAME_TRIES = 8;
    /** A writer that loses this often fights a hot loop; the client may come back. */
    private static final int CONFLICT_TRIES = 200;

    /** Makes the new state from the live one; {@code live} is null where a PUT or apply creates. */
    interface Transformation {
        ObjectNode apply(@Nullable ObjectNode live);

        /** True if it has let admission change what it makes, because admission sees something else of it: a Scale. */
        default boolean isAdmitted() {
            return false;
        }

        /** What admission sees of an object in its stored form. */
        default ObjectNode admissionView(ObjectNode stored) {
            return stored;
        }
    }

    /** What a write came to. */
    record Written(ObjectNode object, boolean created) {}

    private final Store store;
    private final Admission admission;
    private final FieldOwnership ownership;
    private final WriteHooks hooks;
    private final RandomGenerator random;

    Writes(Store store, Admission admission, FieldOwnership ownership, WriteHooks hooks, RandomGenerator random) {
        this.store = store;
        this.admission = admission;
        this.ownership = ownership;
        this.hooks = hooks;
        this.random = random;
    }

    /** Stores a new object, with a generated name where the client asked for one. */
    ObjectNode create(Call call, ObjectNode object) {
        // Nobody owns what the server sets whatever the client says.
        Metadata.of(object).remove(List.of("deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"));
        OwnerReferences.withoutRepeats(call, object);
        ownership.update(call, null, object);
        return createOwned(call, object);
    }

    private ObjectNode createOwned(Call call, ObjectNode object) {
        admit(call, object);
        String generateName = Json.textAt(Metadata.of(object), "generateName");
        boolean generated = Metadata.name(object).isEmpty() && !generateName.isEmpty();
        if (!generated) {
            return createAdmitted(call, object);
        }
        for (int attempt = 1; ; attempt++) {
            ObjectNode candidate = object.deepCopy();
            Metadata.of(candidate).put("name", GeneratedName.from(generateName, random::nextInt));
            try {
                return createAdmitted(call, candidate);
            } catch (ApiException e) {
                if (!e.reason().equals("AlreadyExists")) {
                    throw e;
                }
                if (attempt == NAME_TRIES) {
                    throw ApiException.of(
                                    409,
                                    "AlreadyExists",
                                    e.getMessage()
                                            + ", the server was not able to generate a unique name for the object")
                            .retryAfter(1);
                }
            }
        }
    }

    /** Lets admission change a new object, which has no identity yet: neither a generated name nor a uid nor a time. */
    private void admit(Call call, ObjectNode object) {
        Resource resource = call.resource();
        if (resource.custom() != null && resource.custom().kind().isTerminating()) {
            throw resource.forbidden(
                    Metadata.name(object), "create not allowed while custom resource definition is terminating");
        }
        if (Metadata.revisionWanted(object) > 0) {
            throw ApiException.badRequest("resourceVersion should not be set on objects to be created");
        }
        Metadata.of(object).remove(List.of("uid", "creationTimestamp"));
        if (resource.namespaced()) {
            Metadata.of(object).put("namespace", call.namespace());
        }
        admission.mutate(call, Admission.Operation.CREATE, object, null);
    }

    private ObjectNode createAdmitted(Call call, ObjectNode object) {
        Resource resource = call.resource();
        // Whatever client and admission think of it, the server decides these.
        fillForCreate(call, resource, Metadata.of(object));
        resource.rules().applyDefaults(object);
        ObjectNode stored = toStored(resource, object);
        KindRules rules = storedRules(resource);
        WriteHooks.Reservation reservation = hooks.beforeCreate(call, stored);
        rules.prepareForCreate(stored);
        rules.stamp(stored, null, Metadata.time(call.now()));
        if (rules.traits().contains(KindRules.Trait.GENERATION)) {
            Metadata.of(stored).put("generation", 1);
        }
        resource.restoreForm(stored);
        boolean done = false;
        try {
            requireType(resource, stored);
            FieldErrors errors = new FieldErrors();
            if (rules.traits().contains(KindRules.Trait.FREE_FINALIZERS)) {
                ObjectMetaRules.customCreate(Metadata.of(stored), resource.namespaced(), rules::nameErrors, errors);
            } else {
                ObjectMetaRules.create(Metadata.of(stored), resource.namespaced(), rules::nameErrors, errors);
            }
            rules.validateCreate(stored, errors);
            if (!errors.isEmpty()) {
                throw resource.invalid(stored, errors);
            }
            rules.warnings(stored, null).forEach(call::warn);
            admission.validate(call, Admission.Operation.CREATE, stored, null);
            ObjectNode written = commitCreate(call, resource, stored);
            done = true;
            return written;
        } finally {
            reservation.finish(done && !call.dryRun());
        }
    }

    private ObjectNode commitCreate(Call call, Resource resource, ObjectNode stored) {
        String key = resource.key(Metadata.namespace(stored), Metadata.name(stored));
        if (call.dryRun()) {
            if (store.get(resource.bucket(), key) != null) {
                throw ApiException.alreadyExists(resource.group(), resource.name(), Metadata.name(stored));
            }
            return fromStored(resource, stored);
        }
        ObjectNode ordered = resource.ordered(stored);
        Outcome outcome = store.commit(new Mutation.Put(
                resource.bucket(), key, Mutation.ABSENT, StoredForm.encodeOrdered(ordered), relaxed(resource)));
        return switch (outcome) {
            case Outcome.Committed committed -> committed(resource, committed, ordered);
            case Outcome.Conflict _ ->
                throw ApiException.alreadyExists(resource.group(), resource.name(), Metadata.name(stored));
        };
    }

    private void fillForCreate(Call call, Resource resource, ObjectNode metadata) {
        metadata.remove("resourceVersion");
        metadata.remove("deletionTimestamp");
        metadata.remove("deletionGracePeriodSeconds");
        metadata.remove("selfLink");
        metadata.put("uid", uid());
        metadata.put("creationTimestamp", Metadata.time(call.now()));
        if (resource.namespaced()) {
            metadata.put("namespace", call.namespace());
        } else {
            metadata.remove("namespace");
        }
    }

    /** A random one, of version 4. */
    private String uid() {
        long high = (random.nextLong() & ~0xF000L) | 0x4000L;
        long low = (random.nextLong() & ~(0xC0L << 56)) | (0x80L << 56);
        return new UUID(high, low).toString();
    }

    /**
     * Changes an object. The transformation runs again on the newest state when another writer was faster, unless the
     * new state names the resourceVersion it was made for.
     */
    Written update(Call call, boolean mayCreate, boolean ownerRecorded, Transformation transformation) {
        Resource resource = call.resource();
        String key = resource.key(call.namespace(), call.name());
        for (int attempt = 0; attempt < CONFLICT_TRIES; attempt++) {
            StoredObject stored = store.get(resource.bucket(), key);
            if (stored == null && !mayCreate) {
                throw resource.notFound(call.name());
            }
            Written written = stored == null
                    ? createOnce(call, resource, key, ownerRecorded, transformation)
                    : updateOnce(call, resource, stored, ownerRecorded, transformation);
            if (written != null) {
                return written;
            }
        }
        throw resource.modified(call.name());
    }

    /** The result, or null where another writer made the object meanwhile, which is then there to be changed. */
    private @Nullable Written createOnce(
            Call call, Resource resource, String key, boolean ownerRecorded, Transformation transformation) {
        ObjectNode object = transformation.apply(null);
        if (!Metadata.uid(object).isEmpty()) {
            throw UpdatePreconditions.otherObject(call, Metadata.uid(object), "");
        }
        Metadata.of(object).remove("resourceVersion");
        try {
            return new Written(ownerRecorded ? createOwned(call, object) : create(call, object), true);
        } catch (ApiException e) {
            if (e.reason().equals("AlreadyExists") && store.get(resource.bucket(), key) != null) {
                return null;
            }
            throw e;
        }
    }

    /** The result, or null where another writer was faster and the change may be tried again. */
    private @Nullable Written updateOnce(
            Call call, Resource resource, StoredObject stored, boolean ownerRecorded, Transformation transformation) {
        ObjectNode oldStored = resource.decode(stored);
        ObjectNode live = fromStored(resource, oldStored);
        ObjectNode object = transformation.apply(live.deepCopy());
        String wanted = UpdatePreconditions.wantedRevision(object);
        UpdatePreconditions.check(call, resource, stored, live, object, wanted);
        Metadata.of(object).put("resourceVersion", Metadata.resourceVersion(live));
        OwnerReferences.withoutRepeats(call, object);
        if (!ownerRecorded) {
            ownership.update(call, live, object);
        }
        if (!transformation.isAdmitted()) {
            admission.mutate(call, Admission.Operation.UPDATE, object, live);
        }
        resource.rules().applyDefaults(object);
        ObjectNode next = toStored(resource, object);
        KindRules rules = storedRules(resource);
        WriteHooks.Reservation reservation = prepareUpdate(call, rules, next, oldStored);
        resource.restoreForm(next);
        boolean done = false;
        try {
            validateUpdate(call, resource, rules, next, oldStored);
            admission.validate(
                    call,
                    Admission.Operation.UPDATE,
                    transformation.admissionView(next),
                    transformation.admissionView(oldStored));
            if (call.dryRun()) {
                return new Written(fromStored(resource, next), false);
            }
            boolean finished = Metadata.isDeleting(next)
                    && !Metadata.hasFinalizers(next)
                    && Objects.requireNonNullElse(Metadata.gracePeriod(next), 0L) == 0
                    && !hooks.keepsDeleted(resource, next);
            if (!finished && sameState(next, oldStored)) {
                return new Written(live, false);
            }
            ObjectNode ordered = resource.ordered(finished ? oldStored : next);
            Mutation mutation = finished
                    ? new Mutation.Delete(
                            resource.bucket(),
                            stored.key(),
                            stored.revision(),
                            StoredForm.encodeOrdered(ordered),
                            relaxed(resource))
                    : new Mutation.Put(
                            resource.bucket(),
                            stored.key(),
                            stored.revision(),
                            StoredForm.encodeOrdered(ordered),
                            relaxed(resource));
            if (store.commit(mutation) instanceof Outcome.Committed committed) {
                done = true;
                if (finished) {
                    hooks.afterDelete(resource, next);
                    // The last change is never stored: the client sees it, the event shows what was stored before.
                    return new Written(fromStored(resource, next), false);
                }
                return new Written(committed(resource, committed, ordered), false);
            }
            if (!wanted.isEmpty() && !wanted.equals(Metadata.resourceVersion(live))) {
                throw resource.modified(call.name());
            }
            return null;
        } finally {
            reservation.finish(done);
        }
    }

    private WriteHooks.Reservation prepareUpdate(Call call, KindRules rules, ObjectNode next, ObjectNode old) {
        Metadata.keep(next, old, "generation");
        Metadata.keep(next, old, "selfLink");
        Metadata.keep(next, old, "creationTimestamp");
        for (String field : new String[] {"uid", "deletionGracePeriodSeconds"}) {
            if (Json.at(next, "metadata", field) == null) {
                Metadata.keep(next, old, field);
            }
        }
        if (Metadata.isDeleting(old)) {
            Metadata.keep(next, old, "deletionTimestamp");
        }
        WriteHooks.Reservation reservation = hooks.beforeUpdate(call, next, old);
        switch (call.subresource()) {
            case "" -> rules.prepareForUpdate(next, old);
            case "status" -> rules.prepareForStatusUpdate(next, old);
            default -> rules.prepareForSubresourceUpdate(call.subresource(), next, old);
        }
        rules.stamp(next, old, Metadata.time(call.now()));
        boolean counted = rules.traits().contains(KindRules.Trait.GENERATION)
                && !call.subresource().equals("status");
        if (counted && rules.specChanged(next, old)) {
            Metadata.of(next).put("generation", Metadata.generation(old) + 1);
        }
        return reservation;
    }

    private void validateUpdate(Call call, Resource resource, KindRules rules, ObjectNode next, ObjectNode old) {
        requireType(resource, next);
        FieldErrors errors = new FieldErrors();
        ObjectNode before = Metadata.of(old);
        if (rules.traits().contains(KindRules.Trait.FREE_FINALIZERS)) {
            ObjectMetaRules.customUpdate(Metadata.of(next), before, resource.namespaced(), errors);
        } else {
            ObjectMetaRules.update(Metadata.of(next), before, resource.namespaced(), errors);
        }
        switch (call.subresource()) {
            case "" -> rules.validateUpdate(next, old, errors);
            case "status" -> rules.validateStatusUpdate(next, old, errors);
            default -> rules.validateSubresourceUpdate(call.subresource(), next, old, errors);
        }
        errors.tolerated().forEach(call::warn);
        if (!errors.isEmpty()) {
            throw resource.invalid(next, errors);
        }
        if (call.subresource().isEmpty()) {
            rules.warnings(next, old).forEach(call::warn);
        }
    }

    /** Custom objects may come as any kind of the right version; nothing else is said of those that are of another. */
    private static void requireType(Resource resource, ObjectNode object) {
        CustomVersion custom = resource.custom();
        if (custom != null) {
            FieldErrors errors = new FieldErrors();
            custom.rules().validateType(object, errors);
            if (!errors.isEmpty()) {
                throw resource.invalid(object, errors);
            }
        }
    }

    /** What was stored as clients see it; {@code ordered} is what was, and nobody else's any more. */
    private static ObjectNode committed(Resource resource, Outcome.Committed committed, ObjectNode ordered) {
        if (resource.custom() != null) {
            resource.custom().committed(committed.object());
            return resource.read(committed.object());
        }
        Metadata.of(ordered)
                .put("resourceVersion", Long.toString(committed.object().revision()));
        return fromStored(resource, ordered);
    }

    /** No-op detection: times of managedFields, which change on every write, do not count. */
    private static boolean sameState(ObjectNode next, ObjectNode old) {
        ManagedFields.keepTimes(old, next);
        return next.equals(old);
    }

    static boolean relaxed(Resource resource) {
        return resource.has(KindRules.Trait.RELAXED_DURABILITY);
    }

    static ObjectNode fromStored(Resource resource, ObjectNode stored) {
        return resource.bridge() == null ? stored : resource.bridge().fromStored(stored);
    }

    static ObjectNode toStored(Resource resource, ObjectNode object) {
        return resource.bridge() == null ? object : resource.bridge().toStored(object);
    }

    private static KindRules storedRules(Resource resource) {
        boolean own = resource.bridge() == null || resource.has(KindRules.Trait.SEES_STORED_FORM);
        return own
                ? resource.rules()
                : lavaflow.kinds.BuiltinKinds.rules(
                        resource.stored().group(),
                        resource.stored().version(),
                        resource.stored().resource());
    }
}
