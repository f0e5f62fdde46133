package lavaflow.kinds;

import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Namespaces: kept alive by a finalizer in spec that only the finalize subresource may take away. */
final class NamespaceRules implements KindRules {
    static final String FINALIZER = "kubernetes";
    static final String NAME_LABEL = "kubernetes.io/metadata.name";

    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.RETURNS_DELETED);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        String name = Json.textAt(object, "metadata", "name");
        if (!name.isEmpty()) {
            Json.ensureObject(object, "metadata", "labels").put(NAME_LABEL, name);
        }
        Nodes.defaultText(Json.ensureObject(object, "status"), "phase", "Active");
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
        object.putObject("status").put("phase", "Active");
        ObjectNode spec = Json.ensureObject(object, "spec");
        ArrayNode finalizers = Json.listAt(spec, "finalizers");
        if (!Nodes.strings(spec, "finalizers").contains(FINALIZER)) {
            spec.set("finalizers", finalizers.add(FINALIZER));
        }
    }

    @Override
    public void prepareForUpdate(ObjectNode object, ObjectNode old) {
        KindRules.keep(Json.ensureObject(object, "spec"), Json.ensureObject(old.deepCopy(), "spec"), "finalizers");
        KindRules.keep(object, old, "status");
    }

    /** The finalize subresource is the one place where {@code spec.finalizers} may change. */
    @Override
    public void prepareForSubresourceUpdate(String subresource, ObjectNode object, ObjectNode old) {
        KindRules.keep(object, old, "status");
    }

    @Override
    public Set<String> selectableFields() {
        return Set.of("status.phase");
    }

    @Override
    public @Nullable String selectableField(ObjectNode object, String field) {
        return field.equals("status.phase") ? Json.textAt(object, "status", "phase") : null;
    }

    @Override
    public List<String> nameErrors(String name, boolean prefix) {
        return Names.LABEL.check(name, prefix);
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        NamespaceValidation.finalizers(object, false, errors);
    }

    @Override
    public void validateStatusUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        NamespaceValidation.status(object, errors);
    }

    @Override
    public void validateSubresourceUpdate(String subresource, ObjectNode object, ObjectNode old, FieldErrors errors) {
        NamespaceValidation.finalizers(object, true, errors);
    }
}
