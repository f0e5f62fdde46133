package lavaflow.jobs;

import java.nio.charset.StandardCharsets;

import lavaflow.kube.DecodingException;
import lavaflow.kube.Json;
import lavaflow.kube.Yaml;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Jobs and pods as they are written in YAML. */
final class TestingManifests {
    private TestingManifests() {}

    static ObjectNode yaml(String text) {
        try {
            return ((ObjectNode)
                            Yaml.parse(text.getBytes(StandardCharsets.UTF_8)).root())
                    .deepCopy();
        } catch (DecodingException e) {
            throw new IllegalArgumentException(text, e);
        }
    }

    /** A Job {@code train} in namespace {@code ai} with such a spec. */
    static VolcanoJob job(String spec) {
        ObjectNode job =
                Json.object().put("apiVersion", "batch.volcano.sh/v1alpha1").put("kind", "Job");
        job.putObject("metadata").put("namespace", "ai").put("name", "train").put("uid", "u");
        job.set("spec", yaml(spec));
        return new VolcanoJob(job);
    }

    /** The pod of a task as it is before plugins see it. */
    static ObjectNode pod(VolcanoJob job, Task task, long index) {
        ObjectNode pod = task.template().deepCopy();
        Json.ensureObject(pod, "metadata").put("name", job.podName(task, index));
        return pod;
    }

    /** The pod of a task as the plugins of its Job leave it. */
    static ObjectNode pluggedPod(VolcanoJob job, String taskName, long index) {
        Task task = job.findTask(taskName).orElseThrow();
        ObjectNode pod = pod(job, task, index);
        JobPlugins.of(job).forEach(plugin -> plugin.onPod(job, task, index, pod));
        return pod;
    }

    /** The value of a variable of the first container; "-" where there is none. */
    static String variable(ObjectNode pod, String name) {
        return variable(pod, "containers", name);
    }

    static String variable(ObjectNode pod, String list, String name) {
        String value = "-";
        for (var entry : Json.listAt(Json.listAt(pod, "spec", list).path(0), "env")) {
            if (Json.textAt(entry, "name").equals(name)) {
                value = Json.textAt(entry, "value");
            }
        }
        return value;
    }
}
