package lavaflow.apiserver;

import lavaflow.kinds.KindRules;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.store.Mutation;
import lavaflow.store.Outcome;
import lavaflow.store.Store;
import lavaflow.store.StoredObject;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Deletes objects: at once, or, where finalizers or a grace period hold them, by marking them first.
 */
final class Deletes {
    private static final String ORPHAN = "orphan";
    private static final String FOREGROUND = "foregroundDeletion";

    /** What a deletion came to: the object's last state and whether it is gone. */
    record Deleted(ObjectNode object, boolean gone) {}

    private final Store store;
    private final Admission admission;
    private final WriteHooks hooks;

    Deletes(Store store, Admission admission, WriteHooks hooks) {
        this.store = store;
        this.admission = admission;
        this.hooks = hooks;
    }

    Deleted delete(Call call, DeleteOptions options) {
        return delete(call, call.namespace(), call.name(), options);
    }

    Deleted delete(Call call, String namespace, String name, DeleteOptions options) {
        Resource resource = call.resource();
        String key = resource.key(namespace, name);
        boolean dryRun = options.dryRun() || call.dryRun();
        call.deleting(options);
        while (true) {
            StoredObject stored = store.get(resource.bucket(), key);
            if (stored == null) {
                throw resource.notFound(name);
            }
            ObjectNode live = resource.decode(stored);
            checkPreconditions(resource, name, live, options);
            String refusal = resource.rules().refusalToDelete(live);
            if (refusal != null) {
                throw resource.forbidden(name, refusal);
            }
            admission.validate(call, Admission.Operation.DELETE, null, live);
            ObjectNode next = live.deepCopy();
            boolean gone = mark(call, resource, next, options);
            if (dryRun) {
                resource.restoreForm(next);
                return new Deleted(Writes.fromStored(resource, next), gone);
            }
            if (!gone && next.equals(live)) {
                return new Deleted(Writes.fromStored(resource, live), false);
            }
            boolean relaxed = Writes.relaxed(resource);
            Mutation mutation = gone
                    ? new Mutation.Delete(resource.bucket(), key, stored.revision(), resource.encode(next), relaxed)
                    : new Mutation.Put(resource.bucket(), key, stored.revision(), resource.encode(next), relaxed);
            if (store.commit(mutation) instanceof Outcome.Committed committed) {
                if (gone) {
                    hooks.afterDelete(resource, live);
                }
                return new Deleted(resource.read(committed.object()), gone);
            }
        }
    }

    /** Upstream names the kind here, not the resource. */
    static void checkPreconditions(Resource resource, String name, ObjectNode live, DeleteOptions options) {
        String uid = options.uid();
        if (uid != null && !uid.equals(Metadata.uid(live))) {
            throw ApiException.conflict(
                    resource.group(),
                    resource.info().kind(),
                    name,
                    "the UID in the precondition (" + uid + ") does not match the UID in record (" + Metadata.uid(live)
                            + "). The object might have been deleted and then recreated");
        }
        String version = options.resourceVersion();
        if (version != null && !version.equals(Metadata.resourceVersion(live))) {
            throw ApiException.conflict(
                    resource.group(),
                    resource.info().kind(),
                    name,
                    "the ResourceVersion in the precondition (" + version
                            + ") does not match the ResourceVersion in record (" + Metadata.resourceVersion(live)
                            + "). The object might have been modified");
        }
    }

    /** Sets finalizers and the deletion time as the options ask; true if nothing holds the object any more. */
    private boolean mark(Call call, Resource resource, ObjectNode object, DeleteOptions options) {
        boolean again = Metadata.isDeleting(object);
        if (again || !isDefinition(resource)) {
            setFinalizers(resource, object, options);
        }
        if (!again) {
            hooks.beforeDelete(call, object);
        }
        Long asked = options.gracePeriodSeconds();
        if (asked != null && asked < 0) {
            asked = 1L;
        }
        long grace = resource.rules().gracePeriod(object, asked);
        boolean held = Metadata.hasFinalizers(object) || hooks.keepsDeleted(resource, object);
        if (!held && grace == 0) {
            if (resource.rules().isGraceful()) {
                markDeleted(call, object);
            }
            return true;
        }
        Long pending = Metadata.gracePeriod(object);
        if (again) {
            if (isDefinition(resource)) {
                Metadata.of(object).put("deletionGracePeriodSeconds", 0);
            }
            // A second delete may only shorten what is left.
            boolean shorter = asked != null && pending != null && grace < pending;
            if (!shorter) {
                return false;
            }
        } else {
            hooks.beginDelete(resource, object);
            boolean counts = resource.has(KindRules.Trait.GENERATION) || Metadata.generation(object) > 0;
            if (counts && !marksItself(resource)) {
                Metadata.of(object).put("generation", Metadata.generation(object) + 1);
            }
        }
        ObjectNode metadata = Metadata.of(object);
        metadata.put("deletionTimestamp", Metadata.time(call.now().plusSeconds(grace)));
        if (!marksItself(resource)) {
            metadata.put("deletionGracePeriodSeconds", grace);
        }
        return false;
    }

    /**
     * Upstream marks these two kinds by code of their own, which says less. For definitions this is so only the first
     * time, when it knows no propagation policy either.
     */
    private static boolean marksItself(Resource resource) {
        return resource.bucket().equals("namespaces") || isDefinition(resource);
    }

    private static boolean isDefinition(Resource resource) {
        return resource.bucket().equals(Definition.BUCKET);
    }

    /** Kinds with a grace period show in their last state that there was none. */
    private static void markDeleted(Call call, ObjectNode object) {
        ObjectNode metadata = Metadata.of(object);
        if (!Metadata.isDeleting(object)) {
            metadata.put("deletionTimestamp", Metadata.time(call.now()));
            metadata.put("generation", Metadata.generation(object) + 1);
        }
        metadata.put("deletionGracePeriodSeconds", 0);
    }

    /** Upstream's rule: the policy decides about the two finalizers of garbage collection, others stay. */
    private static void setFinalizers(Resource resource, ObjectNode object, DeleteOptions options) {
        String wanted = wantedFinalizer(resource, object, options);
        ArrayNode finalizers = Json.array();
        for (JsonNode finalizer : Json.listAt(object, "metadata", "finalizers")) {
            String name = finalizer.asText();
            if (!name.equals(ORPHAN) && !name.equals(FOREGROUND)) {
                finalizers.add(name);
            }
        }
        if (wanted != null) {
            finalizers.add(wanted);
        }
        if (finalizers.isEmpty()) {
            Metadata.of(object).remove("finalizers");
        } else {
            Metadata.of(object).set("finalizers", finalizers);
        }
    }

    private static @Nullable String wantedFinalizer(Resource resource, ObjectNode object, DeleteOptions options) {
        if (options.orphanDependents() != null) {
            return options.orphanDependents() ? ORPHAN : null;
        }
        String policy = options.propagationPolicy();
        if (policy != null) {
            return switch (policy) {
                case "Orphan" -> ORPHAN;
                case "Foreground" -> FOREGROUND;
                default -> null;
            };
        }
        for (JsonNode finalizer : Json.listAt(object, "metadata", "finalizers")) {
            if (finalizer.asText().equals(ORPHAN) || finalizer.asText().equals(FOREGROUND)) {
                return finalizer.asText();
            }
        }
        return resource.has(KindRules.Trait.ORPHANS_BY_DEFAULT) ? ORPHAN : null;
    }
}
