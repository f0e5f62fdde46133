package lavaflow.kube;

import java.util.LinkedHashMap;
import java.util.Map;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Removes from a merged object what a manager applied last time but does not apply any more, unless others own it. */
final class ApplyPruning {
    private final FieldTracker tracker;
    private final AppliedFields fields;
    private final FieldOwners owners;

    ApplyPruning(FieldTracker tracker, FieldOwners owners) {
        this.tracker = tracker;
        this.fields = tracker.fields();
        this.owners = owners;
    }

    /** The merged object and what is left of it, in one version. */
    private record Pair(String apiVersion, String struct, ObjectNode merged, ObjectNode pruned) {
        Type root() {
            return new Type.Ref(struct);
        }
    }

    /**
     * The object without what is no longer applied.
     *
     * @param last what the manager applied before
     */
    ObjectNode pruned(ObjectNode merged, FieldOwner last) {
        String home = tracker.endpoint().apiVersion();
        Pair start = converted(new Pair(home, tracker.endpoint().struct(), merged, merged), last.apiVersion());
        if (start == null) {
            return merged;
        }
        FieldSet before = fields.withNamedFields(start.root(), last.fields());
        Pair pair = new Pair(
                start.apiVersion(), start.struct(), start.merged(), without(start.root(), start.merged(), before));
        for (Map.Entry<String, FieldSet> owned :
                ownedByVersion(last.apiVersion()).entrySet()) {
            Pair other = converted(pair, owned.getKey());
            pair = other == null ? pair : withOwned(other, owned.getValue());
        }
        Pair back = converted(pair, last.apiVersion());
        if (back == null) {
            return merged;
        }
        ObjectNode result = withDangling(start.merged(), back, before);
        Pair returned = converted(new Pair(back.apiVersion(), back.struct(), result, result), home);
        return returned == null ? merged : returned.pruned();
    }

    private @Nullable Pair converted(Pair pair, String apiVersion) {
        if (pair.apiVersion().equals(apiVersion)) {
            return pair;
        }
        ManagedFields.Versions versions = tracker.endpoint().versions();
        if (versions == null) {
            return null;
        }
        ManagedFields.Versioned merged = versions.convert(pair.merged(), apiVersion);
        ManagedFields.Versioned pruned = versions.convert(pair.pruned(), apiVersion);
        return merged == null || pruned == null
                ? null
                : new Pair(apiVersion, merged.struct(), merged.object(), pruned.object());
    }

    /** All that anybody owns, by version; the given one first, as converting may need fields that were pruned. */
    private Map<String, FieldSet> ownedByVersion(String first) {
        Map<String, FieldSet> owned = new LinkedHashMap<>();
        owned.put(first, FieldSet.EMPTY);
        for (FieldOwner owner : owners.all()) {
            owned.merge(owner.apiVersion(), owner.fields(), FieldSet::union);
        }
        return owned;
    }

    /** Puts back what somebody owns. */
    private Pair withOwned(Pair pair, FieldSet owned) {
        Type root = pair.root();
        FieldSet kept =
                fields.withNamedFields(root, fields.of(root, pair.pruned())).union(fields.withNamedFields(root, owned));
        FieldSet gone =
                fields.withNamedFields(root, fields.of(root, pair.merged())).difference(kept);
        return new Pair(pair.apiVersion(), pair.struct(), pair.merged(), without(root, pair.merged(), gone));
    }

    /** Puts back what went with its parent though the manager had never owned it. */
    private ObjectNode withDangling(ObjectNode merged, Pair pair, FieldSet before) {
        Type root = pair.root();
        FieldSet left = fields.withNamedFields(root, fields.of(root, pair.pruned()));
        FieldSet all = fields.withNamedFields(root, fields.of(root, merged));
        return without(root, merged, all.difference(left).intersection(before));
    }

    private ObjectNode without(Type root, ObjectNode object, FieldSet removed) {
        ObjectNode rest = fields.without(root, object, removed);
        return rest == null ? Json.object() : rest;
    }
}
