package lavaflow.training;

import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What there is of a job at one moment.
 *
 * @param job as the server has it
 * @param pods that the job controls
 * @param services with the job's labels
 * @param group the PodGroup with the job's name, whoever made it
 * @param others what else a job may have, by resource and name
 * @param priorities what a PriorityClass is worth
 */
record Observed(
        ObjectNode job,
        List<TrainingPod> pods,
        List<TrainingService> services,
        @Nullable ObjectNode group,
        Map<String, ObjectNode> others,
        ToLongFunction<String> priorities) {
    static String place(String resource, String name) {
        return resource + "/" + name;
    }

    @Nullable
    ObjectNode other(String resource, String name) {
        return others.get(place(resource, name));
    }
}
