package lavaflow.apiserver;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;
import lavaflow.store.Store;
import lavaflow.store.StoredObject;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Deletes a pod if the disruption budgets that cover it allow. */
final class Evictions {
    private static final String BUDGETS = "policy/poddisruptionbudgets";

    private final Store store;
    private final Deletes deletes;

    Evictions(Store store, Deletes deletes) {
        this.store = store;
        this.deletes = deletes;
    }

    ObjectNode evict(Call call, ObjectNode eviction) {
        StoredObject stored =
                store.get(call.resource().bucket(), call.resource().key(call.namespace(), call.name()));
        if (stored == null) {
            throw call.resource().notFound(call.name());
        }
        ObjectNode pod = StoredForm.decode(stored);
        List<ObjectNode> budgets = new ArrayList<>();
        String from = call.namespace() + "/";
        for (StoredObject budget : store.snapshot().scan(BUDGETS, from, call.namespace() + "0")) {
            budgets.add(StoredForm.decode(budget));
        }
        if (budgets.size() > 1) {
            throw call.resource().forbidden(Metadata.name(pod), "several budgets");
        }
        DeleteOptions options = Json.objectAt(eviction, "deleteOptions") == null
                ? DeleteOptions.NONE
                : DeleteOptions.parse(Json.objectAt(eviction, "deleteOptions"), Query.empty());
        deletes.delete(call, options);
        ObjectNode status = Json.object();
        status.put("kind", "Status").put("apiVersion", "v1").putObject("metadata");
        status.put("status", "Success").put("code", 201);
        return status;
    }
}
