package lavaflow;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import lavaflow.apiserver.Admission;
import lavaflow.apiserver.AdmissionExtension;
import lavaflow.apiserver.AdmissionForms;
import lavaflow.apiserver.Call;
import lavaflow.apiserver.Resource;
import lavaflow.batch.Batch;
import lavaflow.controller.KubeApi;
import lavaflow.jobs.ResourceGroups;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.scheduler.GangSettings;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What upstream's webhooks do, in the process of the API server and with their answers. */
public final class WebhookAdmission implements AdmissionExtension {
    private static final String USUAL_SCHEDULER = "volcano";

    /** What webhooks may spare, lest the cluster cannot start without them. */
    private static final Set<String> SYSTEM = Set.of("kube-system", "volcano-system");

    /** By what they are asked about, which is looked up with every write. */
    private static final Map<String, List<Webhook>> WEBHOOKS =
            Webhook.all().collect(Collectors.groupingBy(each -> each.target().bucket()));

    private final AdmissionExtension next;
    private final InstantSource clock;

    /** @param next what else takes part in admission */
    public WebhookAdmission(AdmissionExtension next, InstantSource clock) {
        this.next = next;
        this.clock = clock;
    }

    @Override
    public List<Admission.Plugin> plugins(Context context) {
        List<Admission.Plugin> plugins = new ArrayList<>();
        plugins.add(new Rules(new Stored(new AdmissionForms(context.table(), context.store()), clock)));
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
            if (!call.subresource().isEmpty()) {
                return;
            }
            for (Webhook webhook : WEBHOOKS.getOrDefault(call.resource().bucket(), List.of())) {
                boolean asked = webhook.isMutating() == mutating
                        && webhook.operations().contains(operation)
                        && !(webhook.sparesSystem() && SYSTEM.contains(call.namespace()))
                        && !(isExempt(webhook, object) && isExempt(webhook, old));
                if (asked) {
                    Webhook.Answer answer =
                            webhook.answer(new Webhook.Review(operation, call.namespace(), object, old, cluster));
                    answer.warnings().forEach(call::warn);
                    refuse(webhook, answer);
                }
            }
        }

        /** One that is not there does not call for a webhook. */
        private static boolean isExempt(Webhook webhook, @Nullable ObjectNode object) {
            return !webhook.exemption().isEmpty()
                    && (object == null
                            || Json.textAt(object, "metadata", "labels", webhook.exemption())
                                    .equals("disabled"));
        }

        private static void refuse(Webhook webhook, Webhook.Answer answer) {
            if (answer.isYes()) {
                return;
            }
            ObjectNode status = Json.object();
            webhook.tellRefusal(status);
            throw ApiException.of(
                    (int) Json.longAt(status, 400, "code"),
                    Json.textAt(status, "reason"),
                    "admission webhook \"" + webhook.title() + "\" denied the request: " + answer.refusal());
        }
    }

    /** The cluster as the store has it. */
    private record Stored(AdmissionForms forms, InstantSource clock) implements Webhook.Cluster {
        @Override
        public List<ObjectNode> queues() {
            Resource queues = resource(Batch.QUEUES);
            return queues == null ? List.of() : forms.all(queues, "");
        }

        @Override
        public @Nullable ObjectNode find(KubeApi.Kind kind, String namespace, String name) {
            Resource resource = resource(kind);
            return resource == null ? null : forms.find(resource, namespace, name);
        }

        private @Nullable Resource resource(KubeApi.Kind kind) {
            return forms.resource(kind.group(), kind.version(), kind.resource());
        }

        @Override
        public Instant now() {
            return clock.instant();
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
