package lavaflow.kinds;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;
import lavaflow.kube.TextDiff;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What may change in a pod that exists: hardly anything. */
final class PodUpdateRules {
    private static final FieldPath SPEC = PodRules.SPEC;
    private static final String ONLY = "pod updates may not change fields other than `spec.containers[*].image`,"
            + "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing"
            + " tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously"
            + " negative)\n";
    private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";

    private final ObjectNode spec;
    private final ObjectNode old;
    private final FieldErrors errors;

    private PodUpdateRules(ObjectNode spec, ObjectNode old, FieldErrors errors) {
        this.spec = spec;
        this.old = old;
        this.errors = errors;
    }

    static void validate(ObjectNode pod, ObjectNode oldPod, FieldErrors errors) {
        ObjectNode spec = Json.ensureObject(pod, "spec");
        PodRules.validateSpec(pod, spec, errors);
        PodAnnotationRules.update(pod, oldPod, FieldPath.of("metadata", "annotations"), errors);
        ObjectNode old = Json.objectAt(oldPod, "spec");
        new PodUpdateRules(spec, old == null ? Json.object() : old, errors).validate();
    }

    private void validate() {
        if (!containers("containers") || !containers("initContainers") || !deadline()) {
            return;
        }
        tolerations();
        schedulingGates();
        if (spec.equals(old)) {
            return;
        }
        ObjectNode rest = spec.deepCopy();
        for (String list : List.of("containers", "initContainers")) {
            List<ObjectNode> before = Nodes.objects(old, list);
            List<ObjectNode> now = Nodes.objects(rest, list);
            for (int i = 0; i < now.size(); i++) {
                KindRules.keep(now.get(i), before.get(i), "image");
            }
        }
        for (String field : List.of("activeDeadlineSeconds", "schedulingGates", "tolerations")) {
            KindRules.keep(rest, old, field);
        }
        if (!Nodes.emptyAt(old, "schedulingGates")) {
            gated(rest);
        }
        if (!rest.equals(old)) {
            errors.forbidden(SPEC, ONLY + TextDiff.ofJson(InternalForm.spec(old), InternalForm.spec(rest)));
        }
    }

    private boolean containers(String list) {
        List<ObjectNode> now = Nodes.objects(spec, list);
        if (now.size() != Nodes.objects(old, list).size()) {
            errors.forbidden(SPEC.child(list), "pod updates may not add or remove containers");
            return false;
        }
        for (int i = 0; i < now.size(); i++) {
            FieldChecks.requireText(now.get(i), "image", SPEC.child(list).index(i), errors);
            ContainerRules.trimmedImage(now.get(i), SPEC.child(list).index(i), errors);
        }
        return true;
    }

    /** A deadline may appear and come closer. */
    private boolean deadline() {
        JsonNode now = Json.at(spec, "activeDeadlineSeconds");
        JsonNode before = Json.at(old, "activeDeadlineSeconds");
        FieldPath path = SPEC.child("activeDeadlineSeconds");
        if (now == null) {
            if (before != null) {
                errors.invalid(path, now, "must not update from a positive integer to nil value");
            }
            return true;
        }
        if (now.longValue() < 0 || now.longValue() > Integer.MAX_VALUE) {
            errors.invalid(path, now, Names.between(0, Integer.MAX_VALUE));
            return false;
        }
        if (before != null && before.longValue() < now.longValue()) {
            errors.invalid(path, now, "must be less than or equal to previous value");
            return false;
        }
        return true;
    }

    private void tolerations() {
        List<ObjectNode> now = Nodes.objects(spec, "tolerations");
        for (ObjectNode before : Nodes.objects(old, "tolerations")) {
            if (now.stream().noneMatch(toleration -> bare(toleration).equals(bare(before)))) {
                errors.forbidden(
                        SPEC.child("tolerations"),
                        "existing toleration can not be modified except its tolerationSeconds");
                return;
            }
        }
        SchedulingRules.tolerations(now, SPEC.child("tolerations"), errors);
    }

    private static ObjectNode bare(ObjectNode toleration) {
        ObjectNode copy = toleration.deepCopy();
        copy.remove("tolerationSeconds");
        return copy;
    }

    private void schedulingGates() {
        Map<String, Integer> known = new HashMap<>();
        for (ObjectNode gate : Nodes.objects(old, "schedulingGates")) {
            known.put(Json.textAt(gate, "name"), 0);
        }
        List<ObjectNode> gates = Nodes.objects(spec, "schedulingGates");
        for (int i = 0; i < gates.size(); i++) {
            String name = Json.textAt(gates.get(i), "name");
            if (!known.containsKey(name)) {
                errors.forbidden(
                        SPEC.child("schedulingGates").index(i).child("name"),
                        "only deletion is allowed, but found new scheduling gate '" + name + "'");
            }
        }
    }

    /** Whoever holds a pod back may still narrow down where it will run. */
    private void gated(ObjectNode rest) {
        JsonNode before = Json.at(old, "nodeSelector");
        JsonNode now = Json.at(rest, "nodeSelector");
        for (Map.Entry<String, JsonNode> entry : Nodes.entries(before).entrySet()) {
            if (!entry.getValue().equals(Json.at(now, entry.getKey()))) {
                errors.invalid(
                        SPEC.child("nodeSelector"),
                        now,
                        "only additions to spec.nodeSelector are allowed (no mutations or deletions)");
                break;
            }
        }
        KindRules.keep(rest, old, "nodeSelector");
        JsonNode affinity = Json.at(rest, "affinity", "nodeAffinity");
        JsonNode oldAffinity = Json.at(old, "affinity", "nodeAffinity");
        if (!Objects.equals(affinity, oldAffinity)) {
            nodeAffinity(affinity, oldAffinity);
            maskNodeAffinity(rest, oldAffinity);
        }
    }

    private void maskNodeAffinity(ObjectNode rest, @Nullable JsonNode oldAffinity) {
        boolean hadNone = !Nodes.has(old, "affinity");
        ObjectNode now = Json.ensureObject(rest, "affinity");
        now.remove("nodeAffinity");
        if (oldAffinity != null) {
            now.set("nodeAffinity", oldAffinity);
        } else if (hadNone && now.isEmpty()) {
            rest.remove("affinity");
        }
    }

    private void nodeAffinity(@Nullable JsonNode affinity, @Nullable JsonNode oldAffinity) {
        List<ObjectNode> before = Nodes.objects(oldAffinity, REQUIRED, "nodeSelectorTerms");
        List<ObjectNode> now = Nodes.objects(affinity, REQUIRED, "nodeSelectorTerms");
        FieldPath path = SPEC.child("affinity", "nodeAffinity", REQUIRED, "nodeSelectorTerms");
        if (before.isEmpty()) {
            return;
        }
        if (before.size() != now.size()) {
            ArrayNode shown = Json.array();
            now.forEach(term -> shown.add(InternalForm.struct("NodeSelectorTerm", term)));
            errors.invalid(
                    path,
                    now.isEmpty() ? null : shown,
                    "no additions/deletions to non-empty NodeSelectorTerms list are allowed");
            return;
        }
        for (int i = 0; i < now.size(); i++) {
            if (!onlyAdds(now.get(i), before.get(i))) {
                errors.invalid(
                        path.index(i),
                        InternalForm.struct("NodeSelectorTerm", now.get(i)),
                        "only additions are allowed (no mutations or deletions)");
            }
        }
    }

    private static boolean onlyAdds(ObjectNode term, ObjectNode before) {
        boolean matchesNothing = Nodes.emptyAt(before, "matchExpressions") && Nodes.emptyAt(before, "matchFields");
        if (matchesNothing) {
            return Nodes.emptyAt(term, "matchExpressions") && Nodes.emptyAt(term, "matchFields");
        }
        for (String list : List.of("matchExpressions", "matchFields")) {
            List<ObjectNode> old = Nodes.objects(before, list);
            List<ObjectNode> now = Nodes.objects(term, list);
            if (now.size() < old.size() || !now.subList(0, old.size()).equals(old)) {
                return false;
            }
        }
        return true;
    }
}
