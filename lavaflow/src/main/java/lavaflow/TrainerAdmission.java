package lavaflow;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

import lavaflow.apiserver.Admission;
import lavaflow.apiserver.AdmissionExtension;
import lavaflow.apiserver.AdmissionForms;
import lavaflow.apiserver.Call;
import lavaflow.apiserver.Resource;
import lavaflow.kube.ApiException;
import lavaflow.trainer.JobSetDefaults;
import lavaflow.trainer.PatchTimes;
import lavaflow.trainer.TrainerRules;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What the webhooks of Kubeflow's Trainer and of JobSet do, in the process of the API server and with their answers. */
final class TrainerAdmission implements AdmissionExtension {
    private final AdmissionExtension next;
    private final InstantSource clock;

    /** @param next what else takes part in admission */
    TrainerAdmission(AdmissionExtension next, InstantSource clock) {
        this.next = next;
        this.clock = clock;
    }

    @Override
    public List<Admission.Plugin> plugins(Context context) {
        List<Admission.Plugin> plugins = new ArrayList<>();
        plugins.add(new Rules(new Stored(new AdmissionForms(context.table(), context.store())), clock));
        plugins.addAll(next.plugins(context));
        return plugins;
    }

    /** The cluster as the store has it. */
    private record Stored(AdmissionForms forms) implements TrainerRules.Cluster {
        @Override
        public @Nullable ObjectNode find(String apiVersion, String kind, String namespace, String name) {
            Resource resource = forms.ofKind(apiVersion, kind);
            return resource == null ? null : forms.find(resource, namespace, name);
        }
    }

    private record Rules(Stored cluster, InstantSource clock) implements Admission.Plugin {
        @Override
        public void mutate(Call call, Admission.Operation operation, ObjectNode object, @Nullable ObjectNode old) {
            if (!call.subresource().isEmpty()) {
                return;
            }
            switch (call.resource().bucket()) {
                case "jobset.x-k8s.io/jobsets" -> {
                    if (old == null) {
                        JobSetDefaults.complete(object);
                    }
                }
                case "trainer.kubeflow.org/trainjobs" -> PatchTimes.stamp(object, old, clock.instant());
                default -> {}
            }
        }

        @Override
        public void validate(
                Call call, Admission.Operation operation, @Nullable ObjectNode object, @Nullable ObjectNode old) {
            if (object == null || !call.subresource().isEmpty()) {
                return;
            }
            TrainerRules.Answer answer = TrainerRules.judge(call.resource().bucket(), object, old, cluster);
            if (answer == null) {
                return;
            }
            answer.warnings().forEach(call::warn);
            if (!answer.refusal().isEmpty()) {
                throw ApiException.of(
                        answer.code(),
                        answer.code() == 403 ? "Forbidden" : "Invalid",
                        "admission webhook \"" + answer.webhook() + "\" denied the request: " + answer.refusal());
            }
        }
    }
}
