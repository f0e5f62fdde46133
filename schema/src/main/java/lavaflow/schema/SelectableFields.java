package lavaflow.schema;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;

/** Fields of custom objects by which lists and watches may select. */
public final class SelectableFields {
    /** How many a version may declare. */
    public static final int MOST = 8;

    private static final List<String> TYPES = List.of("string", "boolean", "integer");

    private SelectableFields() {}

    /**
     * Checks what a version declares.
     *
     * @param tooManyAllowed whether there were too many before and nothing changed
     */
    public static void check(
            JsonNode fields, StructuralSchema schema, boolean tooManyAllowed, FieldPath path, FieldErrors errors) {
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < fields.size(); i++) {
            String text = Json.textAt(fields.get(i), "jsonPath");
            FieldPath place = path.index(i).child("jsonPath");
            if (text.isEmpty()) {
                errors.required(place);
            } else {
                field(text, schema, seen, place, errors);
            }
        }
        if (seen.size() > MOST && !tooManyAllowed) {
            errors.tooMany(path, seen.size(), MOST);
        }
    }

    private static void field(
            String text, StructuralSchema schema, Set<String> seen, FieldPath place, FieldErrors errors) {
        SchemaPath found;
        try {
            found = SchemaPath.follow(text, schema, false);
        } catch (SchemaPath.Invalid e) {
            errors.invalid(place, text, "is an invalid path: " + e.getMessage());
            return;
        }
        if (found.first().equals("metadata")) {
            errors.invalid(place, text, "must not point to fields in metadata");
        }
        if (found.schema() == null || !TYPES.contains(found.schema().type())) {
            errors.invalid(
                    place,
                    text,
                    "must point to a field of type string, boolean or integer. Enum string fields and strings with"
                            + " formats are allowed.");
        }
        if (!seen.add(found.path().toString())) {
            errors.duplicate(place, text);
        }
    }
}
