package lavaflow.admission;

import java.util.ArrayList;
import java.util.List;

import lavaflow.apiserver.AdmissionForms;
import lavaflow.apiserver.Resource;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;
import lavaflow.kube.MalformedException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Finds the parameters that a binding gives to its policy. */
final class Params {
    /** A binding whose parameters cannot be had; the message is upstream's. */
    static final class Missing extends Exception {
        private static final long serialVersionUID = 1L;

        Missing(String message) {
            super(message, null, false, false);
        }
    }

    private final AdmissionForms forms;

    Params(AdmissionForms forms) {
        this.forms = forms;
    }

    /** What is wrong where parameters of a policy are of a kind that is not there; null where they are not. */
    @Nullable
    String unknownKind(Policy policy) {
        JsonNode kind = policy.paramKind();
        return kind == null || forms.ofKind(Json.textAt(kind, "apiVersion"), Json.textAt(kind, "kind")) != null
                ? null
                : unknown(kind);
    }

    private static String unknown(JsonNode kind) {
        String apiVersion = Json.textAt(kind, "apiVersion");
        String group = apiVersion.contains("/") ? apiVersion : "/" + apiVersion;
        return "failed to find resource referenced by paramKind: '" + group + ", Kind=" + Json.textAt(kind, "kind")
                + "'";
    }

    /** The parameters a policy is to be asked with, one after the other; an element is null where it has none. */
    List<@Nullable ObjectNode> find(Policy policy, Policy.Binding binding, Occasion occasion) throws Missing {
        List<@Nullable ObjectNode> found = new ArrayList<>();
        JsonNode kind = policy.paramKind();
        JsonNode reference = binding.paramRef();
        if (kind == null || reference == null) {
            found.add(null);
            return found;
        }
        Resource resource = forms.ofKind(Json.textAt(kind, "apiVersion"), Json.textAt(kind, "kind"));
        if (resource == null) {
            throw new Missing(unknown(kind));
        }
        String namespace = namespace(resource, reference, occasion);
        String name = Json.textAt(reference, "name");
        if (name.isEmpty()) {
            LabelSelector selector = selector(Json.at(reference, "selector"));
            for (ObjectNode each : forms.all(resource, namespace)) {
                if (selector.matches(Json.at(each, "metadata", "labels"))) {
                    found.add(each);
                }
            }
        } else {
            ObjectNode one = forms.find(resource, namespace, name);
            if (one != null) {
                found.add(one);
            }
        }
        if (found.isEmpty()
                && !Json.textAt(reference, "parameterNotFoundAction").equals("Allow")) {
            throw new Missing("no params found for policy binding with `Deny` parameterNotFoundAction");
        }
        return found;
    }

    private static String namespace(Resource resource, JsonNode reference, Occasion occasion) throws Missing {
        String given = Json.textAt(reference, "namespace");
        if (!resource.namespaced()) {
            if (!given.isEmpty()) {
                throw new Missing("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
            }
            return "";
        }
        String namespace = given.isEmpty() ? occasion.namespace() : given;
        if (namespace.isEmpty()) {
            throw new Missing("cannot use namespaced paramRef in policy binding that matches cluster-scoped resources");
        }
        return namespace;
    }

    private static LabelSelector selector(@Nullable JsonNode selector) {
        try {
            return LabelSelector.fromJson(selector);
        } catch (MalformedException e) {
            return LabelSelector.NOTHING;
        }
    }
}
