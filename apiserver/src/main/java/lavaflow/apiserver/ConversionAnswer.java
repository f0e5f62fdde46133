package lavaflow.apiserver;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.ApiException;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What is taken from a conversion webhook's answer. Of metadata it may change labels and annotations only; whatever else
 * it answers there is ignored, except that the object must still be the same.
 *
 * @param about how failures name the webhook
 * @param reviewVersion the apiVersion of the review that was sent
 * @param uid the review's
 * @param apiVersion the version that was asked for
 */
record ConversionAnswer(String about, String reviewVersion, String uid, String apiVersion) {
    /** The converted objects, in the order of the originals. */
    List<ObjectNode> converted(List<ObjectNode> originals, ObjectNode answer) {
        ArrayNode results = results(answer);
        if (results.size() != originals.size()) {
            throw failure(about + " returned " + results.size() + " objects, expected " + originals.size());
        }
        List<ObjectNode> converted = new ArrayList<>(originals.size());
        for (int i = 0; i < originals.size(); i++) {
            converted.add(checked(i, originals.get(i), results.get(i)));
        }
        return converted;
    }

    private ArrayNode results(ObjectNode answer) {
        boolean isReview = Json.textAt(answer, "kind").equals("ConversionReview")
                && Json.textAt(answer, "apiVersion").equals(reviewVersion);
        if (!isReview) {
            throw failure(about + " failed: no kind " + FieldErrors.quoted(Json.textAt(answer, "kind"))
                    + " is registered for version " + FieldErrors.quoted(Json.textAt(answer, "apiVersion"))
                    + " in scheme \"pkg/runtime/scheme.go:111\"");
        }
        ObjectNode response = Json.objectAt(answer, "response");
        if (response == null) {
            throw failure(about + " failed: no response provided");
        }
        String given = Json.textAt(response, "uid");
        if (reviewVersion.endsWith("/v1") && !given.equals(uid)) {
            throw failure(about + " failed: expected response.uid=" + FieldErrors.quoted(uid) + ", got "
                    + FieldErrors.quoted(given));
        }
        String status = Json.textAt(response, "result", "status");
        if (!status.equals("Success")) {
            String message = Json.textAt(response, "result", "message");
            throw failure(about + " failed: "
                    + (message.isEmpty() ? "response.result.status was '" + status + "', not 'Success'" : message));
        }
        return Json.listAt(response, "convertedObjects");
    }

    private ObjectNode checked(int index, ObjectNode original, JsonNode result) {
        String invalid = about + " returned invalid object";
        if (!(result instanceof ObjectNode converted)) {
            throw failure(invalid + " at index " + index + ": not an object");
        }
        String version = Json.textAt(converted, "apiVersion");
        if (!version.equals(apiVersion)) {
            throw failure(invalid + " at index " + index + ": invalid groupVersion (expected " + apiVersion
                    + ", received " + version + ")");
        }
        String kind = Json.textAt(original, "kind");
        if (!Json.textAt(converted, "kind").equals(kind)) {
            throw failure(invalid + " at index " + index + ": invalid kind (expected " + kind + ", received "
                    + Json.textAt(converted, "kind") + ")");
        }
        same(invalid, "name", Metadata.name(original), Metadata.name(converted));
        same(invalid, "namespace", Metadata.namespace(original), Metadata.namespace(converted));
        same(invalid, "UID", Metadata.uid(original), Metadata.uid(converted));
        ObjectNode metadata = Metadata.of(original).deepCopy();
        for (String changeable : List.of("labels", "annotations")) {
            metadata.remove(changeable);
            ObjectNode changed = texts(Json.objectAt(converted, "metadata", changeable), invalid, changeable);
            if (!changed.isEmpty()) {
                metadata.set(changeable, changed);
            }
        }
        converted.set("metadata", metadata);
        return converted;
    }

    private static void same(String invalid, String what, String before, String after) {
        if (!before.equals(after)) {
            throw failure(invalid + ": must have the same " + what + ": " + before + " != " + after);
        }
    }

    private static ObjectNode texts(@Nullable ObjectNode map, String invalid, String field) {
        ObjectNode texts = Json.object();
        if (map != null) {
            map.properties().forEach(entry -> {
                if (!entry.getValue().isTextual()) {
                    throw failure(invalid + ": metadata." + field + " must be a map of strings");
                }
                texts.set(entry.getKey(), entry.getValue());
            });
        }
        return texts;
    }

    static ApiException failure(String message) {
        return ApiException.of(500, "", message);
    }
}
