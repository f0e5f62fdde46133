package lavaflow.kube;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * JSON patch, RFC 6902, with the liberties the Kubernetes API server takes: negative indices count from the end,
 * {@code replace} makes members that are missing, {@code copy} of a missing member and {@code add} without a value
 * give null, {@code test} of a missing member holds for null.
 */
public final class JsonPatch {
    /** More operations are refused with 413. */
    public static final int MAX_OPERATIONS = 10_000;

    /** A patch whose {@code copy} operations multiply more than this is refused. */
    public static final long MAX_COPIED_BYTES = 3L * 1024 * 1024;

    private static final Set<String> MEMBERS = Set.of("op", "path", "from", "value");

    private final List<JsonNode> operations;
    private final List<String> warnings;

    private JsonPatch(List<JsonNode> operations, List<String> warnings) {
        this.operations = operations;
        this.warnings = warnings;
    }

    /** What a strict decoder finds wrong with the patch itself: unknown members of operations. */
    public List<String> warnings() {
        return warnings;
    }

    /**
     * Reads a patch; one that is no list of operations is a bad request.
     *
     * @param strict whether the request validates fields (Strict or Warn), which also checks members' types
     */
    public static JsonPatch parse(JsonNode patch, boolean strict) {
        if (patch.isNull() || patch.isMissingNode()) {
            return new JsonPatch(List.of(), List.of());
        }
        String prefix = strict ? "error decoding patch: " : "";
        if (!patch.isArray()) {
            throw misplaced(prefix, patch, "Go value", strict ? "[]handlers.jsonPatchOp" : "jsonpatch.Patch");
        }
        List<JsonNode> operations = new ArrayList<>();
        List<String> warnings = new ArrayList<>();
        for (JsonNode operation : patch) {
            if (!operation.isObject() && !operation.isNull()) {
                throw misplaced(prefix, operation, "Go value", strict ? "handlers.jsonPatchOp" : "jsonpatch.Operation");
            }
            if (strict) {
                checkMembers(operation, operations.size(), warnings);
            }
            operations.add(operation);
        }
        if (operations.size() > MAX_OPERATIONS) {
            throw ApiException.of(
                    413,
                    "RequestEntityTooLarge",
                    "Request entity too large: The allowed maximum operations in a JSON patch is " + MAX_OPERATIONS
                            + ", got " + operations.size());
        }
        return new JsonPatch(operations, Collections.unmodifiableList(warnings));
    }

    private static void checkMembers(JsonNode operation, int index, List<String> warnings) {
        for (var member : operation.properties()) {
            String name = member.getKey();
            JsonNode value = member.getValue();
            if (!MEMBERS.contains(name)) {
                warnings.add("json patch unknown field " + FieldErrors.quoted("[" + index + "]." + name));
            } else if (!"value".equals(name) && !value.isTextual() && !value.isNull()) {
                throw misplaced("error decoding patch: ", value, "Go struct field jsonPatchOp." + name, "string");
            }
        }
    }

    private static ApiException misplaced(String prefix, JsonNode found, String place, String type) {
        return ApiException.badRequest(
                prefix + "json: cannot unmarshal " + GoText.jsonKind(found) + " into " + place + " of type " + type);
    }

    /** The document with all operations applied in order, none if one fails; the argument is not changed. */
    public JsonNode apply(JsonNode document) {
        Session session = new Session(document.deepCopy());
        for (JsonNode operation : operations) {
            session.perform(operation);
        }
        return session.root;
    }

    /** Upstream tells the client nothing about which operation failed. */
    static ApiException rejected() {
        ApiException rejected =
                ApiException.of(422, "Invalid", "the server rejected our request due to an error in our request");
        ObjectNode status = rejected.status();
        status.remove("code");
        status.putObject("details");
        status.put("code", 422);
        return rejected;
    }

    /** Where a pointer leads: the container and the last, decoded, token. */
    private record Place(JsonNode container, String token) {
        /** The value there: null where an object lacks the member. */
        @Nullable
        JsonNode value() {
            return container instanceof ArrayNode list ? list.get(index(list.size() - 1)) : container.get(token);
        }

        void add(JsonNode value) {
            if (!(container instanceof ArrayNode list)) {
                ((ObjectNode) container).set(token, value);
            } else if ("-".equals(token)) {
                list.add(value);
            } else {
                list.insert(index(list.size()), value);
            }
        }

        void replace(JsonNode value) {
            if (container instanceof ArrayNode list) {
                list.set(index(list.size() - 1), value);
            } else {
                ((ObjectNode) container).set(token, value);
            }
        }

        void remove() {
            if (container instanceof ArrayNode list) {
                list.remove(index(list.size() - 1));
            } else if (((ObjectNode) container).remove(token) == null) {
                throw rejected();
            }
        }

        private int index(int last) {
            long index = integer(token);
            long found = index < 0 ? index + last + 1 : index;
            if (found < 0 || found > last) {
                throw rejected();
            }
            return (int) found;
        }
    }

    private static long integer(String token) {
        int start = token.startsWith("-") || token.startsWith("+") ? 1 : 0;
        boolean digits = token.length() > start && token.chars().skip(start).allMatch(c -> c >= '0' && c <= '9');
        if (!digits || token.length() > 18) {
            throw rejected();
        }
        return Long.parseLong(token);
    }

    /** One application of a patch: the document as it changes and what was copied so far. */
    private static final class Session {
        private JsonNode root;
        private long copiedBytes;

        Session(JsonNode root) {
            this.root = root;
        }

        void perform(JsonNode operation) {
            switch (text(operation, "op")) {
                case "add" -> place(operation, "path").add(value(operation).deepCopy());
                case "remove" -> place(operation, "path").remove();
                case "replace" -> replace(operation);
                case "move" -> move(operation);
                case "copy" -> copy(operation);
                case "test" -> test(operation);
                default -> throw rejected();
            }
        }

        private void replace(JsonNode operation) {
            JsonNode value = value(operation).deepCopy();
            if (!text(operation, "path").isEmpty()) {
                Place place = place(operation, "path");
                place.value();
                place.replace(value);
            } else if (value.isContainerNode()) {
                root = value;
            } else {
                throw rejected();
            }
        }

        private void move(JsonNode operation) {
            Place from = place(operation, "from");
            JsonNode value = from.value();
            from.remove();
            place(operation, "path").add(value == null ? NullNode.instance : value);
        }

        private void copy(JsonNode operation) {
            JsonNode value = place(operation, "from").value();
            Place to = place(operation, "path");
            copiedBytes += value == null ? 0 : Json.bytes(value).length;
            if (copiedBytes > MAX_COPIED_BYTES) {
                throw rejected();
            }
            to.add(value == null ? NullNode.instance : value.deepCopy());
        }

        private void test(JsonNode operation) {
            JsonNode expected = value(operation);
            JsonNode found = text(operation, "path").isEmpty()
                    ? root
                    : place(operation, "path").value();
            boolean holds = found == null ? expected.isNull() : found.equals(expected);
            if (!holds) {
                throw rejected();
            }
        }

        private static JsonNode value(JsonNode operation) {
            JsonNode value = operation.get("value");
            return value == null ? NullNode.instance : value;
        }

        private static String text(JsonNode operation, String member) {
            JsonNode text = operation.get(member);
            if (text == null || !text.isTextual()) {
                throw rejected();
            }
            return text.textValue();
        }

        private Place place(JsonNode operation, String member) {
            String pointer = text(operation, member);
            String[] tokens = pointer.split("/", -1);
            if (tokens.length < 2) {
                throw rejected();
            }
            JsonNode container = root;
            for (int i = 1; i < tokens.length - 1; i++) {
                JsonNode next = new Place(container, decoded(tokens[i])).value();
                if (next == null || !next.isContainerNode()) {
                    throw rejected();
                }
                container = next;
            }
            return new Place(container, decoded(tokens[tokens.length - 1]));
        }

        private static String decoded(String token) {
            return token.indexOf('~') < 0 ? token : token.replace("~1", "/").replace("~0", "~");
        }
    }
}
