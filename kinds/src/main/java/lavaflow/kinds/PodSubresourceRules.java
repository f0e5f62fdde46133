package lavaflow.kinds;

import java.util.List;
import java.util.Objects;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.TextDiff;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** The two subresources that change what the main resource protects: ephemeral containers and resources. */
final class PodSubresourceRules {
    private static final FieldPath SPEC = PodRules.SPEC;
    private static final FieldPath NOWHERE = FieldPath.of("[]");
    private static final List<String> METADATA_KEPT = List.of(
            "deletionTimestamp", "generation", "selfLink", "labels", "annotations", "finalizers", "ownerReferences");
    private static final List<String> RESIZABLE = List.of("cpu", "memory");

    private PodSubresourceRules() {}

    // ---- ephemeralcontainers

    static void prepareEphemeralContainers(ObjectNode pod, ObjectNode old) {
        JsonNode containers = Json.at(pod, "spec", "ephemeralContainers");
        restore(pod, old);
        ObjectNode spec = Json.ensureObject(pod, "spec");
        if (containers == null) {
            spec.remove("ephemeralContainers");
        } else {
            spec.set("ephemeralContainers", containers);
        }
        DisabledFields.dropFromSpec(spec, Json.at(old, "spec"));
        countGeneration(pod, old);
    }

    static void validateEphemeralContainers(ObjectNode pod, ObjectNode old, FieldErrors errors) {
        if (Nodes.has(old, "metadata", "annotations", PodAnnotationRules.MIRROR)) {
            errors.forbidden(NOWHERE, "static pods do not support ephemeral containers");
            return;
        }
        PodRules.validateSpec(pod, Json.ensureObject(pod, "spec"), errors);
        PodAnnotationRules.update(pod, old, FieldPath.of("metadata", "annotations"), errors);
        List<ObjectNode> now = Nodes.objects(pod, "spec", "ephemeralContainers");
        FieldPath path = SPEC.child("ephemeralContainers");
        for (ObjectNode before : Nodes.objects(old, "spec", "ephemeralContainers")) {
            String name = Json.textAt(before, "name");
            ObjectNode found = now.stream()
                    .filter(container -> Json.textAt(container, "name").equals(name))
                    .reduce((first, last) -> last)
                    .orElse(null);
            String subject = "existing ephemeral containers " + FieldErrors.quoted(name);
            if (found == null) {
                errors.forbidden(path, subject + " may not be removed\n");
            } else if (!found.equals(before)) {
                String difference = TextDiff.ofJson(
                        InternalForm.struct("EphemeralContainer", before),
                        InternalForm.struct("EphemeralContainer", found));
                errors.forbidden(path, subject + " may not be changed\n" + difference);
            }
        }
    }

    // ---- resize

    /** Keeps resources and resize policies of the sent pod and takes all else from the old one. */
    static void prepareResize(ObjectNode pod, ObjectNode old) {
        boolean sameSize = true;
        for (String list : List.of("containers", "initContainers")) {
            sameSize &= Nodes.objects(pod, "spec", list).size()
                    == Nodes.objects(old, "spec", list).size();
        }
        if (sameSize) {
            ObjectNode sent = Json.ensureObject(pod, "spec").deepCopy();
            restore(pod, old);
            ObjectNode spec = Json.ensureObject(pod, "spec");
            for (String list : List.of("containers", "initContainers")) {
                mergeResources(spec, sent, list);
            }
            KindRules.keep(spec, sent, "resources");
        }
        DisabledFields.dropFromSpec(Json.ensureObject(pod, "spec"), Json.at(old, "spec"));
        countGeneration(pod, old);
    }

    private static void mergeResources(ObjectNode spec, ObjectNode sent, String list) {
        List<ObjectNode> kept = Nodes.objects(spec, list);
        List<ObjectNode> wanted = Nodes.objects(sent, list);
        for (int i = 0; i < kept.size(); i++) {
            if (!Json.textAt(kept.get(i), "name").equals(Json.textAt(wanted.get(i), "name"))) {
                // Left as it was sent for validation to complain about.
                KindRules.keep(spec, sent, list);
                return;
            }
        }
        for (int i = 0; i < kept.size(); i++) {
            KindRules.keep(kept.get(i), wanted.get(i), "resources");
            KindRules.keep(kept.get(i), wanted.get(i), "resizePolicy");
        }
    }

    static void validateResize(ObjectNode pod, ObjectNode old, FieldErrors errors) {
        if (Nodes.has(old, "metadata", "annotations", PodAnnotationRules.MIRROR)) {
            errors.forbidden(NOWHERE, "static pods cannot be resized");
            return;
        }
        if (Json.textAt(old, "spec", "os", "name").equals("windows")) {
            errors.forbidden(NOWHERE, "windows pods cannot be resized");
            return;
        }
        FieldErrors found = new FieldErrors();
        PodRules.validateSpec(pod, Json.ensureObject(pod, "spec"), found);
        String quality = Json.textAt(old, "status", "qosClass");
        if (!(quality.isEmpty() ? QosClass.of(old) : quality).equals(QosClass.of(pod))) {
            found.invalid(
                    SPEC,
                    Json.textAt(pod, "status", "qosClass"),
                    "Pod QOS Class may not change as a result of resizing");
        }
        if (!nodeCanResize(old)) {
            found.forbidden(SPEC, "Pod running on node without support for resize");
        }
        ObjectNode rest = Json.ensureObject(pod, "spec").deepCopy();
        podLevel(rest, Json.objectAt(old, "spec"), found);
        if (!Nodes.emptyAt(old, "status", "nodeAllocatableResourceClaimStatuses")) {
            found.forbidden(SPEC, "pods with node allocatable resource claims cannot be resized");
        }
        if (sameContainers(pod, old, found)) {
            ObjectNode oldSpec = Json.ensureObject(old.deepCopy(), "spec");
            resizes(rest, oldSpec, found);
            if (found.isEmpty() && !rest.equals(oldSpec)) {
                found.forbidden(SPEC, "only cpu and memory resources are mutable");
            }
        }
        errors.addAll(found);
    }

    /** A node that can resize reports the resources of running containers; before one runs nobody can tell. */
    private static boolean nodeCanResize(ObjectNode pod) {
        for (ObjectNode status : Nodes.objects(pod, "status", "containerStatuses")) {
            if (Nodes.has(status, "state", "running")) {
                return Nodes.has(status, "resources");
            }
        }
        return true;
    }

    private static void podLevel(ObjectNode rest, @Nullable ObjectNode old, FieldErrors errors) {
        ObjectNode now = Json.objectAt(rest, "resources");
        ObjectNode before = Json.objectAt(old, "resources");
        if (isEmpty(now) && isEmpty(before)) {
            return;
        }
        if (now == null) {
            errors.forbidden(SPEC.child("resources"), "pod-level resources cannot be removed");
            return;
        }
        for (String kind : List.of("requests", "limits")) {
            if (before != null && removed(now, before, kind)) {
                errors.forbidden(SPEC.child("resources", kind), "pod-level resource " + kind + " cannot be removed");
            }
        }
        mask(now, before);
        if (before == null && now.isEmpty()) {
            rest.remove("resources");
        }
        if (!Objects.equals(rest.get("resources"), before)) {
            errors.forbidden(SPEC, "only cpu and memory resources are mutable at pod-level");
        }
    }

    private static boolean isEmpty(@Nullable ObjectNode resources) {
        return Nodes.emptyAt(resources, "requests") && Nodes.emptyAt(resources, "limits");
    }

    private static boolean removed(JsonNode now, JsonNode before, String kind) {
        return !Nodes.entries(now, kind)
                .keySet()
                .containsAll(Nodes.entries(before, kind).keySet());
    }

    private static boolean sameContainers(ObjectNode pod, ObjectNode old, FieldErrors errors) {
        int before = errors.list().size();
        for (String list : List.of("containers", "initContainers")) {
            List<ObjectNode> now = Nodes.objects(pod, "spec", list);
            List<ObjectNode> were = Nodes.objects(old, "spec", list);
            if (now.size() != were.size()) {
                errors.forbidden(SPEC.child(list), list + " may not be added or removed on resize");
                continue;
            }
            for (int i = 0; i < were.size(); i++) {
                if (!Json.textAt(now.get(i), "name").equals(Json.textAt(were.get(i), "name"))) {
                    errors.forbidden(
                            SPEC.child(list).index(i).child("name"),
                            list + " may not be renamed or reordered on resize");
                }
            }
        }
        return errors.list().size() == before;
    }

    /** Checks each container's resources and masks the changes that are fine. */
    private static void resizes(ObjectNode rest, ObjectNode old, FieldErrors errors) {
        for (String list : List.of("initContainers", "containers")) {
            List<ObjectNode> now = Nodes.objects(rest, list);
            List<ObjectNode> were = Nodes.objects(old, list);
            for (int i = 0; i < were.size(); i++) {
                FieldPath path = SPEC.child(list).index(i).child("resources");
                for (String kind : List.of("requests", "limits")) {
                    if (removed(now.get(i).path("resources"), were.get(i).path("resources"), kind)) {
                        errors.forbidden(path.child(kind), "resource " + kind + " cannot be removed");
                    }
                }
            }
        }
        for (String list : List.of("containers", "initContainers")) {
            List<ObjectNode> now = Nodes.objects(rest, list);
            List<ObjectNode> were = Nodes.objects(old, list);
            for (int i = 0; i < were.size(); i++) {
                boolean changed = !now.get(i).equals(were.get(i));
                ObjectNode resources = Json.ensureObject(now.get(i), "resources");
                resources.remove("claims");
                mask(resources, Json.objectAt(were.get(i), "resources"));
                boolean init = list.equals("initContainers");
                if (!now.get(i).equals(were.get(i))) {
                    errors.forbidden(
                            init ? SPEC.child(list).index(i) : SPEC,
                            init
                                    ? "only cpu and memory resources for init or sidecar containers are mutable"
                                    : "only cpu and memory resources are mutable");
                }
                if (init && changed && !PodSpecs.restartable(now.get(i))) {
                    restartless(now.get(i), SPEC.child(list).index(i), errors);
                }
            }
        }
    }

    private static void restartless(ObjectNode container, FieldPath path, FieldErrors errors) {
        for (ObjectNode policy : Nodes.objects(container, "resizePolicy")) {
            if (Json.textAt(policy, "restartPolicy").equals("RestartContainer")) {
                errors.forbidden(
                        path, "non-sidecar init containers with a resize policy of RestartContainer cannot be resized");
            }
        }
    }

    /** Puts the old cpu and memory back, so that only other changes remain. */
    private static void mask(ObjectNode now, @Nullable ObjectNode before) {
        for (String kind : List.of("requests", "limits")) {
            ObjectNode list = Json.ensureObject(now, kind);
            for (String resource : RESIZABLE) {
                JsonNode old = Json.at(before, kind, resource);
                if (old == null) {
                    list.remove(resource);
                } else {
                    list.set(resource, old);
                }
            }
            if (list.isEmpty()) {
                now.remove(kind);
            }
        }
    }

    // ---- both

    private static void restore(ObjectNode pod, ObjectNode old) {
        KindRules.keep(pod, old, "spec");
        KindRules.keep(pod, old, "status");
        ObjectNode metadata = Json.ensureObject(pod, "metadata");
        ObjectNode before = Json.objectAt(old, "metadata");
        for (String field : METADATA_KEPT) {
            KindRules.keep(metadata, before == null ? Json.object() : before, field);
        }
    }

    /** These writes count as changes of the spec, like those to the main resource. */
    private static void countGeneration(ObjectNode pod, ObjectNode old) {
        long generation = Json.longAt(old, 0, "metadata", "generation");
        boolean changed = !Objects.equals(pod.get("spec"), old.get("spec"));
        Json.ensureObject(pod, "metadata").put("generation", changed ? generation + 1 : generation);
    }
}
