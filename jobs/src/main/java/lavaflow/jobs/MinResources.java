package lavaflow.jobs;

import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

import lavaflow.kinds.QuotaUsage;
import lavaflow.kube.Json;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** What the pods need without which a Job does not begin: the most important ones first. */
final class MinResources {
    private static final String REQUESTS = "requests.";

    private MinResources() {}

    /** @param priority the value of a priority class by its name */
    static ObjectNode of(VolcanoJob job, ToLongFunction<String> priority, Instant now) {
        SortedMap<String, Quantity> sum = new TreeMap<>();
        chosen(job, priority)
                .forEach((task, count) -> usage(task, now)
                        .forEach((name, amount) -> sum.merge(name, times(amount, count), Quantity::plus)));
        ObjectNode resources = Json.object();
        sum.forEach((name, amount) -> resources.put(name, amount.toString()));
        return resources;
    }

    /** How many pods of which task. */
    static Map<Task, Long> chosen(VolcanoJob job, ToLongFunction<String> priority) {
        List<Task> tasks = job.tasks().stream()
                .sorted(Comparator.comparingLong((Task task) ->
                                priority.applyAsLong(Json.textAt(task.template(), "spec", "priorityClassName")))
                        .reversed())
                .toList();
        long left = job.minAvailable();
        long minimums = tasks.stream()
                .mapToLong(task -> task.minAvailable().orElse(task.replicas()))
                .sum();
        Map<Task, Long> chosen = new LinkedHashMap<>();
        if (left >= minimums) {
            for (Task task : tasks) {
                // Those that do not say so come after those that do, as upstream has it.
                left -= choose(chosen, task, Math.min(left, task.minAvailable().orElse(0)));
            }
        }
        for (Task task : tasks) {
            left -= choose(chosen, task, Math.min(left, task.replicas() - chosen.getOrDefault(task, 0L)));
        }
        return chosen;
    }

    /** Of a task that gives no pod nothing is said, not even that what it asks for is zero. */
    private static long choose(Map<Task, Long> chosen, Task task, long count) {
        if (count > 0) {
            chosen.merge(task, count, Long::sum);
        }
        return Math.max(0, count);
    }

    private static Map<String, Quantity> usage(Task task, Instant now) {
        ObjectNode pod = Json.object();
        ObjectNode spec = Json.objectAt(task.template(), "spec");
        pod.set("spec", spec == null ? Json.object() : spec);
        Map<String, Quantity> usage = QuotaUsage.of("", "pods", pod, now);
        // Devices have no name of their own among quotas, and here they do.
        for (String name : List.copyOf(usage.keySet())) {
            if (name.startsWith(REQUESTS)) {
                usage.putIfAbsent(name.substring(REQUESTS.length()), usage.getOrDefault(name, Quantity.ZERO));
            }
        }
        return usage;
    }

    private static Quantity times(Quantity amount, long count) {
        Quantity product = Quantity.of(0, amount.format());
        Quantity doubled = amount;
        for (long rest = count; rest > 0; rest >>= 1) {
            if ((rest & 1) == 1) {
                product = product.plus(doubled);
            }
            doubled = doubled.plus(doubled);
        }
        return product;
    }
}
