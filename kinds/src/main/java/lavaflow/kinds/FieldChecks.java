package lavaflow.kinds;

import java.util.Collection;
import java.util.List;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Checks that many kinds of fields share; each looks at one field of a node and complains at its path. */
final class FieldChecks {
    static final String NOT_NEGATIVE = "must be greater than or equal to 0";
    static final String POSITIVE = "must be greater than zero";
    static final String IMMUTABLE = "field is immutable";
    private static final long HIGHEST_MODE = 0777;

    private FieldChecks() {}

    /** Reports every complaint about a value. */
    static void invalid(FieldPath path, String value, List<String> wrong, FieldErrors errors) {
        for (String message : wrong) {
            errors.invalid(path, value, message);
        }
    }

    /** Whether a string field is there; complains where it is empty. */
    static boolean requireText(@Nullable JsonNode node, String field, FieldPath path, FieldErrors errors) {
        boolean present = !Json.textAt(node, field).isEmpty();
        if (!present) {
            errors.required(path.child(field));
        }
        return present;
    }

    /** A field that must be a DNS label. */
    static void requireLabel(@Nullable JsonNode node, String field, FieldPath path, FieldErrors errors) {
        if (requireText(node, field, path, errors)) {
            String value = Json.textAt(node, field);
            invalid(path.child(field), value, Names.dns1123Label(value), errors);
        }
    }

    /** A field that, if set, must be a DNS label. */
    static void optionalLabel(@Nullable JsonNode node, String field, FieldPath path, FieldErrors errors) {
        String value = Json.textAt(node, field);
        if (!value.isEmpty()) {
            invalid(path.child(field), value, Names.dns1123Label(value), errors);
        }
    }

    /** A field that, if set, must be a DNS subdomain. */
    static void optionalSubdomain(@Nullable JsonNode node, String field, FieldPath path, FieldErrors errors) {
        String value = Json.textAt(node, field);
        if (!value.isEmpty()) {
            invalid(path.child(field), value, Names.dns1123Subdomain(value), errors);
        }
    }

    /** One of the given values; empty counts as missing. */
    static void requireOneOf(String value, Collection<String> supported, FieldPath path, FieldErrors errors) {
        if (value.isEmpty()) {
            errors.required(path);
        } else if (!supported.contains(value)) {
            errors.notSupported(path, value, supported);
        }
    }

    /** One of the given values, where the field is set at all. */
    static void optionalOneOf(
            @Nullable JsonNode node, String field, Collection<String> supported, FieldPath path, FieldErrors errors) {
        JsonNode value = Json.at(node, field);
        if (value != null && !supported.contains(value.asText())) {
            errors.notSupported(path.child(field), value.asText(), supported);
        }
    }

    static void notNegative(@Nullable JsonNode node, String field, FieldPath path, FieldErrors errors) {
        long value = Json.longAt(node, 0, field);
        if (value < 0) {
            errors.invalid(path.child(field), value, NOT_NEGATIVE);
        }
    }

    static void inRange(
            @Nullable JsonNode node, String field, long least, long most, FieldPath path, FieldErrors errors) {
        JsonNode value = Json.at(node, field);
        if (value != null && (value.longValue() < least || value.longValue() > most)) {
            errors.invalid(path.child(field), value.longValue(), Names.between(least, most));
        }
    }

    /** Permission bits of files in a volume. */
    static void mode(@Nullable JsonNode node, String field, FieldPath path, FieldErrors errors) {
        JsonNode value = Json.at(node, field);
        if (value != null && (value.longValue() < 0 || value.longValue() > HIGHEST_MODE)) {
            errors.invalid(
                    path.child(field),
                    value.longValue(),
                    "must be a number between 0 and 0777 (octal), both inclusive");
        }
    }

    /** A path inside a volume: relative, and nothing that climbs out of it. */
    static void descendingPath(String value, FieldPath path, FieldErrors errors) {
        if (value.startsWith("/")) {
            errors.invalid(path, value, "must be a relative path");
        }
        noBacksteps(value, path, errors);
    }

    /** As {@link #descendingPath}; names that start with two dots are also kept for the kubelet. */
    static void unreservedPath(String value, FieldPath path, FieldErrors errors) {
        descendingPath(value, path, errors);
        if (value.startsWith("..") && !value.startsWith("../")) {
            errors.invalid(path, value, "must not start with '..'");
        }
    }

    static void noBacksteps(String value, FieldPath path, FieldErrors errors) {
        if (hasBacksteps(value)) {
            errors.invalid(path, value, "must not contain '..'");
        }
    }

    static boolean hasBacksteps(String value) {
        return List.of(value.split("/", -1)).contains("..");
    }

    /** A field that may not change. */
    static void immutable(@Nullable JsonNode object, @Nullable JsonNode old, FieldPath path, FieldErrors errors) {
        if (!java.util.Objects.equals(object, old)) {
            errors.invalid(path, object, IMMUTABLE);
        }
    }

    /** A struct as Go prints one without JSON tags: field names in capitals, absent fields as null or empty. */
    static ObjectNode goStruct(@Nullable JsonNode node, String... fields) {
        ObjectNode shown = Json.object();
        for (String field : fields) {
            // "name=" marks a plain string, which Go cannot leave out.
            boolean plain = field.endsWith("=");
            String name = plain ? field.substring(0, field.length() - 1) : field;
            JsonNode value = Json.at(node, Character.toLowerCase(name.charAt(0)) + name.substring(1));
            if (value == null && plain) {
                shown.put(name, "");
            } else {
                shown.set(name, value);
            }
        }
        return shown;
    }
}
