package lavaflow.cluster;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Empties namespaces that are being deleted, pods first, and lets them go when nothing is left. */
final class NamespaceDeletion {
    private static final KubeApi.Kind NAMESPACES = KubeApi.Kind.clusterWide("namespaces");
    private static final String FINALIZER = "kubernetes";
    private static final Duration SOON = Duration.ofMillis(100);
    private static final Duration LATER = Duration.ofSeconds(2);

    private final KubeApi api;
    private final InstantSource clock;

    NamespaceDeletion(KubeApi api, InstantSource clock) {
        this.api = api;
        this.clock = clock;
    }

    ControllerRunner<String> controller() {
        return new ControllerRunner<String>("namespace-deletion", api, 4, this::reconcile)
                .follow(NAMESPACES, object -> Objects.isDeleting(object) ? List.of(Objects.name(object)) : List.of());
    }

    /** What is left of a namespace after a sweep. */
    private static final class Remains {
        private final TreeMap<String, Integer> byKind = new TreeMap<>();
        private final TreeMap<String, Integer> byFinalizer = new TreeMap<>();
        private final List<String> failures = new ArrayList<>();

        void add(KubeApi.Kind kind, ObjectNode object) {
            byKind.merge(kind.toString(), 1, Integer::sum);
            Objects.finalizers(object).forEach(finalizer -> byFinalizer.merge(finalizer, 1, Integer::sum));
        }

        boolean isEmpty() {
            return byKind.isEmpty() && failures.isEmpty();
        }
    }

    private Optional<Duration> reconcile(String name) {
        Optional<ObjectNode> found = api.find(NAMESPACES, "", name);
        if (found.isEmpty() || !Objects.isDeleting(found.get()) || !isHeld(found.get())) {
            return Optional.empty();
        }
        Remains remains = sweep(name);
        if (remains.isEmpty()) {
            release(found.get());
            return Optional.empty();
        }
        report(found.get(), remains);
        boolean waitsForOthers = !remains.byFinalizer.isEmpty() || !remains.failures.isEmpty();
        return Optional.of(waitsForOthers ? LATER : SOON);
    }

    private static boolean isHeld(ObjectNode namespace) {
        for (JsonNode finalizer : Json.listAt(namespace, "spec", "finalizers")) {
            if (finalizer.asText().equals(FINALIZER)) {
                return true;
            }
        }
        return false;
    }

    /** Deletes everything that is not being deleted yet; pods must be gone before the rest is touched. */
    private Remains sweep(String namespace) {
        Remains remains = new Remains();
        KubeApi.Kind pods = KubeApi.Kind.core("pods");
        sweep(pods, namespace, remains);
        if (!remains.isEmpty()) {
            return remains;
        }
        for (KubeApi.Kind kind : api.kinds()) {
            if (kind.namespaced() && !kind.equals(pods)) {
                sweep(kind, namespace, remains);
            }
        }
        return remains;
    }

    private void sweep(KubeApi.Kind kind, String namespace, Remains remains) {
        for (ObjectNode object : api.list(kind, namespace).items()) {
            if (Objects.isDeleting(object)) {
                remains.add(kind, object);
                continue;
            }
            try {
                api.delete(
                        kind,
                        namespace,
                        Objects.name(object),
                        new KubeApi.Deletion(Objects.uid(object), null, "Background"));
                api.find(kind, namespace, Objects.name(object)).ifPresent(left -> remains.add(kind, left));
            } catch (ApiException e) {
                remains.failures.add(kind + ": " + e.getMessage());
            }
        }
    }

    private void release(ObjectNode namespace) {
        ObjectNode released = namespace.deepCopy();
        ArrayNode kept = Json.array();
        for (JsonNode finalizer : Json.listAt(namespace, "spec", "finalizers")) {
            if (!finalizer.asText().equals(FINALIZER)) {
                kept.add(finalizer);
            }
        }
        Json.ensureObject(released, "spec").set("finalizers", kept);
        api.update(NAMESPACES, "finalize", released);
    }

    private void report(ObjectNode namespace, Remains remains) {
        ObjectNode next = namespace.deepCopy();
        ObjectNode status = Json.ensureObject(next, "status");
        ArrayNode conditions = Json.listAt(status, "conditions");
        status.set("conditions", conditions);
        set(
                conditions,
                "NamespaceDeletionDiscoveryFailure",
                false,
                "ResourcesDiscovered",
                "All resources successfully discovered");
        set(
                conditions,
                "NamespaceDeletionGroupVersionParsingFailure",
                false,
                "ParsedGroupVersions",
                "All legacy kube types successfully parsed");
        boolean failed = !remains.failures.isEmpty();
        set(
                conditions,
                "NamespaceDeletionContentFailure",
                failed,
                failed ? "ContentDeletionFailed" : "ContentDeleted",
                failed
                        ? "Failed to delete all resource types, " + remains.failures.size() + " remaining: "
                                + String.join(", ", remains.failures)
                        : "All content successfully deleted, may be waiting on finalization");
        boolean content = !remains.byKind.isEmpty();
        set(
                conditions,
                "NamespaceContentRemaining",
                content,
                content ? "SomeResourcesRemain" : "ContentRemoved",
                content
                        ? "Some resources are remaining: " + counted(remains.byKind, " has ", " resource instances")
                        : "All content successfully removed");
        boolean finalizers = !remains.byFinalizer.isEmpty();
        set(
                conditions,
                "NamespaceFinalizersRemaining",
                finalizers,
                finalizers ? "SomeFinalizersRemain" : "ContentHasNoFinalizers",
                finalizers
                        ? "Some content in the namespace has finalizers remaining: "
                                + counted(remains.byFinalizer, " in ", " resource instances")
                        : "All content-preserving finalizers finished");
        if (!next.equals(namespace)) {
            api.update(NAMESPACES, "status", next);
        }
    }

    private static String counted(Map<String, Integer> counts, String verb, String noun) {
        return counts.entrySet().stream()
                .map(entry -> entry.getKey() + (verb.equals(" has ") ? "." : "") + verb + entry.getValue() + noun)
                .collect(Collectors.joining(", "));
    }

    private void set(ArrayNode conditions, String type, boolean holds, String reason, String message) {
        ObjectNode condition = null;
        for (JsonNode candidate : conditions) {
            if (candidate instanceof ObjectNode present
                    && Json.textAt(present, "type").equals(type)) {
                condition = present;
            }
        }
        if (condition == null) {
            condition = conditions.addObject().put("type", type);
        }
        String status = holds ? "True" : "False";
        boolean same = Json.textAt(condition, "status").equals(status)
                && Json.textAt(condition, "message").equals(message);
        if (same) {
            return;
        }
        condition.put("status", status).put("lastTransitionTime", GoTime.seconds(clock.instant()));
        condition.put("reason", reason).put("message", message);
    }
}
