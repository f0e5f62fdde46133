package lavaflow.batch;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** How many PodGroups of a queue are in which phase. */
public record GroupCounts(long pending, long inqueue, long running, long unknown, long completed) {
    /** What is kept of a PodGroup. */
    record Group(String queue, String phase) {
        static Group of(ObjectNode group) {
            String queue = Json.textAt(group, "spec", "queue");
            return new Group(queue.isEmpty() ? Batch.USUAL_QUEUE : queue, Json.textAt(group, "status", "phase"));
        }

        List<String> words() {
            return List.of(queue);
        }
    }

    public static GroupCounts ofGroups(List<ObjectNode> groups) {
        return of(groups.stream().map(Group::of).toList());
    }

    /** In one go: a queue may have tens of thousands, and each of them changes a few times. */
    static GroupCounts of(List<Group> groups) {
        long pending = 0;
        long inqueue = 0;
        long running = 0;
        long unknown = 0;
        long completed = 0;
        for (Group group : groups) {
            switch (group.phase) {
                // One that no scheduler has looked at yet waits like the others.
                case "Pending", "" -> pending++;
                case "Inqueue" -> inqueue++;
                case "Running" -> running++;
                case "Unknown" -> unknown++;
                case "Completed" -> completed++;
                default -> {}
            }
        }
        return new GroupCounts(pending, inqueue, running, unknown, completed);
    }

    /** By the names that the status of a Queue has for them. */
    public SortedMap<String, Long> byName() {
        SortedMap<String, Long> counts = new TreeMap<>();
        counts.put("completed", completed);
        counts.put("inqueue", inqueue);
        counts.put("pending", pending);
        counts.put("running", running);
        counts.put("unknown", unknown);
        return counts;
    }

    /** Puts them into a status, which leaves out what there is none of. */
    void putInto(ObjectNode status) {
        byName().forEach((name, count) -> {
            if (count > 0) {
                status.put(name, count);
            }
        });
    }

    boolean isIn(JsonNode status) {
        return byName().entrySet().stream().allMatch(each -> Json.longAt(status, 0, each.getKey()) == each.getValue());
    }
}
