package lavaflow.cli;

import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Tells how a gang comes together, one line for each step: the job, its PodGroup, its pods by count, and whatever goes wrong. */
final class RunChanges {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

    private final String head;
    private String phase = "";
    private String groupPhase = "";
    private String counts = "";
    private final Map<String, String> troubles = new HashMap<>();
    private final Map<String, Long> restarts = new HashMap<>();

    /** @param head what stands before the names of pods where there are several jobs */
    RunChanges(String head) {
        this.head = head;
    }

    List<String> since(Gang gang, Collection<ObjectNode> pods) {
        List<String> lines = new ArrayList<>();
        if (!gang.phase().equals(phase)) {
            phase = gang.phase();
            lines.add(gang.kind() + "/" + gang.name() + " " + phase);
        }
        group(gang.group(), lines);
        counts(gang, lines);
        for (GangPod pod : gang.pods()) {
            trouble(pod, pods, lines);
        }
        String time = TIME.format(gang.now());
        return lines.stream().map(line -> time + "  " + line).toList();
    }

    private void group(@Nullable ObjectNode group, List<String> lines) {
        if (group == null) {
            return;
        }
        String now = Json.textAt(group, "status", "phase");
        now = now.isEmpty() ? "Pending" : now;
        if (now.equals(groupPhase)) {
            return;
        }
        String line = "podgroup/" + Json.textAt(group, "metadata", "name") + " " + now;
        if (groupPhase.isEmpty()) {
            long members = Json.longAt(group, 1, "spec", "minMember");
            String queue = Json.textAt(group, "spec", "queue");
            line += " in queue " + (queue.isEmpty() ? "default" : queue) + ": "
                    + (members == 1 ? "one pod is enough" : members + " pods start together or not at all");
        }
        groupPhase = now;
        lines.add(line);
    }

    private void counts(Gang gang, List<String> lines) {
        Map<String, Integer> byStatus = new TreeMap<>();
        gang.pods().forEach(pod -> byStatus.merge(settled(pod.status()), 1, Integer::sum));
        List<String> parts = new ArrayList<>();
        byStatus.forEach((status, count) -> parts.add(count + " " + status));
        String now = String.join(", ", parts);
        if (!now.equals(counts) && !now.isEmpty()) {
            lines.add(head + "pods: " + now);
        }
        counts = now;
    }

    /** What is tried again and again is told once. */
    private static String settled(String status) {
        return status.replace("ImagePullBackOff", "ErrImagePull");
    }

    private void trouble(GangPod pod, Collection<ObjectNode> pods, List<String> lines) {
        Long before = restarts.put(pod.name(), pod.restarts());
        if (before != null && pod.restarts() > before) {
            lines.add(head + pod.label() + " restarted" + (pod.exit().isEmpty() ? "" : ": " + pod.exit()));
        }
        String now = pod.isBad() ? settled(pod.status()) : "";
        if (!now.equals(troubles.put(pod.name(), now)) && !now.isEmpty()) {
            String message = pods.stream()
                    .filter(each -> Json.textAt(each, "metadata", "name").equals(pod.name()))
                    .map(RunChanges::message)
                    .findFirst()
                    .orElse("");
            String detail = message.isEmpty() ? pod.exit() : message;
            lines.add(head + pod.label() + " " + now + (detail.isEmpty() ? "" : ": " + detail));
        }
    }

    /** What whoever runs it says of a container that cannot start, or of a pod that had to go. */
    private static String message(ObjectNode pod) {
        for (String list : List.of("initContainerStatuses", "containerStatuses")) {
            for (JsonNode status : Json.listAt(pod, "status", list)) {
                String message = Json.textAt(status, "state", "waiting", "message");
                if (!message.isEmpty()) {
                    return message;
                }
            }
        }
        return Json.textAt(pod, "status", "message");
    }
}
