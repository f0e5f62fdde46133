package lavaflow.kube;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** Collects what is wrong with an object, in the order it was found, with upstream's wording. */
public final class FieldErrors {
    private final List<FieldError> errors = new ArrayList<>();
    private List<String> tolerated = List.of();

    public boolean isEmpty() {
        return errors.isEmpty();
    }

    public List<FieldError> list() {
        return Collections.unmodifiableList(errors);
    }

    public void addAll(FieldErrors others) {
        errors.addAll(others.errors);
        tolerate(others.tolerated);
    }

    /** Notes what is wrong in parts that have not changed: a client is warned of it, whatever becomes of the request. */
    public void tolerate(List<String> complaints) {
        if (!complaints.isEmpty()) {
            List<String> all = new ArrayList<>(tolerated);
            all.addAll(complaints);
            tolerated = all;
        }
    }

    public List<String> tolerated() {
        return Collections.unmodifiableList(tolerated);
    }

    public void add(FieldError.Reason reason, FieldPath path, String detail) {
        errors.add(new FieldError(reason, path.toString(), detail));
    }

    public void required(FieldPath path, String why) {
        add(FieldError.Reason.REQUIRED, path, why.isEmpty() ? "Required value" : "Required value: " + why);
    }

    public void required(FieldPath path) {
        required(path, "");
    }

    public void invalid(FieldPath path, @Nullable JsonNode value, String why) {
        add(FieldError.Reason.INVALID, path, "Invalid value: " + shown(value) + ": " + why);
    }

    public void invalid(FieldPath path, String value, String why) {
        invalid(path, Json.text(value), why);
    }

    public void invalid(FieldPath path, long value, String why) {
        invalid(path, Json.number(value), why);
    }

    public void notSupported(FieldPath path, String value, Collection<String> supported) {
        String list = supported.stream().map(FieldErrors::quoted).collect(Collectors.joining(", "));
        String tail = supported.isEmpty() ? "" : ": supported values: " + list;
        add(FieldError.Reason.NOT_SUPPORTED, path, "Unsupported value: " + quoted(value) + tail);
    }

    public void duplicate(FieldPath path, @Nullable JsonNode value) {
        add(FieldError.Reason.DUPLICATE, path, "Duplicate value: " + shown(value));
    }

    public void duplicate(FieldPath path, String value) {
        duplicate(path, Json.text(value));
    }

    public void forbidden(FieldPath path, String why) {
        add(FieldError.Reason.FORBIDDEN, path, "Forbidden: " + why);
    }

    /** Too long in bytes. */
    public void tooLong(FieldPath path, int most) {
        add(FieldError.Reason.TOO_LONG, path, "Too long: may not be more than " + most + " bytes");
    }

    public void tooMany(FieldPath path, int actual, int most) {
        add(FieldError.Reason.TOO_MANY, path, "Too many: " + actual + ": must have at most " + most + " items");
    }

    public void notFound(FieldPath path, String value) {
        add(FieldError.Reason.NOT_FOUND, path, "Not found: " + quoted(value));
    }

    private static String shown(@Nullable JsonNode value) {
        if (value == null) {
            return "null";
        }
        return value.isTextual() ? quoted(value.textValue()) : withoutMarkup(Json.string(value));
    }

    /** JSON as Go writes it, where nothing could be taken for HTML. */
    private static String withoutMarkup(String json) {
        return json.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026");
    }

    /** Go's %q. */
    public static String quoted(String value) {
        return GoQuote.quote(value);
    }
}
