package lavaflow.kube;

import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.Objects;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * One entry of {@code managedFields}: somebody and the fields they own.
 *
 * <p>The set of fields is read only when it is needed, because most writes concern few of the entries; an entry that did
 * not change is written back as it was. Not thread-safe.
 */
final class FieldOwner {
    static final String APPLY = "Apply";
    static final String UPDATE = "Update";

    /** What makes two entries the same: one manager applies in one version, but may update in several. */
    record Identity(String manager, String operation, String apiVersion, String subresource)
            implements Comparable<Identity> {
        static Identity of(String manager, String operation, String apiVersion, String subresource) {
            return new Identity(manager, operation, operation.equals(APPLY) ? "" : apiVersion, subresource);
        }

        /** Upstream identifies and sorts managers by this text. */
        String text() {
            StringBuilder text = new StringBuilder("{");
            add(text, "manager", manager);
            add(text, "operation", operation);
            add(text, "apiVersion", apiVersion);
            add(text, "subresource", subresource);
            return text.append('}').toString();
        }

        private static void add(StringBuilder text, String name, String value) {
            if (!value.isEmpty()) {
                text.append(text.length() == 1 ? "\"" : ",\"").append(name).append("\":");
                GoText.quote(text, value, true);
            }
        }

        @Override
        public int compareTo(Identity other) {
            return text().compareTo(other.text());
        }

        /** As messages about conflicts name it. */
        String shown() {
            String with = subresource.isEmpty() ? "" : " with subresource " + FieldErrors.quoted(subresource);
            String using = operation.equals(UPDATE) ? " using " + apiVersion : "";
            return FieldErrors.quoted(manager) + with + using;
        }
    }

    private final Identity identity;
    private final String apiVersion;
    private final @Nullable String time;
    private final @Nullable ObjectNode entry;
    private @Nullable FieldSet fields;

    private FieldOwner(
            Identity identity,
            String apiVersion,
            @Nullable String time,
            @Nullable ObjectNode entry,
            @Nullable FieldSet fields) {
        this.identity = identity;
        this.apiVersion = apiVersion;
        this.time = time;
        this.entry = entry;
        this.fields = fields;
    }

    static FieldOwner of(Identity identity, String apiVersion, @Nullable String time, FieldSet fields) {
        return new FieldOwner(identity, apiVersion, time, null, fields);
    }

    /**
     * Reads an entry; one that is not as it should be is a bad request.
     *
     * @param ours whether the entry is known to be as we write it, and need not be looked at in full
     */
    static FieldOwner parse(JsonNode json, boolean ours) {
        String operation = Json.textAt(json, "operation");
        String apiVersion = Json.textAt(json, "apiVersion");
        if (!operation.equals(APPLY) && !operation.equals(UPDATE)) {
            throw ApiException.badRequest("operation must be `Apply` or `Update`");
        }
        if (apiVersion.isEmpty()) {
            throw ApiException.badRequest("apiVersion must not be empty");
        }
        if (!Json.textAt(json, "fieldsType").equals("FieldsV1")) {
            throw ApiException.badRequest("invalid fieldsType in managed fields entry");
        }
        Identity identity =
                Identity.of(Json.textAt(json, "manager"), operation, apiVersion, Json.textAt(json, "subresource"));
        String time = Json.textAt(json, "time");
        JsonNode fieldsV1 = Json.at(json, "fieldsV1");
        boolean keeps = ours && json instanceof ObjectNode && fieldsV1 instanceof ObjectNode;
        return new FieldOwner(
                identity,
                apiVersion,
                time.isEmpty() ? null : time,
                keeps ? (ObjectNode) json : null,
                keeps ? null : fieldsV1 == null ? FieldSet.EMPTY : FieldSet.parse(fieldsV1));
    }

    Identity identity() {
        return identity;
    }

    String apiVersion() {
        return apiVersion;
    }

    @Nullable
    String time() {
        return time;
    }

    boolean applies() {
        return identity.operation().equals(APPLY);
    }

    FieldSet fields() {
        FieldSet known = fields;
        if (known == null) {
            known = FieldSet.parse(Objects.requireNonNull(entry).path("fieldsV1"));
            fields = known;
        }
        return known;
    }

    boolean ownsNothing() {
        return (fields == null && entry != null) ? entry.path("fieldsV1").isEmpty() : fields().isEmpty();
    }

    /** This owner with other fields, or itself if they are the same. */
    FieldOwner with(FieldSet changed) {
        return changed.equals(fields()) ? this : of(identity, apiVersion, time, changed);
    }

    /** Whether this owner may own one of some fields, found without reading the set; false is certain. */
    boolean touches(FieldSet changed) {
        return (fields == null && entry != null)
                ? touches(entry.path("fieldsV1"), changed)
                : !fields().intersection(changed).isEmpty();
    }

    private static boolean touches(JsonNode fieldsV1, FieldSet changed) {
        for (int i = 0; i < changed.size(); i++) {
            JsonNode below = fieldsV1.get(changed.step(i).text());
            if (below != null && (changed.member(i) || touches(below, changed.child(i)))) {
                return true;
            }
        }
        return false;
    }

    ObjectNode toJson() {
        if (entry != null) {
            return entry;
        }
        ObjectNode json = Json.object();
        if (!identity.manager().isEmpty()) {
            json.put("manager", identity.manager());
        }
        json.put("operation", identity.operation()).put("apiVersion", apiVersion);
        if (time != null) {
            json.put("time", time);
        }
        json.put("fieldsType", "FieldsV1").set("fieldsV1", fields().toJson());
        if (!identity.subresource().isEmpty()) {
            json.put("subresource", identity.subresource());
        }
        return json;
    }

    /** Orders owners by time, in seconds; those without one come first. */
    static int compareTimes(FieldOwner left, FieldOwner right) {
        String before = left.time;
        String after = right.time;
        if (before != null && after != null && isUsual(before) && isUsual(after)) {
            return before.compareTo(after);
        }
        return Long.compare(seconds(before), seconds(after));
    }

    /** Times as the server writes them sort as text, which is much faster than parsing them. */
    private static boolean isUsual(String time) {
        return time.length() == "2026-01-02T03:04:05Z".length() && time.endsWith("Z");
    }

    private static long seconds(@Nullable String time) {
        if (time == null) {
            return 0;
        }
        try {
            return OffsetDateTime.parse(time).toEpochSecond();
        } catch (DateTimeException _) {
            return 0;
        }
    }
}
