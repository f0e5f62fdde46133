package lavaflow.jobs;

import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Makes a cluster of Ray out of a Job: its pods run {@code ray start}, and a service leads to the head. */
final class RayPlugin implements JobPlugin {
    static final Map<String, Object> DEFAULTS = Map.of(
            "head", "head",
            "headContainer", "head",
            "worker", "worker",
            "workerContainer", "worker",
            "port", 6379L,
            "dashboardPort", 8265L,
            "clientPort", 10001L);

    /** What the ports of the head are called, and the argument that tells each. */
    private static final List<Map.Entry<String, String>> PORTS = List.of(
            Map.entry("gcs", "port"),
            Map.entry("dashboard", "dashboardPort"),
            Map.entry("client-server", "clientPort"));

    private final PluginArguments arguments;

    RayPlugin(List<String> arguments) {
        this.arguments = new PluginArguments(arguments, DEFAULTS);
    }

    @Override
    public void onPod(VolcanoJob job, Task task, long index, ObjectNode pod) {
        Task head = head(job);
        for (ObjectNode container : PodParts.containers(pod)) {
            String name = Json.textAt(container, "name");
            if (isOf(task, "head") && name.equals(arguments.text("headContainer"))) {
                PORTS.forEach(port -> PodParts.port(container, port.getKey(), arguments.number(port.getValue())));
                run(
                        container,
                        "ray start --head --block --dashboard-host=0.0.0.0 --port=" + arguments.number("port")
                                + " --dashboard-port=" + arguments.number("dashboardPort")
                                + " --ray-client-server-port=" + arguments.number("clientPort"));
            }
            if (isOf(task, "worker") && name.equals(arguments.text("workerContainer"))) {
                run(
                        container,
                        "ray start --block --address=" + Hosts.address(job, head, 0) + ":" + arguments.number("port"));
            }
        }
    }

    /** Without a head there is nothing to start; whoever wrote the Job has to be told. */
    private Task head(VolcanoJob job) {
        return job.findTask(arguments.text("head"))
                .orElseThrow(() -> ApiException.badRequest(
                        "job " + job.name() + " doesn't have head task " + arguments.text("head")));
    }

    private boolean isOf(Task task, String role) {
        return task.name().equals(arguments.text(role));
    }

    private static void run(ObjectNode container, String line) {
        container.putArray("command").add("sh").add("-c").add(line);
    }

    @Override
    public List<JobObject> objects(VolcanoJob job, Supplier<SshKeys> keys) {
        Task head = head(job);
        ObjectNode service = SvcPlugin.named("v1", "Service", job.name() + "-head-svc");
        ObjectNode spec = service.putObject("spec");
        spec.putObject("selector")
                .put(Volcano.JOB_NAME, job.name())
                .put(Volcano.JOB_NAMESPACE, job.namespace())
                .put(Volcano.TASK_SPEC, head.name());
        ArrayNode ports = spec.putArray("ports");
        for (Map.Entry<String, String> port : PORTS) {
            ports.addObject()
                    .put("name", port.getKey())
                    .put("port", arguments.number(port.getValue()))
                    .put("targetPort", port.getKey())
                    .put("protocol", "TCP");
        }
        return List.of(SvcPlugin.once(Volcano.SERVICES, service));
    }
}
