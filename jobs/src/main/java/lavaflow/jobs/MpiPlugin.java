package lavaflow.jobs;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Tells the master of an MPI job where its workers are; the plugins ssh and svc let it reach them. */
final class MpiPlugin implements JobPlugin {
    static final Map<String, Object> DEFAULTS = Map.of("master", "master", "worker", "worker", "port", 22L);

    private final PluginArguments arguments;

    MpiPlugin(List<String> arguments) {
        this.arguments = new PluginArguments(arguments, DEFAULTS);
    }

    String master() {
        return arguments.text("master");
    }

    String worker() {
        return arguments.text("worker");
    }

    @Override
    public void onPod(VolcanoJob job, Task task, long index, ObjectNode pod) {
        boolean isMaster = task.name().equals(master());
        Optional<Task> workers = job.findTask(worker());
        if (isMaster && workers.isEmpty()) {
            return;
        }
        for (ObjectNode container : PodParts.allContainers(pod)) {
            PodParts.port(container, "mpijob-port", arguments.number("port"));
            if (isMaster) {
                PodParts.environment(
                        container, "MPI_HOST", String.join(",", Hosts.addresses(job, workers.orElseThrow())));
            }
        }
    }
}
