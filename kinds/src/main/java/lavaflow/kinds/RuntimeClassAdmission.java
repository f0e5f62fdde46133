package lavaflow.kinds;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What the class of its runtime does to a pod: how much it costs on top, and where it can run. */
public final class RuntimeClassAdmission {
    private RuntimeClassAdmission() {}

    /** Fills in the overhead and the scheduling of the class. Answers why the pod is refused, or "". */
    public static String apply(ObjectNode pod, ObjectNode runtimeClass) {
        ObjectNode spec = Json.ensureObject(pod, "spec");
        String conflict = setOverhead(spec, Json.objectAt(runtimeClass, "overhead", "podFixed"));
        if (!conflict.isEmpty()) {
            return conflict;
        }
        ObjectNode selector = Json.objectAt(runtimeClass, "scheduling", "nodeSelector");
        for (Map.Entry<String, JsonNode> label :
                selector == null ? Json.object().properties() : selector.properties()) {
            String own = Json.textAt(spec, "nodeSelector", label.getKey());
            String wanted = label.getValue().asText();
            if (Nodes.has(spec, "nodeSelector", label.getKey()) && !own.equals(wanted)) {
                String key = "nodeSelector[" + label.getKey() + "] = ";
                return "conflict: runtimeClass.scheduling." + key + wanted + "; pod.spec." + key + own;
            }
        }
        if (selector != null && !selector.isEmpty()) {
            Json.ensureObject(spec, "nodeSelector").setAll(selector);
        }
        List<ObjectNode> more = Nodes.objects(Json.at(runtimeClass, "scheduling"), "tolerations");
        if (!more.isEmpty()) {
            List<ObjectNode> all = new ArrayList<>(Nodes.objects(spec, "tolerations"));
            all.addAll(more);
            spec.set("tolerations", merged(all));
        }
        return "";
    }

    private static String setOverhead(ObjectNode spec, @Nullable ObjectNode overhead) {
        if (overhead == null) {
            return "";
        }
        JsonNode own = Json.at(spec, "overhead");
        if (own != null && !own.equals(overhead)) {
            return "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
        }
        spec.set("overhead", overhead.deepCopy());
        return "";
    }

    /** Why the finished pod is refused, or "": nobody but the class says what a runtime costs. */
    public static String problem(ObjectNode pod, @Nullable ObjectNode runtimeClass) {
        boolean known = runtimeClass != null && Json.at(runtimeClass, "overhead", "podFixed") != null;
        return known || Json.at(pod, "spec", "overhead") == null
                ? ""
                : "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead";
    }

    /** All tolerations but those that another one covers; of equal ones the first. */
    private static ArrayNode merged(List<ObjectNode> all) {
        List<ObjectNode> kept = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            ObjectNode toleration = all.get(i);
            boolean covered = kept.stream().anyMatch(other -> covers(other, toleration))
                    || all.subList(i + 1, all.size()).stream()
                            .anyMatch(other -> !other.equals(toleration) && covers(other, toleration));
            if (!covered) {
                kept.add(toleration);
            }
        }
        return Json.array().addAll(kept);
    }

    private static boolean covers(ObjectNode wide, ObjectNode narrow) {
        if (wide.equals(narrow)) {
            return true;
        }
        String operator = Json.textAt(wide, "operator");
        boolean anyKey = Json.textAt(wide, "key").isEmpty() && operator.equals("Exists");
        String effect = Json.textAt(wide, "effect");
        boolean sameKey = anyKey || Json.textAt(wide, "key").equals(Json.textAt(narrow, "key"));
        boolean sameEffect = effect.isEmpty() || effect.equals(Json.textAt(narrow, "effect"));
        if (!sameKey || !sameEffect) {
            return false;
        }
        if (effect.equals("NoExecute")
                && Nodes.has(wide, "tolerationSeconds")
                && Json.longAt(narrow, Long.MAX_VALUE, "tolerationSeconds")
                        > Json.longAt(wide, 0, "tolerationSeconds")) {
            return false;
        }
        return switch (operator) {
            case "Exists" -> true;
            case "Equal", "" ->
                Json.textAt(narrow, "operator").equals("Equal")
                        && Json.textAt(narrow, "value").equals(Json.textAt(wide, "value"));
            default -> false;
        };
    }
}
