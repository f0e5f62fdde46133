package lavaflow.kube;

import java.util.LinkedHashMap;
import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** One apply by one manager. */
final class ServerSideApply {
    private static final String BEFORE_FIRST_APPLY = "before-first-apply";

    /** What an attempt gave: the merged object, who owns what then, and what speaks against it. */
    private record Attempt(ObjectNode merged, FieldOwners owners, ApplyConflicts conflicts) {}

    private final FieldTracker tracker;
    private final ManagedFields.Endpoint endpoint;
    private final String manager;
    private final String now;
    private final FieldOwner.Identity self;

    ServerSideApply(FieldTracker tracker, String manager, String now) {
        this.tracker = tracker;
        this.endpoint = tracker.endpoint();
        this.manager = manager;
        this.now = now;
        this.self = tracker.identity(manager, FieldOwner.APPLY);
    }

    ObjectNode apply(@Nullable ObjectNode live, ObjectNode config, boolean force) {
        checkKind(config);
        ObjectNode base = live == null ? Json.object() : ManagedFields.withoutManagedFields(live);
        FieldOwners owners = FieldOwners.parse(Json.listAt(live, "metadata", ManagedFields.MANAGED_FIELDS), true);
        if (owners.isEmpty() && live != null) {
            tracker.noteUpdate(owners, Json.object(), base, BEFORE_FIRST_APPLY, now);
        }
        checkConfig(config);
        Attempt attempt = attempt(base, config, owners.copy(), force);
        if (!attempt.conflicts().isEmpty()) {
            attempt = retry(base, config, owners, attempt.conflicts());
        }
        return result(base, config, attempt);
    }

    private void checkKind(ObjectNode config) {
        String apiVersion = Json.textAt(config, "apiVersion");
        String kind = Json.textAt(config, "kind");
        if (apiVersion.equals(endpoint.apiVersion()) && kind.equals(endpoint.kind())) {
            return;
        }
        boolean malformed = apiVersion.indexOf('/') != apiVersion.lastIndexOf('/');
        throw ApiException.badRequest("invalid object type: " + (malformed ? "/, Kind=" : shown(apiVersion, kind)));
    }

    private static String shown(String apiVersion, String kind) {
        return (apiVersion.contains("/") ? apiVersion : "/" + apiVersion) + ", Kind=" + kind;
    }

    /** Upstream answers 500 to configurations that do not fit the schema; the fault is the client's, hence 400. */
    private void checkConfig(ObjectNode config) {
        if (Json.at(config, "metadata", ManagedFields.MANAGED_FIELDS) != null) {
            throw ApiException.badRequest("metadata.managedFields must be nil");
        }
        String problem = AppliedCheck.problem(tracker.schema(), tracker.root(), config);
        if (problem != null) {
            throw ApiException.badRequest("failed to create typed patch object ("
                    + Json.textAt(config, "metadata", "namespace") + "/" + Json.textAt(config, "metadata", "name")
                    + "; " + shown(endpoint.apiVersion(), endpoint.kind()) + "): " + problem);
        }
    }

    private Attempt attempt(ObjectNode base, ObjectNode config, FieldOwners owners, boolean force) {
        tracker.dropUnknownVersions(owners, base);
        owners.replaceAll(this::reconciled);
        FieldOwner last = owners.find(self);
        FieldSet applied = endpoint.filter().filter(tracker.fields().of(tracker.root(), config));
        owners.put(FieldOwner.of(self, endpoint.apiVersion(), last == null ? null : last.time(), applied));
        ObjectNode merged = new ApplyMerge(tracker.schema()).merged(tracker.root(), base, config);
        if (last != null && !last.fields().isEmpty()) {
            merged = new ApplyPruning(tracker, owners).pruned(merged, last);
        }
        Comparison changes = tracker.compare(base, merged);
        ApplyConflicts conflicts = new ApplyConflicts();
        Map<String, Comparison> byVersion = new LinkedHashMap<>();
        if (!changes.isSame()) {
            byVersion.putAll(tracker.comparisons(owners, base, merged, changes));
            conflicts = conflicts(owners, byVersion);
        }
        if (force || conflicts.isEmpty()) {
            conflicts = new ApplyConflicts();
            owners.replaceAll(owner -> {
                Comparison seen = byVersion.get(owner.apiVersion());
                return seen == null || owner.identity().equals(self) ? owner : tracker.lost(owner, seen);
            });
            owners.replaceAll(owner -> owner.identity().equals(self)
                    ? owner.with(owner.fields().difference(FieldTracker.STRIPPED))
                    : owner);
            owners.dropThoseWithoutFields();
        }
        return new Attempt(merged, owners, conflicts);
    }

    private FieldOwner reconciled(FieldOwner owner) {
        return owner.apiVersion().equals(endpoint.apiVersion())
                ? owner.with(tracker.fields().reconciled(tracker.root(), owner.fields()))
                : owner;
    }

    private ApplyConflicts conflicts(FieldOwners owners, Map<String, Comparison> byVersion) {
        ApplyConflicts conflicts = new ApplyConflicts();
        for (FieldOwner owner : owners.all()) {
            Comparison seen = byVersion.get(owner.apiVersion());
            if (seen != null && !owner.identity().equals(self)) {
                FieldSet taken = seen.modified().union(seen.added());
                conflicts.add(owner.identity(), owner.fields().intersection(taken));
            }
        }
        return conflicts;
    }

    /** A kubectl that used to apply on the client's side may take the fields which it has set that way. */
    private Attempt retry(ObjectNode base, ObjectNode config, FieldOwners owners, ApplyConflicts conflicts) {
        FieldSet allowed =
                manager.equals(LastApplied.MANAGER) ? LastApplied.unchangedFields(tracker, base) : FieldSet.EMPTY;
        ApplyConflicts rest = conflicts.without(allowed);
        if (!rest.isEmpty()) {
            throw rest.exception();
        }
        return attempt(base, config, owners.copy(), true);
    }

    private ObjectNode result(ObjectNode base, ObjectNode config, Attempt attempt) {
        boolean same = ApplySchema.same(base, attempt.merged());
        ObjectNode result = same ? base.deepCopy() : attempt.merged().deepCopy();
        FieldOwner owner = attempt.owners().find(self);
        if (owner != null && !same) {
            attempt.owners().put(FieldOwner.of(self, endpoint.apiVersion(), now, owner.fields()));
        }
        if (manager.equals(LastApplied.MANAGER)) {
            LastApplied.refresh(result, config);
        }
        attempt.owners().writeTo(result);
        JsonNode metadata = result.get("metadata");
        if (metadata != null && metadata.isEmpty()) {
            result.remove("metadata");
        }
        return result;
    }
}
