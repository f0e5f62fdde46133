package lavaflow.kube;

import java.util.ArrayList;
import java.util.List;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * A request that cannot be answered as asked; carries the Status the client gets.
 *
 * <p>No stack trace: these are answers, thrown many times a second under contention, not defects.
 */
public final class ApiException extends RuntimeException {
    private final transient ObjectNode status;
    private final transient List<String> warnings = new ArrayList<>();

    private ApiException(ObjectNode status) {
        super(Json.textAt(status, "message"), null, false, false);
        this.status = status;
    }

    public int code() {
        return (int) Json.longAt(status, 500, "code");
    }

    public String reason() {
        return Json.textAt(status, "reason");
    }

    /** The Status object, owned by this exception; callers may add details before it is sent. */
    public ObjectNode status() {
        return status;
    }

    /** What the client is warned of beside the failure. */
    public List<String> warnings() {
        return warnings;
    }

    /** Adds warnings, those only that are not there yet. */
    public ApiException warnings(List<String> more) {
        more.stream().filter(warning -> !warnings.contains(warning)).forEach(warnings::add);
        return this;
    }

    public static ApiException of(ObjectNode status) {
        return new ApiException(status);
    }

    /** A failure with a code, a reason and a message. */
    public static ApiException of(int code, String reason, String message) {
        ObjectNode status = Json.object();
        status.put("kind", "Status").put("apiVersion", "v1").putObject("metadata");
        status.put("status", "Failure").put("message", message);
        if (!reason.isEmpty()) {
            status.put("reason", reason);
        }
        status.put("code", code);
        return new ApiException(status);
    }

    private ApiException details(String name, String group, String kind) {
        ObjectNode details = Json.object();
        putUnlessEmpty(details, "name", name);
        putUnlessEmpty(details, "group", group);
        putUnlessEmpty(details, "kind", kind);
        insertBeforeCode("details", details);
        return this;
    }

    private void insertBeforeCode(String field, ObjectNode value) {
        int code = code();
        status.remove("code");
        status.set(field, value);
        status.put("code", code);
    }

    private static void putUnlessEmpty(ObjectNode node, String field, String value) {
        if (!value.isEmpty()) {
            node.put(field, value);
        }
    }

    private static String qualified(String resource, String group) {
        return group.isEmpty() ? resource : resource + "." + group;
    }

    public static ApiException badRequest(String message) {
        return of(400, "BadRequest", message);
    }

    public static ApiException unauthorized() {
        return of(401, "Unauthorized", "Unauthorized");
    }

    /** A refusal by policy: {@code pods "x" is forbidden: why}. */
    public static ApiException forbidden(String group, String resource, String name, String why) {
        String subject = qualified(resource, group);
        String message = name.isEmpty()
                ? subject + " is forbidden: " + why
                : subject + " " + FieldErrors.quoted(name) + " is forbidden: " + why;
        return of(403, "Forbidden", message).details(name, group, resource);
    }

    public static ApiException notFound(String group, String resource, String name) {
        return of(404, "NotFound", qualified(resource, group) + " " + FieldErrors.quoted(name) + " not found")
                .details(name, group, resource);
    }

    /** A path nothing is served at. */
    public static ApiException noSuchPath() {
        return of(404, "NotFound", "the server could not find the requested resource")
                .details("", "", "");
    }

    public static ApiException methodNotSupported(String group, String resource, String verb) {
        return of(
                        405,
                        "MethodNotAllowed",
                        verb + " is not supported on resources of kind "
                                + FieldErrors.quoted(qualified(resource, group)))
                .details("", group, resource);
    }

    public static ApiException alreadyExists(String group, String resource, String name) {
        return of(409, "AlreadyExists", qualified(resource, group) + " " + FieldErrors.quoted(name) + " already exists")
                .details(name, group, resource);
    }

    /** An operation that lost a race: {@code Operation cannot be fulfilled on pods "x": why}. */
    public static ApiException conflict(String group, String resource, String name, String why) {
        return of(
                        409,
                        "Conflict",
                        "Operation cannot be fulfilled on " + qualified(resource, group) + " "
                                + FieldErrors.quoted(name) + ": " + why)
                .details(name, group, resource);
    }

    public static ApiException modified(String group, String resource, String name) {
        return conflict(
                group,
                resource,
                name,
                "the object has been modified; please apply your changes to the latest version and try again");
    }

    public static ApiException expired(String message) {
        return of(410, "Expired", message);
    }

    /** An object with invalid fields; {@code kind} is the Kind, not the resource. */
    public static ApiException invalid(String group, String kind, String name, List<FieldError> errors) {
        List<String> messages =
                errors.stream().map(FieldError::message).distinct().toList();
        String list = messages.size() == 1 ? messages.getFirst() : "[" + String.join(", ", messages) + "]";
        String subject = group.isEmpty() ? kind : kind + "." + group;
        ApiException invalid = of(422, "Invalid", subject + " " + FieldErrors.quoted(name) + " is invalid: " + list)
                .details(name, group, kind);
        for (FieldError error : errors) {
            invalid.cause(error.reason().wireName(), error.detail(), error.field());
        }
        return invalid;
    }

    public static ApiException internal(String message) {
        ApiException internal = of(500, "InternalError", "Internal error occurred: " + message);
        internal.cause("", message, "");
        return internal;
    }

    /** Adds a cause; empty parts are left out. */
    public ApiException cause(@Nullable String reason, String message, String field) {
        ObjectNode details = status.get("details") instanceof ObjectNode present ? present : null;
        if (details == null) {
            details = Json.object();
            insertBeforeCode("details", details);
        }
        ArrayNode causes = details.get("causes") instanceof ArrayNode present ? present : details.putArray("causes");
        ObjectNode cause = causes.addObject();
        putUnlessEmpty(cause, "reason", reason == null ? "" : reason);
        putUnlessEmpty(cause, "message", message);
        putUnlessEmpty(cause, "field", field);
        return this;
    }

    /** The same answer with another message. */
    public ApiException reworded(String message) {
        status.put("message", message);
        return new ApiException(status);
    }

    /** Upstream prints details in some answers although there are none. */
    public ApiException withEmptyDetails() {
        if (!status.has("details")) {
            insertBeforeCode("details", Json.object());
        }
        return this;
    }

    /** Tells the client when to come back. */
    public ApiException retryAfter(int seconds) {
        ObjectNode details = status.get("details") instanceof ObjectNode present ? present : null;
        if (details == null) {
            details = Json.object();
            insertBeforeCode("details", details);
        }
        details.put("retryAfterSeconds", seconds);
        return this;
    }
}
