package lavaflow.apiserver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

import lavaflow.kube.Json;
import lavaflow.store.Content;
import lavaflow.store.StoredObject;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * The bytes of an object as the store keeps them: the JSON every reader gets, with the resourceVersion left for the
 * store to fill in when it knows the revision.
 *
 * <p>{@code kind} and {@code apiVersion} come first, so that lists can leave them out of items without parsing, as
 * upstream does; then metadata, in upstream's order, so that the place of the revision is found by a plain search: only
 * names and the uid stand before it.
 */
final class StoredForm {
    private static final List<String> METADATA_ORDER = List.of(
            "name",
            "generateName",
            "namespace",
            "selfLink",
            "uid",
            "resourceVersion",
            "generation",
            "creationTimestamp",
            "deletionTimestamp",
            "deletionGracePeriodSeconds",
            "labels",
            "annotations",
            "ownerReferences",
            "finalizers",
            "managedFields");

    private static final byte[] REVISION_FIELD = "\"resourceVersion\":\"\"".getBytes(StandardCharsets.US_ASCII);
    private static final int REVISION_DIGITS = REVISION_FIELD.length - 1;

    private StoredForm() {}

    static Content encode(ObjectNode object) {
        return encodeOrdered(ordered(object));
    }

    /** As {@link #encode}, of an object in the order of {@link #ordered}. */
    static Content encodeOrdered(ObjectNode ordered) {
        byte[] bytes = Json.bytes(ordered);
        return new Content(bytes, indexOf(bytes, REVISION_FIELD) + REVISION_DIGITS);
    }

    /**
     * What {@link #decode} will make of an object once it is stored, but for its revision: with that in its place, a writer can
     * answer without parsing what it has just written. The parts are those of the object.
     */
    static ObjectNode ordered(ObjectNode object) {
        ObjectNode ordered = Json.object();
        ordered.set("kind", object.path("kind"));
        ordered.set("apiVersion", object.path("apiVersion"));
        ordered.set("metadata", orderedMetadata(object.path("metadata")));
        for (var field : object.properties()) {
            if (!ordered.has(field.getKey())) {
                ordered.set(field.getKey(), field.getValue());
            }
        }
        return ordered;
    }

    private static ObjectNode orderedMetadata(JsonNode metadata) {
        ObjectNode ordered = Json.object();
        for (String field : METADATA_ORDER) {
            if (field.equals("resourceVersion")) {
                ordered.put(field, "");
                continue;
            }
            JsonNode value = metadata.get(field);
            if (value != null) {
                ordered.set(field, value);
            }
        }
        return ordered;
    }

    private static int indexOf(byte[] bytes, byte[] wanted) {
        outer:
        for (int i = 0; i <= bytes.length - wanted.length; i++) {
            for (int j = 0; j < wanted.length; j++) {
                if (bytes[i + j] != wanted[j]) {
                    continue outer;
                }
            }
            return i;
        }
        throw new IllegalStateException("an object without a place for its revision");
    }

    static ObjectNode decode(StoredObject stored) {
        return Json.parseObject(stored.bytes());
    }

    /** Type and metadata, without managedFields; reads no further than metadata, which comes before the rest. */
    static ObjectNode decodeMetadata(StoredObject stored) {
        ObjectNode object = Json.object();
        try (JsonParser parser = Json.streaming().createParser(stored.bytes())) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String field = parser.currentName();
                parser.nextToken();
                if (field.equals("metadata")) {
                    readMetadata(parser, object.putObject(field));
                    return object;
                }
                object.put(field, parser.getText());
            }
            return object;
        } catch (IOException e) {
            throw new UncheckedIOException("stored JSON does not parse", e);
        }
    }

    private static void readMetadata(JsonParser parser, ObjectNode metadata) throws IOException {
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String field = parser.currentName();
            parser.nextToken();
            if (field.equals("managedFields")) {
                parser.skipChildren();
            } else {
                metadata.set(field, Json.value(parser));
            }
        }
    }

    /** How many bytes stand before metadata: the opening brace, kind and apiVersion. */
    static int typePrefixLength(String apiVersion, String kind) {
        return ("{\"kind\":\"" + kind + "\",\"apiVersion\":\"" + apiVersion + "\",").length();
    }
}
