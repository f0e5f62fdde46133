package lavaflow.jobs;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Tells processes of torch.distributed where to meet, how many they are, and which of them each is. */
final class PyTorchPlugin implements JobPlugin {
    static final Map<String, Object> DEFAULTS = Map.of(
            "master",
            "master",
            "worker",
            "worker",
            "port",
            23456L,
            "wait-master-enabled",
            false,
            "wait-master-timeout",
            300L,
            "wait-master-image",
            "busybox:1.36.1");

    private static final String WAITING = "wait-for-master";

    private final PluginArguments arguments;

    PyTorchPlugin(List<String> arguments) {
        this.arguments = new PluginArguments(arguments, DEFAULTS);
    }

    @Override
    public void onPod(VolcanoJob job, Task task, long index, ObjectNode pod) {
        Optional<Task> master = job.findTask(arguments.text("master"));
        if (master.isEmpty()) {
            return;
        }
        boolean isWorker = task.name().equals(arguments.text("worker"));
        boolean isMaster = task.name().equals(arguments.text("master"));
        String address = Hosts.address(job, master.get(), 0);
        if (isWorker && arguments.flag("wait-master-enabled")) {
            waitForMaster(pod, address);
        }
        long all = job.tasks().stream()
                .filter(each -> each.name().equals(arguments.text("master"))
                        || each.name().equals(arguments.text("worker")))
                .mapToLong(Task::replicas)
                .sum();
        for (ObjectNode container : PodParts.containers(pod)) {
            PodParts.port(container, "pytorchjob-port", arguments.number("port"));
            PodParts.environment(container, "MASTER_ADDR", address);
            PodParts.environment(container, "MASTER_PORT", Long.toString(arguments.number("port")));
            PodParts.environment(container, "WORLD_SIZE", Long.toString(all));
            if (isWorker || isMaster) {
                PodParts.environment(container, "RANK", Long.toString(isWorker ? index + 1 : 0));
            }
        }
    }

    private void waitForMaster(ObjectNode pod, String address) {
        boolean waits = PodParts.initContainers(pod).stream()
                .anyMatch(container -> Json.textAt(container, "name").equals(WAITING));
        if (waits) {
            return;
        }
        ObjectNode container = PodParts.list(Json.ensureObject(pod, "spec"), "initContainers")
                .addObject()
                .put("name", WAITING)
                .put("image", arguments.text("wait-master-image"));
        container
                .putArray("command")
                .add("sh")
                .add("-c")
                .add(waiting(address, arguments.number("port"), arguments.number("wait-master-timeout")));
    }

    /** A shell without nc may still be able to connect by itself. */
    private static String waiting(String host, long port, long seconds) {
        return """
                left=%d
                echo "waiting for the master at %s:%d"
                while ! { nc -z %s %d || : > /dev/tcp/%s/%d; } 2>/dev/null; do
                  [ "$left" -gt 0 ] || { echo "the master did not answer within %d seconds"; exit 1; }
                  sleep 2
                  left=$((left - 2))
                done
                echo "the master answers"
                """.formatted(seconds, host, port, host, port, host, port, seconds);
    }
}
