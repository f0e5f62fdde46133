package lavaflow.trainer;

import java.util.List;
import java.util.stream.Collectors;

import lavaflow.controller.KubeApi;
import lavaflow.kube.FieldError;
import lavaflow.kube.FieldErrors;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Which TrainJobs, runtimes and JobSets are refused, in the words of upstream's webhooks. Functions of values. */
public final class TrainerRules {
    private TrainerRules() {}

    /** What else there is. */
    public interface Cluster {
        /**
         * An object, or null.
         *
         * @param namespace empty for those of the whole cluster
         */
        @Nullable
        ObjectNode find(KubeApi.Kind kind, String namespace, String name);
    }

    /**
     * What is to be said about an object.
     *
     * @param refusal why it is refused, empty if it is not
     */
    public record Answer(String refusal, List<String> warnings) {}

    /**
     * Judges a new or changed object; null for what has no rules.
     *
     * @param bucket its group and resource, such as {@code trainer.kubeflow.org/trainjobs}
     * @param old null for a new one
     */
    public static @Nullable Answer judge(String bucket, ObjectNode object, @Nullable ObjectNode old, Cluster cluster) {
        return switch (bucket) {
            case "trainer.kubeflow.org/trainjobs" -> new TrainJobRules(object, cluster).judge(old);
            case "trainer.kubeflow.org/trainingruntimes", "trainer.kubeflow.org/clustertrainingruntimes" ->
                RuntimeRules.judge(object, old);
            case "jobset.x-k8s.io/jobsets" -> JobSetRules.judge(object, old);
            default -> null;
        };
    }

    /** As upstream joins many into one. */
    static String joined(List<String> messages) {
        List<String> all = messages.stream().distinct().toList();
        return all.size() > 1 ? all.stream().collect(Collectors.joining(", ", "[", "]")) : String.join("", all);
    }

    static String joined(FieldErrors errors) {
        return joined(errors.list().stream().map(FieldError::message).toList());
    }
}
