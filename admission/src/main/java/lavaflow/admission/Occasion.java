package lavaflow.admission;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.apiserver.Admission;
import lavaflow.apiserver.AdmissionForms;
import lavaflow.apiserver.Call;
import lavaflow.apiserver.Resource;
import lavaflow.kube.GroupVersionKind;
import lavaflow.kube.Json;
import lavaflow.kube.KindInfo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What is about to happen, as those outside see it. Remembers the object in each version somebody asked for; who changes
 * the object makes another occasion. Used by one thread, except that versions asked for before may be read by many.
 */
final class Occasion {
    /** The same objects under one of the paths they are served at. */
    record Form(
            Resource resource,
            GroupVersionKind kind,
            @Nullable ObjectNode object,
            @Nullable ObjectNode old) {}

    private final Call call;
    private final Admission.Operation operation;
    private final @Nullable ObjectNode object;
    private final @Nullable ObjectNode old;
    private final AdmissionForms forms;
    private final Map<String, Form> made = new LinkedHashMap<>();
    private @Nullable List<Resource> equivalents;

    Occasion(
            Call call,
            Admission.Operation operation,
            @Nullable ObjectNode object,
            @Nullable ObjectNode old,
            AdmissionForms forms) {
        this.call = call;
        this.operation = operation;
        this.object = object;
        this.old = old;
        this.forms = forms;
    }

    Call call() {
        return call;
    }

    Admission.Operation operation() {
        return operation;
    }

    @Nullable
    ObjectNode object() {
        return object;
    }

    @Nullable
    ObjectNode old() {
        return old;
    }

    Resource resource() {
        return call.resource();
    }

    String subresource() {
        return call.subresource();
    }

    /** A namespace is its own namespace. */
    String namespace() {
        return isNamespace() ? name() : call.namespace();
    }

    boolean isNamespace() {
        return call.resource().bucket().equals("namespaces");
    }

    /** The name in the path, or that of what is created. */
    String name() {
        boolean created = operation == Admission.Operation.CREATE && call.name().isEmpty();
        return created ? Json.textAt(object, "metadata", "name") : call.name();
    }

    /** What a refusal calls the object: one that is created may be waiting for its name. */
    String knownAs() {
        String name = name();
        return name.isEmpty() ? Json.textAt(object, "metadata", "generateName") : name;
    }

    /** Configuration of admission itself is never subject to it: nobody can lock the door to the key. */
    boolean isExempt() {
        return switch (call.resource().bucket()) {
            case "admissionregistration.k8s.io/validatingwebhookconfigurations",
                    "admissionregistration.k8s.io/mutatingwebhookconfigurations",
                    "admissionregistration.k8s.io/validatingadmissionpolicies",
                    "admissionregistration.k8s.io/validatingadmissionpolicybindings",
                    "admissionregistration.k8s.io/mutatingadmissionpolicies",
                    "admissionregistration.k8s.io/mutatingadmissionpolicybindings" -> true;
            default -> false;
        };
    }

    /** Other paths to the same objects. */
    List<Resource> equivalents() {
        List<Resource> known = equivalents;
        if (known == null) {
            known = forms.equivalents(call.resource());
            equivalents = known;
        }
        return known;
    }

    /** The objects as they are served at one of those paths, or at the path of the call. */
    Form form(Resource wanted) {
        return made.computeIfAbsent(wanted.info().apiVersion(), _ -> {
            ObjectNode shownObject = object == null ? null : forms.shown(call, object, wanted);
            ObjectNode shownOld = old == null ? null : forms.shown(call, old, wanted);
            return new Form(wanted, kind(wanted), shownObject, shownOld);
        });
    }

    private GroupVersionKind kind(Resource wanted) {
        KindInfo info = wanted.info();
        KindInfo.Subresource sub = call.subresource().isEmpty() ? null : info.subresource(call.subresource());
        return sub == null
                ? new GroupVersionKind(info.group(), info.version(), info.kind())
                : new GroupVersionKind(sub.group(), sub.version(), sub.kind());
    }

    /** Labels of the object, the old one, or of what has none: null where there is nothing that could have labels. */
    static @Nullable JsonNode labels(@Nullable ObjectNode of) {
        return of == null || !(of.get("metadata") instanceof ObjectNode metadata)
                ? null
                : metadata.has("labels") ? metadata.get("labels") : Json.object();
    }
}
