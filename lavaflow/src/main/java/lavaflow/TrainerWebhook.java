package lavaflow;

import java.util.List;
import java.util.Objects;

import lavaflow.apiserver.Admission.Operation;
import lavaflow.trainer.JobSetDefaults;
import lavaflow.trainer.PatchTimes;
import lavaflow.trainer.TrainerRules;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** The webhooks of Kubeflow's Trainer and of JobSet, but for those that place pods of JobSets by themselves. */
enum TrainerWebhook implements Webhook {
    MUTATE_TRAIN_JOBS("trainjob", Made.TRAINER, true) {
        @Override
        public Answer answer(Review review) {
            PatchTimes.stamp(review.present(), review.old(), review.cluster().now());
            return Answer.of("");
        }
    },
    VALIDATE_TRAIN_JOBS("trainjob", Made.TRAINER, false),
    VALIDATE_RUNTIMES("trainingruntime", Made.TRAINER, false),
    VALIDATE_CLUSTER_RUNTIMES("clustertrainingruntime", Made.TRAINER, false),
    MUTATE_JOB_SETS("jobset", Made.JOB_SET, true) {
        @Override
        public Answer answer(Review review) {
            JobSetDefaults.complete(review.present());
            return Answer.of("");
        }

        @Override
        public List<Operation> operations() {
            return List.of(Operation.CREATE);
        }
    },
    VALIDATE_JOB_SETS("jobset", Made.JOB_SET, false);

    /** Whose kinds they are about. */
    private enum Made {
        TRAINER("trainer.kubeflow.org", "v1alpha1"),
        JOB_SET("jobset.x-k8s.io", "v1alpha2");

        private final String group;
        private final String version;

        Made(String group, String version) {
            this.group = group;
            this.version = version;
        }
    }

    private final String kind;
    private final Made made;
    private final boolean mutating;

    TrainerWebhook(String kind, Made made, boolean mutating) {
        this.kind = kind;
        this.made = made;
        this.mutating = mutating;
    }

    @Override
    public Answer answer(Review review) {
        TrainerRules.Answer answer = Objects.requireNonNull(
                TrainerRules.judge(target().bucket(), review.present(), review.old(), review.cluster()::find), kind);
        return new Answer(answer.refusal(), answer.warnings());
    }

    @Override
    public void tellRefusal(ObjectNode status) {
        switch (made) {
            case TRAINER -> status.put("code", 403).put("reason", "Forbidden");
            case JOB_SET -> status.put("code", 422).put("reason", "Invalid");
        }
    }

    @Override
    public boolean isMutating() {
        return mutating;
    }

    @Override
    public String path() {
        return (mutating ? "/mutate-" : "/validate-") + made.group.replace('.', '-') + "-" + made.version + "-" + kind;
    }

    @Override
    public String title() {
        return switch (made) {
            case TRAINER -> role() + "." + kind + "." + made.group;
            case JOB_SET -> (mutating ? "m" : "v") + "jobset.kb.io";
        };
    }

    private String role() {
        return mutating ? "defaulter" : "validator";
    }

    @Override
    public String configuration() {
        return switch (made) {
            case TRAINER -> role() + "." + made.group;
            case JOB_SET -> "jobset-" + (mutating ? "mutating" : "validating") + "-webhook-configuration";
        };
    }

    @Override
    public boolean sparesSystem() {
        return false;
    }

    @Override
    public String exemption() {
        return this == VALIDATE_RUNTIMES || this == VALIDATE_CLUSTER_RUNTIMES
                ? "trainer.kubeflow.org/webhook-validation"
                : "";
    }

    @Override
    public Target target() {
        return new Target(made.group, made.version, kind + "s");
    }

    @Override
    public List<Operation> operations() {
        return List.of(Operation.CREATE, Operation.UPDATE);
    }
}
