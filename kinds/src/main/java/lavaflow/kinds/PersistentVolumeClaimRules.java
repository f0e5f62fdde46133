package lavaflow.kinds;

import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Claims on persistent volumes. */
final class PersistentVolumeClaimRules implements KindRules {
    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.RETURNS_DELETED);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        Nodes.defaultText(Json.ensureObject(object, "status"), "phase", "Pending");
        VolumeDefaults.applyClaimSpec(Json.ensureObject(object, "spec"));
        ResourceLists.roundUp(Json.at(object, "status", "capacity"));
        ResourceLists.roundUp(Json.at(object, "status", "allocatedResources"));
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
        object.putObject("status").put("phase", "Pending");
        ObjectNode spec = Json.ensureObject(object, "spec");
        dropUnknownSource(spec);
        pairSources(spec);
    }

    @Override
    public void prepareForUpdate(ObjectNode object, ObjectNode old) {
        KindRules.keep(object, old, "status");
        ObjectNode spec = Json.ensureObject(object, "spec");
        if (!Nodes.has(old, "spec", "dataSource") && !Nodes.has(old, "spec", "dataSourceRef")) {
            dropUnknownSource(spec);
        }
        pairSources(spec);
    }

    /** Old clients know {@code dataSource} only; all but claims and snapshots in it has always been dropped. */
    private static void dropUnknownSource(ObjectNode spec) {
        ObjectNode source = Json.objectAt(spec, "dataSource");
        if (source == null || Nodes.has(spec, "dataSourceRef")) {
            return;
        }
        String kind = Json.textAt(source, "kind");
        String group = Json.textAt(source, "apiGroup");
        boolean claim = kind.equals("PersistentVolumeClaim") && group.isEmpty();
        boolean snapshot = kind.equals("VolumeSnapshot") && group.equals("snapshot.storage.k8s.io");
        if (!claim && !snapshot) {
            spec.remove("dataSource");
        }
    }

    /** {@code dataSource} and {@code dataSourceRef} say the same thing; whichever is missing follows the other. */
    static void pairSources(ObjectNode spec) {
        ObjectNode source = Json.objectAt(spec, "dataSource");
        ObjectNode reference = Json.objectAt(spec, "dataSourceRef");
        if (source != null && reference == null) {
            spec.set("dataSourceRef", copied(source));
        } else if (source == null
                && reference != null
                && Json.textAt(reference, "namespace").isEmpty()) {
            spec.set("dataSource", copied(reference));
        }
    }

    private static ObjectNode copied(ObjectNode reference) {
        ObjectNode copy = Json.object();
        JsonNode group = reference.get("apiGroup");
        if (group == null) {
            copy.putNull("apiGroup");
        } else {
            copy.set("apiGroup", group);
        }
        return copy.put("kind", Json.textAt(reference, "kind")).put("name", Json.textAt(reference, "name"));
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        PersistentVolumeClaimValidation.create(object, errors);
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        PersistentVolumeClaimValidation.update(object, old, errors);
    }

    @Override
    public void validateStatusUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        PersistentVolumeClaimValidation.status(object, errors);
    }

    @Override
    public List<String> warnings(ObjectNode object, @Nullable ObjectNode old) {
        return PersistentVolumeClaimValidation.warnings(object);
    }
}
