package lavaflow.kinds;

import java.util.Objects;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** apps/v1 ControllerRevision: a snapshot that never changes, only its number does. */
final class ControllerRevisionRules implements KindRules {
    private static final FieldPath DATA = FieldPath.of("data");

    @Override
    public void prepareForCreate(ObjectNode object) {
        // Everything is the client's.
    }

    @Override
    public void prepareForUpdate(ObjectNode object, ObjectNode old) {
        // Everything is the client's.
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        validateRevision(object, errors);
        JsonNode data = Json.at(object, "data");
        if (data == null) {
            errors.required(DATA, "data is mandatory");
        } else if (!data.isObject()) {
            errors.required(DATA, "data must be a valid JSON object");
        }
    }

    private static void validateRevision(ObjectNode object, FieldErrors errors) {
        long revision = Json.longAt(object, 0, "revision");
        if (revision < 0) {
            errors.invalid(FieldPath.of("revision"), revision, FieldChecks.NOT_NEGATIVE);
        }
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        validateRevision(object, errors);
        JsonNode data = Json.at(object, "data");
        if (!Objects.equals(data, Json.at(old, "data"))) {
            errors.invalid(DATA, data, FieldChecks.IMMUTABLE);
        }
    }
}
