package lavaflow.jobs;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** How new Jobs are completed, as by Volcano's webhook. Functions of values. */
public final class JobDefaults {
    private static final long MAX_RETRY = 3;
    private static final List<String> NEED_NAMES = List.of("tensorflow", "mpi", "pytorch", "ray", "jax");

    private JobDefaults() {}

    /**
     * Fills in what a new Job leaves open.
     *
     * @param scheduler who places its pods if it does not say
     */
    public static void complete(ObjectNode job, String scheduler) {
        ObjectNode spec = Json.ensureObject(job, "spec");
        text(spec, "queue", "default");
        text(spec, "schedulerName", scheduler);
        number(spec, "maxRetry", MAX_RETRY);
        completeTasks(job);
        if (Json.longAt(spec, 0, "minAvailable") == 0) {
            long all = new VolcanoJob(job)
                    .tasks().stream().mapToLong(Task::minMember).sum();
            spec.put("minAvailable", all);
        }
        plugins(spec);
    }

    /** Fills in what tasks leave open: also those of a Job that is written anew, as {@code kubectl apply} does with whole lists. */
    public static void completeTasks(ObjectNode job) {
        int index = 0;
        for (JsonNode task : Json.listAt(job, "spec", "tasks")) {
            if (task instanceof ObjectNode said) {
                complete(said, index);
            }
            index++;
        }
    }

    private static void complete(ObjectNode task, int index) {
        text(task, "name", "default" + index);
        ObjectNode pod = Json.objectAt(task, "template", "spec");
        if (pod != null && Json.flagAt(pod, "hostNetwork")) {
            text(pod, "dnsPolicy", "ClusterFirstWithHostNet");
        }
        Task view = new Task(task);
        if (view.minAvailable().isEmpty()) {
            task.put("minAvailable", view.minMember());
        }
        number(task, "maxRetry", MAX_RETRY);
    }

    /** Frameworks find their other pods by names that the plugin svc gives them. */
    private static void plugins(ObjectNode spec) {
        ObjectNode plugins = Json.objectAt(spec, "plugins");
        if (plugins == null) {
            return;
        }
        List<String> implied = new ArrayList<>();
        if (NEED_NAMES.stream().anyMatch(plugins::has)) {
            implied.add("svc");
        }
        if (plugins.has("mpi")) {
            implied.add("ssh");
        }
        for (String name : implied) {
            if (!(plugins.get(name) instanceof ArrayNode)) {
                plugins.putArray(name);
            }
        }
    }

    private static void text(ObjectNode node, String field, String value) {
        if (Json.textAt(node, field).isEmpty()) {
            node.put(field, value);
        }
    }

    private static void number(ObjectNode node, String field, long value) {
        if (Json.longAt(node, 0, field) == 0) {
            node.put(field, value);
        }
    }
}
