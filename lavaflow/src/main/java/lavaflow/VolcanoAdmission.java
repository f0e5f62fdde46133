package lavaflow;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import lavaflow.apiserver.Admission;
import lavaflow.apiserver.AdmissionExtension;
import lavaflow.apiserver.AdmissionForms;
import lavaflow.apiserver.Call;
import lavaflow.apiserver.Resource;
import lavaflow.jobs.ResourceGroups;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.scheduler.GangSettings;
import lavaflow.store.Store;
import lavaflow.store.StoredObject;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What Volcano's webhooks do, in the process of the API server and with their answers. */
public final class VolcanoAdmission implements AdmissionExtension {
    private static final String USUAL_SCHEDULER = "volcano";

    /** Upstream's webhooks leave these alone, lest the cluster cannot start without them. */
    private static final Set<String> EXEMPT = Set.of("kube-system", "volcano-system");

    private final AdmissionExtension next;

    /** @param next what else takes part in admission */
    public VolcanoAdmission(AdmissionExtension next) {
        this.next = next;
    }

    @Override
    public List<Admission.Plugin> plugins(Context context) {
        List<Admission.Plugin> plugins = new ArrayList<>();
        plugins.add(new Rules(new Stored(context.store(), new AdmissionForms(context.table(), context.store()))));
        plugins.addAll(next.plugins(context));
        return plugins;
    }

    private record Rules(Stored cluster) implements Admission.Plugin {
        @Override
        public void mutate(Call call, Admission.Operation operation, ObjectNode object, @Nullable ObjectNode old) {
            ask(true, call, operation, object, old);
        }

        @Override
        public void validate(
                Call call, Admission.Operation operation, @Nullable ObjectNode object, @Nullable ObjectNode old) {
            ask(false, call, operation, object, old);
        }

        private void ask(
                boolean mutating,
                Call call,
                Admission.Operation operation,
                @Nullable ObjectNode object,
                @Nullable ObjectNode old) {
            if (!call.subresource().isEmpty() || EXEMPT.contains(call.namespace())) {
                return;
            }
            String bucket = call.resource().bucket();
            for (VolcanoWebhook webhook : ALL) {
                if (webhook.isMutating() == mutating && webhook.isAbout(bucket, operation)) {
                    Webhook.Review review = new Webhook.Review(operation, call.namespace(), object, old, cluster);
                    refuse(webhook, webhook.answer(review));
                    webhook.warnings(review).forEach(call::warn);
                }
            }
        }

        private static void refuse(VolcanoWebhook webhook, String why) {
            if (!why.isEmpty()) {
                throw ApiException.of(
                        400, "", "admission webhook \"" + webhook.title() + "\" denied the request: " + why);
            }
        }
    }

    private static final VolcanoWebhook[] ALL = VolcanoWebhook.values();

    /** The cluster as the store has it. */
    private record Stored(Store store, AdmissionForms forms) implements Webhook.Cluster {
        @Override
        public List<ObjectNode> queues() {
            Resource queues = forms.ofKind("scheduling.volcano.sh/v1beta1", "Queue");
            return queues == null ? List.of() : forms.all(queues, "");
        }

        @Override
        public @Nullable ObjectNode queue(String name) {
            return find("scheduling.volcano.sh/queues", name);
        }

        @Override
        public @Nullable ObjectNode namespace(String name) {
            return find("namespaces", name);
        }

        private @Nullable ObjectNode find(String bucket, String name) {
            StoredObject found = store.get(bucket, name);
            return found == null ? null : Json.parseObject(found.bytes());
        }

        @Override
        public Set<String> schedulers() {
            return GangSettings.USUAL_NAMES;
        }

        @Override
        public String scheduler() {
            return USUAL_SCHEDULER;
        }

        @Override
        public ResourceGroups resourceGroups() {
            return ResourceGroups.NONE;
        }
    }
}
