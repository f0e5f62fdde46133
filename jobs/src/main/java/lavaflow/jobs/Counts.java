package lavaflow.jobs;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * The pods of a Job in numbers.
 *
 * @param byTask by task and phase, without those that are on their way out
 */
record Counts(
        long pending,
        long running,
        long succeeded,
        long failed,
        long unknown,
        long terminating,
        SortedMap<String, SortedMap<String, Long>> byTask) {
    static Counts of(List<JobPod> pods) {
        SortedMap<String, SortedMap<String, Long>> byTask = new TreeMap<>();
        long terminating = 0;
        for (JobPod pod : pods) {
            if (pod.deleting()) {
                terminating++;
            } else {
                byTask.computeIfAbsent(pod.task(), _ -> new TreeMap<>()).merge(pod.phase(), 1L, Long::sum);
            }
        }
        return of(byTask, terminating);
    }

    private static Counts of(SortedMap<String, SortedMap<String, Long>> byTask, long terminating) {
        return new Counts(
                sum(byTask, "Pending"),
                sum(byTask, "Running"),
                sum(byTask, "Succeeded"),
                sum(byTask, "Failed"),
                sum(byTask, "Unknown"),
                terminating,
                byTask);
    }

    private static long sum(SortedMap<String, SortedMap<String, Long>> byTask, String phase) {
        return byTask.values().stream()
                .mapToLong(phases -> phases.getOrDefault(phase, 0L))
                .sum();
    }

    /** The same, remembering those that had ended and are not there any more. */
    Counts withThoseOf(@Nullable JsonNode status) {
        SortedMap<String, SortedMap<String, Long>> all = new TreeMap<>();
        byTask.forEach((task, phases) -> all.put(task, new TreeMap<>(phases)));
        JsonNode before = Json.at(status, "taskStatusCount");
        if (before != null) {
            before.properties().forEach(task -> {
                for (String phase : List.of("Succeeded", "Failed")) {
                    long had = Json.longAt(task.getValue(), 0, "phase", phase);
                    if (had > 0) {
                        all.computeIfAbsent(task.getKey(), _ -> new TreeMap<>()).merge(phase, had, Math::max);
                    }
                }
            });
        }
        return of(all, terminating);
    }

    /** Those that run or did. */
    long begun() {
        return running + succeeded + failed;
    }

    /** Whether no pod is there that could still do something. */
    boolean isQuiet() {
        return terminating == 0 && pending == 0 && running == 0;
    }

    long succeeded(String task) {
        SortedMap<String, Long> phases = byTask.get(task);
        return phases == null ? 0 : phases.getOrDefault("Succeeded", 0L);
    }

    /** As the status of a Job has it, where zero is nothing. */
    void putInto(ObjectNode status) {
        put(status, "pending", pending);
        put(status, "running", running);
        put(status, "succeeded", succeeded);
        put(status, "failed", failed);
        put(status, "terminating", terminating);
        put(status, "unknown", unknown);
        status.remove("taskStatusCount");
        if (!byTask.isEmpty()) {
            ObjectNode tasks = status.putObject("taskStatusCount");
            byTask.forEach((task, phases) -> {
                ObjectNode numbers = tasks.putObject(task).putObject("phase");
                phases.forEach(numbers::put);
            });
        }
    }

    static void put(ObjectNode status, String field, long number) {
        if (number == 0) {
            status.remove(field);
        } else {
            status.put(field, number);
        }
    }
}
