package lavaflow.cli;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import lavaflow.kube.HumanDuration;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * A gang at one moment.
 *
 * @param kind what the object is called before its name: {@code job}
 * @param group its PodGroup, null where it has none
 * @param progress what pods say of themselves, by their names
 * @param explained why it waits, by whoever looked closer; empty where nobody did
 */
record Gang(
        String kind,
        ObjectNode object,
        @Nullable ObjectNode group,
        List<GangPod> pods,
        Map<String, Progress> progress,
        Optional<String> explained,
        Instant now) {
    /** What schedulers count before they come to the point. */
    private static final String POINT = "Origin reason is ";

    String name() {
        return Json.textAt(object, "metadata", "name");
    }

    String phase() {
        return Outcome.phase(object);
    }

    Outcome outcome() {
        return Outcome.of(object);
    }

    /** How long it ran, or runs. */
    String duration() {
        String made = Json.textAt(object, "metadata", "creationTimestamp");
        String ended = Json.textAt(object, "status", "state", "lastTransitionTime");
        ended = ended.isEmpty() ? Json.textAt(object, "status", "completionTime") : ended;
        Instant until = outcome().isEnd() && !ended.isEmpty() ? Instant.parse(ended) : now;
        return made.isEmpty() ? "" : HumanDuration.format(Duration.between(Instant.parse(made), until));
    }

    /** Its tasks that begin after others, as long as they have not. */
    List<TaskWait> later() {
        return TaskWait.of(object, pods);
    }

    /** Why it is how it is; empty where nobody says. */
    String why() {
        String message = Json.textAt(object, "status", "state", "message");
        String reason = Json.textAt(object, "status", "state", "reason");
        if (!message.isEmpty() || !reason.isEmpty()) {
            return message.isEmpty() ? reason : message;
        }
        for (JsonNode condition : Json.listAt(object, "status", "conditions")) {
            if (Json.textAt(condition, "type").equals("Failed")
                    && Json.textAt(condition, "status").equals("True")) {
                return Json.textAt(condition, "message");
            }
        }
        if (!waits()) {
            return JobFailure.of(object);
        }
        if (explained.isPresent()) {
            return explained.get();
        }
        for (JsonNode condition : Json.listAt(group, "status", "conditions")) {
            if (Json.textAt(condition, "type").equals("Unschedulable")
                    && Json.textAt(condition, "status").equals("True")) {
                message = Json.textAt(condition, "message");
            }
        }
        int point = message.indexOf(POINT);
        return point < 0 ? message : message.substring(point + POINT.length());
    }

    /** Whether it has not begun, and no pod has a node. */
    boolean waits() {
        return !outcome().isEnd() && pods.stream().allMatch(pod -> pod.node().isEmpty());
    }

    /** How much of it is done, as far as its pods tell; below zero where none does. */
    double part() {
        return pods.stream()
                .map(pod -> progress.get(pod.name()))
                .filter(each -> each != null && each.part() >= 0)
                .mapToDouble(Progress::part)
                .average()
                .orElse(-1);
    }
}
