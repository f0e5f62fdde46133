package lavaflow.apiserver;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kinds.EvictionRules;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.store.Mutation;
import lavaflow.store.Outcome;
import lavaflow.store.Store;
import lavaflow.store.StoredObject;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Deletes a pod if the disruption budgets that cover it allow. */
final class Evictions {
    private static final String BUDGETS = "policy/poddisruptionbudgets";
    /** How often a budget may change under our hands before the client is asked to come back. */
    private static final int TRIES = 20;

    private final Store store;
    private final Writes writes;
    private final Deletes deletes;

    Evictions(Store store, Writes writes, Deletes deletes) {
        this.store = store;
        this.writes = writes;
        this.deletes = deletes;
    }

    void evict(Call call, ObjectNode eviction) {
        ResourceHandler.checkNamespace(call, eviction);
        if (!Metadata.name(eviction).equals(call.name())) {
            throw ApiException.badRequest("name in URL does not match name in Eviction object");
        }
        ObjectNode wanted = Json.objectAt(eviction, "deleteOptions");
        DeleteOptions options = wanted == null ? DeleteOptions.NONE : DeleteOptions.parse(wanted, Query.empty());
        String now = Metadata.time(call.now());
        for (int attempt = 0; attempt < TRIES; attempt++) {
            StoredObject stored =
                    store.get(call.resource().bucket(), call.resource().key(call.namespace(), call.name()));
            if (stored == null) {
                throw call.resource().notFound(call.name());
            }
            ObjectNode pod = StoredForm.decode(stored);
            boolean decided = switch (EvictionRules.decide(pod, budgets(call.namespace()))) {
                case EvictionRules.Decision.Free() -> true;
                case EvictionRules.Decision.Refused(ApiException answer) -> throw answer;
                case EvictionRules.Decision.Charged(ObjectNode budget) ->
                    call.dryRun() || options.dryRun() || charge(call, budget, now);
            };
            if (decided) {
                finish(call, options, now);
                return;
            }
        }
        throw ApiException.of(429, "TooManyRequests", "the disruption budget is contended; try again")
                .retryAfter(1);
    }

    private void finish(Call call, DeleteOptions options, String now) {
        boolean marks = !call.dryRun() && !options.dryRun() && options.resourceVersion() == null;
        if (marks) {
            Call status = call.forSubresource("status");
            // Upstream writes this condition below the layer that records owners.
            writes.update(status, false, true, live -> {
                if (live == null) {
                    throw call.resource().notFound(call.name());
                }
                EvictionRules.mark(live, now);
                return live;
            });
        }
        deletes.delete(call, options);
    }

    private List<ObjectNode> budgets(String namespace) {
        List<ObjectNode> budgets = new ArrayList<>();
        for (StoredObject budget : store.snapshot().scan(BUDGETS, namespace + "/", namespace + "0")) {
            budgets.add(StoredForm.decode(budget));
        }
        return budgets;
    }

    /** Takes one disruption from a budget; false if somebody else changed it meanwhile. */
    private boolean charge(Call call, ObjectNode budget, String now) {
        ObjectNode charged = EvictionRules.charge(budget, call.name(), now);
        Outcome outcome = store.commit(new Mutation.Put(
                BUDGETS,
                call.namespace() + "/" + Metadata.name(budget),
                Long.parseLong(Metadata.resourceVersion(budget)),
                StoredForm.encode(charged),
                false));
        return outcome instanceof Outcome.Committed;
    }
}
