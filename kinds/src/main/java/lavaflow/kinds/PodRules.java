package lavaflow.kinds;

import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Pods. */
public final class PodRules implements KindRules {
    static final FieldPath SPEC = FieldPath.of("spec");
    private static final Set<String> SELECTABLE = Set.of(
            "spec.nodeName",
            "spec.host",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "spec.hostNetwork",
            "status.phase",
            "status.podIP",
            "status.podIPs",
            "status.nominatedNodeName");

    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.GENERATION, Trait.RETURNS_DELETED);
    }

    @Override
    public void applyDefaults(ObjectNode pod) {
        PodDefaults.apply(pod);
    }

    @Override
    public void prepareForCreate(ObjectNode pod) {
        PodPreparation.create(pod);
    }

    @Override
    public void prepareForUpdate(ObjectNode pod, ObjectNode old) {
        PodPreparation.update(pod, old);
    }

    @Override
    public void prepareForStatusUpdate(ObjectNode pod, ObjectNode old) {
        PodPreparation.updateStatus(pod, old);
    }

    @Override
    public void validateCreate(ObjectNode pod, FieldErrors errors) {
        ObjectNode spec = Json.ensureObject(pod, "spec");
        validateSpec(pod, spec, errors);
        if (!Nodes.emptyAt(spec, "ephemeralContainers")) {
            errors.forbidden(SPEC.child("ephemeralContainers"), "cannot be set on create");
        }
        if (!Json.textAt(spec, "nodeName").isEmpty() && !Nodes.emptyAt(spec, "schedulingGates")) {
            errors.forbidden(SPEC.child("nodeName"), "cannot be set until all schedulingGates have been cleared");
        }
        PodAnnotationRules.matchFields(pod, SPEC, errors);
    }

    @Override
    public void validateUpdate(ObjectNode pod, ObjectNode old, FieldErrors errors) {
        PodUpdateRules.validate(pod, old, errors);
    }

    @Override
    public void validateStatusUpdate(ObjectNode pod, ObjectNode old, FieldErrors errors) {
        PodStatusRules.validate(pod, old, errors);
    }

    @Override
    public void prepareForSubresourceUpdate(String subresource, ObjectNode pod, ObjectNode old) {
        switch (subresource) {
            case "ephemeralcontainers" -> PodSubresourceRules.prepareEphemeralContainers(pod, old);
            case "resize" -> PodSubresourceRules.prepareResize(pod, old);
            default -> prepareForUpdate(pod, old);
        }
    }

    @Override
    public void validateSubresourceUpdate(String subresource, ObjectNode pod, ObjectNode old, FieldErrors errors) {
        switch (subresource) {
            case "ephemeralcontainers" -> PodSubresourceRules.validateEphemeralContainers(pod, old, errors);
            case "resize" -> PodSubresourceRules.validateResize(pod, old, errors);
            default -> validateUpdate(pod, old, errors);
        }
    }

    /** Nobody waits for a pod that no kubelet runs. */
    @Override
    public boolean isGraceful() {
        return true;
    }

    @Override
    public long gracePeriod(ObjectNode pod, @Nullable Long asked) {
        String phase = Json.textAt(pod, "status", "phase");
        boolean over = phase.equals("Failed") || phase.equals("Succeeded");
        if (over || Json.textAt(pod, "spec", "nodeName").isEmpty()) {
            return 0;
        }
        long seconds = asked == null ? Json.longAt(pod, 0, "spec", "terminationGracePeriodSeconds") : asked;
        return seconds < 0 ? 1 : seconds;
    }

    /** What holds for every pod, new or changed. */
    static void validateSpec(ObjectNode pod, ObjectNode spec, FieldErrors errors) {
        PodAnnotationRules.check(pod, spec, FieldPath.of("metadata", "annotations"), errors);
        PodSpecRules.validate(spec, pod, SPEC, errors);
        if (Json.textAt(spec, "serviceAccountName").isEmpty()) {
            tokensNeedAccount(spec, errors);
        }
        for (String list : List.of("containers", "initContainers")) {
            List<ObjectNode> containers = Nodes.objects(spec, list);
            for (int i = 0; i < containers.size(); i++) {
                ContainerRules.trimmedImage(containers.get(i), SPEC.child(list).index(i), errors);
            }
        }
    }

    private static void tokensNeedAccount(ObjectNode spec, FieldErrors errors) {
        List<ObjectNode> volumes = Nodes.objects(spec, "volumes");
        for (int i = 0; i < volumes.size(); i++) {
            List<ObjectNode> sources = Nodes.objects(volumes.get(i), "projected", "sources");
            for (int j = 0; j < sources.size(); j++) {
                if (Nodes.has(sources.get(j), "serviceAccountToken")) {
                    FieldPath source = SPEC.child("volumes")
                            .index(i)
                            .child("projected", "sources")
                            .index(j);
                    errors.forbidden(
                            source.child("serviceAccountToken"),
                            "must not be specified when serviceAccountName is not set");
                }
            }
        }
    }

    /** Only on creation: people seldom change pods directly, and programs that do would drown in warnings. */
    @Override
    public List<String> warnings(ObjectNode pod, @Nullable ObjectNode old) {
        if (old != null) {
            return List.of();
        }
        List<String> warnings = AppArmor.warnings(pod);
        List<String> wrong = Names.dns1123Label(Json.textAt(pod, "metadata", "name"));
        if (!wrong.isEmpty()) {
            warnings.add("metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a"
                    + " DNS label is recommended: " + Nodes.goList(wrong));
        }
        warnings.addAll(PodWarnings.of(pod, null));
        return warnings;
    }

    @Override
    public @Nullable String selectableField(ObjectNode pod, String field) {
        return switch (field) {
            case "spec.nodeName", "spec.host" -> Json.textAt(pod, "spec", "nodeName");
            case "spec.restartPolicy" -> Json.textAt(pod, "spec", "restartPolicy");
            case "spec.schedulerName" -> Json.textAt(pod, "spec", "schedulerName");
            case "spec.serviceAccountName" -> Json.textAt(pod, "spec", "serviceAccountName");
            case "spec.hostNetwork" -> Boolean.toString(Json.flagAt(pod, "spec", "hostNetwork"));
            case "status.phase" -> Json.textAt(pod, "status", "phase");
            case "status.podIP" -> Json.textAt(pod, "status", "podIP");
            case "status.nominatedNodeName" -> Json.textAt(pod, "status", "nominatedNodeName");
            // Upstream takes the name and finds it empty in every pod.
            case "status.podIPs" -> "";
            default -> null;
        };
    }

    @Override
    public Set<String> selectableFields() {
        return SELECTABLE;
    }
}
