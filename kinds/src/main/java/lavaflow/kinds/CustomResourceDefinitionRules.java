package lavaflow.kinds;

import java.util.List;
import java.util.Locale;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Definitions of custom kinds. */
final class CustomResourceDefinitionRules implements KindRules {
    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.GENERATION, Trait.NO_UNCONDITIONAL_UPDATE, Trait.FREE_FINALIZERS);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        ObjectNode names = Json.ensureObject(spec, "names");
        String kind = Json.textAt(names, "kind");
        if (!kind.isEmpty()) {
            Nodes.defaultText(names, "singular", kind.toLowerCase(Locale.ROOT));
            Nodes.defaultText(names, "listKind", kind + "List");
        }
        if (!Nodes.has(spec, "conversion")) {
            spec.putObject("conversion").put("strategy", "None");
        }
        AdmissionDefaults.applyService(Json.objectAt(spec, "conversion", "webhook", "clientConfig", "service"));
        ObjectNode status = Json.ensureObject(object, "status");
        if (Nodes.emptyAt(status, "storedVersions")) {
            addStored(object);
        }
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
        ObjectNode status = object.putObject("status");
        status.putNull("conditions");
        status.putObject("acceptedNames").put("plural", "").put("kind", "");
        status.putNull("storedVersions");
        addStored(object);
    }

    @Override
    public void prepareForUpdate(ObjectNode object, ObjectNode old) {
        KindRules.keep(object, old, "status");
        addStored(object);
    }

    /** What is stored in a version stays so until it is rewritten: versions are added, never taken away here. */
    private static void addStored(ObjectNode object) {
        ObjectNode status = Json.ensureObject(object, "status");
        for (ObjectNode version : Nodes.objects(object, "spec", "versions")) {
            if (Json.flagAt(version, "storage")) {
                String name = Json.textAt(version, "name");
                ArrayNode stored = Json.listAt(status, "storedVersions");
                if (!Nodes.strings(status, "storedVersions").contains(name)) {
                    status.set("storedVersions", stored.add(name));
                }
                return;
            }
        }
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        DefinitionValidation.create(object, errors);
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        DefinitionValidation.update(object, old, errors);
    }

    @Override
    public void validateStatusUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        DefinitionValidation.status(object, errors);
    }

    @Override
    public List<String> warnings(ObjectNode object, @Nullable ObjectNode old) {
        List<String> formats = DefinitionSchema.unknownFormats(object);
        if (old != null) {
            formats.removeAll(DefinitionSchema.unknownFormats(old));
        }
        return formats.stream()
                .map(format -> "unrecognized format " + FieldErrors.quoted(format))
                .toList();
    }
}
