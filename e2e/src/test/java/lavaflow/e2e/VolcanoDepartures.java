package lavaflow.e2e;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What of Volcano's objects is known to differ, each by its key in docs/compatibility.md, or tells nothing but when somebody looked. It is
 * taken out of both sides, and only that, so that everything beside it is compared.
 */
final class VolcanoDepartures {
    private static final Set<String> ENDED = Set.of("Completed", "Failed", "Terminated", "Aborted");
    private static final List<String> COUNTS = List.of("succeeded", "failed", "taskStatusCount");

    private VolcanoDepartures() {}

    static void leaveOut(ObjectNode object) {
        String kind = Json.textAt(object, "apiVersion") + " " + Json.textAt(object, "kind");
        switch (kind) {
            case "batch.volcano.sh/v1alpha1 Job" -> leaveOutOfJob(object);
            case "scheduling.volcano.sh/v1beta1 PodGroup" ->
                // gang-news: how often it was written.
                Differences.blank(object, "/metadata/generation");
            default -> {}
        }
    }

    private static void leaveOutOfJob(ObjectNode job) {
        // volcano-webhooks: upstream's write what they read, with what Go adds.
        for (JsonNode task : Json.listAt(job, "spec", "tasks")) {
            JsonNode metadata = Json.at(task, "template", "metadata");
            if (metadata != null && metadata.isEmpty()) {
                Differences.blank(task, "/template/metadata");
            }
        }
        ObjectNode status = Json.objectAt(job, "status");
        if (status == null) {
            return;
        }
        // job-version: a phase is there once, when it last began; that there were others is the same.
        status.set("conditions", lastOfEach(Json.listAt(status, "conditions")));
        if (status.has("version")) {
            status.put("version", "<raised>");
        }
        if (status.has("runningDuration")) {
            status.put("runningDuration", "<duration>");
        }
        // job-counts: upstream forgets them in the end.
        if (ENDED.contains(Json.textAt(status, "state", "phase"))) {
            status.remove(COUNTS);
        }
    }

    private static ArrayNode lastOfEach(ArrayNode conditions) {
        List<JsonNode> kept = new ArrayList<>();
        for (JsonNode condition : conditions) {
            kept.removeIf(other -> other.get("status").equals(condition.get("status")));
            kept.add(condition);
        }
        ArrayNode list = Json.array();
        kept.forEach(list::add);
        return list;
    }
}
