package lavaflow.kinds;

import java.util.Objects;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Checks of volume attachments. */
final class AttachmentValidation {
    private static final FieldPath SPEC = FieldPath.of("spec");
    private static final int MOST_METADATA = 256 << 10;
    private static final int LONGEST_MESSAGE = 1024;
    private static final String ONE_SOURCE = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";

    private AttachmentValidation() {}

    static void validate(ObjectNode object, FieldErrors errors) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        CsiValidation.driverName(Json.textAt(spec, "attacher"), SPEC.child("attacher"), errors);
        source(spec, errors);
        String node = Json.textAt(spec, "nodeName");
        FieldChecks.invalid(SPEC.child("nodeName"), node, Names.dns1123Subdomain(node), errors);
        status(object, errors);
        if (Nodes.has(spec, "source", "persistentVolumeName")) {
            String volume = Json.textAt(spec, "source", "persistentVolumeName");
            FieldChecks.invalid(
                    SPEC.child("source.persistentVolumeName"), volume, Names.dns1123Subdomain(volume), errors);
        }
    }

    private static void source(ObjectNode spec, FieldErrors errors) {
        FieldPath path = SPEC.child("source");
        ObjectNode inline = Json.objectAt(spec, "source", "inlineVolumeSpec");
        boolean named = Nodes.has(spec, "source", "persistentVolumeName");
        if (inline == null && !named) {
            errors.required(path, ONE_SOURCE);
        } else if (inline != null && named) {
            errors.forbidden(path, ONE_SOURCE);
        } else if (inline != null) {
            PersistentVolumeValidation.inline(inline, path.child("inlineVolumeSpec"), errors);
        } else if (Json.textAt(spec, "source", "persistentVolumeName").isEmpty()) {
            errors.required(path.child("persistentVolumeName"), "must specify non empty persistentVolumeName");
        }
    }

    private static void status(ObjectNode object, FieldErrors errors) {
        FieldPath path = FieldPath.of("status");
        if (StorageValidation.size(Nodes.entries(object, "status", "attachmentMetadata")) > MOST_METADATA) {
            errors.tooLong(path.child("attachmentMetadata"), MOST_METADATA);
        }
        for (String field : new String[] {"attachError", "detachError"}) {
            JsonNode error = Json.at(object, "status", field);
            if (Names.utf8Length(Json.textAt(error, "message")) > LONGEST_MESSAGE) {
                // Upstream names the limit of the metadata, not the one it applies.
                errors.tooLong(path.child(field, "message"), MOST_METADATA);
            }
            FieldChecks.inRange(error, "errorCode", 0, Integer.MAX_VALUE, path.child(field), errors);
        }
    }

    static void update(ObjectNode object, ObjectNode old, FieldErrors errors) {
        validate(object, errors);
        if (!Objects.equals(Json.at(object, "spec"), Json.at(old, "spec"))) {
            errors.invalid(SPEC, shown(Json.at(object, "spec")), FieldChecks.IMMUTABLE);
        }
    }

    private static ObjectNode shown(@org.jspecify.annotations.Nullable JsonNode spec) {
        ObjectNode go = Json.object().put("Attacher", Json.textAt(spec, "attacher"));
        go.set("Source", FieldChecks.goStruct(Json.at(spec, "source"), "PersistentVolumeName", "InlineVolumeSpec"));
        return go.put("NodeName", Json.textAt(spec, "nodeName"));
    }
}
