package lavaflow.cluster;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import lavaflow.controller.ChangeListener;
import lavaflow.controller.ControllerRunner;
import lavaflow.controller.Followers;
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

    /** One object that is being deleted. */
    record Key(KubeApi.Kind kind, String namespace, String name) {}

    private final KubeApi api;
    private final ControllerRunner<Key> runner;
    /** What was still in use when it was looked at last. */
    private final Set<Key> waiting = ConcurrentHashMap.newKeySet();

    VolumeProtection(KubeApi api, Followers followers, LongSupplier nanoTime) {
        this.api = api;
        this.runner = new ControllerRunner<>("volume-protection", followers, 1, this::reconcile, nanoTime);
        for (KubeApi.Kind kind : List.of(CLAIMS, VOLUMES, CLASSES)) {
            runner.follow(kind, object -> deleting(kind, object));
        }
        runner.follow(PODS, new UserListener((pod, key) -> key.namespace().equals(Objects.namespace(pod))));
        runner.follow(CLAIMS, new UserListener((_, key) -> key.kind().equals(CLASSES)));
        runner.follow(VOLUMES, new UserListener((_, key) -> key.kind().equals(CLASSES)));
    }

    ControllerRunner<Key> controller() {
        return runner;
    }

    private static List<Key> deleting(KubeApi.Kind kind, ObjectNode object) {
        return Objects.isDeleting(object)
                ? List.of(new Key(kind, Objects.namespace(object), Objects.name(object)))
                : List.of();
    }

    /** Tells which of those that wait an object may have been using. */
    private interface Concern {
        boolean isAbout(ObjectNode user, Key waiting);
    }

    /** A change of what may have been the last user; costs nothing while nothing waits. */
    private final class UserListener implements ChangeListener {
        private final Concern concern;

        UserListener(Concern concern) {
            this.concern = concern;
        }

        @Override
        public void onChange(KubeApi.Kind kind, ObjectNode object, boolean deleted) {
            look(key -> concern.isAbout(object, key));
        }

        @Override
        public void onRelist(KubeApi.Kind kind, Set<String> uids) {
            look(_ -> true);
        }

        private void look(Predicate<Key> which) {
            waiting.stream().filter(which).forEach(runner.queue()::add);
        }
    }

    private Optional<Duration> reconcile(Key key) {
        Optional<ObjectNode> found = api.find(key.kind(), key.namespace(), key.name());
        String finalizer = finalizer(key.kind());
        boolean waits = found.isPresent()
                && Objects.isDeleting(found.get())
                && Objects.finalizers(found.get()).contains(finalizer);
        if (!waits) {
            waiting.remove(key);
            return Optional.empty();
        }
        // Before looking for users, so that one that goes while we look is not missed.
        waiting.add(key);
        if (!isUsed(key, found.get())) {
            ArrayNode kept = Json.array();
            Objects.finalizers(found.get()).stream()
                    .filter(name -> !name.equals(finalizer))
                    .forEach(kept::add);
            Objects.setList(found.get(), "finalizers", kept);
            api.update(key.kind(), "", found.get());
            waiting.remove(key);
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
            case "persistentvolumeclaims" -> any(PODS, key.namespace(), pod -> uses(pod, key.name()));
            case "persistentvolumes" -> Json.textAt(object, "status", "phase").equals("Bound");
            default ->
                any(CLAIMS, "", claim -> hasClass(claim, key)) || any(VOLUMES, "", volume -> hasClass(volume, key));
        };
    }

    private boolean any(KubeApi.Kind kind, String namespace, Predicate<ObjectNode> wanted) {
        boolean[] found = {false};
        api.list(kind, namespace, KubeApi.View.WHOLE, object -> found[0] |= wanted.test(object));
        return found[0];
    }

    private static boolean hasClass(ObjectNode object, Key key) {
        return Json.textAt(object, "spec", "volumeAttributesClassName").equals(key.name());
    }

    /** A pod uses its claims as long as it exists; but one without a node will not start with a claim that is going. */
    private static boolean uses(ObjectNode pod, String claim) {
        if (Json.textAt(pod, "spec", "nodeName").isEmpty()) {
            return false;
        }
        for (JsonNode volume : Json.listAt(pod, "spec", "volumes")) {
            String used = volume.has("ephemeral")
                    ? Objects.name(pod) + "-" + Json.textAt(volume, "name")
                    : Json.textAt(volume, "persistentVolumeClaim", "claimName");
            if (used.equals(claim)) {
                return true;
            }
        }
        return false;
    }
}
