package lavaflow.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Lets volumes, claims and attribute classes go once nobody uses them: takes the protection finalizer off. */
final class VolumeProtection {
    private static final KubeApi.Kind CLAIMS = KubeApi.Kind.core("persistentvolumeclaims");
    private static final KubeApi.Kind VOLUMES = KubeApi.Kind.clusterWide("persistentvolumes");
    private static final KubeApi.Kind CLASSES =
            new KubeApi.Kind("storage.k8s.io", "v1", "volumeattributesclasses", false);
    private static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");

    /** One object that waits. */
    record Key(KubeApi.Kind kind, String namespace, String name) {}

    private final KubeApi api;

    VolumeProtection(KubeApi api) {
        this.api = api;
    }

    ControllerRunner<Key> controller() {
        return new ControllerRunner<>("volume-protection", api, 1, this::reconcile)
                .follow(CLAIMS, object -> waiting(CLAIMS, object))
                .follow(VOLUMES, object -> waiting(VOLUMES, object))
                .follow(CLASSES, object -> waiting(CLASSES, object))
                .follow(PODS, VolumeProtection::claimsOf);
    }

    private static List<Key> waiting(KubeApi.Kind kind, ObjectNode object) {
        return Objects.isDeleting(object)
                ? List.of(new Key(kind, Objects.namespace(object), Objects.name(object)))
                : List.of();
    }

    /** A pod that ended may have been the last user of its claims. */
    private static List<Key> claimsOf(ObjectNode pod) {
        List<Key> keys = new ArrayList<>();
        for (JsonNode volume : Json.listAt(pod, "spec", "volumes")) {
            String claim = claimName(pod, volume);
            if (!claim.isEmpty()) {
                keys.add(new Key(CLAIMS, Objects.namespace(pod), claim));
            }
        }
        return keys;
    }

    private static String claimName(ObjectNode pod, JsonNode volume) {
        if (volume.has("ephemeral")) {
            return Objects.name(pod) + "-" + Json.textAt(volume, "name");
        }
        return Json.textAt(volume, "persistentVolumeClaim", "claimName");
    }

    private Optional<Duration> reconcile(Key key) {
        Optional<ObjectNode> found = api.find(key.kind(), key.namespace(), key.name());
        if (found.isEmpty() || !Objects.isDeleting(found.get())) {
            return Optional.empty();
        }
        String finalizer = finalizer(key.kind());
        if (Objects.finalizers(found.get()).contains(finalizer) && !isUsed(key, found.get())) {
            ObjectNode next = found.get().deepCopy();
            ArrayNode kept = Json.array();
            Objects.finalizers(next).stream()
                    .filter(name -> !name.equals(finalizer))
                    .forEach(kept::add);
            Json.ensureObject(next, "metadata").set("finalizers", kept);
            api.update(key.kind(), "", next);
        }
        return Optional.empty();
    }

    private static String finalizer(KubeApi.Kind kind) {
        return switch (kind.resource()) {
            case "persistentvolumeclaims" -> "kubernetes.io/pvc-protection";
            case "persistentvolumes" -> "kubernetes.io/pv-protection";
            default -> "kubernetes.io/vac-protection";
        };
    }

    private boolean isUsed(Key key, ObjectNode object) {
        return switch (key.kind().resource()) {
            case "persistentvolumeclaims" -> usedByPod(key);
            case "persistentvolumes" -> Json.textAt(object, "status", "phase").equals("Bound");
            default -> classInUse(key.name());
        };
    }

    private boolean usedByPod(Key key) {
        return api.list(PODS, key.namespace()).items().stream()
                .filter(pod -> !isDone(pod))
                .anyMatch(pod -> claimsOf(pod).contains(key));
    }

    private static boolean isDone(ObjectNode pod) {
        boolean ended = List.of("Succeeded", "Failed").contains(Json.textAt(pod, "status", "phase"));
        return ended || Json.textAt(pod, "spec", "nodeName").isEmpty();
    }

    private boolean classInUse(String name) {
        return api.list(CLAIMS, "").items().stream()
                        .anyMatch(claim -> Json.textAt(claim, "spec", "volumeAttributesClassName")
                                .equals(name))
                || api.list(VOLUMES, "").items().stream()
                        .anyMatch(volume -> Json.textAt(volume, "spec", "volumeAttributesClassName")
                                .equals(name));
    }
}
