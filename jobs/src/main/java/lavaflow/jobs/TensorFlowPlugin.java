package lavaflow.jobs;

import java.util.List;
import java.util.Map;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Writes TF_CONFIG: who takes part in training, and who the reader is. */
final class TensorFlowPlugin implements JobPlugin {
    /** The roles there are, in the order in which they are told; tasks may be called otherwise. */
    private static final List<String> ROLES = List.of("ps", "worker", "chief", "evaluator");

    static final Map<String, Object> DEFAULTS =
            Map.of("ps", "ps", "worker", "worker", "chief", "chief", "evaluator", "evaluator", "port", 2222L);

    private final PluginArguments arguments;

    TensorFlowPlugin(List<String> arguments) {
        this.arguments = new PluginArguments(arguments, DEFAULTS);
    }

    @Override
    public void onPod(VolcanoJob job, Task task, long index, ObjectNode pod) {
        List<Task> tasks = job.tasks();
        if (tasks.size() == 1 && tasks.getFirst().replicas() == 1) {
            return; // alone
        }
        ObjectNode configuration = Json.object();
        ObjectNode cluster = configuration.putObject("cluster");
        for (String role : ROLES) {
            job.findTask(arguments.text(role))
                    .filter(other -> other.replicas() > 0)
                    .ifPresent(other -> hosts(job, other, cluster.putArray(role)));
        }
        configuration.putObject("task").put("type", role(task)).put("index", index);
        for (ObjectNode container : PodParts.containers(pod)) {
            PodParts.environment(container, "TF_CONFIG", Json.string(configuration));
        }
    }

    private void hosts(VolcanoJob job, Task task, ArrayNode hosts) {
        for (long i = 0; i < task.replicas(); i++) {
            hosts.add(Hosts.address(job, task, i) + ":" + arguments.number("port"));
        }
    }

    private String role(Task task) {
        return List.of("chief", "worker", "ps", "evaluator").stream()
                .filter(role -> arguments.text(role).equals(task.name()))
                .findFirst()
                .orElse(task.name());
    }
}
