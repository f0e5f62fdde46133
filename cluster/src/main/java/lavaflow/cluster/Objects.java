package lavaflow.cluster;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
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

    static ObjectNode named(String name) {
        ObjectNode object = Json.object();
        object.putObject("metadata").put("name", name);
        return object;
    }
}
