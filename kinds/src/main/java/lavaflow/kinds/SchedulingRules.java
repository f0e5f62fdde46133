package lavaflow.kinds;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelectorRules;
import lavaflow.kube.Names;
import lavaflow.kube.ObjectMetaRules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** What tells the scheduler how to treat a pod, beside affinity: tolerations, spreading, gates, claims. */
final class SchedulingRules {
    static final List<String> TAINT_EFFECTS = List.of("NoSchedule", "PreferNoSchedule", "NoExecute");
    private static final List<String> INCLUSION = List.of("Honor", "Ignore");
    private static final List<String> UNSATISFIABLE = List.of("DoNotSchedule", "ScheduleAnyway");

    private SchedulingRules() {}

    static void tolerations(List<ObjectNode> tolerations, FieldPath path, FieldErrors errors) {
        for (int i = 0; i < tolerations.size(); i++) {
            toleration(tolerations.get(i), path.index(i), errors);
        }
    }

    private static void toleration(ObjectNode toleration, FieldPath path, FieldErrors errors) {
        String key = Json.textAt(toleration, "key");
        String operator = Json.textAt(toleration, "operator");
        String effect = Json.textAt(toleration, "effect");
        String value = Json.textAt(toleration, "value");
        if (!key.isEmpty()) {
            ObjectMetaRules.labelName(key, path.child("key"), errors);
        } else if (!operator.equals("Exists")) {
            errors.invalid(
                    path.child("operator"),
                    operator,
                    "operator must be Exists when `key` is empty, which means \"match all values and all keys\"");
        }
        if (Nodes.has(toleration, "tolerationSeconds") && !effect.equals("NoExecute")) {
            errors.invalid(path.child("effect"), effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
        }
        FieldPath place = path.child("operator");
        switch (operator) {
            case "", "Equal" -> {
                List<String> wrong = Names.labelValue(value);
                if (!wrong.isEmpty()) {
                    errors.invalid(place, value, String.join(";", wrong));
                }
            }
            case "Exists" -> {
                if (!value.isEmpty()) {
                    errors.invalid(place, value, "value must be empty when `operator` is 'Exists'");
                }
            }
            // Known, but not enabled in this release.
            case "Lt", "Gt" -> errors.notSupported(place, operator, List.of("Equal", "Exists", "Lt", "Gt"));
            default -> errors.notSupported(place, operator, List.of("Equal", "Exists"));
        }
        if (!effect.isEmpty() && !TAINT_EFFECTS.contains(effect)) {
            errors.notSupported(path.child("effect"), effect, TAINT_EFFECTS);
        }
    }

    static void spread(ObjectNode spec, FieldPath path, FieldErrors errors) {
        List<ObjectNode> constraints = Nodes.objects(spec, "topologySpreadConstraints");
        for (int i = 0; i < constraints.size(); i++) {
            ObjectNode constraint = constraints.get(i);
            FieldPath place = path.index(i);
            long skew = Json.longAt(constraint, 0, "maxSkew");
            if (skew <= 0) {
                errors.invalid(place.child("maxSkew"), skew, FieldChecks.POSITIVE);
            }
            String key = Json.textAt(constraint, "topologyKey");
            if (key.isEmpty()) {
                errors.required(place.child("topologyKey"), "can not be empty");
            }
            String action = Json.textAt(constraint, "whenUnsatisfiable");
            if (!UNSATISFIABLE.contains(action)) {
                errors.notSupported(place.child("whenUnsatisfiable"), action, UNSATISFIABLE);
            }
            for (ObjectNode other : constraints.subList(i + 1, constraints.size())) {
                if (key.equals(Json.textAt(other, "topologyKey"))
                        && action.equals(Json.textAt(other, "whenUnsatisfiable"))) {
                    errors.duplicate(place.child("{topologyKey, whenUnsatisfiable}"), "{" + key + ", " + action + "}");
                    break;
                }
            }
            minDomains(constraint, action, place.child("minDomains"), errors);
            FieldChecks.optionalOneOf(constraint, "nodeAffinityPolicy", INCLUSION, place, errors);
            FieldChecks.optionalOneOf(constraint, "nodeTaintsPolicy", INCLUSION, place, errors);
            AffinityRules.labelKeys(constraint, place, errors);
            LabelSelectorRules.check(Json.at(constraint, "labelSelector"), place.child("labelSelector"), errors);
        }
    }

    private static void minDomains(ObjectNode constraint, String action, FieldPath path, FieldErrors errors) {
        JsonNode domains = Json.at(constraint, "minDomains");
        if (domains == null) {
            return;
        }
        if (domains.longValue() <= 0) {
            errors.invalid(path, domains, FieldChecks.POSITIVE);
        }
        if (!action.equals("DoNotSchedule")) {
            errors.invalid(path, domains, "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not " + action);
        }
    }

    static void readinessGates(ObjectNode spec, FieldPath path, FieldErrors errors) {
        List<ObjectNode> gates = Nodes.objects(spec, "readinessGates");
        for (int i = 0; i < gates.size(); i++) {
            ObjectMetaRules.labelName(
                    Json.textAt(gates.get(i), "conditionType"), path.index(i).child("conditionType"), errors);
        }
    }

    static void schedulingGates(ObjectNode spec, FieldPath path, FieldErrors errors) {
        Set<String> seen = new HashSet<>();
        List<ObjectNode> gates = Nodes.objects(spec, "schedulingGates");
        for (int i = 0; i < gates.size(); i++) {
            String name = Json.textAt(gates.get(i), "name");
            ObjectMetaRules.labelName(name, path.index(i), errors);
            if (!seen.add(name)) {
                errors.duplicate(path.index(i), name);
            }
        }
    }

    /** Claims on devices that the pod's containers may share. */
    static void resourceClaims(PodScope scope, FieldPath path, FieldErrors errors) {
        Set<String> seen = new HashSet<>();
        List<ObjectNode> claims = Nodes.objects(scope.spec(), "resourceClaims");
        for (int i = 0; i < claims.size(); i++) {
            ObjectNode claim = claims.get(i);
            FieldPath place = path.index(i);
            if (Nodes.has(scope.pod(), "metadata", "annotations", PodAnnotationRules.MIRROR)) {
                errors.forbidden(FieldPath.of("[]"), "static pods do not support resource claims");
                continue;
            }
            String name = Json.textAt(claim, "name");
            if (FieldChecks.requireText(claim, "name", place, errors)) {
                if (seen.add(name)) {
                    FieldChecks.invalid(place.child("name"), name, Names.dns1123Label(name), errors);
                } else {
                    errors.duplicate(place.child("name"), name);
                }
            }
            ObjectNode shown = FieldChecks.goStruct(claim, "Name=", "ResourceClaimName", "ResourceClaimTemplateName");
            boolean direct = Nodes.has(claim, "resourceClaimName");
            boolean template = Nodes.has(claim, "resourceClaimTemplateName");
            if (direct && template) {
                errors.invalid(
                        place,
                        shown,
                        "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified");
            } else if (!direct && !template) {
                errors.invalid(place, shown, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
            }
            for (String field : List.of("resourceClaimName", "resourceClaimTemplateName")) {
                if (Nodes.has(claim, field)) {
                    String value = Json.textAt(claim, field);
                    FieldChecks.invalid(place.child(field), value, Names.dns1123Subdomain(value), errors);
                }
            }
        }
    }
}
