package lavaflow.kinds;

import java.util.List;

import lavaflow.kube.ApiException;
import lavaflow.kube.FieldError;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Giving a pod its node: {@code pods/binding} and the older {@code bindings}.
 *
 * <p>The caller looks up the pod, honours uid and resourceVersion of the binding's metadata as preconditions, stores
 * what {@link #bind} returns and answers with a Status of success. The generation stays as it is.
 */
public final class PodBinding {
    private PodBinding() {}

    /** Refuses a binding that is wrong in itself; {@code name} is that of the pod in the URL. */
    public static void check(String name, ObjectNode binding) throws ApiException {
        if (!name.equals(Json.textAt(binding, "metadata", "name"))) {
            throw ApiException.badRequest("name in URL does not match name in Binding object");
        }
        FieldErrors errors = new FieldErrors();
        String kind = Json.textAt(binding, "target", "kind");
        if (!kind.isEmpty() && !kind.equals("Node")) {
            errors.notSupported(FieldPath.of("target", "kind"), kind, List.of("Node", "<empty>"));
        }
        FieldChecks.requireText(binding.get("target"), "name", FieldPath.of("target"), errors);
        if (!errors.isEmpty()) {
            List<String> messages =
                    errors.list().stream().map(FieldError::message).toList();
            String all = messages.size() == 1 ? messages.getFirst() : "[" + String.join(", ", messages) + "]";
            throw ApiException.badRequest(all);
        }
    }

    /**
     * The pod as it is once bound.
     *
     * @param now when, in RFC 3339
     */
    public static ObjectNode bind(ObjectNode pod, ObjectNode binding, String now) throws ApiException {
        String name = Json.textAt(pod, "metadata", "name");
        String node = Json.textAt(pod, "spec", "nodeName");
        if (Nodes.has(pod, "metadata", "deletionTimestamp")) {
            throw refused(name, "pod " + name + " is being deleted, cannot be assigned to a host");
        }
        if (!node.isEmpty()) {
            throw refused(name, "pod " + name + " is already assigned to node " + FieldErrors.quoted(node));
        }
        if (!Nodes.emptyAt(pod, "spec", "schedulingGates")) {
            throw refused(name, "pod " + name + " has non-empty .spec.schedulingGates");
        }
        ObjectNode bound = pod.deepCopy();
        Json.ensureObject(bound, "spec").put("nodeName", Json.textAt(binding, "target", "name"));
        Json.ensureObject(bound, "status").remove("nominatedNodeName");
        for (String map : List.of("annotations", "labels")) {
            JsonNode added = Json.at(binding, "metadata", map);
            if (added instanceof ObjectNode entries && !entries.isEmpty()) {
                Json.ensureObject(bound, "metadata", map).setAll(entries);
            }
        }
        PodConditions.set(bound, "PodScheduled", true, "", "", now);
        return bound;
    }

    private static ApiException refused(String name, String why) {
        return ApiException.conflict("", "pods/binding", name, why);
    }
}
