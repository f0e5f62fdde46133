package lavaflow;

import java.util.List;
import java.util.Objects;

import lavaflow.apiserver.Admission.Operation;
import lavaflow.training.TrainingRules;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** The webhooks of Kubeflow's training operator, one a kind; that of MPI has none there. */
enum TrainingWebhook implements Webhook {
    JAX("jaxjob"),
    PADDLE("paddlejob"),
    PYTORCH("pytorchjob"),
    TENSORFLOW("tfjob"),
    XGBOOST("xgboostjob");

    private static final String OPERATOR = "training-operator.kubeflow.org";

    private final String kind;

    TrainingWebhook(String kind) {
        this.kind = kind;
    }

    @Override
    public Answer answer(Review review) {
        TrainingRules.Answer answer =
                Objects.requireNonNull(TrainingRules.judge(target().resource(), review.present(), review.old()), kind);
        return new Answer(answer.refusal(), answer.warnings());
    }

    @Override
    public void tellRefusal(ObjectNode status) {
        status.put("code", 403).put("reason", "Forbidden");
    }

    @Override
    public boolean isMutating() {
        return false;
    }

    @Override
    public String path() {
        return "/validate-kubeflow-org-v1-" + kind;
    }

    @Override
    public String title() {
        return "validator." + kind + "." + OPERATOR;
    }

    @Override
    public String configuration() {
        return "validator." + OPERATOR;
    }

    @Override
    public boolean sparesSystem() {
        return false;
    }

    @Override
    public Target target() {
        return new Target("kubeflow.org", "v1", kind + "s");
    }

    @Override
    public List<Operation> operations() {
        return List.of(Operation.CREATE, Operation.UPDATE);
    }
}
