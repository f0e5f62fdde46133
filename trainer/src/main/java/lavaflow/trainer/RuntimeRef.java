package lavaflow.trainer;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** The runtime a TrainJob names. */
record RuntimeRef(String group, String kind, String name) {
    static RuntimeRef of(ObjectNode trainJob) {
        String group = Json.textAt(trainJob, "spec", "runtimeRef", "apiGroup");
        String kind = Json.textAt(trainJob, "spec", "runtimeRef", "kind");
        return new RuntimeRef(
                group.isEmpty() ? Trainer.GROUP : group,
                kind.isEmpty() ? "ClusterTrainingRuntime" : kind,
                Json.textAt(trainJob, "spec", "runtimeRef", "name"));
    }

    /** Where runtimes of its kind are; null for a kind that is none. */
    KubeApi.@Nullable Kind resource() {
        if (!group.equals(Trainer.GROUP)) {
            return null;
        }
        return switch (kind) {
            case "ClusterTrainingRuntime" -> Trainer.CLUSTER_RUNTIMES;
            case "TrainingRuntime" -> Trainer.RUNTIMES;
            default -> null;
        };
    }

    /** As Go writes a kind with its group. */
    String title() {
        return kind + "." + group;
    }
}
