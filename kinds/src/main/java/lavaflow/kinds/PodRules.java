package lavaflow.kinds;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Pods. */
public final class PodRules implements KindRules {
    private static final Set<String> SELECTABLE = Set.of(
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "spec.hostNetwork",
            "status.phase",
            "status.podIP",
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
    public void validateCreate(ObjectNode pod, FieldErrors errors) {}

    /** Only on creation: people seldom change pods directly, and programs that do would drown in warnings. */
    @Override
    public List<String> warnings(ObjectNode pod, @Nullable ObjectNode old) {
        if (old != null) {
            return List.of();
        }
        List<String> warnings = new ArrayList<>();
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
            case "spec.nodeName" -> Json.textAt(pod, "spec", "nodeName");
            case "spec.restartPolicy" -> Json.textAt(pod, "spec", "restartPolicy");
            case "spec.schedulerName" -> Json.textAt(pod, "spec", "schedulerName");
            case "spec.serviceAccountName" -> Json.textAt(pod, "spec", "serviceAccountName");
            case "spec.hostNetwork" -> Boolean.toString(Json.flagAt(pod, "spec", "hostNetwork"));
            case "status.phase" -> Json.textAt(pod, "status", "phase");
            case "status.podIP" -> Json.textAt(pod, "status", "podIP");
            case "status.nominatedNodeName" -> Json.textAt(pod, "status", "nominatedNodeName");
            default -> null;
        };
    }

    @Override
    public Set<String> selectableFields() {
        return SELECTABLE;
    }
}
