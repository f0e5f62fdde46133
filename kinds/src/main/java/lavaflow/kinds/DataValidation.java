package lavaflow.kinds;

import java.util.Map;
import java.util.Objects;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Identifiers;
import lavaflow.kube.Json;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Checks of config maps and secrets: maps from file names to contents of at most a megabyte. */
final class DataValidation {
    private static final int MOST_BYTES = 1024 * 1024;
    private static final String FROZEN = "field is immutable when `immutable` is set";

    private DataValidation() {}

    static void configMap(ObjectNode object, FieldErrors errors) {
        long size = 0;
        FieldPath data = FieldPath.of("data");
        for (Map.Entry<String, JsonNode> entry : Nodes.entries(object, "data").entrySet()) {
            String key = entry.getKey();
            FieldChecks.invalid(data.key(key), key, Identifiers.configMapKey(key), errors);
            if (Nodes.has(object, "binaryData", key)) {
                errors.invalid(data.key(key), key, "duplicate of key present in binaryData");
            }
            size += Names.utf8Length(entry.getValue().asText());
        }
        FieldPath bytes = FieldPath.of("binaryData");
        for (Map.Entry<String, JsonNode> entry :
                Nodes.entries(object, "binaryData").entrySet()) {
            String key = entry.getKey();
            FieldChecks.invalid(bytes.key(key), key, Identifiers.configMapKey(key), errors);
            size += decodedLength(entry.getValue());
        }
        if (size > MOST_BYTES) {
            // Upstream names the whole object by an empty path, which prints like this.
            errors.tooLong(FieldPath.of("[]"), MOST_BYTES);
        }
    }

    /** Length of base64 text once decoded. */
    static long decodedLength(JsonNode base64) {
        String text = base64.asText();
        int padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
        return text.length() / 4 * 3L - padding;
    }

    /** What was declared immutable stays, the declaration too. */
    static void frozen(ObjectNode object, ObjectNode old, FieldErrors errors, String... fields) {
        if (!Json.flagAt(old, "immutable")) {
            return;
        }
        if (!Json.flagAt(object, "immutable")) {
            errors.forbidden(FieldPath.of("immutable"), FROZEN);
        }
        for (String field : fields) {
            boolean bothEmpty = Nodes.emptyAt(object, field) && Nodes.emptyAt(old, field);
            if (!bothEmpty && !Objects.equals(Json.at(object, field), Json.at(old, field))) {
                errors.forbidden(FieldPath.of(field), FROZEN);
            }
        }
    }

    static void secret(ObjectNode object, FieldErrors errors) {
        FieldPath data = FieldPath.of("data");
        long size = 0;
        for (Map.Entry<String, JsonNode> entry : Nodes.entries(object, "data").entrySet()) {
            String key = entry.getKey();
            FieldChecks.invalid(data.key(key), key, Identifiers.configMapKey(key), errors);
            size += decodedLength(entry.getValue());
        }
        if (size > MOST_BYTES) {
            errors.tooLong(data, MOST_BYTES);
        }
        SecretTypes.validate(object, errors);
    }

    static void secretUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        if (!Json.textAt(object, "type").equals(Json.textAt(old, "type"))) {
            errors.invalid(FieldPath.of("type"), Json.textAt(object, "type"), FieldChecks.IMMUTABLE);
        }
        frozen(object, old, errors, "data");
        secret(object, errors);
    }
}
