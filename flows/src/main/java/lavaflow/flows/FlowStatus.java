package lavaflow.flows;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.kube.GoDuration;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What a flow says of its Jobs: lists by phase, what each of them went through, and the phase of the whole. Pure. */
final class FlowStatus {
    /** In which list the Jobs of a phase are; those of Completing and Terminating are in none, those of others are unknown. */
    private static final Map<String, String> LISTS = new LinkedHashMap<>();

    static {
        LISTS.put("Pending", "pendingJobs");
        LISTS.put("", "pendingJobs"); // not looked at by its controller yet
        LISTS.put("Running", "runningJobs");
        LISTS.put("Failed", "failedJobs");
        LISTS.put("Completed", "completedJobs");
        LISTS.put("Terminated", "terminatedJobs");
    }

    /** So many phases of a Job are remembered: one that restarts for days must not make its flow too large to be written. */
    static final int REMEMBERED = 100;

    private static final List<String> PASSING = List.of("Completing", "Terminating");

    private FlowStatus() {}

    /**
     * The status of a flow.
     *
     * @param jobs those there are, in the order of the flow
     * @param steps how many Jobs the flow has
     */
    static ObjectNode of(ObjectNode flow, List<ObjectNode> jobs, int steps, Instant now) {
        ObjectNode status = Json.object();
        Map<String, ArrayNode> lists = new LinkedHashMap<>();
        LISTS.values().forEach(list -> lists.putIfAbsent(list, Json.array()));
        lists.put("unKnowJobs", Json.array());
        for (ObjectNode job : jobs) {
            String phase = Flows.phase(job);
            if (!PASSING.contains(phase)) {
                ArrayNode list = lists.get(LISTS.getOrDefault(phase, "unKnowJobs"));
                if (list != null) {
                    list.add(Flows.name(job));
                }
            }
        }
        lists.forEach((name, list) -> {
            if (!list.isEmpty()) {
                status.set(name, list);
            }
        });
        status.set("jobStatusList", histories(flow, jobs, now));
        ObjectNode conditions = conditions(jobs);
        if (!conditions.isEmpty()) {
            status.set("conditions", conditions);
        }
        status.putObject("state").put("phase", phase(flow, status, steps));
        return status;
    }

    /** Failed is no end: where nothing is failed any more, because somebody deleted it, the flow goes on. */
    private static String phase(ObjectNode flow, ObjectNode status, int steps) {
        String before = Json.textAt(flow, "status", "state", "phase");
        if (Flows.isDeleting(flow)) {
            return "Terminating";
        }
        if (before.equals("Succeed")) {
            return before;
        }
        int completed = Json.listAt(status, "completedJobs").size();
        boolean failed = !Json.listAt(status, "failedJobs").isEmpty()
                || !Json.listAt(status, "terminatedJobs").isEmpty();
        boolean begun = completed > 0 || !Json.listAt(status, "runningJobs").isEmpty();
        if (completed == steps && steps > 0) {
            return "Succeed";
        }
        if (failed) {
            return "Failed";
        }
        return begun || before.equals("Running") ? "Running" : "Pending";
    }

    private static ObjectNode conditions(List<ObjectNode> jobs) {
        ObjectNode conditions = Json.object();
        for (ObjectNode job : jobs) {
            ObjectNode condition = conditions.putObject(Flows.name(job));
            putText(condition, "phase", Flows.phase(job));
            condition.put("createTime", Json.textAt(job, "metadata", "creationTimestamp"));
            putText(condition, "runningDuration", Json.textAt(job, "status", "runningDuration"));
            JsonNode counts = Json.at(job, "status", "taskStatusCount");
            if (counts != null && !counts.isEmpty()) {
                condition.set("taskStatusCount", counts.deepCopy());
            }
        }
        return conditions;
    }

    private static void putText(ObjectNode object, String field, String text) {
        if (!text.isEmpty()) {
            object.put(field, text);
        }
    }

    // ---- histories

    private static ArrayNode histories(ObjectNode flow, List<ObjectNode> jobs, Instant now) {
        Map<String, ObjectNode> entries = new LinkedHashMap<>();
        for (JsonNode entry : Json.listAt(flow, "status", "jobStatusList")) {
            entries.put(Json.textAt(entry, "name"), (ObjectNode) entry.deepCopy());
        }
        for (ObjectNode job : jobs) {
            entries.put(Flows.name(job), entry(job, entries.get(Flows.name(job)), now));
        }
        ArrayNode list = Json.array();
        entries.values().forEach(list::add);
        return list;
    }

    private static ObjectNode entry(ObjectNode job, @Nullable ObjectNode before, Instant now) {
        ObjectNode entry = Json.object().put("name", Flows.name(job));
        putText(entry, "state", Flows.phase(job));
        String made = Json.textAt(job, "metadata", "creationTimestamp");
        putText(entry, "startTimestamp", made);
        putText(entry, "endTimestamp", end(made, Json.textAt(job, "status", "runningDuration")));
        long retries = Json.longAt(job, 0, "status", "retryCount");
        if (retries > 0) {
            entry.put("restartCount", retries);
        }
        ArrayNode histories = before == null
                ? Json.array()
                : Json.listAt(before, "runningHistories").deepCopy();
        String last = histories.isEmpty() ? "" : Json.textAt(histories.get(histories.size() - 1), "state");
        if (!Flows.phase(job).isEmpty() && !last.equals(Flows.phase(job))) {
            String time = GoTime.seconds(now);
            if (!histories.isEmpty()) {
                ((ObjectNode) histories.get(histories.size() - 1)).put("endTimestamp", time);
            }
            histories.addObject().put("startTimestamp", time).put("state", Flows.phase(job));
            while (histories.size() > REMEMBERED) {
                histories.remove(0);
            }
        }
        if (!histories.isEmpty()) {
            entry.set("runningHistories", histories);
        }
        return entry;
    }

    private static String end(String made, String ran) {
        if (made.isEmpty() || ran.isEmpty()) {
            return "";
        }
        try {
            Duration duration = GoDuration.parse(ran);
            return GoTime.seconds(Instant.parse(made).plus(duration));
        } catch (MalformedException _) {
            return "";
        }
    }
}
