package lavaflow.apiserver;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import lavaflow.kinds.EvictionRules;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.store.Mutation;
import lavaflow.store.Outcome;
import lavaflow.store.Store;
import lavaflow.store.StoredObject;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Deletes a pod if the disruption budgets that cover it allow. */
final class Evictions {
    private static final String BUDGETS = "policy/poddisruptionbudgets";
    /** How often a budget may change under our hands before the client is asked to come back. */
    private static final int TRIES = 20;

    private final Store store;
    private final Writes writes;
    private final Deletes deletes;
    private final FieldOwnership ownership;
    private final Resource budgets;

    Evictions(Store store, Writes writes, Deletes deletes, FieldOwnership ownership, ResourceTable table) {
        this.store = store;
        this.writes = writes;
        this.deletes = deletes;
        this.ownership = ownership;
        this.budgets = Objects.requireNonNull(table.find("policy", "v1", "poddisruptionbudgets"));
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
            boolean done = switch (EvictionRules.decide(pod, budgets(call.namespace()))) {
                case EvictionRules.Decision.Free() -> finish(call, options, now, pod);
                case EvictionRules.Decision.Refused(ApiException answer) -> throw answer;
                case EvictionRules.Decision.Charged(ObjectNode budget) ->
                    (call.dryRun() || options.dryRun() || charge(call, budget, now))
                            && finish(call, options, now, null);
            };
            if (done) {
                return;
            }
        }
        throw ApiException.of(429, "TooManyRequests", "the disruption budget is contended; try again")
                .retryAfter(1);
    }

    /**
     * Marks the pod and deletes it.
     *
     * @param seen the state in which no budget had to pay for the pod; null where it does not matter
     * @return false if the pod has left that state, so that budgets must be asked again
     */
    private boolean finish(Call eviction, DeleteOptions options, String now, @Nullable ObjectNode seen) {
        Call call = eviction.afterAdmission();
        boolean ours = options.resourceVersion() == null;
        boolean guarded = ours && seen != null && EvictionRules.mayStillCount(seen);
        String expected = guarded ? Metadata.resourceVersion(Objects.requireNonNull(seen)) : "";
        try {
            if (!call.dryRun() && !options.dryRun() && ours) {
                ObjectNode marked = mark(call, options, now, expected);
                expected = guarded ? Metadata.resourceVersion(marked) : "";
            }
            deletes.delete(call, guarded ? options.withResourceVersion(expected) : options);
            return true;
        } catch (ApiException e) {
            if (guarded && e.reason().equals("Conflict") && hasChanged(call, expected)) {
                return false;
            }
            throw e;
        }
    }

    /** Upstream writes this condition below the layer that records owners. */
    private ObjectNode mark(Call call, DeleteOptions options, String now, String expected) {
        Call status = call.forSubresource("status");
        return writes.update(status, false, true, live -> {
                    if (live == null) {
                        throw call.resource().notFound(call.name());
                    }
                    Deletes.checkPreconditions(call.resource(), call.name(), live, options);
                    if (!expected.isEmpty() && !expected.equals(Metadata.resourceVersion(live))) {
                        throw call.resource().modified(call.name());
                    }
                    EvictionRules.mark(live, now);
                    return live;
                })
                .object();
    }

    private boolean hasChanged(Call call, String version) {
        StoredObject stored =
                store.get(call.resource().bucket(), call.resource().key(call.namespace(), call.name()));
        return stored != null && !version.equals(Long.toString(stored.revision()));
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
        ownership.updateStatusByServer(budgets, budget, charged, now);
        Outcome outcome = store.commit(new Mutation.Put(
                BUDGETS,
                call.namespace() + "/" + Metadata.name(budget),
                Long.parseLong(Metadata.resourceVersion(budget)),
                StoredForm.encode(charged),
                false));
        return outcome instanceof Outcome.Committed;
    }
}
