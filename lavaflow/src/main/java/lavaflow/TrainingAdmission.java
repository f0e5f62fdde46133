package lavaflow;

import java.util.ArrayList;
import java.util.List;

import lavaflow.apiserver.Admission;
import lavaflow.apiserver.AdmissionExtension;
import lavaflow.apiserver.Call;
import lavaflow.kube.ApiException;
import lavaflow.training.TrainingRules;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What the webhooks of Kubeflow's training operator do, in the process of the API server and with their answers. */
final class TrainingAdmission implements AdmissionExtension {
    private static final String GROUP = "kubeflow.org/";

    private final AdmissionExtension next;

    /** @param next what else takes part in admission */
    TrainingAdmission(AdmissionExtension next) {
        this.next = next;
    }

    @Override
    public List<Admission.Plugin> plugins(Context context) {
        List<Admission.Plugin> plugins = new ArrayList<>();
        plugins.add(new Rules());
        plugins.addAll(next.plugins(context));
        return plugins;
    }

    private record Rules() implements Admission.Plugin {
        @Override
        public void validate(
                Call call, Admission.Operation operation, @Nullable ObjectNode object, @Nullable ObjectNode old) {
            String bucket = call.resource().bucket();
            if (object == null
                    || !bucket.startsWith(GROUP)
                    || !call.subresource().isEmpty()) {
                return;
            }
            TrainingRules.Answer answer = TrainingRules.judge(bucket.substring(GROUP.length()), object, old);
            if (answer == null) {
                return;
            }
            answer.warnings().forEach(call::warn);
            if (!answer.refusal().isEmpty()) {
                throw ApiException.of(
                        403,
                        "Forbidden",
                        "admission webhook \"" + answer.webhook() + "\" denied the request: " + answer.refusal());
            }
        }
    }
}
