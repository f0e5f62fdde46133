package lavaflow.kube;

import java.util.HashMap;
import java.util.Map;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** What updates and applies at an endpoint have in common: comparing objects and taking fields from their owners. */
final class FieldTracker {
    /** Fields that say what an object is, or that the server sets; nobody owns them. */
    static final FieldSet STRIPPED = FieldSet.ofFields(
            "apiVersion",
            "kind",
            "metadata",
            "metadata.name",
            "metadata.namespace",
            "metadata.creationTimestamp",
            "metadata.selfLink",
            "metadata.uid",
            "metadata.clusterName",
            "metadata.generation",
            "metadata.managedFields",
            "metadata.resourceVersion");

    private final ManagedFields.Endpoint endpoint;
    private final Type root;
    private final ApplySchema schema;
    private final AppliedFields fields;

    FieldTracker(ManagedFields.Endpoint endpoint) {
        this.endpoint = endpoint;
        this.root = new Type.Ref(endpoint.struct());
        this.schema = new ApplySchema(endpoint.types());
        this.fields = new AppliedFields(schema);
    }

    ManagedFields.Endpoint endpoint() {
        return endpoint;
    }

    Type root() {
        return root;
    }

    ApplySchema schema() {
        return schema;
    }

    AppliedFields fields() {
        return fields;
    }

    /** Takes what an update changed from those who owned it, and gives it to the one who updates. */
    void noteUpdate(FieldOwners owners, ObjectNode live, ObjectNode object, String manager, String now) {
        ObjectNode before = ManagedFields.withoutManagedFields(live);
        dropUnknownVersions(owners, object);
        Comparison changes = compare(before, object);
        if (!changes.isSame()) {
            Map<String, Comparison> byVersion = comparisons(owners, before, object, changes);
            owners.replaceAll(owner -> {
                Comparison seen = byVersion.get(owner.apiVersion());
                return seen == null ? owner : lost(owner, seen);
            });
            FieldSet gained = changes.modified().union(changes.added()).difference(STRIPPED);
            owners.dropThoseWithoutFields();
            if (!gained.isEmpty()) {
                owners.gain(identity(manager, FieldOwner.UPDATE), endpoint.apiVersion(), gained, now);
            }
        }
        owners.dropThoseWithoutFields();
        owners.capUpdates();
    }

    /** Forgets owners who used versions that are gone: nobody can tell what their fields are now. */
    void dropUnknownVersions(FieldOwners owners, ObjectNode object) {
        ManagedFields.Versions versions = endpoint.versions();
        if (versions != null) {
            owners.removeIf(owner -> !owner.apiVersion().equals(endpoint.apiVersion())
                    && versions.convert(object, owner.apiVersion()) == null);
        }
    }

    FieldOwner lost(FieldOwner owner, Comparison changes) {
        FieldSet changed = changes.modified().union(changes.added()).union(changes.removed());
        if (!owner.touches(changed)) {
            return owner;
        }
        // The endpoint's schema says nothing about fields of other versions.
        boolean sameVersion = owner.apiVersion().equals(endpoint.apiVersion());
        FieldSet owned = sameVersion ? fields.reconciled(root, owner.fields()) : owner.fields();
        return owner.with(owned.difference(changed));
    }

    Comparison compare(ObjectNode before, ObjectNode after) {
        return Comparison.of(endpoint.types(), endpoint.struct(), before, after).filter(endpoint.filter());
    }

    /** The changes as they look in every version an owner used. */
    Map<String, Comparison> comparisons(FieldOwners owners, ObjectNode before, ObjectNode after, Comparison changes) {
        Map<String, Comparison> byVersion = new HashMap<>();
        byVersion.put(endpoint.apiVersion(), changes);
        ManagedFields.Versions versions = endpoint.versions();
        if (versions == null) {
            return byVersion;
        }
        for (FieldOwner owner : owners.all()) {
            String version = owner.apiVersion();
            if (byVersion.containsKey(version)) {
                continue;
            }
            ManagedFields.Versioned left = versions.convert(before, version);
            ManagedFields.Versioned right = versions.convert(after, version);
            if (left != null && right != null) {
                Comparison seen = Comparison.of(endpoint.types(), left.struct(), left.object(), right.object());
                byVersion.put(version, seen.filter(endpoint.filter()));
            }
        }
        return byVersion;
    }

    FieldOwner.Identity identity(String manager, String operation) {
        return FieldOwner.Identity.of(
                manager.isEmpty() ? "unknown" : manager, operation, endpoint.apiVersion(), endpoint.subresource());
    }
}
