package lavaflow.cli;

import java.util.List;
import java.util.Locale;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Objects of Volcano's API as its commands make them. */
public final class VolcanoObjects {
    public static final KubeApi.Kind JOBS = new KubeApi.Kind("batch.volcano.sh", "v1alpha1", "jobs", true);
    public static final KubeApi.Kind COMMANDS = new KubeApi.Kind("bus.volcano.sh", "v1alpha1", "commands", true);

    private VolcanoObjects() {}

    /**
     * A job of one task.
     *
     * @param command what its containers run; empty for what the image does
     */
    public record JobShape(
            String name,
            String namespace,
            String scheduler,
            String image,
            List<String> command,
            long replicas,
            long min,
            ObjectNode requests,
            ObjectNode limits) {}

    public static ObjectNode job(JobShape shape) {
        String name = shape.name();
        ObjectNode job = Json.object();
        job.put("apiVersion", "batch.volcano.sh/v1alpha1").put("kind", "Job");
        job.putObject("metadata").put("name", name).put("namespace", shape.namespace());
        ObjectNode spec = job.putObject("spec");
        spec.put("schedulerName", shape.scheduler()).put("minAvailable", shape.min());
        ObjectNode task = spec.putArray("tasks").addObject();
        task.put("replicas", shape.replicas());
        ObjectNode template = task.putObject("template");
        template.putObject("metadata").put("name", name).putObject("labels").put("job.volcano.sh", name);
        ObjectNode pod = template.putObject("spec");
        ObjectNode container = pod.putArray("containers").addObject();
        container.put("name", name).put("image", shape.image());
        if (!shape.command().isEmpty()) {
            ArrayNode words = container.putArray("command");
            shape.command().forEach(words::add);
        }
        ObjectNode resources = container.putObject("resources");
        if (!shape.limits().isEmpty()) {
            resources.set("limits", shape.limits());
        }
        if (!shape.requests().isEmpty()) {
            resources.set("requests", shape.requests());
        }
        container.put("imagePullPolicy", "IfNotPresent");
        pod.put("restartPolicy", "Never");
        return job;
    }

    /** {@code cpu=1,memory=1Gi} as the API writes it. */
    public static ObjectNode resources(String text) {
        ObjectNode resources = Json.object();
        if (text.isEmpty()) {
            return resources;
        }
        for (String statement : text.split(",", -1)) {
            String[] parts = statement.split("=", -1);
            if (parts.length != 2) {
                throw new IllegalArgumentException(
                        "invalid argument syntax " + statement + ", expected <resource>=<value>");
            }
            try {
                resources.put(parts[0], Quantity.parse(parts[1]).toString());
            } catch (MalformedException e) {
                throw new IllegalArgumentException(String.valueOf(e.getMessage()));
            }
        }
        return resources;
    }

    /** What tells a job to stop, go on or begin anew. */
    public static ObjectNode jobCommand(ObjectNode job, String action) {
        return command(job, "batch.volcano.sh/v1alpha1", "Job", action);
    }

    static ObjectNode queueCommand(ObjectNode queue, String action) {
        return command(queue, "scheduling.volcano.sh/v1beta1", "Queue", action);
    }

    /** A Command about an object, in whose namespace it belongs. */
    private static ObjectNode command(ObjectNode target, String apiVersion, String kind, String action) {
        String name = Json.textAt(target, "metadata", "name");
        ObjectNode reference = Json.object();
        reference.put("apiVersion", apiVersion).put("kind", kind).put("name", name);
        reference.put("uid", Json.textAt(target, "metadata", "uid"));
        reference.put("controller", true).put("blockOwnerDeletion", true);
        ObjectNode command = Json.object();
        command.put("apiVersion", "bus.volcano.sh/v1alpha1").put("kind", "Command");
        ObjectNode metadata = command.putObject("metadata");
        metadata.put("generateName", name + "-" + action.toLowerCase(Locale.ROOT) + "-");
        String namespace = Json.textAt(target, "metadata", "namespace");
        if (!namespace.isEmpty()) {
            metadata.put("namespace", namespace);
        }
        metadata.putArray("ownerReferences").add(reference);
        command.put("action", action);
        command.set("target", reference.deepCopy());
        return command;
    }
}
