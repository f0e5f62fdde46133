package lavaflow.jobs;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** A Job of Volcano's as a view of its object, which it does not change. */
public record VolcanoJob(ObjectNode object) {
    public String namespace() {
        return Json.textAt(object, "metadata", "namespace");
    }

    public String name() {
        return Json.textAt(object, "metadata", "name");
    }

    public String uid() {
        return Json.textAt(object, "metadata", "uid");
    }

    public boolean isDeleting() {
        return Json.at(object, "metadata", "deletionTimestamp") != null;
    }

    /** Empty where there is none. */
    public String annotation(String key) {
        return Json.textAt(object, "metadata", "annotations", key);
    }

    /** Empty where there is none. */
    public String label(String key) {
        return Json.textAt(object, "metadata", "labels", key);
    }

    public List<Task> tasks() {
        List<Task> tasks = new ArrayList<>();
        for (JsonNode task : Json.listAt(object, "spec", "tasks")) {
            tasks.add(new Task(task));
        }
        return tasks;
    }

    public Optional<Task> findTask(String name) {
        return tasks().stream().filter(task -> task.name().equals(name)).findFirst();
    }

    public List<LifecyclePolicy> policies() {
        return LifecyclePolicy.all(Json.listAt(object, "spec", "policies"));
    }

    /** The plugins that are asked for with their arguments, by name. */
    public SortedMap<String, List<String>> plugins() {
        SortedMap<String, List<String>> plugins = new TreeMap<>();
        JsonNode wanted = Json.at(object, "spec", "plugins");
        if (wanted != null) {
            wanted.properties().forEach(each -> {
                List<String> arguments = new ArrayList<>();
                each.getValue().forEach(argument -> arguments.add(argument.asText()));
                plugins.put(each.getKey(), arguments);
            });
        }
        return plugins;
    }

    public String queue() {
        String queue = Json.textAt(object, "spec", "queue");
        return queue.isEmpty() ? "default" : queue;
    }

    public String schedulerName() {
        return Json.textAt(object, "spec", "schedulerName");
    }

    public String priorityClassName() {
        return Json.textAt(object, "spec", "priorityClassName");
    }

    public long minAvailable() {
        return Json.longAt(object, 0, "spec", "minAvailable");
    }

    public OptionalLong minSuccess() {
        return number("minSuccess");
    }

    public OptionalLong ttlSecondsAfterFinished() {
        return number("ttlSecondsAfterFinished");
    }

    private OptionalLong number(String field) {
        JsonNode value = Json.at(object, "spec", field);
        return value == null ? OptionalLong.empty() : OptionalLong.of(value.asLong());
    }

    /** How many restarts end the Job as failed. */
    public long maxRetry() {
        return Json.longAt(object, 3, "spec", "maxRetry");
    }

    /** How many pods all tasks have together. */
    public long replicas() {
        return tasks().stream().mapToLong(Task::replicas).sum();
    }

    public String podName(Task task, long index) {
        return name() + "-" + task.name() + "-" + index;
    }

    /** The PodGroup of this Job and of no other that had its name. */
    public String podGroupName() {
        return name() + "-" + uid();
    }

    /** What makes an object go with the Job. */
    public ObjectNode ownerReference() {
        return Json.object()
                .put("apiVersion", Volcano.GROUP + "/" + Volcano.VERSION)
                .put("kind", "Job")
                .put("name", name())
                .put("uid", uid())
                .put("controller", true)
                .put("blockOwnerDeletion", true);
    }
}
