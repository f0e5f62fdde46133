package lavaflow.controller;

import java.util.List;
import java.util.Objects;

import lavaflow.kube.ApiException;
import lavaflow.kube.BuiltinTypes;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;
import lavaflow.kube.StrategicMergePatch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What {@link TestingKubeApi} knows of objects, as functions of them. */
final class TestingObjects {
    private TestingObjects() {}

    static String key(String namespace, String name) {
        return namespace.isEmpty() ? name : namespace + "/" + name;
    }

    static String key(ObjectNode object) {
        return key(Json.textAt(object, "metadata", "namespace"), Json.textAt(object, "metadata", "name"));
    }

    static ObjectNode view(ObjectNode object, KubeApi.View view) {
        ObjectNode copy = object.deepCopy();
        if (view == KubeApi.View.METADATA) {
            copy.retain("kind", "apiVersion", "metadata");
        }
        return copy;
    }

    static void check(KubeApi.Kind kind, ObjectNode live, String field, @Nullable JsonNode wanted) {
        check(kind, live, field, wanted == null ? null : wanted.asText());
    }

    static ObjectNode strategic(ObjectNode live, ObjectNode patch) {
        BuiltinTypes types = BuiltinTypes.instance();
        String[] version = Json.textAt(live, "apiVersion").split("/", 2);
        String group = version.length == 1 ? "" : version[0];
        String struct = types.kinds().struct(group, version[version.length - 1], Json.textAt(live, "kind"));
        return StrategicMergePatch.apply(types, Objects.requireNonNull(struct), live.deepCopy(), patch);
    }

    /** Makes a merge patch remove what was applied before and is not in it. */
    static void removeMissing(ObjectNode before, ObjectNode patch) {
        before.properties().forEach(field -> {
            JsonNode now = patch.get(field.getKey());
            if (now == null) {
                patch.putNull(field.getKey());
            } else if (now instanceof ObjectNode inner && field.getValue() instanceof ObjectNode earlier) {
                removeMissing(earlier, inner);
            }
        });
    }

    static ObjectNode scale(ObjectNode object) {
        ObjectNode scale = Json.object();
        ObjectNode metadata = scale.putObject("metadata");
        for (String field : List.of("name", "namespace", "uid", "resourceVersion")) {
            metadata.put(field, Json.textAt(object, "metadata", field));
        }
        scale.putObject("spec").put("replicas", Json.longAt(object, 0, "spec", "replicas"));
        scale.putObject("status")
                .put("replicas", Json.longAt(object, 0, "status", "replicas"))
                .put(
                        "selector",
                        LabelSelector.fromJson(Json.at(object, "spec", "selector"))
                                .toString());
        return scale;
    }

    static boolean isDeleting(ObjectNode object) {
        return Json.at(object, "metadata", "deletionTimestamp") != null;
    }

    /** Finalizers hold an object; so does a node that still runs a pod, until it says so with a grace of nothing. */
    static boolean isHeld(ObjectNode object) {
        return hasFinalizers(object)
                || !Json.listAt(object, "spec", "finalizers").isEmpty()
                || (Json.textAt(object, "kind").equals("Pod")
                        && !Json.textAt(object, "spec", "nodeName").isEmpty());
    }

    static boolean hasFinalizers(ObjectNode object) {
        return !Json.listAt(object, "metadata", "finalizers").isEmpty();
    }

    static void check(KubeApi.Kind kind, ObjectNode live, String field, @Nullable String wanted) {
        if (wanted != null && !wanted.equals(Json.textAt(live, "metadata", field))) {
            throw ApiException.conflict(kind.group(), kind.resource(), key(live), "the " + field + " does not match");
        }
    }
}
