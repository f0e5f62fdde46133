package lavaflow.apiserver;

import lavaflow.kinds.PodBinding;
import lavaflow.kube.ApiException;
import lavaflow.store.Mutation;
import lavaflow.store.Outcome;
import lavaflow.store.Store;
import lavaflow.store.StoredObject;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Gives pods their nodes. Not an update of the pod in the usual sense: no manager owns what a binding sets. */
final class Bindings {
    private static final String PODS = "pods";

    private final Store store;

    Bindings(Store store) {
        this.store = store;
    }

    void bind(Call call, String name, ObjectNode binding) {
        PodBinding.check(name, binding);
        String uid = Metadata.uid(binding);
        String version = Metadata.resourceVersion(binding);
        String key = call.namespace() + "/" + name;
        while (true) {
            StoredObject stored = store.get(PODS, key);
            if (stored == null) {
                throw ApiException.notFound("", PODS, name);
            }
            ObjectNode pod = StoredForm.decode(stored);
            if (!uid.isEmpty() && !uid.equals(Metadata.uid(pod))) {
                throw UpdatePreconditions.otherObject(call, uid, Metadata.uid(pod));
            }
            if (!version.isEmpty() && !version.equals(Metadata.resourceVersion(pod))) {
                throw ApiException.modified("", PODS, name);
            }
            ObjectNode bound = PodBinding.bind(pod, binding, Metadata.time(call.now()));
            if (call.dryRun()) {
                return;
            }
            Outcome outcome =
                    store.commit(new Mutation.Put(PODS, key, stored.revision(), StoredForm.encode(bound), false));
            if (outcome instanceof Outcome.Committed) {
                return;
            }
        }
    }
}
