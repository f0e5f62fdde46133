package lavaflow.kinds;

import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What the server decides about a pod before it is validated. */
final class PodPreparation {
    private static final List<String> AFFINITIES = List.of("podAffinity", "podAntiAffinity");

    private PodPreparation() {}

    static void create(ObjectNode pod) {
        ObjectNode spec = Json.ensureObject(pod, "spec");
        ObjectNode status = Json.object().put("phase", "Pending").put("qosClass", QosClass.of(pod));
        pod.set("status", status);
        DisabledFields.dropFromSpec(spec, null);
        if (!Nodes.emptyAt(spec, "schedulingGates")) {
            status.putArray("conditions").add(gated(pod));
        }
        mergeLabelKeys(spec, Json.at(pod, "metadata", "labels"));
        AppArmor.syncAnnotations(pod);
    }

    static void update(ObjectNode pod, ObjectNode old) {
        KindRules.keep(pod, old, "status");
        DisabledFields.dropFromSpec(Json.ensureObject(pod, "spec"), Json.at(old, "spec"));
    }

    static void updateStatus(ObjectNode pod, ObjectNode old) {
        KindRules.keep(pod, old, "spec");
        ObjectNode metadata = Json.ensureObject(pod, "metadata");
        KindRules.keep(metadata, Json.ensureObject(old.deepCopy(), "metadata"), "ownerReferences");
        ObjectNode status = Json.ensureObject(pod, "status");
        ObjectNode before = Json.ensureObject(old.deepCopy(), "status");
        if (Json.textAt(status, "qosClass").isEmpty()) {
            KindRules.keep(status, before, "qosClass");
        }
        keepObservedGenerations(status, before);
        DisabledFields.dropFromStatus(status, before);
    }

    /** Clients that do not know of observed generations must not erase them. */
    private static void keepObservedGenerations(ObjectNode status, ObjectNode before) {
        if (Json.longAt(status, 0, "observedGeneration") == 0) {
            KindRules.keep(status, before, "observedGeneration");
        }
        List<ObjectNode> known = Nodes.objects(before, "conditions");
        for (ObjectNode condition : Nodes.objects(status, "conditions")) {
            for (int i = 0; i < known.size(); i++) {
                // Conditions of one type may repeat; they are matched in order.
                if (known.get(i).path("type").equals(condition.path("type"))) {
                    ObjectNode match = known.remove(i);
                    if (Json.longAt(condition, 0, "observedGeneration") == 0) {
                        KindRules.keep(condition, match, "observedGeneration");
                    }
                    break;
                }
            }
        }
    }

    /** The moment is that of creation, which the pipeline sets first. */
    private static ObjectNode gated(ObjectNode pod) {
        ObjectNode condition = Json.object().put("type", "PodScheduled").put("status", "False");
        condition.putNull("lastProbeTime");
        condition.set("lastTransitionTime", pod.path("metadata").path("creationTimestamp"));
        return condition
                .put("reason", "SchedulingGated")
                .put("message", "Scheduling is blocked due to non-empty scheduling gates");
    }

    /** Turns {@code matchLabelKeys} into requirements on the pod's own labels, so that schedulers need not know them. */
    private static void mergeLabelKeys(ObjectNode spec, @Nullable JsonNode labels) {
        for (String affinity : AFFINITIES) {
            JsonNode terms = Json.at(spec, "affinity", affinity);
            for (ObjectNode weighted : Nodes.objects(terms, "preferredDuringSchedulingIgnoredDuringExecution")) {
                mergeLabelKeys(Json.objectAt(weighted, "podAffinityTerm"), "matchLabelKeys", "In", labels);
                mergeLabelKeys(Json.objectAt(weighted, "podAffinityTerm"), "mismatchLabelKeys", "NotIn", labels);
            }
            for (ObjectNode term : Nodes.objects(terms, "requiredDuringSchedulingIgnoredDuringExecution")) {
                mergeLabelKeys(term, "matchLabelKeys", "In", labels);
                mergeLabelKeys(term, "mismatchLabelKeys", "NotIn", labels);
            }
        }
        for (ObjectNode constraint : Nodes.objects(spec, "topologySpreadConstraints")) {
            mergeLabelKeys(constraint, "matchLabelKeys", "In", labels);
        }
    }

    private static void mergeLabelKeys(
            @Nullable ObjectNode term, String keys, String operator, @Nullable JsonNode labels) {
        ObjectNode selector = Json.objectAt(term, "labelSelector");
        if (selector == null) {
            return;
        }
        for (String key : Nodes.strings(term, keys)) {
            JsonNode value = Json.at(labels, key);
            if (value == null) {
                continue;
            }
            ArrayNode expressions = selector.get("matchExpressions") instanceof ArrayNode present
                    ? present
                    : selector.putArray("matchExpressions");
            expressions
                    .addObject()
                    .put("key", key)
                    .put("operator", operator)
                    .putArray("values")
                    .add(value);
        }
    }
}
