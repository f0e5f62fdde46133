package lavaflow.schema;

import java.util.LinkedHashMap;
import java.util.Map;

import lavaflow.kube.FieldError;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.GoText;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * What is wrong with a value and how many checks it passed, by which upstream chooses whose errors to show where one of
 * several schemas should have fit. The same complaint is kept once.
 */
final class Findings {
    /** More are not worth reading, and a small object could otherwise be answered with gigabytes. */
    private static final int MOST = 1_000;

    private record Finding(
            FieldError.Reason reason, @Nullable String name, String detail) {}

    private @Nullable Map<String, Finding> errors;
    private int matches;

    boolean isValid() {
        return errors == null;
    }

    int matches() {
        return matches;
    }

    void match() {
        matches++;
    }

    /** Takes what another found, errors and matches. */
    void merge(Findings other) {
        matches += other.matches;
        if (other.errors != null) {
            other.errors.forEach(this::put);
        }
    }

    /** Takes matches only: the errors are tolerated. */
    void mergeMatches(Findings other) {
        matches += other.matches;
    }

    private void put(String identity, Finding finding) {
        Map<String, Finding> known = errors;
        if (known == null) {
            known = new LinkedHashMap<>();
            errors = known;
        }
        if (known.size() < MOST) {
            known.putIfAbsent(identity, finding);
        }
    }

    /** An error whose place is only named in its message. */
    void general(String message) {
        put(message, new Finding(FieldError.Reason.INVALID, null, "Invalid value: \"\": " + message));
    }

    void required(Place place) {
        String name = place.toString();
        put(name + " in body is required", new Finding(FieldError.Reason.REQUIRED, name, "Required value"));
    }

    void wrongType(Place place, String expected, String actual) {
        String name = place.toString();
        String message = name + " in body must be of type " + expected + ": " + FieldErrors.quoted(actual);
        add(FieldError.Reason.TYPE_INVALID, name, FieldErrors.quoted(actual), message);
    }

    void tooLong(Place place, long most) {
        String name = place.toString();
        put(
                name + " in body should be at most " + most + " chars long",
                new Finding(
                        FieldError.Reason.TOO_LONG,
                        name,
                        "Too long: may not be more than " + most + (most == 1 ? " byte" : " bytes")));
    }

    /** @param what items or properties */
    void tooMany(Place place, long actual, long most, String what) {
        String name = place.toString();
        put(
                name + " in body should have at most " + most + " " + what,
                new Finding(
                        FieldError.Reason.TOO_MANY,
                        name,
                        "Too many: " + actual + ": must have at most " + most + (most == 1 ? " item" : " items")));
    }

    void notSupported(Place place, String identity, String detail) {
        put(identity, new Finding(FieldError.Reason.NOT_SUPPORTED, place.toString(), detail));
    }

    /** A value that breaks a limit: {@code why} follows the place. */
    void invalid(Place place, @Nullable JsonNode value, String why) {
        String name = place.toString();
        add(FieldError.Reason.INVALID, name, shown(value), name + " in body " + why);
    }

    /** A value that breaks a limit, with the whole message. */
    void invalidAs(Place place, @Nullable JsonNode value, String message) {
        add(FieldError.Reason.INVALID, place.toString(), shown(value), message);
    }

    private void add(FieldError.Reason reason, String name, String shown, String message) {
        put(message, new Finding(reason, name, "Invalid value: " + shown + ": " + message));
    }

    static String shown(@Nullable JsonNode value) {
        if (value == null) {
            return "\"\"";
        }
        return value.isTextual() ? FieldErrors.quoted(value.textValue()) : GoText.value(value);
    }

    /** Reports everything below a field; empty for the whole object, whose own place upstream calls {@code <nil>}. */
    void report(String base, FieldErrors into) {
        if (errors != null) {
            for (Finding finding : errors.values()) {
                into.add(finding.reason, FieldPath.of(field(base, finding.name)), finding.detail);
            }
        }
    }

    private static String field(String base, @Nullable String name) {
        String below = name == null || name.equals(".") ? "" : name.startsWith(".") ? name.substring(1) : name;
        if (below.isEmpty()) {
            return base.isEmpty() ? "<nil>" : base;
        }
        return base.isEmpty() ? below : base + "." + below;
    }
}
