package lavaflow.kinds;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Which objects a quota is about. */
public final class QuotaScopes {
    private QuotaScopes() {}

    /** Whether an object is in all scopes of a quota; a quota without scopes is about everything. */
    public static boolean covers(ObjectNode quota, String group, String resource, ObjectNode object) {
        for (String scope : Nodes.strings(quota, "spec", "scopes")) {
            if (!matches(scope, "Exists", List.of(), group, resource, object)) {
                return false;
            }
        }
        for (ObjectNode requirement : Nodes.objects(quota, "spec", "scopeSelector", "matchExpressions")) {
            String scope = Json.textAt(requirement, "scopeName");
            String operator = Json.textAt(requirement, "operator");
            List<String> values = Nodes.strings(requirement, "values");
            if (!matches(scope, operator, values, group, resource, object)) {
                return false;
            }
        }
        return true;
    }

    private static boolean matches(
            String scope, String operator, List<String> values, String group, String resource, ObjectNode object) {
        if (!group.isEmpty()) {
            return false;
        }
        return switch (resource) {
            case "pods" -> pod(scope, operator, values, object);
            case "persistentvolumeclaims" ->
                scope.equals("VolumeAttributesClass") && named(attributeClasses(object), operator, values);
            default -> false;
        };
    }

    private static boolean pod(String scope, String operator, List<String> values, ObjectNode pod) {
        return switch (scope) {
            case "Terminating" -> isTerminating(pod);
            case "NotTerminating" -> !isTerminating(pod);
            case "BestEffort" -> QosClass.of(pod).equals("BestEffort");
            case "NotBestEffort" -> !QosClass.of(pod).equals("BestEffort");
            case "PriorityClass" -> {
                String name = Json.textAt(pod, "spec", "priorityClassName");
                yield named(name.isEmpty() ? Set.of() : Set.of(name), operator, values);
            }
            case "CrossNamespacePodAffinity" -> reachesOtherNamespaces(pod);
            default -> false;
        };
    }

    /** Whether a pod ends by itself, in the sense of quotas. */
    static boolean isTerminating(ObjectNode pod) {
        JsonNode deadline = Json.at(pod, "spec", "activeDeadlineSeconds");
        return deadline != null && deadline.longValue() >= 0;
    }

    private static boolean named(Set<String> names, String operator, List<String> values) {
        return switch (operator) {
            case "Exists" -> !names.isEmpty();
            case "DoesNotExist" -> names.isEmpty();
            case "In" -> names.stream().anyMatch(values::contains);
            case "NotIn" -> names.isEmpty() || names.stream().anyMatch(name -> !values.contains(name));
            default -> false;
        };
    }

    private static Set<String> attributeClasses(ObjectNode claim) {
        Set<String> names = new HashSet<>();
        names.add(Json.textAt(claim, "spec", "volumeAttributesClassName"));
        names.add(Json.textAt(claim, "status", "currentVolumeAttributesClassName"));
        names.add(Json.textAt(claim, "status", "modifyVolumeStatus", "targetVolumeAttributesClassName"));
        names.remove("");
        return names;
    }

    private static boolean reachesOtherNamespaces(ObjectNode pod) {
        for (String kind : new String[] {"podAffinity", "podAntiAffinity"}) {
            JsonNode affinity = Json.at(pod, "spec", "affinity", kind);
            for (ObjectNode term : Nodes.objects(affinity, "requiredDuringSchedulingIgnoredDuringExecution")) {
                if (reachesOut(term)) {
                    return true;
                }
            }
            for (ObjectNode weighted : Nodes.objects(affinity, "preferredDuringSchedulingIgnoredDuringExecution")) {
                if (reachesOut(Json.at(weighted, "podAffinityTerm"))) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean reachesOut(@org.jspecify.annotations.Nullable JsonNode term) {
        return !Nodes.emptyAt(term, "namespaces") || Nodes.has(term, "namespaceSelector");
    }
}
