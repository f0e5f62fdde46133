package lavaflow.apiserver;

import java.util.Set;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.store.Store;
import lavaflow.store.StoredObject;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Nothing is created in a namespace that does not exist or is going away; some namespaces never go away. */
final class NamespaceLifecycle implements Admission.Plugin {
    private static final Set<String> IMMORTAL = Set.of("default", "kube-system", "kube-public");

    private final Store store;

    NamespaceLifecycle(Store store) {
        this.store = store;
    }

    /** Runs among the mutating plugins, as upstream's does: a missing namespace is told before anything else. */
    @Override
    public void mutate(Call call, Admission.Operation operation, ObjectNode object, @Nullable ObjectNode old) {
        check(call, operation, Metadata.knownAs(object));
    }

    @Override
    public void validate(
            Call call, Admission.Operation operation, @Nullable ObjectNode object, @Nullable ObjectNode old) {
        if (operation == Admission.Operation.DELETE) {
            check(call, operation, call.name());
        }
    }

    private void check(Call call, Admission.Operation operation, String name) {
        Resource resource = call.resource();
        if (operation == Admission.Operation.DELETE) {
            if (resource.bucket().equals("namespaces") && IMMORTAL.contains(call.name())) {
                throw resource.forbidden(call.name(), "this namespace may not be deleted");
            }
            return;
        }
        // Who asks what somebody may do in a namespace must not learn whether it exists.
        boolean question = resource.bucket().equals("authorization.k8s.io/localsubjectaccessreviews");
        if (operation != Admission.Operation.CREATE || !resource.namespaced() || question) {
            return;
        }
        StoredObject namespace = store.get("namespaces", call.namespace());
        if (namespace == null) {
            throw ApiException.notFound("", "namespaces", call.namespace());
        }
        ObjectNode stored = StoredForm.decode(namespace);
        boolean terminating = Metadata.isDeleting(stored)
                || Json.textAt(stored, "status", "phase").equals("Terminating");
        if (terminating) {
            throw resource.forbidden(
                            name,
                            "unable to create new content in namespace " + call.namespace()
                                    + " because it is being terminated")
                    .cause(
                            "NamespaceTerminating",
                            "namespace " + call.namespace() + " is being terminated",
                            "metadata.namespace");
        }
    }
}
