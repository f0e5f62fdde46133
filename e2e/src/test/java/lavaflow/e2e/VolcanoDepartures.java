package lavaflow.e2e;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What of Volcano's objects is known to differ, each by its key in docs/compatibility.md, or tells nothing but when somebody looked. It is
 * taken out of both sides, and only that, so that everything beside it is compared.
 */
final class VolcanoDepartures {
    private static final Set<String> ENDED = Set.of("Completed", "Failed", "Terminated", "Aborted");
    private static final List<String> COUNTS = List.of("succeeded", "failed", "taskStatusCount");

    private static final String VERSION = "volcano.sh/job-version";

    private VolcanoDepartures() {}

    static void leaveOut(ObjectNode object) {
        String kind = Json.textAt(object, "apiVersion") + " " + Json.textAt(object, "kind");
        switch (kind) {
            case "batch.volcano.sh/v1alpha1 Job" -> leaveOutOfJob(object);
            case "scheduling.volcano.sh/v1beta1 PodGroup" -> leaveOutOfGroup(object);
            case "batch.volcano.sh/v1alpha1 CronJob" ->
                leaveOutEmpty(Json.objectAt(object, "spec", "jobTemplate", "spec"));
            case "scheduling.volcano.sh/v1beta1 Queue" -> leaveOutOfQueue(object);
            case "flow.volcano.sh/v1alpha1 JobFlow" -> leaveOutOfFlow(object);
            case "flow.volcano.sh/v1alpha1 JobTemplate" -> sort(Json.listAt(object, "status", "jobDependsOnList"));
            case "v1 Pod" -> leaveOutOfPod(object);
            default -> {}
        }
    }

    /** job-counts, as a flow repeats them; flow-status: the order of Jobs, and whether upstream looked once more after the end. */
    private static void leaveOutOfFlow(ObjectNode flow) {
        JsonNode status = flow.path("status");
        status.forEach(list -> {
            if (list instanceof ArrayNode names) {
                sort(names);
            }
        });
        Differences.blank(flow, "/status/jobStatusList/*/endTimestamp");
        JsonNode conditions = Json.at(flow, "status", "conditions");
        if (conditions == null) {
            return;
        }
        for (JsonNode each : conditions) {
            if (each instanceof ObjectNode condition) {
                if (ENDED.contains(Json.textAt(condition, "phase"))) {
                    condition.remove("taskStatusCount");
                }
                condition.remove("runningDuration");
            }
        }
    }

    /** volcano-webhooks: upstream's write what they read, and Go adds what is empty and leaves out a number that is zero. */
    private static void leaveOutEmpty(@Nullable ObjectNode spec) {
        for (JsonNode task : Json.listAt(spec, "tasks")) {
            if (Json.longAt(task, 1, "replicas") == 0) {
                ((ObjectNode) task).remove("replicas");
            }
            ObjectNode template = Json.objectAt(task, "template");
            if (template != null) {
                removeEmpty(template, "metadata");
                for (String list : List.of("containers", "initContainers")) {
                    Json.listAt(template, "spec", list).forEach(each -> removeEmpty(each, "resources"));
                }
            }
        }
    }

    private static void removeEmpty(JsonNode node, String field) {
        if (node instanceof ObjectNode object
                && object.path(field).isObject()
                && object.path(field).isEmpty()) {
            object.remove(field);
        }
    }

    /** job-plugins, flow-status: in which order upstream asks plugins and finds Jobs is chance. */
    private static void sort(ArrayNode list) {
        List<JsonNode> sorted = new ArrayList<>();
        list.forEach(sorted::add);
        sorted.sort(Comparator.comparing(each -> each.isTextual()
                ? each.textValue()
                : EndState.CLAIM.matcher(Json.textAt(each, "name")).replaceAll("j-$1")));
        list.removeAll();
        list.addAll(sorted);
    }

    /** job-version: how often a Job was looked at while it ended. */
    private static void leaveOutOfPod(ObjectNode pod) {
        sort(Json.listAt(pod, "spec", "volumes"));
        for (String list : List.of("containers", "initContainers")) {
            for (JsonNode container : Json.listAt(pod, "spec", list)) {
                sort(Json.listAt(container, "env"));
                sort(Json.listAt(container, "volumeMounts"));
            }
        }
        ObjectNode annotations = Json.objectAt(pod, "metadata", "annotations");
        if (annotations != null && !Json.textAt(annotations, VERSION).matches("0?")) {
            annotations.put(VERSION, "<raised>");
        }
    }

    /** queue-counts: upstream's have none, but an empty field; nothing may be 0 or left out. */
    private static void leaveOutOfQueue(ObjectNode queue) {
        ObjectNode status = Json.objectAt(queue, "status");
        if (status != null) {
            status.remove(List.of("pending", "inqueue", "running", "unknown", "completed"));
            removeEmpty(status, "reservation");
            ObjectNode allocated = Json.objectAt(status, "allocated");
            if (allocated != null) {
                allocated.remove(allocated
                        .propertyStream()
                        .filter(each -> each.getValue().textValue().equals("0"))
                        .map(Map.Entry::getKey)
                        .toList());
            }
        }
    }

    /** gang-news: how often it was written, and that it was not scheduled yet when somebody looked. Go leaves out a zero, and not an empty map. */
    private static void leaveOutOfGroup(ObjectNode group) {
        Differences.blank(group, "/metadata/generation");
        ObjectNode spec = Json.objectAt(group, "spec");
        if (spec != null) {
            removeEmpty(spec, "minResources");
            if (Json.longAt(spec, 1, "minMember") == 0) {
                spec.remove("minMember");
            }
        }
        ArrayNode conditions = Json.listAt(group, "status", "conditions");
        boolean scheduled = conditions
                .valueStream()
                .anyMatch(each -> Json.textAt(each, "type").equals("Scheduled")
                        && Json.textAt(each, "status").equals("True"));
        if (scheduled) {
            conditions.removeIf(each -> Json.textAt(each, "type").equals("Unschedulable"));
        }
    }

    /** gang-waiting: why a gang has not been placed. */
    static void leaveOutWaiting(ObjectNode object) {
        String kind = Json.textAt(object, "kind");
        Json.listAt(object, "status", "conditions")
                .removeIf(each -> kind.equals("PodGroup")
                        ? Json.textAt(each, "type").equals("Unschedulable")
                        : kind.equals("Pod")
                                && Json.textAt(each, "type").equals("PodScheduled")
                                && Json.textAt(each, "status").equals("False"));
    }

    private static void leaveOutOfJob(ObjectNode job) {
        leaveOutEmpty(Json.objectAt(job, "spec"));
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
        // Whether a Job was Pending once more because a pod was being replaced is chance, and with it the order.
        kept.sort(Comparator.comparing(each -> Json.textAt(each, "status")));
        ArrayNode list = Json.array();
        kept.forEach(list::add);
        return list;
    }
}
