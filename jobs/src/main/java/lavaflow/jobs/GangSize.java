package lavaflow.jobs;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.ToLongFunction;

/**
 * How many pods the gang of a Job needs. As the Job says, unless it can never have as many: a gang that needs pods nobody makes before
 * others of it run, or that have failed and stay so, would wait for ever. It needs those it can have then, and grows with them.
 *
 * @param members of all tasks
 * @param byTask of each
 * @param parts of tasks that have some, how many whole ones
 */
record GangSize(long members, SequencedMap<String, Long> byTask, Map<String, Long> parts) {
    static GangSize said(VolcanoJob job) {
        Map<String, Long> parts = new LinkedHashMap<>();
        for (Task task : job.tasks()) {
            Task.Partitions partitions = task.partitions();
            if (partitions != null) {
                parts.put(task.name(), partitions.min());
            }
        }
        return new GangSize(job.minAvailable(), byTask(job, Task::minMember), parts);
    }

    /**
     * @param withoutFailed whether pods that failed do not count where they are missed
     */
    static GangSize of(VolcanoJob job, TaskOrder order, boolean withoutFailed) {
        GangSize said = said(job);
        SequencedMap<String, Long> possible = byTask(job, task -> order.possible(task, withoutFailed));
        Map<String, Long> parts = new LinkedHashMap<>();
        said.parts.forEach((task, number) -> {
            Task.Partitions partitions =
                    job.findTask(task).map(Task::partitions).orElseThrow();
            parts.put(task, Math.min(number, possible.getOrDefault(task, 0L) / Math.max(1, partitions.size())));
        });
        if (said.isWithin(possible)) {
            return new GangSize(said.members, said.byTask, parts);
        }
        SequencedMap<String, Long> fewer = new LinkedHashMap<>(said.byTask);
        fewer.replaceAll((task, number) -> Math.min(number, possible.getOrDefault(task, 0L)));
        return new GangSize(Math.min(said.members, sum(possible)), fewer, parts);
    }

    private static SequencedMap<String, Long> byTask(VolcanoJob job, ToLongFunction<Task> number) {
        SequencedMap<String, Long> numbers = new LinkedHashMap<>();
        job.tasks().forEach(task -> numbers.put(task.name(), number.applyAsLong(task)));
        return numbers;
    }

    /** Tasks count one by one only where all of their minimums together are wanted. */
    private boolean isWithin(Map<String, Long> possible) {
        boolean everyTaskMatters = members >= sum(byTask);
        return members <= sum(possible)
                && (!everyTaskMatters
                        || byTask.entrySet().stream()
                                .allMatch(task -> task.getValue() <= possible.getOrDefault(task.getKey(), 0L)));
    }

    private static long sum(Map<String, Long> numbers) {
        return numbers.values().stream().mapToLong(Long::longValue).sum();
    }
}
