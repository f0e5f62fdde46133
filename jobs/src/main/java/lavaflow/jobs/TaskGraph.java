package lavaflow.jobs;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.kube.Json;

/** Who has to wait for whom, and whether that ever ends. */
final class TaskGraph {
    private TaskGraph() {}

    static boolean hasDependencies(VolcanoJob job) {
        return job.tasks().stream().anyMatch(task -> Json.at(task.spec(), "dependsOn") != null);
    }

    /** Whether every task of a Job can begin at last; one that waits for a task that does not exist never does. */
    static boolean isAcyclic(VolcanoJob job) {
        Map<String, List<String>> waitsFor = new LinkedHashMap<>();
        job.tasks().forEach(task -> waitsFor.put(task.name(), task.dependency().tasks()));
        return isAcyclic(waitsFor);
    }

    /**
     * Whether nobody waits for himself, however indirectly.
     *
     * @param waitsFor whom each waits for
     */
    static boolean isAcyclic(Map<String, List<String>> waitsFor) {
        Map<String, List<String>> followers = new HashMap<>();
        Map<String, Integer> open = new HashMap<>();
        Deque<String> free = new ArrayDeque<>();
        waitsFor.forEach((name, others) -> {
            others.forEach(other ->
                    followers.computeIfAbsent(other, _ -> new ArrayList<>()).add(name));
            open.put(name, others.size());
            if (others.isEmpty()) {
                free.add(name);
            }
        });
        int done = 0;
        while (!free.isEmpty()) {
            done++;
            for (String follower : followers.getOrDefault(free.remove(), List.of())) {
                if (open.merge(follower, -1, Integer::sum) == 0) {
                    free.add(follower);
                }
            }
        }
        return done == waitsFor.size();
    }
}
