package lavaflow.jobs;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Tells processes of jax.distributed where to meet, in the words of Kubeflow's JAXJob. Upstream has no such plugin. */
final class JaxPlugin implements JobPlugin {
    static final Map<String, Object> DEFAULTS = Map.of("worker", "worker", "port", 6666L);

    private final PluginArguments arguments;

    JaxPlugin(List<String> arguments) {
        this.arguments = new PluginArguments(arguments, DEFAULTS);
    }

    @Override
    public void onPod(VolcanoJob job, Task task, long index, ObjectNode pod) {
        Optional<Task> workers = job.findTask(arguments.text("worker"));
        if (workers.isEmpty() || !task.name().equals(workers.get().name())) {
            return;
        }
        for (ObjectNode container : PodParts.containers(pod)) {
            PodParts.port(container, "jaxjob-port", arguments.number("port"));
            PodParts.environment(container, "COORDINATOR_ADDRESS", Hosts.address(job, workers.get(), 0));
            PodParts.environment(container, "COORDINATOR_PORT", Long.toString(arguments.number("port")));
            PodParts.environment(
                    container, "NUM_PROCESSES", Long.toString(workers.get().replicas()));
            PodParts.environment(container, "PROCESS_ID", Long.toString(index));
        }
    }
}
