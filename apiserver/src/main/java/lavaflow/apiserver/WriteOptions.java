package lavaflow.apiserver;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

import lavaflow.kube.ApiException;
import lavaflow.kube.FieldError;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Options of create, update and patch, from the query.
 *
 * @param givenValidation what the client said of validation, empty where it did not
 */
public record WriteOptions(
        boolean dryRun,
        boolean force,
        String fieldManager,
        String userAgent,
        Call.FieldValidation fieldValidation,
        String givenValidation) {
    private static final int MAX_MANAGER = 128;

    public static WriteOptions of(String fieldManager) {
        return new WriteOptions(false, false, fieldManager, "", Call.FieldValidation.IGNORE, "");
    }

    /** Reads and checks the options; {@code kind} is CreateOptions, UpdateOptions or PatchOptions. */
    static WriteOptions parse(Query query, String userAgent, String kind, boolean apply) {
        FieldErrors errors = new FieldErrors();
        boolean dryRun = checkDryRun(query.all("dryRun"), errors);
        String manager = query.first("fieldManager");
        if (apply && manager.isEmpty()) {
            errors.required(FieldPath.of("fieldManager"), "is required for apply patch");
        }
        checkManager(manager, errors);
        if (query.has("force") && !apply && kind.equals("PatchOptions")) {
            errors.forbidden(FieldPath.of("force"), "may not be specified for non-apply patch");
        }
        Call.FieldValidation validation = switch (query.first("fieldValidation")) {
            case "", "Warn" -> Call.FieldValidation.WARN;
            case "Ignore" -> Call.FieldValidation.IGNORE;
            case "Strict" -> Call.FieldValidation.STRICT;
            default -> {
                errors.notSupported(
                        FieldPath.of("fieldValidation"),
                        query.first("fieldValidation"),
                        List.of("", "Ignore", "Strict", "Warn"));
                yield Call.FieldValidation.WARN;
            }
        };
        if (!errors.isEmpty()) {
            throw ApiException.invalid("meta.k8s.io", kind, "", errors.list());
        }
        return new WriteOptions(
                dryRun, apply && query.flag("force"), manager, userAgent, validation, query.first("fieldValidation"));
    }

    /** As it stands in the API. */
    ObjectNode document(String kind) {
        ObjectNode document = Json.object();
        document.put("kind", kind).put("apiVersion", "meta.k8s.io/v1");
        if (dryRun) {
            document.putArray("dryRun").add("All");
        }
        if (!fieldManager.isEmpty()) {
            document.put("fieldManager", fieldManager);
        }
        if (!givenValidation.isEmpty()) {
            document.put("fieldValidation", givenValidation);
        }
        return document;
    }

    static boolean checkDryRun(List<String> values, FieldErrors errors) {
        for (String value : values) {
            if (!value.equals("All")) {
                String shown = values.stream().map(FieldErrors::quoted).collect(Collectors.joining(",", "[", "]"));
                errors.add(
                        FieldError.Reason.NOT_SUPPORTED,
                        FieldPath.of("dryRun"),
                        "Unsupported value: " + shown + ": supported values: \"All\"");
                return true;
            }
        }
        return !values.isEmpty();
    }

    private static void checkManager(String manager, FieldErrors errors) {
        FieldPath path = FieldPath.of("fieldManager");
        if (manager.length() > MAX_MANAGER) {
            errors.tooLong(path, MAX_MANAGER);
        }
        int position = 0;
        for (int character : manager.codePoints().toArray()) {
            if (!isPrintable(character)) {
                String where =
                        String.format(Locale.ROOT, "invalid character U+%04X (at position %d)", character, position);
                errors.invalid(path, manager, where);
            }
            position += Names.utf8Length(Character.toString(character));
        }
    }

    /** As Go sees it: of all kinds of space only the plain one. */
    private static boolean isPrintable(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            case Character.SPACE_SEPARATOR -> character == ' ';
            default -> true;
        };
    }
}
