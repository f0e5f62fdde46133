package lavaflow.kube;

import java.nio.charset.StandardCharsets;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;

/** Checks the shape of managedFields and names of field managers. */
public final class ManagedFieldsRules {
    private static final int MANAGER_LENGTH = 128;
    private static final int SUBRESOURCE_LENGTH = 256;

    private ManagedFieldsRules() {}

    public static void check(ArrayNode entries, FieldPath path, FieldErrors errors) {
        int index = 0;
        for (JsonNode entry : entries) {
            check(entry, path.index(index++), errors);
        }
    }

    private static void check(JsonNode entry, FieldPath path, FieldErrors errors) {
        String operation = Json.textAt(entry, "operation");
        if (!operation.equals("Apply") && !operation.equals("Update")) {
            errors.invalid(path.child("operation"), operation, "must be `Apply` or `Update`");
        }
        String type = Json.textAt(entry, "fieldsType");
        if (!type.isEmpty() && !type.equals("FieldsV1")) {
            errors.invalid(path.child("fieldsType"), type, "must be `FieldsV1`");
        }
        manager(Json.textAt(entry, "manager"), path.child("manager"), errors);
        if (Names.utf8Length(Json.textAt(entry, "subresource")) > SUBRESOURCE_LENGTH) {
            errors.tooLong(path.child("subresource"), SUBRESOURCE_LENGTH);
        }
    }

    /** A manager's name, also as the fieldManager parameter. */
    public static void manager(String name, FieldPath path, FieldErrors errors) {
        if (Names.utf8Length(name) > MANAGER_LENGTH) {
            errors.tooLong(path, MANAGER_LENGTH);
        }
        int position = 0;
        for (int c : name.codePoints().toArray()) {
            if (!GoQuote.isPrint(c)) {
                String shown = String.format("U+%04X", c);
                errors.invalid(path, name, "invalid character " + shown + " (at position " + position + ")");
            }
            position += Character.toString(c).getBytes(StandardCharsets.UTF_8).length;
        }
    }
}
