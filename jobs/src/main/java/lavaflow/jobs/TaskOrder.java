package lavaflow.jobs;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Which tasks of a Job may begin, since those they depend on are ready, which never will, and how many pods each can have. */
final class TaskOrder {
    /** The wanted pods of a task in numbers. Those on their way out are only there. */
    private static final class Numbers {
        private long there;
        private long ready;
        private long failed;
        private long hopeful;
        private long waiting;
    }

    private static final Numbers NONE = new Numbers();

    private final Map<String, Task> tasks = new LinkedHashMap<>();
    private final Map<String, Numbers> numbers = new HashMap<>();

    TaskOrder(VolcanoJob job, List<JobPod> pods) {
        boolean matters = TaskGraph.hasDependencies(job) || pods.stream().anyMatch(JobPod::isFailed);
        if (!matters) {
            return;
        }
        job.tasks().forEach(task -> tasks.put(task.name(), task));
        for (JobPod pod : pods) {
            Task task = tasks.get(pod.task());
            if (task == null || pod.index() < 0 || pod.index() >= task.replicas()) {
                continue;
            }
            Numbers of = numbers.computeIfAbsent(pod.task(), _ -> new Numbers());
            of.there++;
            if (!pod.deleting() && !pod.condemned()) {
                of.ready += pod.isSucceeded() || pod.ready() ? 1 : 0;
                of.failed += pod.isFailed() ? 1 : 0;
                of.hopeful += pod.isFailed() ? 0 : 1;
                of.waiting += pod.placed() || pod.isFinished() ? 0 : 1;
            }
        }
    }

    private Numbers numbers(Task task) {
        return numbers.getOrDefault(task.name(), NONE);
    }

    boolean isDue(Task task) {
        return needs(task, this::isReady);
    }

    /** Whether those a task waits for are as they should be; nobody has to be who is no task. */
    private boolean needs(Task task, Predicate<Task> asTheyShould) {
        Task.Dependency dependency = task.dependency();
        Predicate<String> met = name -> !tasks.containsKey(name) || asTheyShould.test(tasks.get(name));
        Stream<String> names = dependency.tasks().stream();
        return dependency.tasks().isEmpty() || (dependency.any() ? names.anyMatch(met) : names.allMatch(met));
    }

    private boolean isReady(Task task) {
        return task.minAvailable().isEmpty()
                || numbers(task).ready >= task.minAvailable().getAsLong();
    }

    /**
     * How many pods of a task can be there by now.
     *
     * @param withoutFailed whether those that failed count no more, since nobody comes for them
     */
    long possible(Task task, boolean withoutFailed) {
        if (!isDue(task)) {
            return numbers(task).hopeful;
        }
        return task.replicas() - (withoutFailed ? numbers(task).failed : 0);
    }

    /** Whether pods have no node yet, or may still be made, and others have failed. */
    boolean hasWaiting() {
        return numbers.values().stream().anyMatch(of -> of.failed > 0)
                && tasks.values().stream().anyMatch(this::isWaiting);
    }

    private boolean isWaiting(Task task) {
        Numbers of = numbers(task);
        return of.waiting > 0 || (isDue(task) && of.hopeful + of.failed < task.replicas());
    }

    /** Tasks that lack pods and will never get them, since a failed pod stays as it is. */
    List<Task> neverDue() {
        Set<String> able = new HashSet<>();
        boolean more = true;
        while (more) {
            more = false;
            for (Task task : tasks.values()) {
                more |= needs(task, other -> canGetReady(other, able)) && able.add(task.name());
            }
        }
        return tasks.values().stream()
                .filter(task -> !able.contains(task.name()) && lacking(task) > 0)
                .toList();
    }

    private boolean canGetReady(Task task, Set<String> able) {
        long coming = able.contains(task.name()) ? task.replicas() - numbers(task).hopeful - numbers(task).failed : 0;
        return task.minAvailable().isEmpty()
                || numbers(task).hopeful + coming >= task.minAvailable().getAsLong();
    }

    /** How many pods a task has too few. */
    long lacking(Task task) {
        return Math.max(0, task.replicas() - numbers(task).there);
    }

    /** Why a task that is never due is not. */
    String obstacle(Task task) {
        List<String> words = new ArrayList<>();
        for (String name : task.dependency().tasks()) {
            Task other = tasks.get(name);
            if (other == null || isReady(other)) {
                continue;
            }
            long failed = numbers(other).failed;
            words.add(
                    failed == 0
                            ? name + ", which never began either"
                            : "%s, where %d of %d pods failed and %d must be ready"
                                    .formatted(
                                            name,
                                            failed,
                                            other.replicas(),
                                            other.minAvailable().orElse(0)));
        }
        return "Task %s never began: it depends on %s".formatted(task.name(), String.join(" and on ", words));
    }
}
