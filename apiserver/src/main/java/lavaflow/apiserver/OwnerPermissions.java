package lavaflow.apiserver;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import lavaflow.access.Attributes;
import lavaflow.access.Authorizer;
import lavaflow.kube.ApiException;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Upstream's {@code OwnerReferencesPermissionEnforcement}: who gives an object another owner gives it away to be deleted, so they must
 * be allowed to delete it; and who lets it block its owner's deletion must be allowed to change that owner's finalizers. Off unless asked for.
 */
final class OwnerPermissions implements Admission.Plugin {
    /** What an owner's kind is served as. */
    record Served(String resource, boolean namespaced) {}

    /** Finds out; empty for kinds nobody serves. */
    interface Kinds {
        List<Served> served(String group, String version, String kind);
    }

    private final Authorizer authorizer;
    private final Kinds kinds;

    OwnerPermissions(Authorizer authorizer, Kinds kinds) {
        this.authorizer = authorizer;
        this.kinds = kinds;
    }

    @Override
    public void validate(
            Call call, Admission.Operation operation, @Nullable ObjectNode object, @Nullable ObjectNode old) {
        boolean write = operation == Admission.Operation.CREATE || operation == Admission.Operation.UPDATE;
        if (!write || object == null || isAboutSomethingElse(call)) {
            return;
        }
        ArrayNode owners = owners(object);
        ArrayNode before = old == null ? Json.array() : owners(old);
        if (owners.equals(before)) {
            return;
        }
        // Who creates an object could have left it; who changes it must have the right to.
        if (operation == Admission.Operation.UPDATE) {
            requireDeletion(call, object);
        }
        requireFinalizers(call, object, owners, before);
    }

    /** Kubelets write the status of pods, and a scale has no owners. */
    private static boolean isAboutSomethingElse(Call call) {
        String part = call.subresource();
        boolean podStatus = part.equals("status") && call.resource().bucket().equals("pods");
        return podStatus || part.equals("scale");
    }

    private static ArrayNode owners(ObjectNode object) {
        return Json.listAt(object, "metadata", "ownerReferences");
    }

    private void requireDeletion(Call call, ObjectNode object) {
        Resource resource = call.resource();
        Attributes deletion = Attributes.ofResource(
                "delete",
                resource.group(),
                resource.info().version(),
                resource.name(),
                call.subresource(),
                call.namespace(),
                Metadata.name(object));
        Authorizer.Decision decision = authorizer.decide(call.user(), deletion);
        if (!decision.allowed()) {
            throw refusal(
                    call,
                    object,
                    "cannot set an ownerRef on a resource you can't delete: " + decision.reason() + ", <nil>");
        }
    }

    private void requireFinalizers(Call call, ObjectNode object, ArrayNode owners, ArrayNode before) {
        Map<String, Boolean> blocked = new HashMap<>();
        before.forEach(owner -> blocked.put(Json.textAt(owner, "uid"), blocks(owner)));
        for (JsonNode owner : owners) {
            boolean newlyBlocks = blocks(owner) && !blocked.getOrDefault(Json.textAt(owner, "uid"), false);
            if (newlyBlocks && !mayFinalizeAnything(call)) {
                requireFinalizers(call, object, owner);
            }
        }
    }

    private static boolean blocks(JsonNode owner) {
        return Json.flagAt(owner, "blockOwnerDeletion");
    }

    private boolean mayFinalizeAnything(Call call) {
        return authorizer
                .decide(call.user(), Attributes.ofResource("update", "*", "*", "*", "finalizers", "", "*"))
                .allowed();
    }

    private void requireFinalizers(Call call, ObjectNode object, JsonNode owner) {
        String apiVersion = Json.textAt(owner, "apiVersion");
        String kind = Json.textAt(owner, "kind");
        int slash = apiVersion.indexOf('/');
        String group = slash < 0 ? "" : apiVersion.substring(0, slash);
        String version = apiVersion.substring(slash + 1);
        List<Served> found = kinds.served(group, version, kind);
        if (found.isEmpty()) {
            throw refusal(
                    call,
                    object,
                    "cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion "
                            + apiVersion + " Kind " + kind + ": no matches for kind " + FieldErrors.quoted(kind)
                            + " in version " + FieldErrors.quoted(apiVersion));
        }
        for (Served each : found) {
            // An owner with a namespace is in its dependents' one.
            String namespace = each.namespaced() ? call.namespace() : "";
            Authorizer.Decision decision = authorizer.decide(
                    call.user(),
                    Attributes.ofResource(
                            "update",
                            group,
                            version,
                            each.resource(),
                            "finalizers",
                            namespace,
                            Json.textAt(owner, "name")));
            if (!decision.allowed()) {
                throw refusal(
                        call,
                        object,
                        "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set"
                                + " finalizers on: " + decision.reason() + ", <nil>");
            }
        }
    }

    private static ApiException refusal(Call call, ObjectNode object, String why) {
        return call.resource().forbidden(Metadata.name(object), why);
    }
}
