package lavaflow.cluster;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Short words for the parts of metadata that controllers look at. */
final class Objects {
    private Objects() {}

    static String name(ObjectNode object) {
        return Json.textAt(object, "metadata", "name");
    }

    static String namespace(ObjectNode object) {
        return Json.textAt(object, "metadata", "namespace");
    }

    static String uid(ObjectNode object) {
        return Json.textAt(object, "metadata", "uid");
    }

    static String resourceVersion(ObjectNode object) {
        return Json.textAt(object, "metadata", "resourceVersion");
    }

    static boolean isDeleting(ObjectNode object) {
        return Json.at(object, "metadata", "deletionTimestamp") != null;
    }

    static List<String> finalizers(ObjectNode object) {
        List<String> names = new ArrayList<>();
        for (JsonNode finalizer : Json.listAt(object, "metadata", "finalizers")) {
            names.add(finalizer.asText());
        }
        return names;
    }

    /** Sets a list in metadata, an empty one by leaving it out; tells whether that changed anything. */
    static boolean setList(ObjectNode object, String field, ArrayNode list) {
        ObjectNode metadata = Json.ensureObject(object, "metadata");
        if (Json.listAt(metadata, field).equals(list)) {
            return false;
        }
        if (list.isEmpty()) {
            metadata.remove(field);
        } else {
            metadata.set(field, list);
        }
        return true;
    }

    /** A copy of labels or annotations, an empty map where there are none. */
    static ObjectNode map(ObjectNode object, String... path) {
        ObjectNode map = Json.objectAt(object, path);
        return map == null ? Json.object() : map.deepCopy();
    }

    static ObjectNode named(String name) {
        ObjectNode object = Json.object();
        object.putObject("metadata").put("name", name);
        return object;
    }
}
