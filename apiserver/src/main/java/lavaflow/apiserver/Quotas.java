package lavaflow.apiserver;

import java.util.List;
import java.util.Map;

import lavaflow.kinds.QuotaAdmission;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.store.Mutation;
import lavaflow.store.Outcome;
import lavaflow.store.Store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a namespace within its quotas: what a write takes is stored in the quota's status before the write, on condition
 * that nobody else took it first. A write that fails afterwards has taken too much; the quota controller gives it back.
 */
final class Quotas implements Admission.Plugin {
    private static final String BUCKET = "resourcequotas";
    private static final int TRIES = 30;

    private final Store store;
    private final Stored stored;

    Quotas(Store store, Stored stored) {
        this.store = store;
        this.stored = stored;
    }

    @Override
    public void validate(
            Call call, Admission.Operation operation, @Nullable ObjectNode object, @Nullable ObjectNode old) {
        if (object == null
                || !call.resource().namespaced()
                || operation == Admission.Operation.DELETE
                || operation == Admission.Operation.CONNECT) {
            return;
        }
        QuotaAdmission.Request request = new QuotaAdmission.Request(
                call.resource().stored().group(), call.resource().name(), call.subresource(), object, old, call.now());
        if (!request.counts()) {
            return;
        }
        for (int attempt = 0; attempt < TRIES; attempt++) {
            List<ObjectNode> quotas = stored.all(BUCKET, call.namespace());
            if (quotas.isEmpty()) {
                return;
            }
            QuotaAdmission.Verdict verdict = QuotaAdmission.check(quotas, request);
            PodAdmission.refuse(call, object, verdict.refusal());
            if (call.dryRun() || take(call.namespace(), quotas, verdict.used())) {
                return;
            }
        }
        throw ApiException.conflict("", BUCKET, "", "the quotas of the namespace are contended; try again");
    }

    /** Stores what is used now; false if somebody was faster, in which case all is looked at again. */
    private boolean take(String namespace, List<ObjectNode> quotas, Map<String, ObjectNode> used) {
        for (ObjectNode quota : quotas) {
            ObjectNode after = used.get(Metadata.name(quota));
            if (after == null) {
                continue;
            }
            long revision = Long.parseLong(Metadata.resourceVersion(quota));
            Json.ensureObject(quota, "status").set("used", after);
            Outcome outcome = store.commit(new Mutation.Put(
                    BUCKET, namespace + "/" + Metadata.name(quota), revision, StoredForm.encode(quota), false));
            if (!(outcome instanceof Outcome.Committed)) {
                return false;
            }
        }
        return true;
    }
}
